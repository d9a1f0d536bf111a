"""The alternation of BEDL and LVQCosts: distances, prototypes, alignments, parameters.

Each round computes distances under the current costs, chooses prototypes among the trees, counts
the edits between trees and their closest prototypes, and improves the parameters of the costs with
these counts fixed. What the parameters are is the business of a `Space`.

Two options bound the memory and time for many trees: prototypes can be chosen among some candidates
of each class, and parameters can be improved on batches of trees. Trees that are held out decide
which round is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from treemetric._base.progress import fit_report
from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric._estimators.prototypes import (
    Indices,
    Selection,
    closest,
    draw_candidates,
    select_prototypes,
)
from treemetric._estimators.squashing import Squash, relevance
from treemetric.alignment.edit_counts import EditCounts, edit_counts
from treemetric.costs import Costs
from treemetric.distances import pairwise_distances
from treemetric.learning._descent import DescentSpace
from treemetric.learning.symbol_counts import SymbolCounts
from treemetric.treeset import TreeSet

# The constants of Adam (Kingma and Ba 2015).
_MOMENTA = (0.9, 0.999)
_TINY = 1e-8


class Space(Protocol):
    """The parameters of a learner and the costs that they define."""

    @property
    def start(self) -> FloatArray:
        """The initial parameters."""

    @property
    def shortcut(self) -> Costs | None:
        """Costs equal to those of the start with faster distances, if there are any."""

    @property
    def by_class(self) -> bool:
        """Whether losses are summed class by class or tree by tree.

        The last digit of the loss depends on it, and fits must stay reproducible.
        """

    def costs(self, parameters: FloatArray) -> Costs:
        """Return the costs that parameters define, for the labels that occur in training."""

    def kept(self, costs: Any) -> Costs:
        """Return such costs for all labels that the learner knows."""

    def quick(self, costs: Any) -> Costs:
        """Return costs that are almost equal, with faster distances if there are many labels."""

    def penalty(self, parameters: FloatArray) -> float:
        """Return what regularisation adds to the loss."""

    def fold(self, counts: EditCounts) -> SymbolCounts:
        """Count unordered pairs of symbols."""

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss with alignments fixed."""


class Batches(NamedTuple):
    """Improve the parameters of a space by steps of Adam, each on ``size`` trees."""

    space: DescentSpace
    size: int
    learning_rate: float


class Settings(NamedTuple):
    """The options of a fit."""

    owner: str
    squash: Squash
    n_prototypes: Indices
    n_candidates: int | None
    max_iter: int
    patience: int
    tol: float
    counting: dict[str, Any]  # options of `edit_counts`
    n_jobs: int | None
    verbose: int


class Data(NamedTuple):
    """Trees, the codes of their classes, and their weights; None means that all are 1."""

    trees: TreeSet
    codes: Indices
    weights: FloatArray | None = None

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(len(self.trees)) if self.weights is None else float(self.weights.sum())


class State(NamedTuple):
    """Parameters, their costs, and the prototypes and loss under these costs."""

    parameters: FloatArray
    costs: Costs
    selection: Selection
    nearest: tuple[Indices, Indices]  # closest prototypes of each tree: of its class, of another
    loss: float


class Learned(NamedTuple):
    """The first state, the state that is kept and its round, and the losses of all rounds."""

    start: State
    state: State
    best_iter: int
    losses: FloatArray
    held_losses: FloatArray | None


