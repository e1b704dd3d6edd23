"""Draws from a run file."""

from __future__ import annotations

from . import _run
from ._draws import Draws
from ._model import Model, Note, count_threads


def load(path: _run.Path) -> Draws:
    """Read a run file: one that ``talweg sample -o RUN.nc`` wrote, or `Draws.save`.

    The draws come with their model, so that everything works on them that works on those of `sample`: predictions,
    summaries, and more draws or the evidence of ``draws.model``.

    Parameters
    ----------
    path : str or path-like
        The file. Where the program was killed while it sampled, the file is first made of its journal
        (``RUN.nc.journal``), as the program itself would.

    Returns
    -------
    Draws
        All of them, in memory.

    Raises
    ------
    FileError
        The file cannot be read, or its run is still going on.
    InputError
        It is damaged, no run of talweg, or has no draws of the latents (``--summary-only``, or estimates of log Z).

    Examples
    --------
    >>> draws = talweg.load("run.nc")
    >>> talweg.predict(draws, Xnew).probability
    """
    notes: list[Note] = []
    problem, handle, facts = _run.read(path, notes.append)
    model = Model._of(problem, notes)
    model._speak()
    return Draws(model, handle, facts, count_threads(0))
