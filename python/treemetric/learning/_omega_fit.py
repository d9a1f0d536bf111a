"""The alternation of BEDL for labels with vectors: distances, prototypes, alignments, projection.

It differs from that of symbols in what must fit in memory: the vocabulary is large and so may be
the number of trees. No table of all labels is made, prototypes can be chosen among a sample of the
trees, and alignments can be counted for some trees at a time.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.progress import fit_report
from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric.alignment.edit_counts import edit_counts
from treemetric.classification._median import Selection, Squash, closest
from treemetric.costs import VectorCosts
from treemetric.distances import pairwise_distances
from treemetric.learning._omega_prototypes import draw_candidates, select_among
from treemetric.learning._projection import ProjectionSpace, fold_vectors
from treemetric.learning._symbols import SymbolCounts
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]

# The constants of Adam (Kingma and Ba 2015), as there.
_MOMENTA = (0.9, 0.999)
_TINY = 1e-8


class Settings(NamedTuple):
    """What a fit needs to know beside the data."""

    squash: Squash
    n_prototypes: Indices
    n_candidates: int | None
    batch_size: int | None
    learning_rate: float
    max_iter: int
    patience: int
    tol: float
    counting: dict[str, Any]
    n_jobs: int | None
    verbose: int


class State(NamedTuple):
    """A projection, its costs, and the prototypes and loss under these costs."""

    parameters: FloatArray
    costs: VectorCosts
    nearest: tuple[Indices, Indices]  # prototypes closest to each tree, of its class and others
    selection: Selection
    loss: float


class ProjectionFit:
    """Learns a projection from classified trees; see `BEDL`."""

    def __init__(
        self,
        trees: TreeSet,
        codes: Indices,
        space: ProjectionSpace,
        settings: Settings,
        random: np.random.RandomState,
    ) -> None:
        self.trees, self.codes, self.space, self.settings = trees, codes, space, settings
        self.random = random
        self.candidates = draw_candidates(codes, settings.n_candidates, random)
        # With one class there is nothing to tell apart, so the costs stay as they are.
        self.classes = int(codes.max()) + 1

    def run(self) -> tuple[State, FloatArray]:
        """Alternate until the loss no longer falls; give the best state and the losses."""
        settings, space = self.settings, self.space
        slack = settings.tol * len(self.trees)
        # No loss is lower than with every tree at the place of a prototype of its class.
        least = float(settings.squash.value(np.array([-1.0]))[0]) * len(self.trees)
        going, failures, aim = self.classes > 1, 0, space.start
        with fit_report(settings.verbose, "BEDL", settings.max_iter) as report:
            best = self.state(space.start, None, report.stage("first distances", "pairs"))
            curve = [best.loss]
            report(0, best.loss)
            while going and len(curve) <= settings.max_iter:
                # After a failure other alignments became optimal on the way: go half of it.
                aim = (best.parameters + aim) / 2 if failures else self.improve(best)
                now = self.state(aim, best)
                change = now.loss - best.loss
                failures = 0 if change < 0 else failures + 1
                best = now if change < 0 else best
                curve.append(best.loss)
                report(len(curve) - 1, best.loss)
                going = abs(change) > slack and failures < settings.patience
                going &= best.loss > least + slack
        return best, np.array(curve)

    def state(self, parameters: FloatArray, before: State | None, progress: Any = None) -> State:
        """Choose prototypes under the costs of a projection."""
        costs = self.space.costs(parameters)
        every = len(self.candidates) == len(self.trees)
        found: Any = pairwise_distances(
            self.trees,
            None if every else self.trees[self.candidates],
            costs=costs,
            n_jobs=self.settings.n_jobs,
            progress=progress,
        )
        selection = select_among(
            found,
            self.codes,
            self.candidates,
            self.settings.n_prototypes,
            self.settings.squash,
            start=None if before is None else before.selection.indices,
        )
        chosen = found[:, np.searchsorted(self.candidates, selection.indices)]
        nearest = closest(chosen, selection.labels, self.codes)
        loss = selection.loss + self.space.penalty(parameters)
        return State(parameters, costs, nearest, selection, loss)

    def improve(self, now: State) -> FloatArray:
        """Improve the projection: on all trees by L-BFGS, or on some at a time by Adam."""
        if self.settings.batch_size is not None:
            # Small products: threads would cost more than they save.
            with one_blas_thread():
                return self.descend(now)
        every = np.arange(len(self.trees))
        counts = self.count(every, now.nearest, now.selection, now.costs)
        return self.space.improve(now.parameters, counts, self.settings.squash)

    def descend(self, now: State) -> FloatArray:
        """Go once through all trees, one step of Adam for each batch.

        Alignments and closest prototypes of a batch are those under the projection of that step.
        """
        parameters = now.parameters
        prototypes = self.trees[now.selection.indices]
        # Steps are relative to the entries of the projection, whatever its scale is.
        rate = self.settings.learning_rate * float(np.abs(self.space.start).max(initial=0.0))
        mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
        for step, batch in enumerate(self.batches(), start=1):
            costs = self.space.costs(parameters)
            found: Any = pairwise_distances(
                self.trees[batch], prototypes, costs=costs, n_jobs=self.settings.n_jobs
            )
            nearest = closest(found, now.selection.labels, self.codes[batch])
            counts = self.count(batch, nearest, now.selection, costs)
            if not len(counts.first):
                continue
            loss = self.space.loss(counts, self.settings.squash, len(batch) / len(self.trees))
            gradient = loss(parameters.ravel())[1].reshape(parameters.shape)
            mean = _MOMENTA[0] * mean + (1 - _MOMENTA[0]) * gradient
            square = _MOMENTA[1] * square + (1 - _MOMENTA[1]) * gradient**2
            direction = mean / (1 - _MOMENTA[0] ** step)
            size = np.sqrt(square / (1 - _MOMENTA[1] ** step)) + _TINY
            parameters = self.space.scaled(parameters - rate * direction / size)
        return parameters

    def batches(self) -> Iterator[Indices]:
        """Deal the trees into batches at random."""
        order = self.random.permutation(len(self.trees))
        size = self.settings.batch_size or len(order)
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def count(
        self,
        batch: Indices,
        nearest: tuple[Indices, Indices],
        selection: Selection,
        costs: VectorCosts,
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
        return fold_vectors(counts, costs)