class Alternation:
    """Learns the parameters of a space from classified trees; see `BEDL`."""

    def __init__(
        self,
        data: Data,
        space: Space,
        settings: Settings,
        random: np.random.RandomState,
        batches: Batches | None = None,
        held: Data | None = None,
    ) -> None:
        trees, codes = data.trees, data.codes
        self.data, self.trees, self.codes = data, trees, codes
        self.space, self.settings, self.held = space, settings, held
        self.random, self.batches = random, batches
        self.candidates = draw_candidates(codes, settings.n_candidates, random)
        everything = len(self.candidates) == len(trees)
        self.targets = None if everything else trees[self.candidates]
        self.distances: Any = None

    def run(self) -> Learned:
        """Alternate until the loss no longer falls; return the best state and the losses.

        The best state is that of the lowest loss, or of the lowest loss of the trees that are held
        out.
        """
        settings, space = self.settings, self.space
        slack = settings.tol * self.data.total
        # The loss if every tree is at distance 0 from a prototype of its class: none is lower.
        least = float(settings.squash.value(np.array([-1.0]))[0]) * self.data.total
        # With one class there is nothing to separate, so the costs stay as they are.
        going, failures, aim = bool(self.codes.max() > 0), 0, space.start
        with fit_report(settings.verbose, settings.owner, settings.max_iter) as report:
            best = start = self.state(space.start, None, report.stage("first distances", "pairs"))
            curve = [best.loss]
            kept, kept_at, checks = best, 0, [self.held_loss(best)]
            report(0, best.loss)
            while going and len(curve) <= settings.max_iter:
                # After a failure other alignments became optimal on the way: try half the step.
                aim = (best.parameters + aim) / 2 if failures else self.improve(best)
                now = self.state(aim, best)
                change = now.loss - best.loss
                failures = 0 if change < 0 else failures + 1
                best = now if change < 0 else best
                curve.append(best.loss)
                checks.append(checks[-1] if failures else self.held_loss(best))
                if not failures and (self.held is None or checks[-1] < checks[kept_at]):
                    kept, kept_at = best, len(curve) - 1
                report(len(curve) - 1, best.loss)
                going = abs(change) > slack and failures < settings.patience
                going &= best.loss > least + slack
                going &= self.held is None or len(curve) - 1 - kept_at < settings.patience
        held = None if self.held is None else np.array(checks)
        return Learned(start, kept, kept_at, np.array(curve), held)

    def held_loss(self, now: State) -> float:
        """Return the mean loss of the trees that are held out, 0 if there are none.

        All candidates are prototypes here: the loss is that of the nearest neighbour.
        """
        if self.held is None:
            return 0.0
        trees, codes, weights = self.held
        targets = self.trees if self.targets is None else self.targets
        distances: Any = pairwise_distances(
            trees, targets, costs=now.costs, n_jobs=self.settings.n_jobs
        )
        own = self.codes[self.candidates] == codes[:, None]
        plus = np.where(own, distances, np.inf).min(axis=1)
        minus = np.where(own, np.inf, distances).min(axis=1)
        losses = self.settings.squash.value(relevance(plus, minus))
        return float(np.average(losses, weights=weights))

    def state(self, parameters: FloatArray, before: State | None, progress: Any = None) -> State:
        """Compute distances and choose prototypes under the costs of some parameters."""
        costs = self.space.costs(parameters)
        shortcut = self.space.shortcut if before is None else None
        # Each round writes its distances into the array of the first one.
        self.distances = pairwise_distances(
            self.trees,
            self.targets,
            costs=shortcut or self.space.quick(costs),
            n_jobs=self.settings.n_jobs,
            out=self.distances,
            progress=progress,
        )
        selection = select_prototypes(
            self.distances,
            self.codes,
            self.settings.n_prototypes,
            candidates=self.candidates,
            squash=self.settings.squash,
            start=None if before is None else before.selection.indices,
            by_class=self.space.by_class,
            weights=self.data.weights,
        )
        columns = np.searchsorted(self.candidates, selection.indices)
        nearest = closest(self.distances[:, columns], selection.labels, self.codes)
        loss = selection.loss + self.space.penalty(parameters)
        return State(parameters, costs, selection, nearest, loss)

    def improve(self, now: State) -> FloatArray:
        """Improve the parameters, on all trees at once or on one batch after the other."""
        if self.batches is not None:
            # The products are small: more threads of BLAS would only cost time.
            with one_blas_thread():
                return self.descend(now, self.batches)
        counts = self.count(np.arange(len(self.trees)), now.nearest, now.selection, now.costs)
        return self.space.improve(now.parameters, counts, self.settings.squash)

    def descend(self, now: State, batches: Batches) -> FloatArray:
        """Go once through all trees, with one step of Adam for each batch.

        The alignments and closest prototypes of a batch are those under the parameters of its step.
        """
        space, parameters = batches.space, now.parameters
        prototypes = self.trees[now.selection.indices]
        # Steps are relative to the largest initial parameter.
        rate = batches.learning_rate * float(np.abs(space.start).max(initial=0.0))
        mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
        for step, batch in enumerate(self.shuffled(batches.size), start=1):
            costs = space.costs(parameters)
            distances: Any = pairwise_distances(
                self.trees[batch], prototypes, costs=costs, n_jobs=self.settings.n_jobs
            )
            nearest = closest(distances, now.selection.labels, self.codes[batch])
            counts = self.count(batch, nearest, now.selection, costs)
            if not len(counts.first):
                continue
            weights = self.data.weights
            part = len(batch) if weights is None else float(weights[batch].sum())
            share = part / self.data.total
            gradient = space.gradient(parameters, counts, self.settings.squash, share)
            mean = _MOMENTA[0] * mean + (1 - _MOMENTA[0]) * gradient
            square = _MOMENTA[1] * square + (1 - _MOMENTA[1]) * gradient**2
            direction = mean / (1 - _MOMENTA[0] ** step)
            size = np.sqrt(square / (1 - _MOMENTA[1] ** step)) + _TINY
            parameters = space.rescaled(parameters - rate * direction / size, space.start)
        return parameters

    def shuffled(self, size: int) -> Iterator[Indices]:
        """Split the trees into batches at random."""
        order = self.random.permutation(len(self.trees))
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def count(
        self,
        batch: Indices,
        nearest: tuple[Indices, Indices],
        selection: Selection,
        costs: Costs,
    ) -> SymbolCounts:
        """Count the edits from some trees to their closest prototypes."""
        pairs = np.concatenate([np.c_[batch, selection.indices[side]] for side in nearest])
        counts = edit_counts(
            self.trees,
            pairs=pairs,
            costs=costs,
            n_jobs=self.settings.n_jobs,
            **self.settings.counting,
        )
        folded = self.space.fold(counts)
        weights = self.data.weights
        return folded if weights is None else folded._replace(weights=weights[batch])
