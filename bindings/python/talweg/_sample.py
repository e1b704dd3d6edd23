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
    """The callable that the library's progress goes to; True: a line on standard error.

    On a terminal each line replaces the one before. Elsewhere there is a line at the end of a stage and every ten seconds.
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
    """A q that is given, not named, for the library: an approximation, or (mean, covariance)."""
    if isinstance(start, Fit):
        start = start.ep
    if isinstance(start, Approximation):
        if start.model is not model:
            raise InputError("the approximation to start from belongs to another model")
        return start._handle
    if isinstance(start, tuple) and len(start) == 2:
        mean, covariance = vector(start[0], "mean"), symmetric(start[1], "covariance")
        if not np.allclose(covariance, covariance.T, rtol=1e-10, atol=0):
            raise InputError("the covariance to start from is not symmetric")
        return mean, covariance
    raise InputError("start is a name, an approximation, or a pair (mean, covariance)")


def start_name(start: Any) -> str:
    """What a run file calls the q of a path."""
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

    The sampler's only error is that of a finite number of draws, and ``summary()`` says how large that is. Chains
    start from over-dispersed draws, tune themselves in warm-up, and are then frozen.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    method : {"auto", "hmc", "rmhmc", "ess", "mgrad"}
        hmc: Hamiltonian Monte Carlo with a constant metric; rmhmc: with one that follows the position; ess:
        elliptical slice sampling; mgrad: the marginal gradient sampler; auto: the best of the first three in short
        pilot runs.
    metric : str, optional
        hmc: "ep" (the default), "prior", "identity"; rmhmc: "smoothed" (the default), "hessian", "fisher",
        "anchored"; ess and mgrad: centred at "ep" (the default) or "prior".
    chains : int or "auto"
        Chains, run side by side; "auto": 32 (4 with rmhmc, which moves each by itself), fewer for more than 32768
        cases, or one for each column of `init`.
    until_ess : float, optional
        Draw until the effective sample size of the worst latent (the smallest of bulk, tail and fold, of all chains
        together) is `until_ess` and R-hat is in order. That is looked at after 64 draws of each chain, 96, 144 and so
        on. 400 if neither this nor `draws` is given.
    max_draws : int
        Draws of each chain at most, where there is no fixed number.
    draws : int, optional
        Exactly so many draws of each chain.
    max_seconds : float, optional
        End after so many seconds with the draws so far; the clock changes nothing else.
    warmup : int or "auto"
        Iterations of each chain that tune the sampler and are not kept; "auto": 500 with up to four chains, 200 with
        ten or more.
    thin : int
        Keep every so many iterations.
    eps, steps : float, int, optional
        Step size and leapfrog steps; tuned in warm-up if not given.
    target_accept : float
        Acceptance probability that the step size is tuned to.
    solver_tol, fixed_point, reverse_check
        rmhmc: tolerance of the implicit equations; or exactly so many plain iterations; fraction of accepted
        trajectories that are checked for reversibility, step by step or by integrating back.
    init : "ep", "prior", or array_like of shape (n,) or (n, chains)
        Where chains start.
    start, beta
        Sample p(y, x)^beta q(x)^(1 - beta), q being "prior", "ep", an `Approximation`, or a pair (mean, covariance).
        At ``beta=1``, the posterior, q does not matter.
    prior : str or sequence of str, optional
        Parameters with a prior are unknown, and the draws are of them and of the latent values together: "ell ~ gamma(25, 4)",
        "log_sigma ~ normal(0, 1)", or "default" for all parameters that were not given. If not given, the priors of the `Model`.
    fix : str or sequence of str, optional
        Parameters that are held: "ell=2", "ell" where it is, or "all". If not given, what the `Model` has fixed.
    hyper_method : {"auto", "is2", "chain"}
        Unknown parameters: draws of them by weighted points (is2: importance sampling squared) or by 16 Markov chains with `points` draws
        in all (chain), which have R-hat and give no evidence; auto: is2 for up to 12 unknown parameters.
    points, point_particles, point_temperatures : int
        Unknown parameters: weighted points of them, as many draws as points; particles and temperatures of annealed importance sampling at
        each. There are no chains then, the ESS is that of the weights, and R-hat is NaN.
    seed : int
        Of all random numbers; draws are the same to the bit for any number of threads.
    threads : int
        0: as many as this process may use.
    progress : bool or callable, optional
        True: a line on standard error. A callable gets ``(stage, done, total, acceptance)`` a few times a second
        (`total` may be 0 and `acceptance` NaN: not known), and ends the run where it returns True: the result then
        has the draws so far, and ``interrupted`` is True. During pilot runs that raises `TalwegError`.

    Returns
    -------
    Draws

    Notes
    -----
    Other Python threads run meanwhile. Ctrl-C raises KeyboardInterrupt after the current iteration where this is
    called from the main thread; Python delivers it to no other.

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
            raise InputError(f'hyper_method is "{hyper_method}": it must be "auto", "is2" or "chain"')
        much: dict[str, Any] = dict(points=points, particles=point_particles, temperatures=point_temperatures)
        much.update(method=hyper_method, seed=seed, threads=threads)
        return _sample_unknown(about, priors, fixed, much, progress)
    if fix is not None and any("=" in text for text in fixed):
        raise InputError("fix: no parameter has a prior, so that all are held: give their values to the Model")
    if draws is not None and until_ess is not None:
        raise InputError("draws fixes a number and until_ess a goal: give one of them, and with until_ess max_draws")
    if draws == 0:
        raise InputError("a run needs at least one draw; without draws it makes as many as its goal needs")
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
