"""The path from q to the posterior: where it starts, its temperatures and its transitions, chosen as the program
``talweg evidence`` chooses them."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import numpy as np

from . import _talweg
from ._approx import _correct
from ._arrays import Floats, vector
from ._methods import FITTED, check_metric
from ._model import Model
from ._sample import check_name, start_name, start_of
from ._talweg import NumericalError
from ._warnings import warned

KEPT = 0.98  # part of the effective particles that a step of an adaptive schedule keeps
SCHEDULES = ("auto", "geometric", "linear", "sigmoid", "adaptive")


class Path:
    """The fits, where the path starts, its temperatures and its transitions."""

    def __init__(self, model: Model, start: Any, kernel_method: str, metric: Optional[str], sampler: dict[str, Any]) -> None:
        self.model = model
        self.laplace, self.ep = model._fit("laplace"), model._fit("ep")
        converged = [fit for fit in (self.ep, self.laplace) if fit.describe()["converged"]]
        self.gaussian = converged[0] if converged else None
        self.corrected = _correct(model, self.ep, 4).log_z if self.ep in converged else math.nan
        self.start = self._choose_start(start)
        self.kernel = "hmc" if kernel_method == "auto" else kernel_method
        self.metric = self._choose_metric(metric)
        self.sampler = dict(sampler, method=self.kernel, metric=self.metric)
        if self.metric in FITTED and self.gaussian is None:
            raise NumericalError(f"the metric {self.metric} needs a fit, and none converged: take another metric")
        self.beta: Optional[Floats] = None
        self.own_schedule = False

    def _choose_start(self, start: Any) -> Any:
        """The q of the path; a fit that did not converge is never used without a word."""
        if not isinstance(start, str):
            self.start_name = start_name(start)
            return start_of(self.model, start, None)
        self.start_name = check_name("start", start, ("ep", "laplace", "prior"))
        if start == "prior":
            return None
        fit = self.ep if start == "ep" else self.laplace
        if fit.describe()["converged"]:
            self.gaussian = fit
            return fit
        if start == "laplace" or self.gaussian is None:
            raise NumericalError(f'{start} did not converge, and the path cannot start from it: use start="prior"')
        self.model._notes.append(warned("from_laplace", fit.describe()["residual"]))
        self.start_name = "laplace"
        return self.gaussian

    def _choose_metric(self, metric: Optional[str]) -> str:
        chosen = check_metric(self.kernel, metric)
        automatic = metric in (None, "auto")
        return "prior" if automatic and chosen == "ep" and self.start_name == "prior" else chosen

    def fill(self, kind: str, steps: int, beta_min: float) -> Floats:
        beta = np.empty(steps + 1)
        _talweg.schedule({"kind": kind}, steps, beta_min, beta)
        return beta

    def set_schedule(self, schedule: Any, temperatures: int, beta_min: float, options: dict[str, Any]) -> None:
        prior = self.start_name == "prior"
        self.beta_min = beta_min or (1e-7 if prior else 0.01)
        self.own_schedule = not (isinstance(schedule, str) and schedule == "auto") or temperatures > 0
        self.kind = "geometric" if prior else "linear"
        if not isinstance(schedule, str):
            self.beta = vector(schedule, "schedule")
        elif check_name("schedule", schedule, SCHEDULES) == "adaptive":
            self.beta = self._adapt(temperatures, options)
        else:
            self.kind = self.kind if schedule == "auto" else schedule
            self.beta = self.fill(self.kind, temperatures or (400 if prior else 50), self.beta_min)

    def _adapt(self, temperatures: int, options: dict[str, Any]) -> Floats:
        pilot = dict(resampling(options), fraction=KEPT, max_steps=temperatures or 1000)
        found, count = self.model._problem.adapt(self.start, self.gaussian, None, self.sampler, pilot, None)
        return np.frombuffer(found)[:count].copy()

    def run(self, method: str, beta: Optional[Floats], options: dict[str, Any], progress: Any) -> Any:
        """A method of the library on this path."""
        call: Callable[..., Any] = getattr(self.model._problem, method)
        return call(self.start, self.gaussian, beta, self.sampler, options, progress)


def resampling(options: dict[str, Any]) -> dict[str, Any]:
    """Options of resample-move: islands for the error, with a few particles each."""
    particles, islands = options["particles"], 16
    if particles < 4 * islands:
        islands = 2 if particles < 8 else particles // 4
    wanted = {name: options[name] for name in ("eps", "steps", "seed")}
    return dict(wanted, particles=max(particles, 2 * islands), islands=islands)
