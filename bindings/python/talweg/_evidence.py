"""log p(y) by several Monte Carlo methods, with standard errors, and whether the estimates agree.

The library does the work, as for the program ``talweg evidence``: the same options give the same numbers.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import asdict, dataclass
from typing import Any, Iterator, Optional, Sequence, Union, Unpack

from numpy.typing import ArrayLike

from . import _hyper, _talweg
from ._arrays import vector
from ._model import Model, ModelOptions, as_model, count_threads
from ._sample import Progress, progress_function, start_name, start_of
from ._plot import Shown
from ._talweg import InputError
from ._warnings import spoken


@dataclass(frozen=True)
class Estimate:
    """An estimate of log Z.

    Attributes
    ----------
    method : str
        "ais", "ais-reverse", "stepping-stone", "thermodynamic" or "resample-move"; of a whole model "is2" or "ais-joint".
    log_z, se : float
        In nats, with its standard error.
    se_bootstrap : float
        The same by the bootstrap; NaN where it does not apply.
    weight_ess : float
        Effective number of weights; NaN where it does not apply.
    acceptance : float
        Mean acceptance rate of the transitions.
    particles, temperatures : int
    failures : float
        Fraction of transitions that failed numerically.
    unbiased : bool
        In Z; otherwise consistent as the effort grows.
    pareto_k : float
        Shape of the tail of the weights: above 0.7 do not trust the error. NaN where it does not apply.
    missed : float
        "ais-reverse": the share of 1/Z that its forward run found and its reverse run missed, part of se; else NaN.
    draws : int
        Identifies its random draws: estimates with the same number share them.
    trips, drift, apart : float
        Parallel tempering: round trips of a copy; the difference of the second half of the run from the first, and of
        thermodynamic integration from stepping stones, if beyond chance (otherwise 0), both part of se. NaN for other
        methods.
    seconds : float
    """

    method: str
    log_z: float
    se: float
    se_bootstrap: float
    weight_ess: float
    acceptance: float
    particles: int
    temperatures: int
    failures: float
    unbiased: bool
    pareto_k: float
    missed: float
    draws: int
    trips: float
    drift: float
    apart: float
    seconds: float

    @property
    def doubt(self) -> Optional[str]:
        """The reason to doubt the estimate, with advice; None if there is none."""
        warning = _talweg.doubt(_row(self))
        return f"{spoken(warning)}." if warning else None


class Evidence(Shown):
    """Estimates of log p(y), with approximations for comparison.

    Attributes
    ----------
    estimates : list of Estimate
    log_z, se : float
        Those of the estimate with the smallest standard error; NaN if no estimate has one.
    agree : bool or None
        Is every pair of estimates that share no draws within 4 joint standard errors? None: no such pair exists.
    verdict : str
        The agreement in a sentence.
    laplace, ep, ep_corrected : float
        log Z of the approximations; NaN if one did not converge.
    parameters : list of Posterior
        Unknown parameters, over which log Z is integrated; empty if none is unknown.
    tempering : dict
        Statistics of parallel tempering: barrier, round trips, one-sided stepping stones; empty without it.
    """

    def __init__(self, model: Model, found: dict[str, Any]) -> None:
        self.model = model
        self.parameters: list[_hyper.Posterior] = found.get("rows", [])
        self.estimates = [Estimate(**row) for row in found["estimates"]]
        self.best: Optional[Estimate] = self.estimates[found["best"]] if found["best"] >= 0 else None
        self.log_z: float = self.best.log_z if self.best else math.nan
        self.se: float = self.best.se if self.best else math.nan
        self.agree: Optional[bool] = found["agree"]
        self.verdict: str = found["verdict"]
        self.start, self.kernel, self.metric = found["from"], found["kernel"], found["metric"]
        self.tempering: dict[str, Any] = found["tempering"]
        self.laplace: float = found["laplace"]
        self.ep: float = found["ep"]
        self.ep_corrected: float = found["ep_corrected"]

    def compare(self) -> list[str]:
        """The distance of each approximation from the best estimate, a sentence each; empty if estimates disagree."""
        names = (("Laplace", self.laplace), ("EP", self.ep), ("EP corrected", self.ep_corrected))
        if self.best is None or self.agree is False:
            return []
        return [_talweg.compare(_row(self.best), name, value) for name, value in names if math.isfinite(value)]

    def doubts(self) -> list[str]:
        """Reasons to doubt the estimates, a sentence with advice each."""
        return [estimate.doubt for estimate in self.estimates if estimate.doubt]

    def __getitem__(self, method: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.method == method:
                return estimate
        raise KeyError(method)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __repr__(self) -> str:
        lines = [f"{'':18}{'log Z (nats)':>14}{'error':>10}{'weights (ESS)':>18}{'acceptance':>12}{'time':>11}"]
        for name, value in (("Laplace", self.laplace), ("EP", self.ep), ("EP corrected", self.ep_corrected)):
            if not self.parameters:
                lines.append(f"{name:18}{value:14.4f}")
        for e in self.estimates:
            weights = "" if math.isnan(e.weight_ess) else f"{e.weight_ess:.1f} of {e.particles}"
            lines.append(f"{e.method:18}{e.log_z:14.4f}{e.se:10.4f}{weights:>18}{e.acceptance:12.3f}{e.seconds:9.2f} s")
        lines += _hyper.table(self.parameters) if self.parameters else []
        return "\n".join([*lines, self.verdict, *self.compare(), *self.doubts()])


def _row(estimate: Estimate) -> dict[str, Any]:
    """An estimate in the form that the library takes."""
    return {name: value for name, value in asdict(estimate).items() if name != "seconds"}


def evidence(
    X: Union[ArrayLike, Model, None] = None,
    y: Optional[ArrayLike] = None,
    *,
    method: Union[str, Sequence[str]] = ("ais", "ais-reverse"),
    start: Any = "ep",
    kernel_method: str = "auto",
    metric: Optional[str] = None,
    schedule: Any = "auto",
    temperatures: int = 0,
    beta_min: float = 0.0,
    particles: int = 256,
    moves: int = 1,
    burn_in: int = 30,
    eps: float = 0.0,
    steps: int = 0,
    solver_tol: float = 1e-9,
    fixed_point: int = 0,
    until_se: Optional[float] = None,
    max_particles: int = 0,
    copies: int = 32,
    rounds: int = 100,
    prior: _hyper.Texts = None,
    fix: _hyper.Texts = None,
    points: int = 512,
    point_particles: int = 16,
    point_temperatures: int = 4,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **model: Unpack[ModelOptions],
) -> Evidence:
    """Estimate the log evidence log p(y), with standard errors.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    method : str or sequence of str
        "ais": annealed importance sampling from q to the posterior; "ais-reverse": annealing from posterior draws back
        to q; "pt": parallel tempering, by stepping stones and thermodynamic integration; "rm": resample-move, adaptive
        in temperatures and particles.
    start : {"ep", "laplace", "prior"}, Approximation, or (mean, covariance)
        The distribution q at inverse temperature 0.
    kernel_method, metric : str
        Transitions ("auto" is "hmc") and their metric; the default is "smoothed" for rmhmc, otherwise "prior" for a
        path from the prior and "ep" for other paths.
    schedule : {"auto", "geometric", "linear", "sigmoid", "adaptive"} or array_like
        Inverse temperatures, increasing from 0 to 1; "auto" is geometric from the prior, otherwise linear.
    temperatures : int
        Steps of the schedule; 0: 400 from the prior, otherwise 50.
    beta_min : float
        First temperature above 0 of the geometric schedule; 0: 1e-7 from the prior, otherwise 0.01.
    particles, moves, burn_in : int
        Particles; transitions at each temperature; transitions at the posterior before "ais-reverse" anneals back.
    eps, steps : float, int
        Step size and leapfrog steps; 0: tuned in a pilot run and then frozen.
    until_se, max_particles : float, int
        Add particles until the standard error is at most `until_se`, or `max_particles` (0: 64 times `particles`)
        are used.
    copies, rounds : int
        pt: independent copies of the ladder, and rounds of transitions and swaps.
    prior, fix, points, point_particles, point_temperatures
        As for `sample`: parameters with a prior are unknown, and log Z is that of the whole model, integrated over them, by importance sampling
        squared ("is2") and by annealing of parameters and latents together ("ais-joint"), which share no draws.
    seed, threads, progress
        As for `sample`. If `progress` returns True, unfinished methods are omitted.

    Returns
    -------
    Evidence

    Examples
    --------
    >>> e = talweg.evidence(X, y, log_sigma=1, method=("ais", "ais-reverse", "pt"))
    >>> e.log_z, e.se, e.agree
    >>> print(e)
    """
    about = as_model(X, y, model)
    priors, fixed = _hyper.unknown(about, prior, fix)
    if priors:
        path = dict(method=method, start=start, kernel_method=kernel_method, metric=metric, schedule=schedule)
        path.update(temperatures=temperatures, beta_min=beta_min, particles=particles, moves=moves, burn_in=burn_in)
        path.update(eps=eps, steps=steps, solver_tol=solver_tol, fixed_point=fixed_point, until_se=until_se)
        path.update(max_particles=max_particles, copies=copies, rounds=rounds)
        _hyper.refuse("evidence", path, {name: p.default for name, p in inspect.signature(evidence).parameters.items()})
        much = dict(points=points, particles=point_particles, temperatures=point_temperatures, joint=64, seed=seed)
        return _whole_model(about, priors, fixed, {**much, "threads": threads}, progress)
    if fix is not None and any("=" in text for text in fixed):
        raise InputError("fix: no parameter has a prior, so all are fixed: give their values to the Model")
    if until_se is not None and not until_se > 0:
        raise InputError(f"until_se must be above 0, not {until_se}")
    options = dict(kernel_method=kernel_method, metric=metric or "auto", temperatures=temperatures, beta_min=beta_min)
    options.update(methods=method if isinstance(method, str) else ",".join(method), until_se=until_se or 0.0)
    options.update(particles=particles, moves=moves, burn_in=burn_in, eps=eps, steps=steps, solver_tol=solver_tol)
    options.update(fixed_point=fixed_point, max_particles=max_particles, copies=copies, rounds=rounds, seed=seed)
    options.update(threads=count_threads(threads))
    options["from"] = start_name(start)
    options["schedule"] = schedule if isinstance(schedule, str) else "given"
    beta = None if isinstance(schedule, str) else vector(schedule, "schedule")
    try:
        q = None if isinstance(start, str) else start_of(about, start)
        fits = about._fit("laplace"), about._fit("ep")
        found = about._problem.evidence(*fits, q, beta, options, progress_function(progress))
        about._notes += found["warnings"]
        return Evidence(about, found)
    finally:
        about._speak()


def _whole_model(model: Model, priors: list[str], fixed: list[str], much: dict[str, Any], progress: Progress) -> Evidence:
    """The evidence of the whole model."""
    about, found = _hyper.run(model, priors, fixed, much, progress_function(progress))
    try:
        found.update(best=0, tempering={}, kernel="hmc", metric="ep", laplace=math.nan, ep=math.nan, ep_corrected=math.nan)
        found["from"] = "ep"
        return Evidence(about, found)
    finally:
        about._speak()
