"""Gaussian approximations of the posterior: Laplace, expectation propagation, and EP's correction of log Z."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any, Optional, Union, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats, view
from ._plot import Shown
from ._model import Model, ModelOptions, as_model
from ._warnings import warned

class Approximation(Shown):
    """A Gaussian approximation q(x) = N(x; 0, K) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z_q.

    Attributes
    ----------
    name : str
        "Laplace" or "EP".
    log_z : float
        Its estimate of log p(y), in nats.
    converged : bool
        Check this before using the other attributes.
    iterations : int
        Newton steps, or sweeps over all sites.
    residual : float
        The convergence criterion; see the library's ``approximate.h``.
    mean, variance : ndarray, shape (n,)
        Marginals of x under q. Read-only views of the library's memory.
    tau, nu : ndarray, shape (n,)
        Its sites.
    seconds : float
        How long the fit took.
    """

    def __init__(self, name: str, model: Model, options: dict[str, Any], handle: Any, seconds: float) -> None:
        facts = handle.describe()
        self._options = options
        self.name = name
        self.model = model
        self.seconds = seconds
        self.log_z: float = facts["log_z"]
        self.converged: bool = facts["converged"]
        self.iterations: int = facts["iterations"]
        self.residual: float = facts["residual"]
        self.mean, self.variance, self.tau, self.nu = (view(array) for array in handle.arrays())
        self._handle = handle

    @property
    def sd(self) -> Floats:
        """Marginal standard deviations."""
        return np.sqrt(self.variance)

    def __reduce__(self) -> tuple[Any, ...]:
        return _one_again, (self.model, self.name, self._options)

    def __repr__(self) -> str:
        verdict = "" if self.converged else ", NOT converged"
        return f"{self.name}(log_z={self.log_z:.4f}, {self.iterations} iterations{verdict})"


@dataclass(frozen=True)
class Correction:
    """EP's log Z with its second-order correction.

    Attributes
    ----------
    log_z : float
        NaN if EP did not converge.
    terms : list of float
        Contributions of orders 3, 4, ...
    decreasing : bool
        Do the terms decrease? If not, do not trust the sum.
    """

    log_z: float
    terms: list[float]
    decreasing: bool


class Fit(Shown):
    """Laplace's and EP's approximations.

    Attributes
    ----------
    laplace, ep : Approximation
    ep_corrected : Correction
    model : Model
    """

    def __init__(self, laplace: Approximation, ep: Approximation, corrected: Correction, options: dict[str, Any]) -> None:
        self.laplace = laplace
        self.ep = ep
        self.ep_corrected = corrected
        self.model = ep.model
        self._options = options

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.model, self._options)

    def __repr__(self) -> str:
        rows = [
            ("Laplace", self.laplace.log_z, self.laplace.converged, f"{self.laplace.iterations} steps"),
            ("EP", self.ep.log_z, self.ep.converged, f"{self.ep.iterations} sweeps"),
        ]
        lines = [f"{'':14}{'log Z (nats)':>14}   {'converged':<11}iterations"]
        lines += [f"{name:14}{log_z:14.4f}   {'yes' if good else 'NO':<11}{count}" for name, log_z, good, count in rows]
        lines.append(f"{'EP corrected':14}{self.ep_corrected.log_z:14.4f}")
        return "\n".join(lines)


def _timed(model: Model, kind: str, options: dict[str, Any]) -> tuple[Any, float]:
    """A fit and its seconds; the model keeps one with the default options."""
    start = time.perf_counter()
    handle = getattr(model._problem, kind)(options) if options else model._fit(kind)
    return handle, time.perf_counter() - start


# A pickle holds the model and the options. Unpickling repeats the fit, without warnings. Pickles refer to these functions
# by name.


def _one_again(model: Model, name: str, options: dict[str, Any]) -> Approximation:
    return Approximation(name, model, options, *_timed(model, name.lower(), options))


def _again(model: Model, options: dict[str, Any]) -> Fit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return approx(model, **options)


ROUNDING = 1e-4  # nats, as the library's TW_EP_ROUNDING


def _check(model: Model, kind: str, handle: Any) -> bool:
    """Did it converge? If not, warn."""
    facts = handle.describe()
    if not facts["converged"]:
        what = "not_converged" if math.isfinite(facts["residual"]) else "overflow"
        model._notes.append(warned(f"{kind}_{what}", facts["iterations"], facts["residual"]))
    elif facts["rounding"] > ROUNDING:
        model._notes.append(warned("rounding", facts["rounding"], name="EP" if kind == "ep" else "Laplace"))
    return bool(facts["converged"])


def _correct(model: Model, ep: Any, orders: int) -> Correction:
    if not _check(model, "ep", ep):
        return Correction(math.nan, [], False)
    log_z, terms, decreasing = model._problem.correct(ep, orders)
    if not decreasing:
        model._notes.append(warned("correction"))
    return Correction(log_z, terms, decreasing)


def approx(
    X: Union[ArrayLike, Model, None] = None,
    y: Optional[ArrayLike] = None,
    *,
    max_sweeps: int = 200,
    tol: float = 1e-8,
    site_tol: float = 1e-6,
    orders: int = 4,
    **model: Unpack[ModelOptions],
) -> Fit:
    """Laplace's approximation, EP's, and EP's corrected log Z.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    max_sweeps : int
        Largest number of EP's sweeps over all sites.
    tol : float
        EP has converged when log Z changes by less than this in a sweep, and `site_tol` holds.
    site_tol : float
        Largest difference between a site's tilted moments and the marginal's, in units of the marginal.
    orders : int
        Highest order of cumulants in the correction, 3 to 8.

    Returns
    -------
    Fit
        ``fit.laplace``, ``fit.ep``, ``fit.ep_corrected``. A fit that did not converge warns.

    Examples
    --------
    >>> fit = talweg.approx(X, y, log_ell=0.5, log_sigma=1)
    >>> fit.ep.log_z, fit.ep_corrected.log_z
    >>> fit.ep.mean[:3], fit.ep.sd[:3]
    """
    about = as_model(X, y, model)
    try:
        usual = max_sweeps == 200 and tol == 1e-8 and site_tol == 1e-6
        options = {} if usual else dict(max_sweeps=max_sweeps, tol=tol, site_tol=site_tol)
        laplace = Approximation("Laplace", about, {}, *_timed(about, "laplace", {}))
        _check(about, "laplace", laplace._handle)
        ep = Approximation("EP", about, options, *_timed(about, "ep", options))
        given = dict(max_sweeps=max_sweeps, tol=tol, site_tol=site_tol, orders=orders)
        return Fit(laplace, ep, _correct(about, ep._handle, orders), given)
    finally:
        about._speak()
