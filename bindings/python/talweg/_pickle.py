"""Models and draws as bytes (the files of `save`), for pickle, copy and other processes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._draws import Draws
    from ._model import Model


def _read_all(folder: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def _write_all(folder: str, files: dict[str, bytes]) -> Path:
    for name, contents in files.items():
        (Path(folder) / name).write_bytes(contents)
    return Path(folder)


def reduce_model(model: Model) -> tuple[Any, ...]:
    """For `__reduce__`."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        return load_model, (_read_all(folder),)


def load_model(files: dict[str, bytes]) -> Model:
    """The model of these files."""
    from ._model import Model

    with tempfile.TemporaryDirectory() as folder:
        return Model.load(_write_all(folder, files) / "model.json")


def reduce_draws(draws: Draws) -> tuple[Any, ...]:
    """For `__reduce__`."""
    with tempfile.TemporaryDirectory() as folder:
        draws.save(Path(folder) / "run.nc")
        return load_draws, (_read_all(folder), draws.choice)


def load_draws(files: dict[str, bytes], choice: list[dict[str, Any]]) -> Draws:
    """The draws of these files."""
    from ._load import load

    with tempfile.TemporaryDirectory() as folder:
        draws = load(_write_all(folder, files) / "run.nc")
    draws.choice = choice
    return draws
