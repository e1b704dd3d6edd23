"""Check an approximation against exact draws and the exact evidence."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union, Unpack

from numpy.typing import ArrayLike

from ._approx import Approximation
from ._arrays import vector
from ._model import Model, ModelOptions, as_model, count_threads
from ._sample import Progress, progress_function
from ._plot import Shown
from ._talweg import InputError

QUANTITIES = ("mean", "sd", "q05", "q50", "q95")
TABLE_ROWS = 10


@dataclass(frozen=True)
class Difference:
    """A claimed number and its exact value.

    Attributes
    ----------
    claimed, exact : float
    difference, error : float
        ``claimed - exact`` with the Monte Carlo standard error of the exact value: in nats for log Z, in posterior standard
        deviations for latents. NaN if nothing is claimed.
    """

    claimed: float
    exact: float
    difference: float
    error: float


@dataclass(frozen=True)
class LatentCheck:
    """The numbers of one latent, `index` counted from 0."""

    index: int
    mean: Difference
    sd: Difference
    q05: Difference
    q50: Difference
    q95: Difference


class Check(Shown):
    """The result of a check.

    Attributes
    ----------
    right : bool or None
        None: undecided with these draws.
    verdict : str
        The verdict in words.
    against : str
        The name of the checked approximation.
    log_z : Difference
        In nats.
    latents : list of LatentCheck
        The largest difference first.
    wrong : int
        Number of latents with a wrong value.
    rms_mean, rms_sd : float
        Root mean squares of the differences of means and standard deviations; NaN if they are not claimed.
    draws_needed : int or None
        Draws of each chain needed for a decision, if more draws would decide.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.against: str = found["against"]
        self.verdict: str = found["words"]
        self.right: Optional[bool] = {"right": True, "wrong": False}.get(found["verdict"])
        self.log_z = Difference(*found["log_z"])
        self.log_z_verdict: str = found["log_z_verdict"]
        self.latent_verdict: str = found["latent_verdict"]
        self.latents = [LatentCheck(index, *(Difference(*value) for value in row)) for index, row in found["rows"]]
        self.wrong: int = found["wrong"]
        self.rms_mean: float = found["rms_mean"]
        self.rms_sd: float = found["rms_sd"]
        self.draws_needed: Optional[int] = found["draws_needed"] or None

    def __repr__(self) -> str:
        lines = []
        if not math.isnan(self.log_z.claimed):
            z = self.log_z
            lines.append(f"log Z: claimed {z.claimed:.4f}, exact {z.exact:.4f} +- {z.error:.4f}, {z.difference:+.4f} nats")
        if self.latents:
            lines.append("claimed - exact, in posterior standard deviations:")
            lines.append(f"{'':8}" + "".join(f"{name:>18}" for name in QUANTITIES))
        for row in self.latents[:TABLE_ROWS]:
            values = [getattr(row, name) for name in QUANTITIES]
            texts = ["-" if math.isnan(v.difference) else f"{v.difference:+.3f} +- {v.error:.3f}" for v in values]
            lines.append(f"{'x.' + str(row.index + 1):8}" + "".join(f"{text:>18}" for text in texts))
        return "\n".join([*lines, self.verdict])


Against = Union[str, "os.PathLike[str]", Approximation, Mapping[str, Any]]


def _claimed(about: Model, against: Against, name: Optional[str]) -> dict[str, Any]:
    """The claim in the form that the library takes: a fit, a path, or arrays."""
    out: dict[str, Any] = dict(fit=None, path=None, name=name or "the claim", values={}, log_z=math.nan)
    if isinstance(against, Approximation):
        out["fit"] = against._handle
    elif isinstance(against, str) and against in ("ep", "laplace"):
        out["fit"] = about._fit(against)
    elif isinstance(against, (str, os.PathLike)):
        out["path"] = os.fsencode(against)
    elif isinstance(against, Mapping):
        unknown = set(against) - {*QUANTITIES, "log_z"}
        if unknown:
            raise InputError(f"against has no {', '.join(map(repr, sorted(unknown)))}: it takes {', '.join(QUANTITIES)} and log_z")
        out["values"] = {key: vector(against[key], f"against[{key!r}]") for key in QUANTITIES if key in against}
        if "log_z" in against:
            out["log_z"] = float(against["log_z"])
    else:
        raise InputError(f"against must be 'ep', 'laplace', a file, an Approximation or a dict, not {type(against).__name__}")
    return out


def check(
    X: Union[ArrayLike, Model, None] = None,
    y: Optional[ArrayLike] = None,
    *,
    against: Against,
    log_z: Optional[float] = None,
    name: Optional[str] = None,
    tolerance: float = 0.1,
    log_z_tolerance: float = 0.1,
    method: Union[str, Sequence[str]] = ("ais", "ais-reverse"),
    chains: int = 4,
    warmup: int = 500,
    draws: int = 4000,
    page: Optional[Union[str, "os.PathLike[str]"]] = None,
    force: bool = False,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **model: Unpack[ModelOptions],
) -> Check:
    """Check an approximation of the posterior against exact results.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    against : "ep", "laplace", Approximation, dict, or a file
        The approximation to check. A dict has any of ``mean``, ``sd``, ``q05``, ``q50``, ``q95`` (arrays with a number for each latent,
        NaN if nothing is claimed) and ``log_z``; files are those of ``talweg check --against``.
    log_z : float
        The log Z to check, with all constants; overrides that of `against`.
    name : str
        Its name in the verdict, if `against` is a dict.
    tolerance, log_z_tolerance : float
        Tolerance of a mean, standard deviation or median, in posterior standard deviations (2.645 times that for a 5 %
        or 95 % quantile), and of log Z, in nats.
    method : str or sequence of str
        Methods that estimate log Z, as for `evidence`.
    chains, warmup, draws : int
        Number of chains, and warm-up iterations and draws of each.
    page : path
        Write a page with plots to this file; `force` overwrites an existing one.
    seed, threads, progress
        As for `sample`.

    Returns
    -------
    Check

    Examples
    --------
    >>> found = talweg.check(X, y, log_sigma=1, against="laplace")
    >>> found.right, found.verdict
    >>> talweg.check(X, y, log_sigma=1, against={"mean": m, "sd": s, "log_z": -52.1}, name="my sampler")
    """
    about = as_model(X, y, model)
    options: dict[str, Any] = dict(tolerance=tolerance, log_z_tolerance=log_z_tolerance, chains=chains, warmup=warmup, draws=draws)
    options.update(methods=method if isinstance(method, str) else ",".join(method), seed=seed)
    options.update(threads=count_threads(threads))
    try:
        claimed = _claimed(about, against, name)
        if log_z is not None:
            claimed["log_z"] = float(log_z)
        found = about._problem.check(
            about._fit("laplace"),
            about._fit("ep"),
            **claimed,
            page=None if page is None else os.fspath(page),
            overwrite=force,
            options=options,
            progress=progress_function(progress),
        )
        about._notes += found["warnings"]
        return Check(found)
    finally:
        about._speak()
