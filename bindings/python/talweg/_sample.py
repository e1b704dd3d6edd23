"""Draws from the posterior by Markov chain Monte Carlo."""

from __future__ import annotations

import inspect
import sys
import time
from typing import Any, Callable, Optional, Union, Unpack

import numpy as np
from numpy.typing import ArrayLike

from . import _hyper
from ._approx import Approximation, Fit
from ._arrays import matrix, symmetric, vector
from ._draws import Draws
from ._model import Model, ModelOptions, as_model, count_threads
from ._talweg import InputError

Progress = Union[bool, None, Callable[[str, int, int, float], Any]]


def progress_function(progress: Progress) -> Optional[Callable[[str, int, int, float], Any]]:
    """The callable that receives the progress of the library; True: a line on standard error.

    On a terminal each line replaces the previous one. Otherwise a line follows at the end of a stage and every ten seconds.
    """
    said = time.monotonic()

    def show(stage: str, done: int, total: int, acceptance: float) -> None:
        nonlocal said
        terminal, ends = sys.stderr.isatty(), done == total
        if not (terminal or ends or time.monotonic() - said >= 10):
            return
        said = time.monotonic()
        share = f"{100 * done // total:3d} %" if total else f"{done}"
        rate = "" if np.isnan(acceptance) else f"  acceptance {acceptance:.2f}"
        sys.stderr.write(("\r" if terminal else "") + f"{stage} {share}{rate} " + ("\n" if ends or not terminal else ""))
        sys.stderr.flush()

    if progress is True:
        return show
    if progress and not callable(progress):
        raise InputError(f"progress must be True, False or a function, not {progress!r}")
    return progress or None


def start_of(model: Model, start: Any) -> Any:
    """A given q for the library: an approximation, or (mean, covariance)."""
    if isinstance(start, Fit):
        start = start.ep
    if isinstance(start, Approximation):
        if start.model is not model:
            raise InputError("start is an approximation of another model")
        return start._handle
    if isinstance(start, tuple) and len(start) == 2:
        mean, covariance = vector(start[0], "mean"), symmetric(start[1], "covariance")
        if not np.allclose(covariance, covariance.T, rtol=1e-10, atol=0):
            raise InputError("the covariance of start is not symmetric")
        return mean, covariance
    raise InputError("start must be a name, an approximation, or a pair (mean, covariance)")


def start_name(start: Any) -> str:
    """The name of the q of a path in a run file."""
    if isinstance(start, str):
        return start
    named = start.ep if isinstance(start, Fit) else start
    return named.name.lower() if isinstance(named, Approximation) else "gaussian"


