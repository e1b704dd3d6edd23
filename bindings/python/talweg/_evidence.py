"""log p(y) by Monte Carlo, with errors, side by side, and whether the estimates agree.

Each method has random numbers of its own, the same as in the program ``talweg evidence``.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterator, Optional, Sequence, Union, Unpack

from numpy.typing import ArrayLike

from . import _talweg
from ._methods import SAMPLERS
from ._model import Model, ModelOptions, as_model, count_threads
from ._path import Path, resampling
from ._sample import Progress, check_name, progress_function
from ._talweg import InputError
from ._warnings import Warned, warned

SAFETY = 1.5  # an error from 16 islands is good to a fifth, and there is no third run
MOST_EFFORT = 64.0  # of a second run, over the first
PRIOR_LADDER = 40  # temperatures of parallel tempering from the prior
LEAST_LADDER = 8  # of which so many stay, where replicas do not travel


@dataclass(frozen=True)
class Estimate:
    """An estimate of log Z.

    Attributes
    ----------
    method : str
        "ais", "ais-reverse", "stepping-stone", "thermodynamic" or "resample-move".
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
        In Z; else consistent as the effort grows.
    pareto_k : float
        Shape of the tail of the weights: above 0.7 the error is not to be trusted. NaN where it does not apply.
    missed : float
        "ais-reverse": the share of 1/Z that its way up knows of and its way down did not meet, part of se; else NaN.
    draws : int
        Which random draws it is made of: estimates with the same number share them.
    trips, drift, apart : float
        Parallel tempering: round trips of a copy; by how much the second half of the run is above the first, and
        thermodynamic integration above stepping stones, where that is beyond chance (else 0), part of se. Else NaN.
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
        """What there is to doubt about it, in a sentence with advice; None: nothing."""
        return _talweg.doubt(_row(self)) or None


class Evidence:
    """Estimates of log p(y), with approximations beside them.

    Attributes
    ----------
    estimates : list of Estimate
    log_z, se : float
        Those of the estimate with the smallest standard error; NaN where there is none.
    agree : bool or None
        Is every pair of estimates that share no draws within 4 joint standard errors? None: there is no such pair.
    verdict : str
        The same in a sentence.
    laplace, ep, ep_corrected : float
        log Z of the approximations; NaN where one did not converge.
    tempering : dict
        What parallel tempering saw: barrier, round trips, one-sided stepping stones; empty without it.
    """

    def __init__(self, estimates: list[Estimate], path: Path, tempering: dict[str, Any]) -> None:
        rows = [_row(estimate) for estimate in estimates]
        self.estimates = estimates
        self.agree, self.verdict, best, _ = _talweg.agree(rows)
        self.best: Optional[Estimate] = estimates[best] if best >= 0 else None
        self.log_z: float = self.best.log_z if self.best else math.nan
        self.se: float = self.best.se if self.best else math.nan
        self.model = path.model
        self.start, self.kernel, self.metric = path.start_name, path.kernel, path.metric
        self.tempering = tempering
        self.laplace: float = _log_z(path.laplace)
        self.ep: float = _log_z(path.ep)
        self.ep_corrected: float = path.corrected

    def compare(self) -> list[str]:
        """How far each approximation is from the best estimate, in a sentence each; none where estimates disagree."""
        names = (("Laplace", self.laplace), ("EP", self.ep), ("EP corrected", self.ep_corrected))
        if self.best is None or self.agree is False:
            return []
        return [_talweg.compare(_row(self.best), name, value) for name, value in names if math.isfinite(value)]

    def doubts(self) -> list[str]:
        """What there is to doubt about the estimates, in a sentence with advice each."""
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
            lines.append(f"{name:18}{value:14.4f}")
        for e in self.estimates:
            weights = "" if math.isnan(e.weight_ess) else f"{e.weight_ess:.1f} of {e.particles}"
            lines.append(f"{e.method:18}{e.log_z:14.4f}{e.se:10.4f}{weights:>18}{e.acceptance:12.3f}{e.seconds:9.2f} s")
        return "\n".join([*lines, self.verdict, *self.compare(), *self.doubts()])


def _row(estimate: Estimate) -> dict[str, Any]:
    """What the library knows of an estimate."""
    return {name: value for name, value in asdict(estimate).items() if name != "seconds"}


def _log_z(handle: Any) -> float:
    facts = handle.describe()
    return facts["log_z"] if facts["converged"] else math.nan


