"""Warnings of the library in Python: the finding, and the argument to change."""

from __future__ import annotations

from typing import Optional, Sequence

from . import _talweg

# The library's code, its numbers, the latent's index, and the texts file, name and other.
Warned = tuple[str, tuple[float, ...], int, Optional[str], Optional[str], Optional[str]]

FINDINGS: dict[str, str] = _talweg.findings()

# Advice, appended to the finding, with its punctuation.
ADVICE = {
    "default_parameters": ". Give them (ell, sigma, log_ell, log_sigma, or in kernel), or let talweg.fit find them",
    "length_short": ". Use longer ones, standardise=True, or let talweg.fit find them",
    "length_long": ". Use shorter ones, standardise=True, or let talweg.fit find them",
    "ep_not_converged": "; raise max_sweeps, or check the scale of the inputs",
    "dense_beside_sparse": ". A sparse model needs leaves from ar1, spde, rw1, rw2, icar, bym2, categorical, constant and white only",
    "several_modes": '. Compare with draws (sample with method="ess", metric="prior") and with evidence(start="prior")',
    "one_mode": '. Use start="prior"',
    "slice_from_ep": '. Use kernel_method="hmc"',
    "disagree": ". At least one has missed part of the posterior: trust neither, and improve mixing with more moves, "
    'more temperatures or method="pt"',
    "heavy_tail": ". Use more temperatures, more moves, or a path that starts closer to the posterior (start)",
    "missed_mass": ". Use more moves, or a smaller eps",
    "withheld": ". Use more rounds, more moves, or a path that starts closer to the posterior (start)",
    "round_trips": ". Use more rounds, more moves, or a path that starts closer to the posterior (start)",
    "drift": ". Use more rounds, more moves, or a path that starts closer to the posterior (start)",
    "apart": ". Use the stepping stones, or more temperatures",
    "fit_not_converged": ". Raise max_evaluations or starts",
    "fit_flat": ". Give a prior, or fix a parameter with fix",
    "fit_bound": '. Give it a prior (prior="default" does so for all parameters), or check the scale of the inputs (standardise)',
    "fit_prior_end": ". If values beyond it are possible, give a wider prior",
    "fit_optima": ". If they are close, sample at both, or raise starts",
    "theta_collapsed": ". Raise point_particles and point_temperatures, or give narrower priors",
    "theta_heavy_tail": ". Raise point_particles, point_temperatures or points",
    "theta_mean": ", or give a prior with lighter tails",
    "theta_failed": ". Give priors that exclude such parameters, or a jitter",
    "no_number": ". Use more temperatures or moves, or a path from EP",
    "collapsed": ". Use more temperatures or moves, or a path from EP",
    "goal_missed": " (max_particles), or fewer with more temperatures",
    "time": ". Raise max_seconds",
    "one_draw": ": raise draws",
    "few_draws": ": raise draws",
    "stuck": ": use a smaller eps, or another method",
    "one_chain": ". Use chains=4",
    "rhat": '. Raise draws and warmup, or use another method ("auto", or "hmc" with metric="ep")',
    "rhat_slight": ". Raise draws, and check whether it falls",
    "ess_bulk": ". Raise draws, or use another method",
    "ess_tail": ". Raise draws, or use another method",
    "ess_goal": ". Raise max_draws, or use another method",
    "ess_fold": ". Raise draws, or use another method",
    "ebfmi": ". Use another metric, or more draws",
    "slice_tails": ': use method="auto" or "hmc"',
    "energy_divergence": ": use a smaller eps or a higher target_accept",
    "implicit_failure": ': use metric="smoothed" or a smaller eps',
    "irreversible": ": use a smaller eps, or solver_tol instead of fixed_point",
    "factorisation": ': use metric="smoothed" or a smaller eps',
}

# Other advice if parameters are unknown: the warning is about is2.
ADVICE_OF_POINTS = {
    "disagree": ". At least one has missed part of the posterior: trust neither, and raise points, point_particles or point_temperatures, or give narrower priors",
    "fit_optima": ". Points are drawn about each of them",
}

# Other advice if the metric that it would suggest is already in use.
INSTEAD = {
    ("rhat", "ep"): ". Raise draws and warmup",
    ("implicit_failure", "smoothed"): ": use a smaller eps",
    ("factorisation", "smoothed"): ": use a smaller eps",
}


class TalwegWarning(UserWarning):
    """A warning about a result.

    Attributes
    ----------
    code : str
        The code of the warning: "rhat", "ess_bulk", "one_class", ...
    """

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


def warned(code: str, *numbers: float, file: Optional[str] = None, name: Optional[str] = None) -> Warned:
    """A warning in the form of the library."""
    return code, numbers, 0, file, name, None


def _counts(numbers: Sequence[float]) -> str:
    """As the library prints them: "2 means and 1 log score", without those that are 0."""
    what = ("mean", "standard deviation", "log score")
    parts = [f"{k:.0f} {name}{'' if k == 1 else 's'}" for k, name in zip(numbers, what) if k > 0]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def spoken(warning: Warned, metric: str = "") -> TalwegWarning:
    """The text of a warning about a run with this metric."""
    code, numbers, index, file, name, other = warning
    advice = ADVICE.get(code, "")
    advice = ADVICE_OF_POINTS.get(code, advice) if name == "is2" else INSTEAD.get((code, metric), advice)
    text = FINDINGS[code] + advice
    latent = f"x[{index}], case {index + 1}"
    return TalwegWarning(text.format(*numbers, file=file, name=name, other=other, latent=latent, counts=_counts(numbers)), code)
