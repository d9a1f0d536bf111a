"""Vectors as arrays: what is let through, and what two of them cost."""

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse

Rows = npt.NDArray[np.integer[Any]]

# Pairs whose vectors are gathered at a time: a few MB.
_BLOCK = 1 << 14
# Up to so many roundings, relative to its factors, the length of a projected vector says nothing.
_ROUNDINGS = 8.0


def vector_costs(x: FloatArray, y: FloatArray, kind: str) -> FloatArray:
    """Give the costs between two lists of vectors, plainly; zeros stand for no vector."""
    from scipy.spatial.distance import cdist  # heavy: imported where used

    if kind == "euclidean":
        apart: FloatArray = cdist(x, y)
        return apart
    (a, has_a), (b, has_b) = _units(x), _units(y)
    sums = cdist(a, -b) if kind == "angle" else None
    return _costs(cdist(a, b), sums, has_a[:, None], has_b[None, :], kind)


def paired_costs(vectors: FloatArray, first: Rows, second: Rows, kind: str) -> FloatArray:
    """Give the costs of some pairs of vectors, which are told by their rows."""
    units, has = _units(vectors)
    points = vectors if kind == "euclidean" else units
    apart = np.empty(len(first))
    sums = np.empty(len(first)) if kind == "angle" else None
    for start in range(0, len(apart), _BLOCK):
        part = slice(start, start + _BLOCK)
        a, b = points[first[part]], points[second[part]]
        apart[part] = np.linalg.norm(a - b, axis=1)
        if sums is not None:
            sums[part] = np.linalg.norm(a + b, axis=1)
    return apart if kind == "euclidean" else _costs(apart, sums, has[first], has[second], kind)


def _units(vectors: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Bring vectors to length one, and tell which of them are not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / np.where(lengths > 0, lengths, 1.0)[:, None], lengths > 0


def _costs(
    chords: FloatArray, sums: FloatArray | None, has_x: Any, has_y: Any, kind: str
) -> FloatArray:
    """Give costs from the lengths of differences and, for the angle, of sums."""
    if sums is not None:
        # Half of them are the sine and the cosine of half the angle. Together they keep their
        # digits for close and for opposite vectors, where neither does (nor does the cosine).
        costs = np.arctan2(chords, sums) / (np.pi / 2)
    else:
        half = np.minimum(chords / 2, 1.0)
        costs = half**2 if kind == "cosine" else half
    found: FloatArray = np.where(has_x != has_y, blank_cost(kind), costs)
    return found


def blank_cost(kind: str) -> float:
    """Give the cost of a vector against the gap: that of a cosine of 0."""
    return float(np.sqrt(0.5)) if kind == "chord" else 0.5


def lengths_of(rows: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Give the lengths of vectors, however large or small their entries are."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        scaled, exponents = _scaled(rows[part])
        found[part] = _raised(np.einsum("uk,uk->u", scaled, scaled, dtype=np.float64), exponents)
    return found


def to_length_one(rows: npt.NDArray[np.floating[Any]]) -> tuple[Any, FloatArray]:
    """Give vectors at length one, in their own precision, and their lengths; zeros stay zeros."""
    scaled, exponents = _scaled(rows)
    squares = np.einsum("uk,uk->u", scaled, scaled, dtype=np.float64)
    divisor = np.sqrt(np.where(squares > 0.0, squares, 1.0))[:, None]
    np.divide(scaled, divisor, out=scaled, casting="same_kind")
    return scaled, _raised(squares, exponents)


def _scaled(rows: npt.NDArray[np.floating[Any]]) -> tuple[Any, Any]:
    """Multiply rows by powers of two, so that their squares neither overflow nor vanish."""
    largest = np.maximum(rows.max(axis=1, initial=0.0), -rows.min(axis=1, initial=0.0))
    exponents = np.frexp(largest)[1]
    return np.ldexp(rows, -exponents[:, None]), exponents


def _raised(squares: FloatArray, exponents: Any) -> FloatArray:
    with np.errstate(over="ignore"):  # a length beyond all floats is infinite
        found: FloatArray = np.ldexp(np.sqrt(squares), exponents)
    return found


def shortest(lengths: FloatArray, projection: npt.NDArray[Any], dtype: Any) -> FloatArray:
    """Give for vectors x the length up to which xΩ is nothing but rounding errors.

    These are of about the size of |x| |Ω| times the precision in which the product is computed. A
    shorter vector has no direction: it is treated as if there were none.
    """
    scale = float(lengths_of(projection.reshape(1, -1))[0])
    with np.errstate(over="ignore"):
        bound: FloatArray = lengths * (scale * _ROUNDINGS * float(np.finfo(dtype).eps))
    return bound


def index_of(labels: tuple[Label, ...]) -> dict[Label, int]:
    """Give where labels are in a list."""
    try:
        return {label: code for code, label in enumerate(labels)}
    except TypeError as error:
        message = f"The 'alphabet' parameter of VectorCosts must have hashable labels: {error}."
        raise TypeError(message) from error


def _numbers(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Refuse strings, which NumPy would read as numbers."""
    array = np.asarray(values)
    text = array.dtype.kind not in "biufcO"
    if array.dtype.kind == "O":
        text = any(isinstance(value, str | bytes) for value in array.ravel())
    if text:
        raise TypeError
    return array


def as_vectors(values: npt.ArrayLike, parameter: str) -> npt.NDArray[np.floating[Any]]:
    """Let a matrix of numbers through: float32 or float64, read-only, if possible not copied.

    Buffers that came out of band may begin at any byte: dask cuts them out of a message. Such are
    copied.
    """
    if np.ma.is_masked(values):
        refuse(parameter, "VectorCosts", "an array without masked entries", "masked ones")
    try:
        array = _numbers(values)
        if array.dtype == np.float16:
            array = array.astype(np.float32)
        elif array.dtype not in (np.float32, np.float64):
            # Complex numbers are no numbers here: NumPy would drop their imaginary parts.
            array = array.astype(
                np.float64, casting="unsafe" if array.dtype.kind != "c" else "safe"
            )
    except (TypeError, ValueError) as error:
        message = f"The '{parameter}' parameter of VectorCosts must be an array of numbers."
        raise ValueError(message) from error
    if array.ndim != 2:
        refuse(parameter, "VectorCosts", "an array of 2 dimensions", f"{array.ndim} dimensions")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0].tolist()
        got = f"{array[row, column]} in row {row}, column {column}"
        refuse(parameter, "VectorCosts", "finite", got)
    view = np.require(array, requirements="A").view()
    view.flags.writeable = False
    return view
