"""Several fits to bootstrap samples, their mean, and what the trees left out say about it.

Equal trees are drawn together. Otherwise a tree that a fit has not seen would have a copy that the
fit has seen, and the fit would look better than it is.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.costs import CostMatrix
from treemetric.distances import pairwise_distances
from treemetric.learning._nca_fit import Fitted, rounded_up, whole_table
from treemetric.learning._votes import expected_errors
from treemetric.treeset import TreeSet

# At most this many trees are classified to compare costs, by at most this many others; fewer if
# all these pairs have more pairs of nodes than the last number.
_MOST_QUERIES, _MOST_REFERENCES = 1000, 2000
_NODE_PAIRS = 4e8
# Learned costs must be better by this many standard errors.
MARGIN = 0.5
NEIGHBOURS = (1, 5)


# The errors of predictions from a matrix of distances, its columns and its rows (positions).
Errors = Callable[[FloatArray, npt.NDArray[np.intp], npt.NDArray[np.intp]], FloatArray]


class Verdict(NamedTuple):
    """Whether learned costs are better, and the errors that say so."""

    learned: bool
    scores: dict[str, float]


def equal_trees(trees: TreeSet) -> npt.NDArray[np.intp]:
    """Return a number for each tree, the same for equal trees only."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(tree, len(numbers)) for tree in trees], dtype=np.intp)


def bootstrap(
    groups: npt.NDArray[np.intp], most: int, random: np.random.RandomState
) -> npt.NDArray[np.int64]:
    """Draw groups with replacement; return how often each tree was drawn."""
    count = int(groups.max()) + 1
    drawn = np.bincount(random.randint(count, size=min(count, most)), minlength=count)
    multiplicity: npt.NDArray[np.int64] = drawn[groups]
    return multiplicity


def mean_table(fits: list[Fitted], alphabet: tuple[object, ...]) -> FloatArray:
    """Return the mean of the costs of all fits, each scaled to a mean deletion of 1."""
    total = whole_table(fits[0], alphabet)
    for fitted in fits[1:]:
        total += whole_table(fitted, alphabet)
    total /= len(fits)
    return total


def judge(
    trees: TreeSet,
    errors_of: Errors,
    weight: FloatArray,
    groups: npt.NDArray[np.intp],
    fits: list[Fitted],
    left_out: npt.NDArray[np.bool_],
    random: np.random.RandomState,
    n_jobs: int | None,
) -> Verdict:
    """Compare learned costs and unit costs on trees that fits have not seen.

    The target of each tree is predicted by the trees that differ from it, under the mean distance
    of the fits that have not seen it. The mean of their costs differs from that only in alignments.
    If no fit has left out a tree, nothing speaks for learned costs.
    """
    count = len(trees)
    able = np.flatnonzero(left_out.any(axis=0))
    most_queries, most_references = _numbers(count, float(trees.sizes.mean()))
    queries = np.sort(random.permutation(able)[:most_queries])
    references = np.sort(random.permutation(count)[:most_references])
    targets = trees[references]
    unit = pairwise_distances(trees[queries], targets, n_jobs=n_jobs).astype(np.float64)
    learned = np.zeros_like(unit)
    for fitted, unseen in zip(fits, left_out, strict=True):
        rows = np.flatnonzero(unseen[queries])
        costs = CostMatrix(trees.alphabet, rounded_up(whole_table(fitted, trees.alphabet)))
        learned[rows] += pairwise_distances(
            trees[queries[rows]], targets, costs=costs, n_jobs=n_jobs
        )
    learned /= left_out[:, queries].sum(axis=0)[:, None]
    equal = groups[queries][:, None] == groups[references]
    some = ~equal.all(axis=1)
    if not some.any():
        return Verdict(learned=False, scores={})
    queries, unit, learned, equal = queries[some], unit[some], learned[some], equal[some]
    errors = []
    for distances in (unit, learned):
        distances[equal] = np.inf
        errors.append(errors_of(distances, references, queries))
    return compare(errors[0], errors[1], weight[queries])


def class_errors(codes: npt.NDArray[np.integer]) -> Errors:
    """Return the errors of votes of the nearest trees, a mean over numbers of neighbours."""

    def errors_of(
        distances: FloatArray, known: npt.NDArray[np.intp], asked: npt.NDArray[np.intp]
    ) -> FloatArray:
        by_k = [expected_errors(distances, codes[known], codes[asked], k) for k in NEIGHBOURS]
        mean: FloatArray = np.mean(by_k, axis=0)
        return mean

    return errors_of


def _numbers(count: int, size: float) -> tuple[int, int]:
    """Return how many trees of some mean size to classify, and by how many."""
    most = np.minimum([_MOST_QUERIES, _MOST_REFERENCES], count)
    share = min(1.0, np.sqrt(_NODE_PAIRS / max(1.0, float(most.prod()) * size**2)))
    queries, references = np.ceil(most * share).astype(int).tolist()
    return queries, references


def compare(unit: FloatArray, learned: FloatArray, weight: FloatArray) -> Verdict:
    """Prefer learned costs if their errors are clearly smaller, tree by tree."""
    total = float(weight.sum())
    if total == 0.0:
        return Verdict(learned=False, scores={})
    gains = unit - learned
    gain = float(gains @ weight) / total
    spread = float(np.sqrt(weight**2 @ (gains - gain) ** 2)) / total
    scores = {
        "unit": float(unit @ weight) / total,
        "learned": float(learned @ weight) / total,
        "gain": gain,
        "standard_error": spread,
    }
    return Verdict(gain > MARGIN * spread, scores)
