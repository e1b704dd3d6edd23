"""Draws from the posterior by Markov chain Monte Carlo."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional, Union, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ._approx import Approximation, Fit
from ._arrays import matrix, symmetric, vector
from ._draws import Draws
from ._methods import FITTED, SAMPLERS, check_metric, check_tuning
from ._model import Model, ModelOptions, as_model, count_threads
from ._talweg import InputError

Progress = Union[bool, None, Callable[[str, int, int, float], Any]]


def progress_function(progress: Progress) -> Optional[Callable[[str, int, int, float], Any]]:
    """The callable that the library's progress goes to; True: a line on standard error."""

    def show(stage: str, done: int, total: int, acceptance: float) -> None:
        share = f"{100 * done // total:3d} %" if total else f"{done}"
        rate = "" if np.isnan(acceptance) else f"  acceptance {acceptance:.2f}"
        sys.stderr.write(f"\r{stage} {share}{rate} " + ("\n" if done == total else ""))
        sys.stderr.flush()

    if progress is True:
        return show
    return progress or None


def check_name(what: str, name: str, allowed: tuple[str, ...]) -> str:
    if name not in allowed:
        raise InputError(f'there is no {what} "{name}"; there are: {", ".join(allowed)}')
    return name


def start_of(model: Model, start: Any, gaussian: Any) -> Any:
    """The q of a path, for the library: None (the prior), an approximation, or (mean, covariance)."""
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
    if isinstance(start, str) and start in ("prior", "ep"):
        return None if start == "prior" else gaussian
    raise InputError('start is "prior", "ep", an approximation, or a pair (mean, covariance)')


def start_name(start: Any) -> str:
    """What a run file calls the q of a path."""
    if isinstance(start, str):
        return start
    named = start.ep if isinstance(start, Fit) else start
    return named.name.lower() if isinstance(named, Approximation) else "gaussian"


def _needs_gaussian(method: str, metric: Optional[str], init: Any, start: Any) -> bool:
    words = [word for word in (metric, init, start) if isinstance(word, str)]
    return method == "auto" or not FITTED.isdisjoint(words)


def sample(
    X: Union[ArrayLike, Model, None] = None,
    y: Optional[ArrayLike] = None,
    *,
    method: str = "auto",
    metric: Optional[str] = None,
    chains: int = 4,
    draws: int = 1000,
    warmup: int = 500,
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
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
    **model: Unpack[ModelOptions],
) -> Draws:
    """Draw from the posterior of the latent values.

    The sampler's only error is that of a finite number of draws, and ``summary()`` says how large that is. Chains
    start from over-dispersed draws, tune themselves in warm-up, and are then frozen.

    Parameters
    ----------
    X, y, **model
        The data and the options of `Model`, or a `Model` in place of `X`.
    method : {"auto", "hmc", "rmhmc", "ess"}
        hmc: Hamiltonian Monte Carlo with a constant metric; rmhmc: with one that follows the position; ess:
        elliptical slice sampling; auto: the best of them in short pilot runs.
    metric : str, optional
        hmc: "ep" (the default), "prior", "identity"; rmhmc: "smoothed" (the default), "hessian", "fisher"; ess:
        centred at "ep" (the default) or "prior".
    chains, draws, warmup : int
        Chains, draws kept of each, and iterations before that to tune them.
    thin : int
        Keep every so many iterations.
    eps, steps : float, int, optional
        Step size and leapfrog steps; tuned in warm-up if not given.
    target_accept : float
        Acceptance probability that the step size is tuned to.
    solver_tol, fixed_point, reverse_check
        rmhmc: tolerance of the implicit equations; or exactly so many plain iterations; fraction of accepted
        trajectories that are integrated back as a check.
    init : "ep", "prior", or array_like of shape (n,) or (n, chains)
        Where chains start.
    start, beta
        Sample p(y, x)^beta q(x)^(1 - beta), q being "prior", "ep", an `Approximation`, or a pair (mean, covariance).
        At ``beta=1``, the posterior, q does not matter.
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
    check_name("method", method, ("auto", *SAMPLERS))
    if method == "auto" and metric is not None:
        raise InputError(f"the metric {metric} needs a method that takes it, not auto")
    check_tuning(method, eps=eps, steps=steps)
    sampler: dict[str, Any] = dict(solver_tol=solver_tol, fixed_point=fixed_point, reverse_check=reverse_check)
    sampler["threads"] = count_threads(threads)
    if method != "auto":
        sampler.update(method=method, metric=check_metric(method, metric))
    elsewhere = not isinstance(init, str)
    show = progress_function(progress)
    try:
        gaussian = about._gaussian() if _needs_gaussian(method, sampler.get("metric"), init, start) else None
        path = start_of(about, start, gaussian)
        places = matrix(init, "init").copy("F") if elsewhere else check_name("init", init, ("ep", "prior"))
        common = dict(chains=chains, beta=beta, target_accept=target_accept, seed=seed)
        choice: list[dict[str, Any]] = []
        if method == "auto":
            best, choice = about._problem.choose(gaussian, path, sampler, common, show)
            sampler.update(method=choice[best]["method"], metric=choice[best]["metric"])
        options = dict(common, warmup=warmup, draws=draws, thin=thin, eps=eps or 0.0, steps=steps or 0)
        handle = about._problem.sample(gaussian, path, places, sampler, options, show)
        facts = dict(method=sampler["method"], metric=sampler["metric"], beta=beta, warmup=warmup, thin=thin, seed=seed)
        result = Draws(about, handle, {**facts, "from": start_name(start)}, choice, sampler["threads"])
        result._judge()
        return result
    finally:
        about._speak()
