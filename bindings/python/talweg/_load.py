"""Draws from a run file."""

from __future__ import annotations

from . import _run
from ._draws import Draws
from ._model import Model, Note, count_threads


def load(path: _run.Path) -> Draws:
    """Read a run file written by ``talweg sample -o RUN.nc`` or `Draws.save`.

    The draws include their model, so they can be used like those of `sample`: for predictions, summaries, and more
    draws or the evidence of ``draws.model``.

    Parameters
    ----------
    path : str or path-like
        The file. If the program was killed during sampling, the file is first completed from its journal
        (``RUN.nc.journal``), as the program does.

    Returns
    -------
    Draws
        All draws, in memory.

    Raises
    ------
    FileError
        The file cannot be read, or its run is still in progress.
    InputError
        The file is damaged, is not a run of talweg, or has no draws of the latents (``--summary-only``, or estimates of log Z).

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
