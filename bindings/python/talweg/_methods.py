"""The library's tables of samplers and metrics."""

from __future__ import annotations

from typing import Any

from . import _talweg

SAMPLERS: dict[str, dict[str, Any]] = {row["name"]: row for row in _talweg.methods()}
