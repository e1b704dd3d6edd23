"""Run files, through the library's own reader and writer."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Union

from . import _talweg

Path = Union[str, "os.PathLike[str]"]

# netCDF-C serves one thread of a process at a time. A signal handler may come back here in the same thread, between
# two calls of netCDF: hence one that its holder may take again. (xarray and netCDF4 do not know of it.)
_netcdf = threading.RLock()


def write(handle: Any, path: Path, facts: dict[str, Any], compress: bool, options: dict[str, bool]) -> None:
    """Write draws."""
    with _netcdf:
        handle.save(path, facts, compress, options)


def read(path: Path, log: Callable[[Any], Any]) -> tuple[Any, Any, dict[str, Any]]:
    """Problem, draws and facts of a file."""
    with _netcdf:
        return _talweg.load(path, log)
