"""Checks of arguments, with error messages in scikit-learn's wording."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import ItemsView, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from treemetric import _core

_WHOLE = 2**53  # a float represents every int up to here
_LAST_SEED = 2**32 - 1
_LARGEST_INT = 2**63 - 1  # of the core and of NumPy
_SMALL = 1 << 20
_FLOATS = ("float64", "float32")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(name) for name in (*_FLOATS, *_INTEGERS)}
NO_ORDER = "The order of a set is arbitrary. Use a list."
_NORMS = ("weight", "max", "sum", "li_zhang")


def refuse(parameter: str, owner: str, must: str, got: str, advice: str = "") -> NoReturn:
    """Raise the error for a wrong parameter of a function or class."""
    message = f"The '{parameter}' parameter of {owner} must be {must}. Got {got} instead."
    if advice:
        message = f"{message} {advice}"
    raise (TypeError(message) if must.startswith("an instance of") else ValueError(message))


def refuse_set(value: object, parameter: str, owner: str, must: str = "a list") -> None:
    """Refuse a set, whose order differs between processes; keys of a dictionary have an order."""
    if isinstance(value, AbstractSet) and not isinstance(value, KeysView | ItemsView | Sequence):
        refuse(parameter, owner, must, f"a {type(value).__name__}", NO_ORDER)


def refuse_unordered(value: object, parameter: str, owner: str, must: str) -> None:
    """Refuse a set or a dictionary where values belong to positions."""
    if isinstance(value, list | tuple | str):
        return  # checks of abstract classes are slower
    refuse_set(value, parameter, owner, must)
    if isinstance(value, Mapping):
        got = f"a {type(value).__name__}"
        refuse(parameter, owner, must, got, "Use a list of its values.")


def shown(value: object) -> str:
    """Return a short representation of any value."""
    return reprlib.repr(value)


def check_int(
    value: object,
    parameter: str,
    owner: str,
    least: int = 1,
    most: int | None = None,
    *,
    other: str | None = None,
) -> int:
    """Check that a value is an int, of Python or NumPy, within a range; return it.

    Without ``most`` every int up to 2**63 - 1 is valid. ``other`` is what the error names as valid
    too, such as None or 'auto'; callers check for it.
    """
    whole = is_int(value)
    top = _LARGEST_INT if most is None else most
    if not whole or not least <= value <= top:  # type: ignore[operator]
        huge = whole and value > top  # type: ignore[operator]
        end = "inf)" if most is None and not huge else f"{top}]"
        kinds = "an int" if other is None else f"{other} or an int"
        refuse(parameter, owner, f"{kinds} in the range [{least}, {end}", shown(value))
    return int(value)  # type: ignore[call-overload, no-any-return]


def is_int(value: object) -> bool:
    """Return whether a value is an int, of Python or NumPy, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def count_of(count: int, noun: str) -> str:
    """Return a number with its noun: "1 tree", "2 trees"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def check_position(index: object, count: int, what: str) -> int:
    """Return the position of an item, from 0; negative ones count from the end."""
    try:
        position = operator.index(index)  # type: ignore[arg-type]
    except TypeError:
        message = f"the position of {what} must be an int; got {shown(index)}"
        raise TypeError(message) from None
    if not -count <= position < count:
        bounds = f"must be in the range [{-count}, {count - 1}]" if count else "does not exist"
        message = f"the position of {what} {bounds}: the result has {count}; got {position}"
        raise IndexError(message)
    return position % count


def check_n_jobs(n_jobs: object, function: str) -> int:
    """Check ``n_jobs``; return the number of threads."""
    if n_jobs is None:
        return 1
    if not is_int(n_jobs) or (n_jobs < 1 and n_jobs != -1):  # type: ignore[operator]
        refuse("n_jobs", function, "None, -1 or a positive int", shown(n_jobs))
    return _core.threads(min(int(n_jobs), 2**31))  # type: ignore[call-overload]


def check_seed(seed: object, function: str) -> int:
    """Check that NumPy accepts a seed; return it."""
    return check_int(seed, "seed", function, least=0, most=_LAST_SEED)


def check_random_state(random_state: Any, owner: str) -> np.random.RandomState:
    """Check ``random_state``; return its generator."""
    from sklearn.utils import check_random_state as generator_of

    try:
        random: np.random.RandomState = generator_of(random_state)
    except (ValueError, TypeError, OverflowError):
        must = "None, an int in the range [0, 2**32 - 1] or a RandomState instance"
        refuse("random_state", owner, must, shown(random_state))
    return random


def check_cutoff(cutoff: object, function: str) -> float | None:
    """Check a cutoff; return it as a float, or None."""
    # Common types first: a check of abstract classes may take as long as a pair.
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
    """Return a real number as a float, inf if it is too large; NaN for anything else."""
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
    """Check that a dtype is a type of distances; return it."""
    if type(dtype) is str and dtype in _DTYPES:
        return _DTYPES[dtype]
    for kind in _DTYPES.values():
        # NumPy reads None as float64, which is not valid here.
        try:
            if dtype is not None and np.dtype(dtype) == kind:  # type: ignore[call-overload]
                return kind
        except TypeError:
            pass
    refuse("dtype", function, "'float64', 'float32' or a type of integers", shown(dtype))


def check_norm(norm: object, function: str, *, none: bool = True) -> str | None:
    """Check the name of a norm; return it. Without `none`, None is not valid."""
    if norm is None and none:
        return None
    if not isinstance(norm, str) or norm not in _NORMS:
        names = "'weight', 'max', 'sum' or 'li_zhang'"
        refuse("norm", function, f"None, {names}" if none else names, shown(norm))
    return norm


def check_integers(
    dtype: np.dtype[Any], cutoff: float | None, norm: str | None, function: str
) -> None:
    """Check that results of a type of integers have neither infinities nor fractions."""
    if dtype.kind == "f":
        return
    if cutoff is not None:
        refuse("dtype", function, "'float64' or 'float32' with a cutoff", f"'{dtype}'")
    if norm is not None:
        refuse("dtype", function, "'float64' or 'float32' with a norm", f"'{dtype}'")


def check_whole(dtype: np.dtype[Any], costs: Any, function: str) -> None:
    """Check that distances under the resolved costs of a call have the type of the result."""
    if dtype.kind != "f" and not _core.is_whole(costs):
        must = "'float64' or 'float32' unless all costs are whole numbers up to 2**40"
        refuse("dtype", function, must, f"'{dtype}'")


def check_bool(value: object, parameter: str, function: str) -> bool:
    """Check that a value is a bool; return it."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(parameter, function, "an instance of 'bool'", shown(value))
    return bool(value)


