"""log Z over a grid of length scales and standard deviations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats, vector
from ._model import Model
from ._plot import Shown, new_axis
from ._talweg import InputError


@dataclass(frozen=True)
class GridPoint:
    """A point of a grid: its parameters, and log Z by EP and by corrected EP."""

    log_ell: float
    log_sigma: float
    ep: float
    ep_corrected: float


class Grid(Shown):
    """EP's log Z over a grid.

    Attributes
    ----------
    log_ell : ndarray, shape (k,)
    log_sigma : ndarray, shape (m,)
    ep, ep_corrected : ndarray, shape (k, m)
        log Z in nats, at ``log_ell[i], log_sigma[j]``; that of corrected EP is NaN where EP did not converge.
    converged : ndarray of bool, shape (k, m)
        Did EP? Points where it did not do not count for the maximum.
    best : GridPoint or None
        Where corrected EP's log Z is largest.
    at_edge : bool or None
        Is that at the edge of the grid, so that log Z may be larger beyond it?
    """

    def __init__(self, log_ell: Floats, log_sigma: Floats, ep: Floats, corrected: Floats, converged: Any) -> None:
        self.log_ell, self.log_sigma = log_ell, log_sigma
        self.ep, self.ep_corrected, self.converged = ep, corrected, converged
        self.best: Optional[GridPoint] = None
        self.at_edge: Optional[bool] = None
        value = np.where(converged, corrected, np.nan)
        if not np.isnan(value).all():
            i, j = np.unravel_index(int(np.nanargmax(value)), value.shape)
            self.best = GridPoint(float(log_ell[i]), float(log_sigma[j]), float(ep[i, j]), float(corrected[i, j]))
            self.at_edge = any(n > 1 and at in (0, n - 1) for at, n in zip((i, j), value.shape))

    def plot(self, ax: Any = None) -> Any:
        """Contours of corrected EP's log Z, 0.5, 1, 2, 4, ... nats below the maximum; needs matplotlib. Returns the axes."""
        if min(self.ep.shape) < 2 or self.best is None:
            raise InputError("a plot needs at least two values on each axis, and a point where EP converged")
        axis = new_axis(ax)
        below = np.where(self.converged, self.ep_corrected, np.nan) - self.best.ep_corrected
        levels = -np.array([64.0, 32, 16, 8, 4, 2, 1, 0.5])
        drawn = axis.contour(self.log_ell, self.log_sigma, below.T, levels=levels)
        axis.clabel(drawn)
        axis.plot([self.best.log_ell], [self.best.log_sigma], "k+")
        axis.set_xlabel("log ell")
        axis.set_ylabel("log sigma")
        return axis

    def __repr__(self) -> str:
        size = f"{self.log_ell.size} x {self.log_sigma.size} points, EP converged at {int(np.sum(self.converged))}"
        if self.best is None:
            return f"Grid: {size}"
        edge = "at the edge of the grid: it may be larger beyond" if self.at_edge else "inside the grid"
        at = f"log ell = {self.best.log_ell:g}, log sigma = {self.best.log_sigma:g}"
        return f"Grid: {size}\n  largest log Z, EP corrected: {self.best.ep_corrected:.4f} nats at {at}, {edge}"


def _rising(values: ArrayLike, name: str) -> Floats:
    axis = vector(np.atleast_1d(np.array(values, dtype=float)), name)  # a copy, which the result keeps
    if axis.size == 0 or not (np.isfinite(axis).all() and (np.diff(axis) > 0).all()):
        raise InputError(f"{name} must be finite numbers that rise, such as numpy.linspace(0, 5, 11)")
    return axis


def grid(
    X: ArrayLike,
    y: ArrayLike,
    *,
    log_ell: ArrayLike = tuple(np.linspace(0, 5, 11)),
    log_sigma: ArrayLike = tuple(np.linspace(0, 5, 11)),
    **model: Any,
) -> Grid:
    """log Z by EP and by corrected EP at every point of a grid of length scales and standard deviations.

    Parameters
    ----------
    X, y, **model
        The data and the other options of `Model`.
    log_ell, log_sigma : array_like
        The axes: numbers that rise.

    Returns
    -------
    Grid
        ``grid.best`` is the largest, and ``grid.at_edge`` says whether it is at the edge.

    Examples
    --------
    >>> found = talweg.grid(X, y, log_ell=np.linspace(-1, 3, 9), log_sigma=np.linspace(-1, 3, 9))
    >>> found.best, found.at_edge
    >>> found.plot()
    """
    across, up = _rising(log_ell, "log_ell"), _rising(log_sigma, "log_sigma")
    ep, corrected = np.full((2, across.size, up.size), math.nan)
    converged = np.zeros(ep.shape, dtype=bool)
    for i, j in np.ndindex(*ep.shape):
        about = Model(X, y, log_ell=across[i], log_sigma=float(up[j]), **model)
        fit = about._fit("ep")
        facts = fit.describe()
        ep[i, j], converged[i, j] = facts["log_z"], facts["converged"]
        if converged[i, j]:
            corrected[i, j] = about._problem.correct(fit, 4)[0]
    return Grid(across, up, ep, corrected, converged)
