"""What a report of a problem needs: versions, processor, threads, memory."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from treemetric import _core

_REQUIRED = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl")
_OPTIONAL = (
    "dask",
    "distributed",
    "lxml",
    "matplotlib",
    "networkx",
    "nltk",
    "pandas",
    "pyarrow",
    "tqdm",
    "tree-sitter",
    "zarr",
)
_VARIABLES = ("TREEMETRIC_NUM_THREADS", "TREEMETRIC_SIMD")
# What the core reports on systems that do not report their free memory.
_UNKNOWN = 2**64 - 1


def show_versions() -> None:
    """Print the versions, the processor, the threads and the memory that treemetric sees.

    Reports of problems should include this output. It contains no paths and no names of the
    machine or of the user.

    Examples
    --------
    >>> import treemetric
    >>> treemetric.show_versions()  # doctest: +ELLIPSIS
    System
        python: ...
    """
    for title, lines in collect().items():
        print(title)
        for name, value in lines.items():
            print(f"    {name}: {value}")


def collect() -> dict[str, dict[str, str]]:
    """Return the lines of `show_versions` by section."""
    return {
        "System": _system(),
        "Packages": _packages(),
        "Processor": _processor(),
        "Resources": _resources(),
    }


def _system() -> dict[str, str]:
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "gil": _gil(),
        "platform": platform.platform(),
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
    }


def _gil() -> str:
    """Return whether the interpreter has a lock, and whether it is used."""
    is_enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
    return "enabled" if is_enabled else "disabled"


def _packages() -> dict[str, str]:
    required = {name: _version(name) or "missing" for name in _REQUIRED}
    optional = {name: found for name in _OPTIONAL if (found := _version(name))}
    return {"treemetric": _core.__version__, **required, **optional}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> dict[str, str]:
    detected, usable = _core.instructions()
    return {
        "machine": platform.machine(),
        "features": " ".join(_core.processor_features()) or "none known",
        "kernels": " ".join(detected),
        "kernel in use": usable[0],
    }


def _resources() -> dict[str, str]:
    free = _core.available_memory()
    return {
        "cpus": str(os.cpu_count() or "unknown"),
        "threads of n_jobs=-1": str(_core.threads(-1)),
        "available memory": "unknown" if free == _UNKNOWN else f"{free / 2**30:.2f} GiB",
        **{name: os.environ[name] for name in _VARIABLES if name in os.environ},
    }
