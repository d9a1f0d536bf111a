"""Several fits to bootstrap samples, their mean, and what the trees left out say about it.

Equal trees are drawn together. Otherwise a tree that a fit has not seen would have a copy that the
fit has seen, and the fit would look better than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.costs import Costs, UnitCosts
from treemetric.distances import pairwise_distances
from treemetric.learning._nca_fit import Fitted, judged_costs, whole_table
from treemetric.learning._votes import expected_errors, vote_shares
from treemetric.treeset import TreeSet

# At most this many trees are classified to compare costs, by at most this many others; fewer if
# all these pairs have more pairs of nodes than the last number.
_MOST_QUERIES, _MOST_REFERENCES = 1000, 2000
_NODE_PAIRS = 1.5e8
# Learned costs must be better by this many standard errors, the limit of a one-sided test at 10 per
# cent.
MARGIN = 1.3
# Votes may be worse by this many standard errors.
_LOSS = 0.5
# Classes are predicted by the votes of the 1 or 5 nearest trees. Whether they are wrong depends on
# chance where votes are almost equal; the shares of other classes among more neighbours vary less,
# and show small gains sooner.
NEIGHBOURS = (1, 5)
_SHARES = (3, 5, 10, 20)

# The errors of predictions from a matrix of distances, its columns and its rows (positions). There
# can be several kinds of errors, one per row.
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
    first_weight: FloatArray,
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
    costs = (judged_costs(fitted, trees.alphabet) for fitted in fits)
    found = left_out_distances(trees, UnitCosts(), costs, left_out, groups, random, n_jobs)
    if found is None:
        return Verdict(learned=False, scores={})
    queries, references, *tables = found
    unit, learned = (errors_of(distances, references, queries) for distances in tables)
    return compare(unit, learned, weight[queries], first_weight[queries])


def left_out_distances(
    trees: TreeSet,
    initial: Costs,
    learned: Iterable[Costs],
    left_out: npt.NDArray[np.bool_],
    groups: npt.NDArray[np.intp],
    random: np.random.RandomState,
    n_jobs: int | None,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], FloatArray, FloatArray] | None:
    """Return queries, references, and distances of both under initial and under learned costs.

    The distance of a query is the mean over the costs that were learned without it. It is ``inf``
    to trees that are equal to the query. Without a query that differs from a tree, return None.
    """
    count = len(trees)
    able = np.flatnonzero(left_out.any(axis=0))
    most_queries, most_references = _numbers(count, float(trees.sizes.mean()))
    queries = np.sort(random.permutation(able)[:most_queries])
    references = np.sort(random.permutation(count)[:most_references])
    targets = trees[references]
    before = pairwise_distances(trees[queries], targets, costs=initial, n_jobs=n_jobs)
    before = before.astype(np.float64)
    after = np.zeros_like(before)
    for costs, unseen in zip(learned, left_out, strict=True):
        rows = np.flatnonzero(unseen[queries])
        after[rows] += pairwise_distances(trees[queries[rows]], targets, costs=costs, n_jobs=n_jobs)
    after /= left_out[:, queries].sum(axis=0)[:, None]
    equal = groups[queries][:, None] == groups[references]
    some = ~equal.all(axis=1)
    if not some.any():
        return None
    queries, before, after, equal = queries[some], before[some], after[some], equal[some]
    before[equal] = after[equal] = np.inf
    return queries, references, before, after


def class_errors(codes: npt.NDArray[np.integer]) -> Errors:
    """Return shares of other classes among the nearest trees, and errors of one and five votes.

    The shares are a mean over several numbers of neighbours.
    """
    classes = int(codes.max()) + 1

    def errors_of(
        distances: FloatArray, known: npt.NDArray[np.intp], asked: npt.NDArray[np.intp]
    ) -> FloatArray:
        rows, truth = np.arange(len(asked)), codes[asked]
        near = [k for k in _SHARES if k < len(known)] or [1]
        shares = [1.0 - vote_shares(distances, codes[known], classes, k)[rows, truth] for k in near]
        wrong = [expected_errors(distances, codes[known], truth, k) for k in NEIGHBOURS]
        return np.array([np.mean(shares, axis=0), *wrong])

    return errors_of


def balanced_classes(codes: npt.NDArray[np.integer], weight: FloatArray) -> FloatArray:
    """Return weights of trees with the same sum for each class.

    Otherwise costs that move trees towards a frequent class seem to be good, even if they are
    learned from noise.
    """
    totals = np.bincount(codes, weight)[codes]
    return weight / np.where(totals > 0, totals, 1.0)


def _numbers(count: int, size: float) -> tuple[int, int]:
    """Return how many trees of some mean size to classify, and by how many."""
    most = np.minimum([_MOST_QUERIES, _MOST_REFERENCES], count)
    share = min(1.0, np.sqrt(_NODE_PAIRS / max(1.0, float(most.prod()) * size**2)))
    queries, references = np.ceil(most * share).astype(int).tolist()
    return queries, references


def compare(
    unit: FloatArray, learned: FloatArray, weight: FloatArray, first_weight: FloatArray
) -> Verdict:
    """Prefer learned costs if their errors are clearly smaller, tree by tree.

    There can be several kinds of errors, one per row. The first must be clearly smaller, and the
    others not larger by more than their uncertainty. The first has weights of its own.
    """
    kinds = np.atleast_2d(unit), np.atleast_2d(learned)
    weights = np.array([first_weight, *[weight] * (len(kinds[0]) - 1)])
    totals = weights.sum(axis=1, keepdims=True)
    if not totals.all():
        return Verdict(learned=False, scores={})
    weights = weights / totals
    means = [(errors * weights).sum(axis=1) for errors in kinds]
    gains = means[0] - means[1]
    away = kinds[0] - kinds[1] - gains[:, None]
    spreads = np.sqrt(((weights * away) ** 2).sum(axis=1))
    # Shares have rounding errors, and no error is below 0.
    means = [np.maximum(mean, 0.0) for mean in means]
    names = ("unit", "learned", "gain", "standard_error")
    values = (*means, gains, spreads)
    scores = {name: float(value[0]) for name, value in zip(names, values, strict=True)}
    if len(gains) > 1:
        for name, mean in zip(names[:2], means, strict=True):
            scores[f"{name}_error"] = float(mean[1:].mean())
    better = gains[0] > MARGIN * spreads[0] and bool((gains[1:] >= -_LOSS * spreads[1:]).all())
    return Verdict(bool(better), scores)


def sentence(verdict: Verdict, before: str) -> str:
    """Return what was chosen and why."""
    kind = "learned costs" if verdict.learned else before
    if not verdict.scores:
        return kind if verdict.learned else f"{kind}: nothing to learn from"
    scores = verdict.scores
    errors = ", ".join(
        f"{name} {scores.get(f'{name}_error', scores[name]):.3f}" for name in ("unit", "learned")
    )
    return f"{kind}; errors on trees left out: {errors}"