class _Run:
    """The methods, one after the other, each with a goal for its standard error where there is one."""

    def __init__(self, path: Path, options: dict[str, Any], until_se: Optional[float], progress: Any) -> None:
        self.path, self.options, self.until_se, self.progress = path, options, until_se, progress
        self.estimates: list[Estimate] = []
        self.tempering: dict[str, Any] = {}
        self.needed = 0.0

    def keep(self, begun: float, *rows: Optional[dict[str, Any]]) -> None:
        seconds = time.perf_counter() - begun
        self.estimates += [Estimate(**row, seconds=seconds) for row in rows if row]

    def factor(self, row: Optional[dict[str, Any]], most: float) -> float:
        """How much more effort the goal takes than what gave this error, at most `most`."""
        if not row or self.until_se is None:
            return 1.0
        factor = SAFETY * (row["se"] / self.until_se) ** 2
        return min(factor, most) if math.isfinite(factor) and factor > 1.0 else 1.0

    def ais(self, begun: float, reverse: bool = False) -> None:
        o = self.options
        wanted = {name: o[name] for name in ("particles", "moves", "eps", "steps", "seed", "burn_in")}
        wanted.update(reverse=reverse)
        if self.until_se is not None:
            wanted.update(until_se=self.until_se, max_particles=o["max_particles"])
        row, needed = self.path.run("ais", self.path.beta, wanted, self.progress)
        self.needed = max(self.needed, needed)
        self.keep(begun, row)

    def ais_reverse(self, begun: float) -> None:
        self.ais(begun, reverse=True)

    def rm(self, begun: float) -> None:
        wanted = resampling(self.options)
        beta = self.path.beta if self.path.own_schedule else None
        row = self.path.run("resample_move", beta, wanted, self.progress)
        factor = self.factor(row, self.options["max_particles"] / wanted["particles"])
        if factor > 1.0:  # only the second run counts, so that looking at the first does not bias it
            wanted.update(particles=math.ceil(factor * wanted["particles"]), first_chain=_talweg.second_run)
            row = self.path.run("resample_move", beta, wanted, self.progress)
        if row and self.until_se is not None:
            self.needed = max(self.needed, wanted["particles"] * (row["se"] / self.until_se) ** 2)
        self.keep(begun, row)

    def pt(self, begun: float) -> None:
        o, path = self.options, self.path
        wanted = {name: o[name] for name in ("copies", "rounds", "moves", "eps", "steps", "seed")}
        wanted.update(warmup=o["rounds"])
        beta = path.beta if path.own_schedule else None
        if beta is None and path.start_name == "prior":
            beta = path.fill(path.kind, PRIOR_LADDER, path.beta_min)
            wanted["least_steps"] = LEAST_LADDER
        first, second, report = path.run("tempering", beta, wanted, self.progress)
        factor = self.factor(first, MOST_EFFORT)
        if factor > 1.0:
            wanted.update(rounds=math.ceil(factor * o["rounds"]), first_chain=_talweg.second_run)
            first, second, report = path.run("tempering", beta, wanted, self.progress)
        self.tempering = report if first else {}
        self.keep(begun, first, second)

    def judge(self) -> list[Warned]:
        """What is wrong with the estimates: no number, weights that collapsed, a goal that was missed."""
        found = []
        for e in self.estimates:
            if e.method == "thermodynamic" and not math.isfinite(e.log_z):
                continue  # stepping stones decide
            if not math.isfinite(e.log_z) and math.isnan(e.weight_ess):
                found.append(warned("no_number", name=e.method))
            elif not math.isfinite(e.log_z) or e.weight_ess < 2.0:
                found.append(warned("collapsed", e.weight_ess, e.particles, name=e.method))
        # The error of thermodynamic integration has a part that more effort leaves.
        worst = max((e.se for e in self.estimates if e.method != "thermodynamic"), default=0.0)
        if self.until_se is not None and worst > self.until_se:
            found.append(warned("goal_missed", worst, self.until_se, self.needed))
        return found


METHODS: dict[str, Callable[[_Run, float], None]] = {
    "ais": _Run.ais,
    "ais-reverse": _Run.ais_reverse,
    "pt": _Run.pt,
    "rm": _Run.rm,
}


def _names(method: Union[str, Sequence[str]]) -> list[str]:
    names = method.split(",") if isinstance(method, str) else list(method)
    for name in names:
        check_name("method", name, tuple(METHODS))
    if len(set(names)) < len(names) or not names:
        raise InputError("name each method once")
    return names


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
        "ais": annealed importance sampling from q up to the posterior; "ais-reverse": the way back from posterior
        draws; "pt": parallel tempering, by stepping stones and thermodynamic integration; "rm": resample-move,
        adaptive in temperatures and particles.
    start : {"ep", "laplace", "prior"}, Approximation, or (mean, covariance)
        The distribution q at temperature 0.
    kernel_method, metric : str
        Transitions ("auto" is "hmc") and their metric; the default is "smoothed" for rmhmc, else "prior" from the
        prior and "ep" from anything else.
    schedule : {"auto", "geometric", "linear", "sigmoid", "adaptive"} or array_like
        Inverse temperatures, rising from 0 to 1; "auto" is geometric from the prior, else linear.
    temperatures : int
        Steps of the schedule; 0 is 400 from the prior, else 50.
    beta_min : float
        First temperature above 0 of the geometric schedule; 0 is 1e-7 from the prior, else 0.01.
    particles, moves, burn_in : int
        Particles; transitions at each temperature; transitions that make a draw from q one from the posterior.
    eps, steps : float, int
        Step size and leapfrog steps; 0: tuned in a pilot run and then frozen.
    until_se, max_particles : float, int
        Add particles until the standard error is at most `until_se`, or `max_particles` (0: 64 times `particles`)
        are used.
    copies, rounds : int
        pt: independent copies of the ladder, and rounds of transitions and swaps.
    seed, threads, progress
        As for `sample`. Where `progress` returns True, methods that are not finished are left out.

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
    names = _names(method)
    check_name("kernel_method", kernel_method, ("auto", *SAMPLERS))
    if particles < 2:
        raise InputError(f"with {particles} particles there is no error bar: it takes at least two")
    if until_se is not None and not until_se > 0:
        raise InputError(f"until_se must be above 0, not {until_se}")
    sampler = dict(solver_tol=solver_tol, fixed_point=fixed_point, threads=count_threads(threads))
    options = dict(particles=particles, moves=moves, burn_in=burn_in, eps=eps, steps=steps, seed=seed)
    options.update(copies=copies, rounds=rounds, max_particles=max_particles or int(MOST_EFFORT) * particles)
    try:
        path = Path(about, start, kernel_method, metric, sampler)
        path.set_schedule(schedule, temperatures, beta_min, options)
        run = _Run(path, options, until_se, progress_function(progress))
        for name in names:
            METHODS[name](run, time.perf_counter())
        about._notes += run.judge()
        return Evidence(run.estimates, path, run.tempering)
    finally:
        about._speak()