def check_out(
    out: object, shape: tuple[int, ...], dtype: np.dtype[Any], function: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """Check that ``out`` is a writeable array of the right shape and type; return it."""
    if not isinstance(out, np.ndarray):
        refuse("out", function, "an instance of 'numpy.ndarray'", shown(out))
    if out.shape != shape:
        refuse("out", function, f"an array of shape {shape}", f"shape {out.shape}")
    if out.dtype != dtype:
        refuse("out", function, f"an array of dtype {dtype}", f"dtype {out.dtype}")
    if not out.flags.writeable:
        refuse("out", function, "writeable", "a read-only array")
    if not (out.flags.aligned and out.dtype.isnative):
        refuse("out", function, "an aligned array of native byte order", "an array that is not")
    # The stride of an axis must exceed the extent of all axes with shorter strides.
    strides = sorted(zip(map(abs, out.strides), out.shape, strict=True))
    reach = out.itemsize
    for stride, length in strides:
        if length > 1 and stride < reach:
            refuse(
                "out",
                function,
                "an array whose entries do not overlap",
                "an array with overlapping strides",
            )
        reach = max(reach, stride * length)
    return out


def check_memory(nbytes: int, what: str) -> None:
    """Raise ``MemoryError`` if fewer than ``nbytes`` bytes are available."""
    available = _core.available_memory()
    if nbytes > available:
        message = f"{what} needs {nbytes} bytes, but only {available} bytes are available"
        raise MemoryError(message)


def check_large(nbytes: int, what: str) -> None:
    """Check the memory as `check_memory`, but not for arrays that take less time than the check."""
    if nbytes > _SMALL:
        check_memory(nbytes, what)


def check_tol(tol: object, function: str) -> float | None:
    """Check a tolerance for ties; return it as a float, or None for the default."""
    number = None if tol is None else as_float(tol)
    if number is not None and not 0 <= number < float("inf"):
        refuse("tol", function, "None or a float in the range [0.0, inf)", shown(tol))
    return number


def check_non_negative(value: object, parameter: str, function: str, other: str = "") -> float:
    """Check that a value is finite and not negative; return it as a float.

    ``other`` names what the caller accepts, too.
    """
    number = as_float(value)
    if not 0 <= number < float("inf"):
        must = "a float in the range [0.0, inf)"
        refuse(parameter, function, f"{must} or {other}" if other else must, shown(value))
    return number
