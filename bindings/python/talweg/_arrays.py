"""Arrays as the library wants them: float64, column-major. What is so already is used where it lies."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._talweg import InputError

Floats = NDArray[np.float64]
ITEM = 8


def floats(values: ArrayLike, name: str) -> Floats:
    """The values as float64 of the machine's byte order; the same object where they are."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    return array if array.flags.aligned else array.copy()


def is_column_major(array: Floats) -> bool:
    """Rows next to each other; columns may be further apart than they are long (a leading dimension)."""
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


def names_of(values: Any) -> Optional[list[str]]:
    """The column names of a data frame; None if values is not a data frame or a name is not a string."""
    columns = getattr(values, "columns", None)
    names = None if columns is None else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def symmetric(values: ArrayLike, name: str) -> Floats:
    """A square matrix that equals its transpose, so that either order of storage will do."""
    array = floats(values, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"{name} must be square, not of shape {array.shape}")
    if is_column_major(array):
        return array
    return array.T if is_column_major(array.T) else np.asfortranarray(array)


def view(array: object) -> Floats:
    """A numpy view of memory that belongs to a result; it keeps the result alive."""
    return np.asarray(array)
