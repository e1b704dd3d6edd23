"""Parameters by the maximum of the approximate evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats
from ._model import Model, ModelOptions
from ._plot import Shown
from ._talweg import InputError


@dataclass(frozen=True)
class Parameter:
    """A parameter at the maximum.

    Attributes
    ----------
    name : str
        Of the parameter ("ell"), or of its logarithm ("log_ell") if the prior is on the logarithm or there is no prior.
    value, sd : float
        At the maximum; `sd` is NaN if the parameter is fixed, at a bound, or not determined.
    natural : float
        The parameter on its natural scale.
    prior : str or None
        "log_ell ~ normal(0, 1)".
    fixed, at_bound : bool
    """

    name: str
    value: float
    sd: float
    natural: float
    prior: Optional[str]
    fixed: bool
    at_bound: bool


@dataclass(frozen=True)
class Optimum:
    """One of the distinct optima.

    Attributes
    ----------
    theta : ndarray
        All parameters, as logarithms.
    log_z, log_posterior : float
    starts : int
        How many searches ended here.
    """

    theta: Floats
    log_z: float
    log_posterior: float
    starts: int


class Fitted(Shown):
    """The result of `fit`.

    Attributes
    ----------
    model : Model
        The model at the maximum, for `sample`, `evidence`, `approx` and the rest.
    parameters : list of Parameter
    log_z, log_posterior : float
        log Z at the maximum, without and with the log density of the priors.
    converged : bool
        Is it a maximum inside the searched range?
    flat : bool
        Is some direction hardly determined?
    optima : list of Optimum
        The best first.
    evaluations, failures : int
        Number of evaluations of log Z, and of failed ones.
    starts, starts_at_best : int
        Number of starting points, and of searches that ended at the best optimum.
    """

    def __init__(self, model: Model, found: tuple[Any, Any, Any, Any]) -> None:
        parameters, optima, facts, _ = found
        self.model = model
        self.parameters = [_parameter(*row) for row in parameters]
        self.optima = [Optimum(np.array(theta), *rest) for theta, *rest in optima]
        self.log_z: float = self.optima[0].log_z
        self.log_posterior: float = self.optima[0].log_posterior
        self.converged: bool = facts["converged"]
        self.flat: bool = facts["flat"]
        self.evaluations: int = facts["evaluations"]
        self.failures: int = facts["failures"]
        self.starts: int = facts["starts"]
        self.starts_at_best: int = facts["starts_at_best"]

    def __repr__(self) -> str:
        lines = [f"{'':20}{'value':>12}{'sd':>12}{'natural':>14}   prior"]
        for p in self.parameters:
            sd = "fixed" if p.fixed else "-" if math.isnan(p.sd) else f"{p.sd:.4g}"
            lines.append(f"{p.name:20}{p.value:12.5g}{sd:>12}{p.natural:14.5g}   {p.prior or ''}")
        verdict = "a maximum" if self.converged else "NOT a reliable maximum"
        ended = f"{self.starts_at_best} of {self.starts} searches ended here"
        return "\n".join(lines + [f"log Z {self.log_z:.4f}, with log prior {self.log_posterior:.4f}: {verdict}; {ended}"])


def _parameter(name: str, is_log: bool, prior: Optional[str], theta: float, sd: float, fixed: bool, at_bound: bool) -> Parameter:
    natural = math.exp(theta) if is_log else theta
    as_log = is_log and not (prior and not prior.startswith("log_"))
    scaled = sd * natural if is_log and not as_log else sd
    return Parameter("log_" + name if as_log else name, theta if as_log else natural, scaled, natural, prior, fixed, at_bound)


def _texts(name: str, given: Union[str, Sequence[str]]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} must be a string or a sequence of strings")
    return texts


def fit(
    X: ArrayLike,
    y: ArrayLike,
    *,
    prior: Union[str, Sequence[str]] = (),
    fix: Union[str, Sequence[str]] = (),
    method: str = "ep",
    starts: int = 8,
    max_evaluations: int = 200,
    seed: int = 1,
    **model: Unpack[ModelOptions],
) -> Fitted:
    """The parameters of kernel and likelihood that maximise log Z plus the log density of their priors.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`. The first search starts at the given values.
    prior : str or sequence of str
        "ell ~ gamma(25, 4)", "log_sigma ~ normal(0, 1)", or "default" for all parameters that were not given.
    fix : str or sequence of str
        Fixed parameters: "ell=2", or "ell" for its current value.
    method : {"ep", "laplace"}
        The approximation whose log Z is maximised.
    starts : int
        Number of searches; in all but the first, signal or noise dominates at the start, with long or short length scales.
    max_evaluations : int
        Largest number of evaluations of log Z in each search.
    seed : int

    Returns
    -------
    Fitted
        ``fitted.model`` is the model at the maximum. If the search did not reach a maximum, it warns.

    Examples
    --------
    >>> fitted = talweg.fit(X, y, standardise=True, prior="default")
    >>> draws = talweg.sample(fitted.model)
    """
    if method not in ("ep", "laplace"):
        raise InputError(f'method must be "ep" or "laplace", not {method!r}')
    about = Model(X, y, **model)
    about._forget_defaults()
    try:
        found = about._problem.fit(_texts("prior", prior), _texts("fix", fix), method, starts, max_evaluations, seed)
        about._moved(found[3])
        fitted = Fitted(about, found)
        about.priors = [p.prior for p in fitted.parameters if p.prior]
        about.fixed = [row[0] for row in found[0] if row[5]]
        return fitted
    finally:
        about._speak()
