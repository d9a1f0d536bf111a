"""The loss of learning vector quantisation as a function of edit costs, with alignments fixed.

With the symbol matrices N of the pairs (tree, closest prototype of its class) and (tree, closest
prototype of another class) fixed, distances are linear in the costs, d = <N, c>. Costs that are
symmetric and 0 on the diagonal need the counts of unordered pairs of different symbols only, and
only of those that occur: one row per pair of trees, one column per pair of symbols.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import check_memory
from treemetric._estimators.squashing import TINY, Squash, relevance
from treemetric.alignment.edit_counts import EditCounts

# Products with counts are faster dense if more than this share of the entries is not 0, or if
# there are few entries.
_DENSE_SHARE = 0.2
_DENSE_ENTRIES = 50_000
# Costs up to this share of the largest cost are set to 0. Larger ones are kept: where most costs
# are 0 they still order neighbours.
NEGLIGIBLE = 2.0**-20


class SymbolCounts(NamedTuple):
    """Counts of edits by unordered pairs of symbols, which are numbered as in a table of costs."""

    plus: Any  # (n, P): from each tree to the closest prototype of its class
    minus: Any  # (n, P): from each tree to the closest prototype of another class
    first: npt.NDArray[np.intp]  # (P,): smaller symbol of each pair
    second: npt.NDArray[np.intp]  # (P,): larger symbol; the gap is the last symbol
    weights: FloatArray | None = None  # (n,): weights of the trees; 1 by default

    def loss(self, costs: FloatArray, squash: Squash) -> tuple[float, FloatArray]:
        """Return E = Σ w Φ(μ) and its gradient by the P costs (generalised LVQ).

        ∂E = Σ w Φ'(μ) · 2 · (d⁻ · ∂d⁺ - d⁺ · ∂d⁻) / (d⁺ + d⁻)², and 0 where d⁺ + d⁻ = 0.
        """
        d_plus, d_minus = self.plus @ costs, self.minus @ costs
        mu = relevance(d_plus, d_minus)
        total = d_plus + d_minus
        total[total <= TINY] = np.inf
        # Divide twice, because the square of a small sum may be 0.
        scale = 2.0 * squash.derivative(mu) / total
        losses = squash.value(mu)
        if self.weights is not None:
            scale *= self.weights
            losses = losses * self.weights
        gradient = self.plus.T @ (scale * (d_minus / total))
        gradient -= self.minus.T @ (scale * (d_plus / total))
        return float(losses.sum()), gradient


def check_tables(labels: int, tables: int, owner: str) -> None:
    """Raise ``MemoryError`` if a number of tables of all costs does not fit in memory."""
    check_memory(8 * tables * (labels + 1) ** 2, f"{owner} for {labels} labels")


def fold(counts: EditCounts, alphabet: tuple[Label, ...]) -> SymbolCounts:
    """Count unordered pairs of symbols, numbered by their positions in an alphabet.

    The first half of the rows becomes plus, the second half minus. The gap is the last symbol.
    """
    index = {label: code for code, label in enumerate(alphabet)}
    return fold_codes(counts, [index[label] for label in counts.alphabet], len(alphabet))


def fold_codes(
    counts: EditCounts,
    codes: Iterable[int],
    gap: int,
    *,
    may_be_dense: bool = True,
    twins: tuple[int, int] | None = None,
) -> SymbolCounts:
    """Count unordered pairs of symbols, with the number of each label in the alphabet of counts.

    If different labels have the first number of ``twins``, replacing one of them by another is
    counted as the pair of both numbers.
    """
    number = np.array([*codes, gap], dtype=np.intp)
    matrix: csr_array = counts.matrix
    side = len(number)
    before, after = np.divmod(matrix.indices, side)
    old, new = number[before], number[after]
    if twins is not None:
        new[(old == twins[0]) & (new == twins[0]) & (before != after)] = twins[1]
    first, second = np.minimum(old, new), np.maximum(old, new)
    keep = first != second
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    # Only pairs that occur get a column.
    pairs, columns = np.unique(first[keep] * (gap + 1) + second[keep], return_inverse=True)
    shape = (matrix.shape[0], len(pairs))
    size = shape[0] * shape[1]
    values = matrix.data[keep]
    if may_be_dense and (size <= _DENSE_ENTRIES or len(values) > _DENSE_SHARE * size):
        flat = np.bincount(rows * shape[1] + columns, weights=values, minlength=size)
        full: Any = flat.reshape(shape)
    else:
        full = coo_array((values, (rows, columns)), shape=shape).tocsr()
    half = shape[0] // 2
    return SymbolCounts(full[:half], full[half:], pairs // (gap + 1), pairs % (gap + 1))
