"""The interfaces of the packages zss, apted and edist, computed by treemetric.

Replace ``import zss`` by ``import treemetric.compat.zss as zss``, and likewise for apted and edist.
The page ``docs/migration.md`` lists what differs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treemetric.compat import apted, edist, zss

__all__ = ["apted", "edist", "zss"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"treemetric.compat.{name}")
    message = f"module 'treemetric.compat' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    # Names for users only, not what this module imports.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
