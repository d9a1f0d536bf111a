"""Optional packages: imported where they are needed, with an error that names the extra."""

from __future__ import annotations

import importlib
from typing import Any


def find(module: str) -> Any:
    """Return a module of an optional package, or None if the package is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def need(module: str, extra: str, what: str) -> Any:
    """Return a module of an optional package; the error says what needs it and how to get it."""
    found = find(module)
    if found is None:
        package = module.partition(".")[0]
        message = f'{what} needs {package}: pip install "treemetric[{extra}]"'
        raise ImportError(message)
    return found
