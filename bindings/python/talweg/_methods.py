"""The library's tables of samplers and metrics."""

from __future__ import annotations

from typing import Any, Optional

from . import _talweg
from ._talweg import InputError

SAMPLERS: dict[str, dict[str, Any]] = {row["name"]: row for row in _talweg.methods()}

#: Metrics that are made of a Gaussian approximation.
FITTED = {row["name"] for row in _talweg.metrics() if row["needs_gaussian"] or row["needs_smoothing"]}


def check_metric(method: str, metric: Optional[str]) -> str:
    """The metric to use with a method: the one named, or the method's default."""
    metrics: list[str] = SAMPLERS[method]["metrics"]
    if metric is None or metric == "auto":
        return metrics[0]
    if metric not in metrics:
        raise InputError(f"the metric {metric} does not go with {method}, which takes: {', '.join(metrics)}")
    return metric


def check_tuning(method: str, **given: Any) -> None:
    """Refuse eps and steps where the method does not have them."""
    for name, value in given.items():
        takers = [row["name"] for row in SAMPLERS.values() if row[f"has_{name}"]]
        if value is not None and method not in takers:
            raise InputError(f"{name} goes with {' or '.join(takers)}, not with {method}")
