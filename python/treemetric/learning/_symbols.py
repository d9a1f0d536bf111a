"""The loss of learning vector quantisation as a function of edit costs, alignments fixed.

With the symbol matrices N of the pairs (tree, closest prototype of its class) and (tree, closest
prototype of another class) fixed, distances are linear in the costs, d = <N, c>. For symmetric
costs that are 0 on the diagonal it is enough to count each unordered pair of different symbols,
and only those that occur: one row of counts per pair of trees, one column per pair of symbols.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import check_memory
from treemetric.alignment.edit_counts import EditCounts
from treemetric.classification._median import Squash, relevance

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Counts that fill more than this share of the table are multiplied faster as a dense one, and
# so are small ones.
_DENSE_SHARE = 0.2
_DENSE_ENTRIES = 50_000
# Costs up to this share of the largest one are taken for 0. Larger ones stay, however small: where
# most costs vanish they still order neighbours.
NEGLIGIBLE = 2.0**-20
_TINY = float(np.finfo(np.float64).tiny)


class SymbolCounts(NamedTuple):
    """Edits counted by unordered pairs of symbols, which are numbered by a table of costs."""

    plus: Any  # (n, P): from each tree to the closest prototype of its class
    minus: Any  # (n, P): from each tree to the closest prototype of another class
    first: npt.NDArray[np.intp]  # (P,): smaller symbol of each pair
    second: npt.NDArray[np.intp]  # (P,): larger symbol, the number of symbols being the gap

    def loss(self, costs: FloatArray, squash: Squash) -> tuple[float, FloatArray]:
        """Give E = Σ Φ(μ) and its gradient by the P costs (generalised LVQ).

        ∂E = Σ Φ'(μ) · 2 · (d⁻ · ∂d⁺ - d⁺ · ∂d⁻) / (d⁺ + d⁻)², and 0 where d⁺ + d⁻ = 0.
        """
        d_plus, d_minus = self.plus @ costs, self.minus @ costs
        mu = relevance(d_plus, d_minus)
        total = d_plus + d_minus
        total[total <= _TINY] = np.inf
        # Divided one after the other, since the square of a small sum may be 0.
        scale = 2.0 * squash.derivative(mu) / total
        gradient = self.plus.T @ (scale * (d_minus / total))
        gradient -= self.minus.T @ (scale * (d_plus / total))
        return float(squash.value(mu).sum()), gradient


def check_tables(labels: int, tables: int, owner: str) -> None:
    """Raise ``MemoryError`` if there is no room for so many tables of all costs."""
    check_memory(8 * tables * (labels + 1) ** 2, f"{owner} for {labels} labels")


def fold(counts: EditCounts, alphabet: tuple[Label, ...]) -> SymbolCounts:
    """Count unordered pairs of symbols; the first half of the rows is plus, the second minus."""
    index = {label: code for code, label in enumerate(alphabet)}
    gap = len(alphabet)
    codes = np.array([*(index[label] for label in counts.alphabet), gap], dtype=np.intp)
    matrix: csr_array = counts.matrix
    side = len(codes)
    old, new = codes[matrix.indices // side], codes[matrix.indices % side]
    first, second = np.minimum(old, new), np.maximum(old, new)
    keep = first != second
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    # Only pairs that occur get a column.
    pairs, columns = np.unique(first[keep] * (gap + 1) + second[keep], return_inverse=True)
    full = _table(matrix.data[keep], rows, columns, (matrix.shape[0], len(pairs)))
    half = matrix.shape[0] // 2
    return SymbolCounts(full[:half], full[half:], pairs // (gap + 1), pairs % (gap + 1))


def _table(values: FloatArray, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    size = shape[0] * shape[1]
    if size <= _DENSE_ENTRIES or len(values) > _DENSE_SHARE * size:
        flat = np.bincount(rows * shape[1] + columns, weights=values, minlength=size)
        return flat.reshape(shape)
    from scipy.sparse import coo_array

    return coo_array((values, (rows, columns)), shape=shape).tocsr()
