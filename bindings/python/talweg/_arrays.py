"""Arrays in the form that the library needs: float64, column-major. Arrays in that form are not copied."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._talweg import InputError

Floats = NDArray[np.float64]
ITEM = 8


def floats(values: ArrayLike, name: str) -> Floats:
    """The values as float64 in native byte order; the same object if they already are."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    return array if array.flags.aligned else array.copy()


def logarithm(value: Optional[ArrayLike], log_value: Optional[ArrayLike], name: str) -> Optional[ArrayLike]:
    """The logarithm of a parameter that is given itself or as its logarithm; None: neither is given."""
    if value is not None and log_value is not None:
        raise InputError(f"{name} and log_{name} set the same parameter: use one of them")
    if value is None:
        return log_value
    given = floats(value, name)
    for number in given.flat:
        if not number > 0:
            raise InputError(f"{name} must be above 0, not {number:g}")
    return np.reshape([math.log(number) for number in given.flat], given.shape)  # the program's digits, not numpy's


def is_column_major(array: Floats) -> bool:
    """Column-major: the rows of a column are contiguous; columns may have a larger leading dimension."""
    rows, columns = array.shape
    if rows > 1 and array.strides[0] != ITEM:
        return False
    return columns <= 1 or (array.strides[1] % ITEM == 0 and array.strides[1] >= rows * ITEM)


def vector(values: ArrayLike, name: str) -> Floats:
    """One dimension, contiguous."""
    array = floats(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} must have one dimension, not {array.ndim}")
    return np.ascontiguousarray(array)


def matrix(values: ArrayLike, name: str) -> Floats:
    """Two dimensions, column-major; one dimension is one column."""
    array = floats(values, name)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise InputError(f"{name} must have two dimensions (cases, inputs), not {array.ndim}")
    return array if is_column_major(array) else np.asfortranarray(array)


def check_finite(array: Floats, name: str, names: Optional[list[str]] = None) -> None:
    """Name the first value that is missing or not finite."""
    wrong = np.argwhere(~np.isfinite(array))
    if not len(wrong):
        return
    row, *column = (int(k) for k in wrong[0])
    place = f", {names[column[0]] if names else f'column {column[0] + 1}'}" if column else ""
    value = array[tuple(wrong[0])]
    rows = len({int(k[0]) for k in wrong})
    many = f"{rows} rows have such values: remove or impute them" if rows > 1 else "remove or impute it"
    raise InputError(f"{name}{place}: row {row + 1} is {value}, not a finite number; {many}")


def _refuse_dates(values: Any, name: str) -> None:
    """Refuse dates, which would silently become nanoseconds."""
    kinds: Any = getattr(values, "dtypes", getattr(values, "dtype", None))
    columns = list(kinds.items()) if hasattr(kinds, "items") else [(None, kinds)]
    for column, kind in columns:
        letter: Any = getattr(kind, "kind", None)
        if letter in ("M", "m"):
            which = f"{name}, {column}," if column is not None else name
            raise InputError(f"{which} holds dates or times: give numbers, such as days since the first, (t - t.min()).dt.days")


def names_of(values: Any) -> Optional[list[str]]:
    """The column names of a data frame; None if values is not a data frame or a name is not a string."""
    columns = getattr(values, "columns", None)
    names = None if columns is None else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def without(values: Any, left_out: list[str]) -> Any:
    """A data frame without the columns of these names; other values unchanged."""
    names = names_of(values) or []
    kept = [name for name in names if name not in left_out]
    return values[kept] if len(kept) < len(names) else values


def symmetric(values: ArrayLike, name: str) -> Floats:
    """A square matrix that equals its transpose, so that either storage order is valid."""
    array = floats(values, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"{name} must be square, not of shape {array.shape}")
    if is_column_major(array):
        return array
    return array.T if is_column_major(array.T) else np.asfortranarray(array)


def view(array: object) -> Floats:
    """A numpy view of the memory of a result; it keeps the result alive."""
    return np.asarray(array)


class Labels(NamedTuple):
    """Observations: numbers, or codes 0, 1, ... of texts."""

    y: Floats
    texts: Optional[list[str]]


class Table(NamedTuple):
    """Inputs: numbers, or codes 0, 1, ... of the categories of text inputs."""

    x: Floats
    names: Optional[list[str]]
    levels: Optional[list[Optional[list[str]]]]


def _coded(values: NDArray[Any], name: str) -> tuple[Floats, list[str]]:
    """Text as codes 0, 1, ... of the distinct texts, sorted as in a file."""
    for row, value in enumerate(values):
        if not isinstance(value, str) or not value:
            dates = ": give days since the first instead of dates" if hasattr(value, "isoformat") else ""
            raise InputError(f"{name} must be numbers, or text in every row: row {row + 1} is {value!r}{dates}")
    texts = sorted(set(map(str, values)))  # code points are in the order of UTF-8's bytes
    place = {text: float(k) for k, text in enumerate(texts)}
    return np.array([place[str(value)] for value in values]), texts


def _objects(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers or text: {error}") from None


def labels(values: Any, name: str) -> Labels:
    """Observations, of numbers or of text."""
    if isinstance(values, Labels):
        return values
    _refuse_dates(values, name)
    try:
        return Labels(vector(values, name), None)
    except InputError:
        objects = _objects(values, name)
    if objects.ndim == 2 and objects.shape[1] == 1:
        objects = objects[:, 0]
    if objects.ndim != 1:
        raise InputError(f"{name} must have one dimension, not {objects.ndim}")
    return Labels(*_coded(objects, name))


def _filled(inputs: Table, name: str) -> Table:
    """Check that there are cases and inputs."""
    rows, columns = inputs.x.shape
    if not rows or not columns:
        raise InputError(f"{name} has {rows} rows and {columns} columns: there are no {'inputs' if rows else 'cases'}")
    return inputs


def table(values: Any, name: str) -> Table:
    """Inputs, each of numbers or of text."""
    if isinstance(values, Table):
        return values
    names = names_of(values)
    _refuse_dates(values, name)
    try:
        return _filled(Table(matrix(values, name), names, None), name)
    except InputError:
        objects = _objects(values, name)
    if objects.ndim == 1:
        objects = objects[:, np.newaxis]
    if objects.ndim != 2:
        raise InputError(f"{name} must have two dimensions (cases, inputs), not {objects.ndim}")
    if not objects.size:
        return _filled(Table(np.empty(objects.shape), names, None), name)
    x = np.empty(objects.shape, order="F")
    levels: list[Optional[list[str]]] = []
    for k in range(x.shape[1]):
        called = f"{name}, {names[k] if names else f'input {k + 1}'}"
        try:
            x[:, k], texts = floats(objects[:, k], called), None
        except InputError:
            x[:, k], texts = _coded(objects[:, k], called)
        levels.append(texts)
    return Table(x, names, levels)


def ordered(values: Any) -> Optional[list[Any]]:
    """The categories of an ordered pandas categorical, from the lowest to the highest; otherwise None."""
    kind: Any = getattr(values, "dtype", None)
    return list(kind.categories) if getattr(kind, "ordered", False) else None


def word(value: Any) -> str:
    """A label as the library writes it: text, or a number with up to 15 digits."""
    return value if isinstance(value, str) else format(float(value), ".15g")
