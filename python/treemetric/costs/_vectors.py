"""Vectors as arrays: checks, lengths, and the costs between two vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse

Rows = npt.NDArray[np.integer[Any]]

# Pairs whose vectors are copied at a time: a few MB.
_BLOCK = 1 << 14
# Numbers that are subtracted in one step: some milliseconds.
_STEP = 1 << 23
# A projected vector is noise if its length is at most this many rounding errors of its factors.
_ROUNDINGS = 8.0
# Squares of Euclidean lengths must neither overflow nor underflow.
_SHORTEST, _LONGEST = 1e-100, 1e100
# Rounding errors per dimension of three costs from products of vectors: two lengths and a product,
# times a hundred, because the core accepts that all but a hundredth of a squared distance cancels;
# twice that.
_SLACK_ROUNDINGS = 600


def vector_costs(x: FloatArray, y: FloatArray, kind: str) -> FloatArray:
    """Return the costs between two lists of vectors; zeros mean no vector."""
    if kind == "euclidean":
        return lengths_between(x, y)
    (a, has_a), (b, has_b) = _units(x), _units(y)
    sums = lengths_between(a, -b) if kind == "angle" else None
    return _costs(lengths_between(a, b), sums, has_a[:, None], has_b[None, :], kind)


def lengths_between(x: FloatArray, y: FloatArray, metric: str = "euclidean") -> FloatArray:
    """Return the lengths of all differences, in steps, so that Ctrl-C is seen between them."""
    from scipy.spatial.distance import cdist  # heavy: imported where used

    found = np.empty((len(x), len(y)))
    step = max(1, _STEP // max(1, y.size))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        cdist(x[part], y, metric, out=found[part])
    return found


def paired_costs(vectors: FloatArray, first: Rows, second: Rows, kind: str) -> FloatArray:
    """Return the costs of some pairs of vectors, given by their rows."""
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
    """Return vectors scaled to length one, and which of them are not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / np.where(lengths > 0, lengths, 1.0)[:, None], lengths > 0


def _costs(
    chords: FloatArray, sums: FloatArray | None, has_x: Any, has_y: Any, kind: str
) -> FloatArray:
    """Return costs from the lengths of differences and, for the angle, of sums."""
    if sums is not None:
        # Halves of them are the sine and the cosine of half the angle. Together they are accurate
        # for close and for opposite vectors, where neither alone is (nor is the cosine).
        costs = np.arctan2(chords, sums) / (np.pi / 2)
    else:
        half = np.minimum(chords / 2, 1.0)
        costs = half**2 if kind == "cosine" else half
    found: FloatArray = np.where(has_x != has_y, blank_cost(kind), costs)
    return found


def blank_cost(kind: str) -> float:
    """Return the cost of a vector against the gap: the cost of a cosine of 0."""
    return float(np.sqrt(0.5)) if kind == "chord" else 0.5


