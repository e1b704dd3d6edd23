"""Plots of draws (with matplotlib) and the display in notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from ._talweg import InputError

if TYPE_CHECKING:
    from ._draws import Draws

RANK_BINS = 20


class Shown:
    """A result that a notebook shows as text with aligned columns."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: install it (Debian: python3-matplotlib; pip install matplotlib)") from None
    return pyplot


def new_axis(ax: Any) -> Any:
    """The axes given, or new ones."""
    pyplot = _pyplot()
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def _axes(ax: Any, rows: int) -> list[Any]:
    """A list of `rows` axes: those given, or new ones, stacked vertically."""
    pyplot = _pyplot()
    if ax is None:
        figure, made = pyplot.subplots(rows, 1, squeeze=False, figsize=(6.4, 1.2 + 1.9 * rows), layout="constrained")
        return list(made[:, 0])
    given = list(np.ravel(ax))
    if len(given) != rows:
        raise InputError(f"ax has {len(given)} axes, but there are {rows} latents to plot")
    return given


class Plots:
    """The plots of `Draws`."""

    def _chosen(self: Draws, latents: Optional[Sequence[int]], count: int) -> list[int]:  # type: ignore[misc]
        """Indices of latents, or of those with the smallest bulk ESS."""
        if latents is None:
            return [int(i) for i in np.argsort(self.summary()["ess_bulk"], kind="stable")[:count]]
        chosen = [int(i) for i in np.atleast_1d(latents)]
        for i in chosen:
            if not -self.model.n <= i < self.model.n:
                raise InputError(f"latents: {i} is outside 0 to {self.model.n - 1}")
        return [i % self.model.n for i in chosen]

    def plot_trace(self: Draws, latents: Optional[Sequence[int]] = None, *, count: int = 3, ax: Any = None) -> list[Any]:  # type: ignore[misc]
        """Traces of all chains.

        Parameters
        ----------
        latents : sequence of int, optional
            Counted from 0; default: the `count` latents with the smallest bulk ESS.
        ax : axes of matplotlib, one for each latent, optional

        Returns
        -------
        list of axes
        """
        chosen = self._chosen(latents, count)
        axes = _axes(ax, len(chosen))
        for axis, i in zip(axes, chosen):
            axis.plot(self.x[:, :, i].T, linewidth=0.5)
            axis.set_ylabel(f"x[{i}]")
        axes[-1].set_xlabel("draw")
        return axes

    def plot_rank(self: Draws, latents: Optional[Sequence[int]] = None, *, count: int = 3, ax: Any = None) -> list[Any]:  # type: ignore[misc]
        """Rank histograms of each chain among all chains, flat if the chains agree. Arguments as for `plot_trace`."""
        chosen = self._chosen(latents, count)
        axes = _axes(ax, len(chosen))
        total = self.chains * self.draws
        for axis, i in zip(axes, chosen):
            ranks = np.empty(total)
            ranks[np.argsort(self.x[:, :, i], axis=None, kind="stable")] = np.arange(total)
            for chain in ranks.reshape(self.chains, self.draws):
                axis.hist(chain, bins=RANK_BINS, range=(0, total), histtype="step")
            axis.axhline(self.draws / RANK_BINS, linestyle="--", color="0.5", linewidth=0.8)
            axis.set_ylabel(f"x[{i}]")
        axes[-1].set_xlabel("rank")
        return axes

    def plot_marginal(self: Draws, latents: Optional[Sequence[int]] = None, *, count: int = 3, ax: Any = None) -> list[Any]:  # type: ignore[misc]
        """Histograms of the draws, with the marginals of EP and Laplace if they converged. Arguments as for `plot_trace`."""
        chosen = self._chosen(latents, count)
        axes = _axes(ax, len(chosen))
        from ._approx import approx

        fits = [fit for fit in (approx(self.model).ep, approx(self.model).laplace) if fit.converged]
        for axis, i in zip(axes, chosen):
            axis.hist(self.x[:, :, i].ravel(), bins=40, density=True, color="0.8")
            low, high = axis.get_xlim()
            t = np.linspace(low, high, 300)
            for fit in fits:
                z = (t - fit.mean[i]) / fit.sd[i]
                axis.plot(t, np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * fit.sd[i]), label=fit.name)
            axis.set_ylabel(f"x[{i}]")
        if fits:
            axes[0].legend()
        return axes