def sample(
    X: Union[ArrayLike, Model, None] = None,
    y: Optional[ArrayLike] = None,
    *,
    method: str = "auto",
    metric: Optional[str] = None,
    chains: Union[int, str] = "auto",
    draws: Optional[int] = None,
    until_ess: Optional[float] = None,
    max_draws: int = 10_000,
    max_seconds: Optional[float] = None,
    warmup: Union[int, str] = "auto",
    thin: int = 1,
    eps: Optional[float] = None,
    steps: Optional[int] = None,
    target_accept: float = 0.8,
    solver_tol: float = 1e-9,
    fixed_point: int = 0,
    reverse_check: float = 1.0,
    init: Any = "ep",
    start: Any = "prior",
    beta: float = 1.0,
    prior: _hyper.Texts = None,
    fix: _hyper.Texts = None,
    hyper_method: str = "auto",
    points: int = 512,
    point_particles: int = 16,
    point_temperatures: int = 4,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **model: Unpack[ModelOptions],
) -> Draws:
    """Draw from the posterior of the latent values, and of the parameters that have a prior.

    The only error is that of a finite number of draws, which ``summary()`` reports. Chains start from over-dispersed
    draws and tune their parameters in warm-up, which are then frozen.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    method : {"auto", "hmc", "rmhmc", "ess", "mgrad"}
        hmc: Hamiltonian Monte Carlo with a constant metric; rmhmc: with a position-dependent metric; ess: elliptical
        slice sampling; mgrad: the marginal gradient sampler; auto: the cheapest of the first three, by short pilot
        runs.
    metric : str, optional
        hmc: "ep" (the default), "prior", "identity"; rmhmc: "smoothed" (the default), "hessian", "fisher",
        "anchored"; ess and mgrad: centred at "ep" (the default) or "prior".
    chains : int or "auto"
        Number of chains, run in parallel; "auto": 32 (4 with rmhmc, which moves each chain separately), fewer for more
        than 32768 cases, or one for each column of `init`.
    until_ess : float, optional
        Draw until the effective sample size of the worst latent (the smallest of bulk, tail and fold, over all chains)
        is `until_ess` and R-hat shows convergence, checked after 64, 96, 144, ... draws of each chain. Default: 400,
        unless `draws` is given.
    max_draws : int
        Largest number of draws of each chain, without `draws`.
    draws : int, optional
        Fixed number of draws of each chain.
    max_seconds : float, optional
        End after this time with the draws so far; the draws do not otherwise depend on it.
    warmup : int or "auto"
        Warm-up iterations of each chain, which tune the sampler and are discarded; "auto": 500 with up to four chains,
        200 with ten or more.
    thin : int
        Keep every `thin`-th iteration.
    eps, steps : float, int, optional
        Step size and number of leapfrog steps; default: tuned in warm-up.
    target_accept : float
        Target acceptance probability of the step size tuning.
    solver_tol, fixed_point, reverse_check
        rmhmc: tolerance of the implicit equations; or a fixed number of plain iterations; fraction of accepted
        trajectories that are checked for reversibility, step by step or by integrating back.
    init : "ep", "prior", or array_like of shape (n,) or (n, chains)
        The start of the chains.
    start, beta
        Sample p(y, x)^beta q(x)^(1 - beta), q being "prior", "ep", an `Approximation`, or a pair (mean, covariance).
        At ``beta=1``, the posterior, q does not matter.
    prior : str or sequence of str, optional
        Parameters with a prior are unknown, and the draws are of them and of the latent values together: "ell ~ gamma(25, 4)",
        "log_sigma ~ normal(0, 1)", or "default" for all parameters that were not given. Default: the priors of the `Model`.
    fix : str or sequence of str, optional
        Fixed parameters: "ell=2", "ell" for its current value, or "all". Default: the fixed parameters of the `Model`.
    hyper_method : {"auto", "is2", "chain"}
        Unknown parameters: draws from weighted points (is2: importance sampling squared) or from 16 Markov chains with
        `points` draws in total (chain), which have R-hat and do not estimate the evidence; auto: is2 for up to 12
        unknown parameters.
    points, point_particles, point_temperatures : int
        Unknown parameters: number of weighted points, which is also the number of draws; particles and temperatures of
        annealed importance sampling at each point. There are no chains, the ESS is that of the weights, and R-hat is
        NaN.
    seed : int
        Seed of all random numbers; draws are bitwise identical for any number of threads.
    threads : int
        0: as many as this process may use.
    progress : bool or callable, optional
        True: a line on standard error. A callable gets ``(stage, done, total, acceptance)`` a few times a second
        (unknown values: `total` is 0, `acceptance` NaN). If it returns True, the run ends with the draws so far, and
        ``interrupted`` is True; during pilot runs this raises `TalwegError`.

    Returns
    -------
    Draws

    Notes
    -----
    Other Python threads run during the call. Ctrl-C raises KeyboardInterrupt after the current iteration, if the caller
    is the main thread.

    Examples
    --------
    >>> draws = talweg.sample(X, y, log_sigma=1, chains=4, draws=1000, seed=1)
    >>> draws.x.shape                       # chain, draw, obs
    (4, 1000, 100)
    >>> draws.summary()["rhat"].max()
    """
    about = as_model(X, y, model)
    priors, fixed = _hyper.unknown(about, prior, fix)
    if priors:
        chains_only = dict(method=method, metric=metric, chains=chains, draws=draws, until_ess=until_ess, max_draws=max_draws)
        chains_only.update(warmup=warmup, thin=thin, eps=eps, steps=steps, target_accept=target_accept)
        chains_only.update(solver_tol=solver_tol, fixed_point=fixed_point, reverse_check=reverse_check)
        chains_only.update(init=init, start=start, beta=beta, max_seconds=max_seconds)
        usual = {name: p.default for name, p in inspect.signature(sample).parameters.items()}
        _hyper.refuse("sample", chains_only, usual)
        if hyper_method not in ("auto", "is2", "chain"):
            raise InputError(f'hyper_method must be "auto", "is2" or "chain", not "{hyper_method}"')
        much: dict[str, Any] = dict(points=points, particles=point_particles, temperatures=point_temperatures)
        much.update(method=hyper_method, seed=seed, threads=threads)
        return _sample_unknown(about, priors, fixed, much, progress)
    if fix is not None and any("=" in text for text in fixed):
        raise InputError("fix: no parameter has a prior, so all are fixed: give their values to the Model")
    if draws is not None and until_ess is not None:
        raise InputError("draws and until_ess cannot be used together: use max_draws with until_ess")
    if draws == 0:
        raise InputError("draws must be at least 1; without it the run makes as many draws as its goal needs")
    options = dict(method=method, metric=metric or "auto", beta=beta, thin=thin, max_draws=max_draws)
    given: dict[str, Any] = dict(draws=draws, until_ess=until_ess, max_seconds=max_seconds)
    given.update(chains=None if chains == "auto" else chains, warmup=None if warmup == "auto" else warmup)
    options.update({name: value for name, value in given.items() if value is not None})
    options.update(eps=eps or 0.0, steps=steps or 0, target_accept=target_accept, solver_tol=solver_tol)
    options.update(fixed_point=fixed_point, reverse_check=reverse_check, seed=seed, threads=count_threads(threads))
    options["from"] = start_name(start)
    options["init"] = init if isinstance(init, str) else "given"
    used = ""
    try:
        q = None if isinstance(start, str) else start_of(about, start)
        places = None if isinstance(init, str) else matrix(init, "init").copy("F")
        found = about._problem.sample(about._fits.get("ep"), q, places, options, progress_function(progress))
        if found["ep"] is not None:
            about._fits["ep"] = found["ep"]
        about._notes += found["warnings"]
        used = found["metric"]
        facts = {name: options[name] for name in ("beta", "thin", "seed", "from")}
        facts.update({name: found[name] for name in ("method", "metric", "warmup")})
        return Draws(about, found["draws"], facts, count_threads(threads), found["choice"], found["summary"])
    finally:
        about._speak(used)


def _sample_unknown(model: Model, priors: list[str], fixed: list[str], much: dict[str, Any], progress: Progress) -> Draws:
    """Draws of parameters and latents."""
    about, found = _hyper.run(model, priors, fixed, much, progress_function(progress), draws=True)
    try:
        facts = {"beta": 1.0, "warmup": 0, "thin": 1, "seed": much["seed"], "from": "ep", "metric": "ep"}
        facts["method"] = found["estimates"][0]["method"]
        return Draws(about, found["draws"], facts, count_threads(much["threads"]))
    finally:
        about._speak()