def lengths_of(rows: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Return the lengths of vectors without overflow or underflow."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        scaled, exponents = _scaled(rows[part])
        found[part] = _raised(np.einsum("uk,uk->u", scaled, scaled, dtype=np.float64), exponents)
    return found


def to_length_one(rows: npt.NDArray[np.floating[Any]]) -> tuple[Any, FloatArray]:
    """Return vectors scaled to length one and their lengths; zeros stay zeros."""
    scaled, exponents = _scaled(rows)
    squares = np.einsum("uk,uk->u", scaled, scaled, dtype=np.float64)
    divisor = np.sqrt(np.where(squares > 0.0, squares, 1.0))[:, None]
    np.divide(scaled, divisor, out=scaled, casting="same_kind")
    return scaled, _raised(squares, exponents)


def _scaled(rows: npt.NDArray[np.floating[Any]]) -> tuple[Any, Any]:
    """Multiply rows by powers of two, so that their squares neither overflow nor underflow."""
    largest = np.maximum(rows.max(axis=1, initial=0.0), -rows.min(axis=1, initial=0.0))
    exponents = np.frexp(largest)[1]
    return np.ldexp(rows, -exponents[:, None]), exponents


def _raised(squares: FloatArray, exponents: Any) -> FloatArray:
    with np.errstate(over="ignore"):  # a length beyond the largest float is infinite
        found: FloatArray = np.ldexp(np.sqrt(squares), exponents)
    return found


def shortest(lengths: FloatArray, projection: npt.NDArray[Any], dtype: Any) -> FloatArray:
    """Return, for vectors x, the length up to which xΩ consists of rounding errors.

    These errors are about |x| |Ω| times the precision of the product. A shorter vector has no
    direction and is treated as no vector.
    """
    scale = float(lengths_of(projection.reshape(1, -1))[0])
    with np.errstate(over="ignore"):
        bound: FloatArray = lengths * (scale * _ROUNDINGS * float(np.finfo(dtype).eps))
    return bound


def index_of(labels: tuple[Label, ...]) -> dict[Label, int]:
    """Return the positions of labels in a list."""
    try:
        return {label: code for code, label in enumerate(labels)}
    except TypeError as error:
        message = f"The 'alphabet' parameter of VectorCosts must have hashable labels: {error}."
        raise TypeError(message) from error


def _numbers(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return an array; raise TypeError for strings, which NumPy would read as numbers."""
    array = np.asarray(values)
    text = array.dtype.kind not in "biufcO"
    if array.dtype.kind == "O":
        text = any(isinstance(value, str | bytes) for value in array.ravel())
    if text:
        raise TypeError
    return array


def as_vectors(values: npt.ArrayLike, parameter: str) -> npt.NDArray[np.floating[Any]]:
    """Check that values are a matrix of numbers; return it in float32 or float64, read-only.

    It is not copied if possible. Buffers that were received out of band are copied, because they
    may be unaligned: dask takes them from the middle of a message.
    """
    if np.ma.is_masked(values):
        refuse(parameter, "VectorCosts", "an array without masked entries", "masked ones")
    try:
        array = _numbers(values)
        if array.dtype == np.float16:
            array = array.astype(np.float32)
        elif array.dtype not in (np.float32, np.float64):
            # Complex numbers are refused: NumPy would drop their imaginary parts.
            array = array.astype(
                np.float64, casting="unsafe" if array.dtype.kind != "c" else "safe"
            )
    except (TypeError, ValueError, OverflowError) as error:
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


def points_of(
    vectors: npt.NDArray[np.floating[Any]],
    projection: npt.NDArray[np.floating[Any]] | None,
    projected: npt.NDArray[np.floating[Any]],
    kind: str,
    labels: tuple[Label, ...],
) -> tuple[npt.NDArray[np.floating[Any]], FloatArray]:
    """Return the rows that all costs are computed from, and their lengths.

    The rows are the projected vectors, scaled to length one for all kinds but ``euclidean``.
    """
    points = np.ascontiguousarray(projected)
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0, 0])
        message = (
            "The 'projection' parameter of VectorCosts must keep vectors finite. "
            f"It maps the vector of {labels[row]!r} to a non-finite value."
        )
        raise ValueError(message)
    if kind == "euclidean":
        lengths = lengths_of(points)
        longest = float(lengths.max(initial=0.0))
        if longest and not _SHORTEST <= longest <= _LONGEST:
            must = f"such that the longest has a length from {_SHORTEST:g} to {_LONGEST:g}"
            refuse("vectors", "VectorCosts", must, f"{longest:g}")
        return points, lengths
    points, lengths = to_length_one(points)
    if projection is not None:
        none = lengths <= shortest(lengths_of(vectors), projection, vectors.dtype)
        points[none], lengths[none] = 0.0, 0.0
    # Only whether there is a vector matters.
    return points, np.sign(lengths)


def rounding_slack(
    projected: npt.NDArray[np.floating[Any]], kind: str, tolerance: float
) -> float | None:
    """Bound violations of the triangle inequality by rounding; see ``Costs._triangle_slack``."""
    if kind == "cosine":  # not triangular
        return None
    epsilon = float(np.finfo(projected.dtype).eps)
    error = _SLACK_ROUNDINGS * (projected.shape[1] + 2) * epsilon
    if kind == "angle":
        # The arc sine is steep near 1: an error there becomes its square root.
        error = math.sqrt(2 * error)
    longest: float = 0.5
    if kind == "euclidean" and len(projected):
        longest = float(np.linalg.norm(projected.astype(np.float64), axis=1).max())
    slack: float = 2 * (tolerance + error) * 2 * longest
    return slack
