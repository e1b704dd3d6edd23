"""Unknown parameters, which have a prior, for `sample`, `evidence` and `compare`."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

from ._fit import _texts
from ._model import Model, count_threads
from ._talweg import InputError
from ._warnings import warned

Texts = Union[str, Sequence[str], None]


@dataclass(frozen=True)
class Posterior:
    """The posterior of an unknown parameter, from weighted points or from chains.

    Attributes
    ----------
    name : str
        Of the parameter ("ell"), or of its logarithm ("log_ell") if the prior is on the logarithm.
    prior : str
        "log_ell ~ normal(0, 1)".
    mean, sd, q05, q50, q95 : float
    mcse : float
        Monte Carlo standard error of the mean, from independent scrambles or from the chains.
    ess_bulk, ess_tail, rhat : float
        Of chains; for weighted points ess_bulk is the effective number of weights, and the others are NaN.
    """

    name: str
    prior: str
    mean: float
    sd: float
    q05: float
    q50: float
    q95: float
    mcse: float
    ess_bulk: float = math.nan
    ess_tail: float = math.nan
    rhat: float = math.nan


def table(rows: Sequence[Posterior]) -> list[str]:
    """The lines of a table."""
    chains = any(not math.isnan(p.rhat) for p in rows)
    head = f"{'':18}{'mean':>11}{'MCSE':>10}{'sd':>10}{'5%':>11}{'50%':>11}{'95%':>11}"
    lines = [f"{p.name:18}{p.mean:11.4g}{p.mcse:10.2g}{p.sd:10.4g}{p.q05:11.4g}{p.q50:11.4g}{p.q95:11.4g}" for p in rows]
    if chains:
        head += f"{'ESS':>8}{'R-hat':>8}"
        lines = [line + f"{p.ess_bulk:8.0f}{p.rhat:8.3f}" for line, p in zip(lines, rows)]
    return [head] + lines


def _name(text: str) -> str:
    """The parameter of a prior or fixed value: "se.ell" for "se.log_ell ~ normal(0, 1)" and "se.ell=2"."""
    name = text.split("~")[0].split("=")[0].strip()
    return ".".join(part.removeprefix("log_") for part in name.split("."))


def unknown(model: Model, prior: Texts, fix: Texts) -> tuple[list[str], list[str]]:
    """Priors and fixed parameters: the given ones, otherwise those of the model. Without priors nothing is unknown."""
    fixed = model.fixed if fix is None else _texts("fix", fix)
    priors = model.priors if prior is None else _texts("prior", prior)
    held = {_name(text) for text in fixed}
    return [text for text in priors if "all" not in held and _name(text) not in held], fixed


def refuse(call: str, given: dict[str, Any], usual: dict[str, Any]) -> None:
    """Refuse arguments that belong to chains."""
    other = [name for name, value in given.items() if value is not usual[name] and value != usual[name]]
    if other:
        raise InputError(
            f'{call}: {", ".join(other)} cannot be used with unknown parameters (they have priors):  '
            'use points, or fix the parameters with fix="all"'
        )


def run(
    model: Model,
    priors: list[str],
    fixed: list[str],
    options: dict[str, Any],
    progress: Optional[Callable[..., Any]],
    *,
    draws: bool = False,
    loo: bool = False,
) -> tuple[Model, dict[str, Any]]:
    """Run on a copy of the model; the parameters of the copy are at the mode afterwards."""
    options = {**options, "threads": count_threads(options.get("threads", 0))}
    about = copy.copy(model)
    about._notes[:] = model._notes
    about._forget_defaults()
    found = about._problem.hyper(priors, fixed, draws, loo, options, progress)
    about._moved(found["warnings"])
    if about._problem.defaults():  # parameters with neither a prior nor a value
        about._notes.append(warned("default_parameters", name=about._problem.defaults()))
    about.priors, about.fixed = priors, fixed
    found["rows"] = [Posterior(*row) for row in found["rows"]]
    return about, found
