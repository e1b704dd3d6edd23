"""Run files, by the reader and writer of the library."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Union

from . import _talweg

Path = Union[str, "os.PathLike[str]"]

# netCDF-C is not thread-safe. The lock is reentrant, since a signal handler may run in the same thread between two
# calls of netCDF. (xarray and netCDF4 do not use this lock.)
_netcdf = threading.RLock()


def write(handle: Any, path: Path, facts: dict[str, Any], compress: bool, options: dict[str, bool]) -> None:
    """Write draws."""
    with _netcdf:
        handle.save(path, facts, compress, options)


def read(path: Path, log: Callable[[Any], Any]) -> tuple[Any, Any, dict[str, Any]]:
    """Problem, draws and facts of a file."""
    with _netcdf:
        return _talweg.load(path, log)
