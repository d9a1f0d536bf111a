"""Checks of arguments and their messages, in scikit-learn's wording."""

import reprlib
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from treemetric import _core

_WHOLE = 2**53  # up to here a float holds every int
_LAST_SEED = 2**32 - 1
_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(name) for name in ("float64", "float32")}


def refuse(parameter: str, owner: str, must: str, got: str) -> NoReturn:
    """Raise the error for a parameter of a function or class that is not what it must be."""
    message = f"The '{parameter}' parameter of {owner} must be {must}. Got {got} instead."
    raise (TypeError(message) if must.startswith("an instance of") else ValueError(message))


def shown(value: object) -> str:
    """Give a short representation of any value."""
    return reprlib.repr(value)


def check_n_jobs(n_jobs: object, function: str) -> int:
    """Give the number of threads that ``n_jobs`` stands for."""
    if n_jobs is None:
        return 1
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or (n_jobs < 1 and n_jobs != -1):  # type: ignore[operator]
        refuse("n_jobs", function, "None, -1 or a positive int", shown(n_jobs))
    return _core.threads(min(int(n_jobs), 2**31))  # type: ignore[call-overload]


def check_seed(seed: object, function: str) -> int:
    """Let the numbers through that NumPy takes as seeds."""
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not whole or not 0 <= seed <= _LAST_SEED:  # type: ignore[operator]
        refuse("seed", function, f"an int in the range [0, {_LAST_SEED}]", shown(seed))
    return int(seed)  # type: ignore[call-overload, no-any-return]


def check_cutoff(cutoff: object, function: str) -> float | None:
    """Give the cutoff as a float, or None."""
    # The usual kinds first: a pair may take no longer than a look at abstract classes.
    if cutoff is None:
        return None
    if type(cutoff) in (float, int) and 0 <= cutoff <= _WHOLE:  # type: ignore[operator]
        return float(cutoff)  # type: ignore[arg-type]
    # Written so that NaN fails too.
    value = as_float(cutoff)
    if not value >= 0:
        refuse("cutoff", function, "None or a float in the range [0.0, inf]", shown(cutoff))
    return value


def as_float(value: object) -> float:
    """Give any real number as a float, too large ones as inf; NaN for everything else."""
    number = isinstance(value, Real) or (
        isinstance(value, np.generic) and value.dtype.kind in "biuf"
    )
    if not number or isinstance(value, bool):
        return float("nan")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return float("inf")


def check_dtype(dtype: object, function: str) -> np.dtype[Any]:
    """Check that a type is float64 or float32."""
    if type(dtype) is str and dtype in _DTYPES:
        return _DTYPES[dtype]
    for kind in _DTYPES.values():
        # NumPy takes None for float64.
        try:
            if dtype is not None and np.dtype(dtype) == kind:  # type: ignore[call-overload]
                return kind
        except TypeError:
            pass
    refuse("dtype", function, "'float64' or 'float32'", shown(dtype))


def check_bool(value: object, parameter: str, function: str) -> bool:
    """Let only a boolean through."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(parameter, function, "an instance of 'bool'", shown(value))
    return bool(value)


def check_out(
    out: object, shape: tuple[int, ...], dtype: np.dtype[Any], function: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """Let only a writeable array of the right shape and type through."""
    if not isinstance(out, np.ndarray):
        refuse("out", function, "an instance of 'numpy.ndarray'", shown(out))
    if out.shape != shape:
        refuse("out", function, f"an array of shape {shape}", f"shape {out.shape}")
    if out.dtype != dtype:
        refuse("out", function, f"an array of dtype {dtype}", f"dtype {out.dtype}")
    if not out.flags.writeable:
        refuse("out", function, "writeable", "a read-only array")
    if not (out.flags.aligned and out.dtype.isnative):
        refuse("out", function, "an aligned array of native byte order", "another one")
    # Every axis must step over all that the shorter steps reach.
    strides = sorted(zip(map(abs, out.strides), out.shape, strict=True))
    reach = out.itemsize
    for stride, length in strides:
        if length > 1 and stride < reach:
            refuse("out", function, "an array whose entries do not overlap", "one whose do")
        reach = max(reach, stride * length)
    return out


def check_memory(nbytes: int, what: str) -> None:
    """Raise ``MemoryError`` if that many bytes cannot be had."""
    available = _core.available_memory()
    if nbytes > available:
        message = f"{what} needs {nbytes} bytes, but only {available} bytes are available"
        raise MemoryError(message)


def check_non_negative(value: object, parameter: str, function: str) -> float:
    """Let finite numbers that are not negative through."""
    number = as_float(value)
    if not 0 <= number < float("inf"):
        refuse(parameter, function, "a float in the range [0.0, inf)", shown(value))
    return number
