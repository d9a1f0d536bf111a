"""One fit of costs to the neighbourhoods of some trees: choose pairs, align, optimise, repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.alignment.edit_counts import EditCounts, edit_counts
from treemetric.costs import CostMatrix, Costs, UnitCosts
from treemetric.distances import pairwise_distances
from treemetric.learning._label_model import LabelModel
from treemetric.learning._metric_table import MetricTable
from treemetric.learning._neighbour_loss import Candidates, NeighbourLoss, candidates
from treemetric.learning._pair_costs import (
    CostObjective,
    DistanceLoss,
    SmallestOf,
    best_scale,
    pair_counts,
    stacked,
)
from treemetric.treeset import TreeSet

# Up to this many trees, the loss uses all pairs, unless they have more pairs of nodes than this.
# Otherwise each tree has a sample of neighbours. The four numbers count the nearest trees of its
# own class and of other classes, then random ones of its own class and of other classes. If the
# sample has too many pairs of nodes, the numbers shrink, to this share at least.
_ALL_PAIRS = 400
_NODE_PAIRS = 8e6
_NEIGHBOURS = (10, 25, 10, 25)
_FEWEST = 0.25
# Fits compute the distances of all trees that they draw. Of long trees they draw fewer, so that all
# these pairs have at most about this many pairs of nodes, but not fewer trees than the last number.
_MATRIX_NODE_PAIRS = 4e8
_FEWEST_TREES = 50
# Costs that only decide about alignments and neighbours are rounded up to multiples of this share
# of the mean cost of a deletion, because distances under short numbers are faster.
_ROUGH = 100.0

BoolArray = npt.NDArray[np.bool_]

# The pairs to align under some costs, and their loss; None if there is nothing to learn.
Choose = Callable[[Costs], tuple[npt.NDArray[np.intp], DistanceLoss | None]]


class FitSettings(NamedTuple):
    """What all fits of one learner share."""

    weight_scale: float
    vector_scale: float
    max_vectors: int
    n_rounds: int
    max_iter: int
    n_jobs: int | None


class Fitted(NamedTuple):
    """The parameters of one fit for the labels that occur in its trees."""

    alphabet: tuple[object, ...]
    model: LabelModel
    parameters: FloatArray
    objective: float
    n_iter: int  # L-BFGS steps in all rounds


def rough_costs(model: LabelModel, parameters: FloatArray, alphabet: tuple[Any, ...]) -> CostMatrix:
    """Return costs with a mean deletion of about 1, rounded up, for alignments and neighbours."""
    table = model.table(parameters, _ROUGH)
    np.ceil(table, out=table)
    table /= _ROUGH
    return MetricTable.taken(alphabet, table)


def frequent_labels(trees: TreeSet, most: int, least: int = 2) -> npt.NDArray[np.intp]:
    """Return up to `most` labels that occur in `least` trees or more, the most frequent ones."""
    owners = np.repeat(np.arange(len(trees)), trees.sizes)
    count = len(trees.alphabet)
    once = np.unique(owners * count + trees.codes)
    spread = np.bincount(once % max(1, count), minlength=count)
    order = np.argsort(-spread, kind="stable")[:most]
    return np.sort(order[spread[order] >= least])


def most_trees(trees: TreeSet, wanted: int) -> int:
    """Return how many trees to draw for a fit; fewer than wanted if they are long."""
    size = max(1.0, float(trees.sizes.mean()))
    return min(wanted, max(_FEWEST_TREES, int(np.sqrt(_MATRIX_NODE_PAIRS) / size)))


def neighbour_numbers(trees: TreeSet) -> tuple[int, ...] | None:
    """Return how many trees to draw among, as in `neighbourhoods`; None for all."""
    count = len(trees)
    node_pairs = float(np.mean(trees.sizes)) ** 2
    if count <= _ALL_PAIRS and count**2 / 2 * node_pairs <= _NODE_PAIRS:
        return None
    wanted = count * sum(_NEIGHBOURS) * node_pairs
    share = max(_FEWEST, min(1.0, _NODE_PAIRS / max(wanted, 1.0)))
    return tuple(round(number * share) for number in _NEIGHBOURS)


def neighbourhoods(
    distances: FloatArray,
    codes: npt.NDArray[np.integer],
    groups: npt.NDArray[np.integer],
    numbers: tuple[int, ...],
) -> FloatArray:
    """Return for how many trees each tree stands among those that a tree can draw; 0 for none.

    ``numbers`` are those of the nearest trees of the own class, of other classes, and of trees
    drawn at random among the remaining ones, again of the own class and of other classes. A nearest
    tree stands for itself, a random one for as many as were left out, so that sums over a
    neighbourhood estimate sums over all trees. Without this, trees of the own class that are far
    away would be more frequent than they are, and distances of 0 the best.
    """
    count = len(codes)
    random = np.random.RandomState(0)
    different = groups[:, None] != groups
    copies = np.zeros((count, count))
    # Equal distances are frequent; the order of trees must not decide about their classes.
    shuffled = random.rand(count, count)
    near_first = np.lexsort((shuffled, distances), axis=1)
    at_random = np.argsort(shuffled, axis=1)
    own = codes[:, None] == codes
    for allowed, nearest, others in (
        (different & own, numbers[0], numbers[2]),
        (different & ~own, numbers[1], numbers[3]),
    ):
        near = _first(allowed, near_first, nearest)
        rest = allowed & ~near
        drawn = _first(rest, at_random, others)
        copies[near] = 1.0
        stands_for = rest.sum(axis=1) / np.maximum(1, drawn.sum(axis=1))
        copies += drawn * stands_for[:, None]
    return copies


def _first(allowed: BoolArray, order: npt.NDArray[np.intp], number: int) -> BoolArray:
    """Return the first allowed columns of each row, up to a number, in the order of the row."""
    sorted_ = np.take_along_axis(allowed, order, axis=1)
    sorted_ &= np.cumsum(sorted_, axis=1) <= number
    found = np.empty_like(allowed)
    np.put_along_axis(found, order, sorted_, axis=1)
    return found


def chosen_pairs(
    trees: TreeSet,
    codes: npt.NDArray[np.integer],
    groups: npt.NDArray[np.integer],
    costs: Costs,
    n_jobs: int | None,
) -> tuple[npt.NDArray[np.intp], Candidates]:
    """Return a list of unordered pairs of different trees, and who draws whom."""
    numbers = neighbour_numbers(trees)
    if numbers is None:
        pairs = np.column_stack(np.nonzero(np.triu(groups[:, None] != groups)))
        return pairs, candidates(pairs)
    distances = pairwise_distances(trees, costs=costs, n_jobs=n_jobs)
    copies = neighbourhoods(distances, codes, groups, numbers)
    pairs = np.column_stack(np.nonzero(np.triu((copies > 0) | (copies > 0).T, 1)))
    return pairs, candidates(pairs, copies)


def fit_costs(
    trees: TreeSet,
    codes: npt.NDArray[np.integer],
    groups: npt.NDArray[np.integer],
    multiplicity: FloatArray,
    weight: FloatArray,
    settings: FitSettings,
) -> Fitted | None:
    """Fit costs to trees with multiplicities; None if there is nothing to learn.

    Equal trees have the same group. They do not draw each other, because a new tree has no copy.
    """

    def choose(costs: Costs) -> tuple[npt.NDArray[np.intp], DistanceLoss | None]:
        pairs, found = chosen_pairs(trees, codes, groups, costs, settings.n_jobs)
        loss = NeighbourLoss(found, codes, multiplicity, multiplicity * weight)
        return pairs, None if loss.is_empty else loss

    return fit_rounds(trees, choose, float(multiplicity @ weight), settings)


def fit_rounds(
    trees: TreeSet,
    choose: Choose,
    total: float,
    settings: FitSettings,
    *,
    same_pairs: bool = False,
) -> Fitted | None:
    """Choose pairs and their loss, align, optimise, and repeat; None if there is nothing to learn.

    ``total`` is the number of observations in the loss, by which the prior is divided. If the
    pairs are the same in all rounds, a distance is the smallest cost of all alignments so far.
    Without this, costs that are good for the last alignments make earlier ones cheap, and rounds
    alternate.
    """
    moving = frequent_labels(trees, settings.max_vectors)
    model = LabelModel(len(trees.alphabet), moving, settings.weight_scale, settings.vector_scale)
    costs: Costs = UnitCosts()
    parameters = None
    known: EditCounts | None = None
    value = start = 0.0
    steps = 0
    for _ in range(settings.n_rounds):
        if parameters is not None:
            costs = rough_costs(model, parameters, trees.alphabet)
        pairs, loss = choose(costs)
        if loss is None:
            break
        found = edit_counts(trees, pairs=pairs, costs=costs, n_jobs=settings.n_jobs)
        if same_pairs:
            known = found if known is None else stacked(known, found)
            found, loss = known, SmallestOf(loss, len(pairs))
        counts = pair_counts(found)
        if not len(counts.first):
            break
        if parameters is None:
            start = best_scale(loss, counts.matrix @ np.ones(len(counts.first)))
            parameters = model.start(start)
        objective = CostObjective(model, counts, loss, total, start)
        parameters, value = objective.minimise(parameters, settings.max_iter)
        steps += objective.n_iter
    if parameters is None:
        return None
    return Fitted(trees.alphabet, model, parameters, value, steps)


def whole_table(fitted: Fitted, alphabet: tuple[object, ...]) -> FloatArray:
    """Return the costs of all labels, scaled to a mean deletion of 1."""
    model, parameters = _extended(fitted, alphabet)
    return model.table(parameters, 1.0)


def judged_costs(fitted: Fitted, alphabet: tuple[object, ...]) -> CostMatrix:
    """Return the costs of all labels, rounded up, to compare a fit with unit costs."""
    return rough_costs(*_extended(fitted, alphabet), alphabet)


def deletions(fitted: Fitted, alphabet: tuple[object, ...]) -> FloatArray:
    """Return the costs of deleting each label, scaled to a mean of 1."""
    model, parameters = _extended(fitted, alphabet)
    costs = model.deletions(parameters)
    return costs / (costs.mean() if len(costs) else 1.0)


def _extended(fitted: Fitted, alphabet: tuple[object, ...]) -> tuple[LabelModel, FloatArray]:
    """Return the model and the parameters of a fit for all labels.

    Labels that the fit did not see have the parameters that the prior expects, 0.
    """
    index = {label: code for code, label in enumerate(alphabet)}
    codes = np.array([index[label] for label in fitted.alphabet], dtype=np.intp)
    b, theta, delta = fitted.model.parts(fitted.parameters)
    everywhere = np.zeros(len(alphabet))
    everywhere[codes] = theta
    model = LabelModel(len(alphabet), codes[fitted.model.moving])
    return model, np.concatenate([[b], everywhere, delta.ravel()])
