"""Model files, as for `talweg model` and `--model`: a JSON object with the names of the data files and the options."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _talweg
from ._arrays import Floats, Labels, Table, view
from ._talweg import InputError

Path = Union[str, "os.PathLike[str]"]

FORMAT, VERSION = "talweg model", 1
NUMBERS = ("constant", "white", "jitter", "log-sigma", "sigma")


class Contents:
    """A model file: options of the program as arguments of `Model`."""

    def __init__(self, path: Path, data: Optional[Path], terms: dict[str, tuple[list[str], list[str]]]) -> None:
        self.path = os.fspath(path)
        self.root = self._read()
        self.options: dict[str, Any] = dict(self.root["options"])
        self.data = self.beside(self.root.get("data")) if data is None else os.fspath(data)
        if self.data is None:
            raise self.error("it has no data: give the argument data")
        likelihood = self.options.get("likelihood", "probit")
        self.parameters, self.columns = terms.get(likelihood, ([], []))
        self.ignored: list[str] = []  # columns that are left out, by name or number

    def error(self, what: str) -> InputError:
        return InputError(f"{self.path}: {what}")

    def _read(self) -> dict[str, Any]:
        try:
            with open(self.path, encoding="utf-8") as file:
                root = json.load(file)
        except OSError as error:
            raise _talweg.FileError(f"{self.path}: cannot be opened: {error.strerror}") from None
        except ValueError as error:
            raise self.error(f"this is not a model file: {error}") from None
        if not isinstance(root, dict) or root.get("format") != FORMAT or not isinstance(root.get("options"), dict):
            raise self.error("this is not a model file: use one written by Model.save, talweg model or talweg fit")
        if root.get("version") != VERSION:
            raise self.error(f"field \"version\" is {root.get('version')!r}, and this talweg reads {VERSION}")
        return root

    def beside(self, name: Any) -> Optional[str]:
        """A file in the directory of the model file; if it does not exist, the name as given."""
        if not isinstance(name, str):
            return None
        other = os.path.join(os.path.dirname(self.path), name)
        return other if os.path.exists(other) else name

    def texts(self, field: str) -> list[str]:
        given = self.root.get(field, [])
        if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
            raise self.error(f'field "{field}" is not an array of texts')
        return given

    def arguments(self, log: Callable[[Any], None]) -> dict[str, Any]:
        """The arguments of `Model`: options first, then the data."""
        options = dict(self.options)
        to: dict[str, Any] = {}
        self._take_kernel(options, to)
        if "levels" in options:
            to["levels"] = str(options.pop("levels")).split(",")
        for name in ("likelihood", "positive", "standardise"):
            if name in options:
                to[name] = options.pop(name)
        for name in [name for name in options if name in self.parameters or name in self.columns]:
            to[name] = self.number(name, options.pop(name))
        for name in [name for name in ("precision-matrix", "design-matrix") if name in options]:
            to[name.replace("-", "_")] = self.beside(str(options.pop(name)))
        matrix = options.pop("kernel-matrix", None)
        reading = self._take_reading(options)
        if options:
            raise self.error(f'field "options.{next(iter(options))}": unknown option')
        self._take_data(reading, matrix, to, log)
        return to

    def number(self, name: str, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self.error(f'field "options.{name}" is not a number') from None

    def numbers(self, name: str, value: Any) -> list[float]:
        return [self.number(name, part) for part in (value.split(",") if isinstance(value, str) else [value])]

    def _take_kernel(self, options: dict[str, Any], to: dict[str, Any]) -> None:
        if "kernel" in options:
            to["kernel"] = options.pop("kernel")
        for name in [name for name in NUMBERS if name in options]:
            to[name.replace("-", "_")] = self.number(name, options.pop(name))
        for name in [name for name in ("log-ell", "ell") if name in options]:
            to[name.replace("-", "_")] = self.numbers(name, options.pop(name))

    def _take_reading(self, options: dict[str, Any]) -> tuple[Any, dict[str, str], list[str]]:
        """Label, columns besides the inputs, and ignored columns."""
        places = {name: str(options.pop(name + "-column")) for name in self.columns if name + "-column" in options}
        ignored = options.pop("ignore-column", [])
        label = options.pop("label-column", None)
        self.ignored = list(map(str, ignored if isinstance(ignored, list) else [ignored]))
        return None if label is None else str(label), places, self.ignored

    def _take_data(
        self, reading: tuple[Any, dict[str, str], list[str]], matrix: Optional[str], to: dict[str, Any], log: Callable[[Any], None]
    ) -> None:
        label, places, ignored = reading
        if matrix is not None:
            to["kernel_matrix"] = read(self.beside(matrix), "none", {}, [], log)[0].x
        given = matrix is not None or "precision_matrix" in to
        if given and label is None:  # the file may have only the column of labels
            alone, _, _ = read(self.data, "none", {}, ignored, log)
            if alone.x is not None and alone.x.shape[1] == 1:
                to["y"] = Labels(alone.x[:, 0], alone.levels[0] if alone.levels else None)
                return
        inputs, observed, columns = read(self.data, label, places, ignored, log)
        if observed is None:
            raise self.error(f"{self.data} has no labels: choose a label-column")
        to["y"] = observed
        to.update(columns)
        if not given:
            to["X"] = inputs


def read(
    path: Optional[str], label: Optional[str], places: dict[str, str], ignored: list[str], log: Callable[[Any], None]
) -> tuple[Table, Optional[Labels], dict[str, Floats]]:
    """A data file, as the program reads it: inputs, labels, other columns."""
    x, names, levels, y, texts, columns = _talweg.read_data(path, label, list(places), list(places.values()), ignored, log)
    observed = None if y is None else Labels(view(y), texts)
    return Table(view(x), names, levels), observed, {name: view(values) for name, values in columns.items()}


# ---- writing ----


def _shown(value: float) -> str:
    return repr(float(value))


def _original(parts: dict[str, Any]) -> tuple[Floats, list[Optional[list[str]]]]:
    """Inputs in the units of the user, to 15 digits if they were standardised; constant inputs, which the model does not keep, are 0."""
    x = view(parts["X"])
    levels = parts["levels"] or [None] * x.shape[1]
    if "scaling_inputs" not in parts:
        return x, levels
    all_x = np.zeros((len(x), parts["scaling_inputs"]))
    all_levels: list[Optional[list[str]]] = [None] * all_x.shape[1]
    centre, scale = view(parts["scaling_centre"]), view(parts["scaling_scale"])
    for k, column in enumerate(parts["scaling_column"]):
        values = centre[k] + scale[k] * x[:, k]
        all_x[:, column] = [float(format(value, ".15g")) for value in values]
        all_levels[column] = levels[k]
    return all_x, all_levels


def _fields(values: Floats, texts: Optional[list[str]], what: str) -> list[str]:
    """A column of a file."""
    if texts is None:
        return list(map(_shown, values))
    for text in texts:
        try:
            float(text)
        except ValueError:
            continue
        raise InputError(f"{what} has the text {text!r}, which would be read from a file as a number: change it, as in 'no. {text}'")
    return [texts[int(value)] for value in values]


def _label_texts(model: Any) -> list[str]:
    if model.labels is None:
        return list(map(_shown, model.y))
    place = (model.y + 1) / 2 if model.is_binary else model.y - 1
    return [model.labels[int(k)] for k in place]


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _table(model: Any, parts: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """The data as CSV (inputs, the likelihood's columns, labels) and the places of the likelihood's columns."""
    matrix = model.kernel is None
    x, levels = (np.empty((model.n, 0)), []) if matrix else _original(parts)
    names = list(model.names or []) if not matrix else []
    text = any(levels) or model.labels is not None
    if not names and (text or model.columns or matrix):
        names = [f"x{k + 1}" for k in range(x.shape[1])]
    columns = [_fields(x[:, k], levels[k], names[k] if names else f"input {k + 1}") for k in range(x.shape[1])]
    places = {}
    for name, values in model.columns.items():
        places[name] = _free_name(name, names)
        names.append(places[name])
        columns.append(_fields(values, None, name))
    columns.append(_label_texts(model))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if names or matrix:
        writer.writerow(names + [_free_name("y", names)])
    writer.writerows(zip(*columns))
    return out.getvalue(), places


def _options(model: Any, parts: dict[str, Any], places: dict[str, str], matrix: Optional[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"likelihood": model.likelihood}
    if matrix:
        options["kernel-matrix"] = matrix
    else:
        options["kernel"] = parts["kernel_by_name"]
    if model.standardise:
        options["standardise"] = True
    if parts["jitter"]:
        options["jitter"] = parts["jitter"]
    if model.labels is not None and not model.is_binary and any("," in label for label in model.labels):
        raise InputError("a model file lists levels separated by commas, so a level must not contain a comma")
    if model.labels is not None:
        options["positive" if model.is_binary else "levels"] = model.labels[1] if model.is_binary else ",".join(model.labels)
    given = dict(zip(model.likelihood_parameters, parts["phi_given"]))
    options.update({name: value for name, value in model.likelihood_parameters.items() if given[name]})
    options.update({name + "-column": place for name, place in places.items()})
    return options


def write(model: Any, path: Path, force: bool) -> None:
    """Write the model file and its data."""
    path = os.fspath(path)
    stem = os.path.splitext(path)[0]
    parts = model._problem.parts()
    files: dict[str, bytes] = {}
    matrix = None
    if model.kernel is None:
        held = io.BytesIO()
        np.save(held, np.asarray(parts["K"]))
        matrix = stem + ".K.npy"
        files[matrix] = held.getvalue()
    table, places = _table(model, parts)
    files[stem + ".data.csv"] = table.encode()
    options = _options(model, parts, places, matrix and os.path.basename(matrix))
    root = {"format": FORMAT, "version": VERSION, "data": os.path.basename(stem) + ".data.csv", "options": options}
    root.update(priors=model.priors, fixed=model.fixed)
    files[path] = (json.dumps(root, indent=2, ensure_ascii=False) + "\n").encode()
    if len(files) < (2 if matrix is None else 3):
        raise InputError(f"{path} is the name of the data file: choose a name that ends in .json")
    there = [name for name in files if os.path.exists(name)]
    if there and not force:
        raise InputError(f"{there[0]} already exists; use force=True")
    for name, contents in files.items():
        _talweg.replace_file(name, contents)  # completely or not at all
