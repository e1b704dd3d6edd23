"""Comparison of models: evidence of whole models, Bayes factors, leave-one-out predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _hyper
from ._arrays import Floats
from ._hyper import Posterior
from ._model import Model
from ._plot import Shown
from ._sample import Progress, progress_function
from ._talweg import InputError

# The data distinguish two models if the log Bayes factor exceeds APART (20 to 1) by two standard errors; they do not if it is below SAME.
APART, SAME = 3.0, 1.0
PARETO_LIMIT = 0.7


@dataclass(frozen=True)
class Compared:
    """One of the compared models.

    Attributes
    ----------
    name : str
    log_z, se : float
        log p(y) of the whole model, its parameters integrated out, with its standard error.
    log_factor, log_factor_se : float
        log p(y) minus that of the best model, with its error; 0 for the best.
    loo, loo_se : float
        Sum over cases of log p(y_n | all others), with its error over cases; both NaN, with a warning, where Pareto k
        says that they may be nats off.
    loo_k : ndarray, shape (n,)
        Pareto k of each case: above 0.7 its prediction is unreliable.
    parameters : list of Posterior
    model : Model
        At the mode of its parameters.
    """

    name: str
    log_z: float
    se: float
    log_factor: float
    log_factor_se: float
    loo: float
    loo_se: float
    loo_k: Floats
    parameters: list[Posterior]
    model: Model


class Comparison(Shown):
    """The result of `compare`.

    Attributes
    ----------
    models : list of Compared
        In the given order.
    best : Compared
        The one with the largest evidence.
    verdict : str
        Do the data distinguish the best model from the second?
    """

    def __init__(self, models: list[Compared]) -> None:
        self.models = models
        ranked = sorted(models, key=lambda m: -m.log_z)
        self.best, second = ranked[0], ranked[1]
        factor, error = -second.log_factor, second.log_factor_se
        apart = factor - 2 * error > APART
        same = factor + 2 * error < SAME
        tell = "distinguish them" if apart else "do not distinguish them" if same else "distinguish them weakly"
        self.verdict = (
            f"{self.best.name} has the largest evidence, by a log Bayes factor of {factor:.3g} +- {error:.2g} "
            f"over {second.name}: the data {tell}."
        )

    def __getitem__(self, name: str) -> Compared:
        for model in self.models:
            if model.name == name:
                return model
        raise KeyError(name)

    def __repr__(self) -> str:
        lines = [f"{'':24}{'log p(y)':>12}{'error':>9}{'log factor':>13}{'error':>8}{'LOO':>12}{'se':>9} k > 0.7"]
        for m in self.models:
            factor = f"{'best':>13}{'':8}" if m is self.best else f"{m.log_factor:13.4g}{m.log_factor_se:8.2g}"
            high = int((m.loo_k > PARETO_LIMIT).sum())
            loo = f"{'withheld':>12}{'':9}" if math.isnan(m.loo) else f"{m.loo:12.3f}{m.loo_se:9.3f}"
            lines.append(f"{m.name:24}{m.log_z:12.4f}{m.se:9.4f}{factor}{loo}{high:8d}")
        return "\n".join([*lines, self.verdict])


def _row(name: str, model: Model, found: dict[str, Any], best: tuple[float, float]) -> Compared:
    _, shapes, loo, loo_se = found["loo"]
    z = found["estimates"][0]
    is_best = z["log_z"] == best[0]
    error = 0.0 if is_best else math.hypot(z["se"], best[1])
    return Compared(
        name, z["log_z"], z["se"], z["log_z"] - best[0], error, loo, loo_se, np.array(shapes), found["rows"], model,
    )


def compare(
    models: Union[Mapping[str, Model], Sequence[Model]],
    *,
    points: int = 512,
    point_particles: int = 16,
    point_temperatures: int = 4,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = None,
) -> Comparison:
    """Compare models of the same observations: evidence of whole models, Bayes factors, and leave-one-out predictions.

    Every parameter that is not in ``model.fixed`` is unknown; one without a prior in ``model.priors`` has the default
    prior, which follows the scale of the data. Bayes factors depend on the priors, so choose the priors deliberately.

    Parameters
    ----------
    models : mapping of str to Model, or sequence of Model
        At least two.
    points, point_particles, point_temperatures, seed, threads, progress
        As for `sample` with unknown parameters.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> c = talweg.compare({"se": talweg.Model(X, y), "matern32": talweg.Model(X, y, kernel="matern32")})
    >>> print(c)
    """
    named = dict(models) if isinstance(models, Mapping) else {f"model {k + 1}": m for k, m in enumerate(models)}
    if len(named) < 2:
        raise InputError("compare needs at least two models")
    if any(not np.array_equal(m.y, next(iter(named.values())).y) for m in named.values()):
        raise InputError("models of different observations cannot be compared")
    options = dict(points=points, particles=point_particles, temperatures=point_temperatures, seed=seed, threads=threads)
    runs = {}
    for name, model in named.items():
        priors, fixed = _hyper.unknown(model, None, None)
        about, found = _hyper.run(model, priors, fixed, options, progress_function(progress), loo=True)
        runs[name] = about, found
        about._speak()
    best: tuple[float, float] = max((f["estimates"][0]["log_z"], f["estimates"][0]["se"]) for _, f in runs.values())
    return Comparison([_row(name, about, found, best) for name, (about, found) in runs.items()])
