"""Which edits separate two classes."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.extras import need
from treemetric._base.typing import FloatArray, Label, Trees
from treemetric._base.validation import (
    check_int,
    check_memory,
    check_random_state,
    refuse,
    shown,
)
from treemetric._estimators.checks import check_some_trees, check_targets
from treemetric.alignment.edit_counts import EditCounts, edit_counts
from treemetric.costs import Costs
from treemetric.inspection._checks import IntArray, check_learner, some_pairs
from treemetric.learning import LearnedMetric
from treemetric.paired import paired_distances
from treemetric.treeset import TreeSet

__all__ = ["TellingEdits", "telling_edits"]


class TellingEdits(NamedTuple):
    """Edits and what they contribute to the separation of two classes; see `telling_edits`.

    Edits have no direction: deleting and inserting a label is one edit, and so are both
    replacements of two labels by each other. The edit with the largest contribution is first.

    Attributes
    ----------
    classes : tuple
        The two classes.
    kinds : tuple of {'replace', 'delete'}
        The kinds of the edits; 'delete' includes insertions.
    labels : tuple of pairs of labels
        The two labels that replace each other; the second one is None for a deletion.
    costs : ndarray of shape (n_edits,)
        The learned cost of each edit.
    between, within : ndarray of shape (n_edits,)
        How often the edit is made between trees of different classes, and of the same class, on
        average over pairs.
    contributions : ndarray of shape (n_edits,)
        ``costs * (between - within)``.
    learned, unit : tuple of two floats
        Mean distances between trees of different classes, and of the same class, under learned
        costs and under unit costs. The contributions of all edits add up to the difference of the
        first two.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.inspection import telling_edits
    >>> from treemetric.learning import NCACosts
    >>> strings = make_strings(60, random_state=0)
    >>> learner = NCACosts(random_state=0).fit(strings.data, strings.target)
    >>> found = telling_edits(learner, strings.data, strings.target)
    >>> found.classes
    (0, 1)
    >>> between, within = found.learned
    >>> abs(float(found.contributions.sum()) - (between - within)) < 1e-9
    True
    """

    classes: tuple[Any, Any]
    kinds: tuple[str, ...]
    labels: tuple[tuple[Label, Label | None], ...]
    costs: FloatArray
    between: FloatArray
    within: FloatArray
    contributions: FloatArray
    learned: tuple[float, float]
    unit: tuple[float, float]

    def to_frame(self) -> Any:
        """Return the edits as a data frame of pandas, one row per edit.

        Returns
        -------
        pandas.DataFrame
            The columns ``kind``, ``first``, ``second``, ``cost``, ``between``, ``within`` and
            ``contribution``.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.inspection import telling_edits
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = NCACosts().fit(trees, [0, 0, 1, 1])
        >>> telling_edits(learner, trees, [0, 0, 1, 1]).to_frame().columns.tolist()
        ['kind', 'first', 'second', 'cost', 'between', 'within', 'contribution']
        """
        pandas = need("pandas", "pandas", "TellingEdits.to_frame")
        columns = {
            "kind": list(self.kinds),
            "first": pandas.Series([first for first, _ in self.labels], dtype=object),
            "second": pandas.Series([second for _, second in self.labels], dtype=object),
            "cost": self.costs,
            "between": self.between,
            "within": self.within,
            "contribution": self.contributions,
        }
        return pandas.DataFrame(columns)


def telling_edits(
    learner: Any,
    X: Trees,
    y: npt.ArrayLike,
    classes: Any = None,
    *,
    max_pairs: int = 2000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> TellingEdits:
    """Find the edits that make trees of two classes differ, and trees of one class not.

    An edit with the cost c that is made m times between trees of different classes and n times
    between trees of the same class, on average, contributes c (m - n) to the difference of the
    mean distances. Edits with a negative contribution blur the classes.

    Parameters
    ----------
    learner : fitted learner of treemetric.learning
        The learner of the costs.
    X : TreeSet or list of Tree
        The trees; trees that the learner has not seen give a more honest picture.
    y : array-like of shape (n_trees,)
        Their classes.
    classes : pair of classes, optional
        The two classes to compare; by default those with most trees.
    max_pairs : int, default=2000
        How many pairs of different classes are aligned, and of the same class, at most.
    random_state : int, RandomState instance or None, default=0
        Seed of the sample of pairs, if there are more.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs.

    Returns
    -------
    TellingEdits
        The edits that occur, the largest contribution first.

    Raises
    ------
    ValueError
        If a class has fewer than two trees, or `classes` are not two classes of `y`.

    See Also
    --------
    label_weights : The weights of labels.
    treemetric.plotting.plot_telling_edits : The contributions as a picture.

    Notes
    -----
    Counts are means over all optimal alignments, see `treemetric.edit_counts`. Pairs of both
    classes have the same weight in the mean within classes.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.inspection import telling_edits
    >>> from treemetric.learning import NCACosts
    >>> trees = [Tree.from_sequence(s) for s in ("xa", "ya", "za", "xb", "yb", "zb")]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> learner = NCACosts(fallback=False, random_state=0).fit(trees, y)
    >>> found = telling_edits(learner, trees, y)
    >>> found.kinds[0], found.labels[0]
    ('replace', ('a', 'b'))
    """
    name = "telling_edits"
    fitted = check_learner(learner, name)
    check_int(max_pairs, "max_pairs", name)
    random = check_random_state(random_state, name)
    trees = check_some_trees(X, name)
    known, codes = check_targets(y, trees, name)
    chosen = _two_classes(classes, known, codes, name)
    first, second = (np.flatnonzero(codes == code) for code in chosen)
    groups = [
        some_pairs(first, second, max_pairs, random),
        some_pairs(first, first, max(1, max_pairs // 2), random),
        some_pairs(second, second, max(1, max_pairs // 2), random),
    ]
    check_memory(80 * (len(trees.alphabet) + 1) ** 2, f"{name} for {len(trees.alphabet)} labels")
    metric = fitted.get_metric()
    counts, costs = _counted(metric, trees, np.concatenate(groups), n_jobs)
    ends = np.cumsum([0, *map(len, groups)])
    means = [
        np.asarray(counts.matrix[start:end].mean(axis=0)).ravel()
        for start, end in itertools.pairwise(ends)
    ]
    table = costs.to_matrix(counts.alphabet).matrix.ravel()
    between, within = means[0], (means[1] + means[2]) / 2
    ones, others = np.concatenate(groups).T
    unit = paired_distances(trees[ones], trees[others], n_jobs=n_jobs)
    parts = [float(unit[start:end].mean()) for start, end in itertools.pairwise(ends)]
    both = tuple(known[code] for code in chosen)
    plain = tuple(label.item() if isinstance(label, np.generic) else label for label in both)
    return _folded(
        counts.alphabet,
        table,
        between,
        within,
        classes=(plain[0], plain[1]),
        unit=(parts[0], (parts[1] + parts[2]) / 2),
    )


def _two_classes(
    classes: Any, known: npt.NDArray[Any], codes: npt.NDArray[np.int64], owner: str
) -> tuple[int, int]:
    """Return the codes of two classes with at least two trees each."""
    sizes = np.bincount(codes, minlength=len(known))
    if classes is None:
        if len(known) < 2:
            refuse("y", owner, "targets of at least two classes", shown(known.tolist()))
        largest = np.sort(np.argsort(-sizes, kind="stable")[:2])
        chosen = int(largest[0]), int(largest[1])
    else:
        places = {label: code for code, label in enumerate(known.tolist())}
        listed = list(classes) if np.iterable(classes) and not isinstance(classes, str) else []
        must = f"two different classes of {shown(known.tolist())}"
        if len(listed) != 2 or listed[0] == listed[1] or not set(listed) <= set(places):
            refuse("classes", owner, must, shown(classes))
        chosen = places[listed[0]], places[listed[1]]
    for code in chosen:
        if sizes[code] < 2:
            must = f"at least two trees of class {known[code]!r}"
            refuse("y", owner, must, "one")
    return chosen


def _counted(
    metric: LearnedMetric, trees: TreeSet, pairs: IntArray, n_jobs: int | None
) -> tuple[EditCounts, Costs]:
    """Return counts and costs whose products are the learned distances."""
    labels = trees.alphabet
    if metric.distance == "actual":
        costs = metric._actual(labels)
        return edit_counts(trees, pairs=pairs, costs=costs, n_jobs=n_jobs), costs
    metric._known(labels)
    initial = metric.initial_costs._extended(labels)
    counts = edit_counts(trees, pairs=pairs, costs=initial, n_jobs=n_jobs, **metric.counting)
    return counts, metric.costs._extended(labels)


def _folded(
    alphabet: tuple[Label, ...],
    table: FloatArray,
    between: FloatArray,
    within: FloatArray,
    *,
    classes: tuple[Any, Any],
    unit: tuple[float, float],
) -> TellingEdits:
    """Add up both directions of each edit, and sort by contributions."""
    side = len(alphabet) + 1
    old, new = np.divmod(np.arange(side * side), side)
    low, high = np.minimum(old, new), np.maximum(old, new)
    used = np.flatnonzero(((between > 0) | (within > 0)) & ((old != new) | (table > 0)))
    edits, place = np.unique(low[used] * side + high[used], return_inverse=True)

    def total(values: FloatArray) -> FloatArray:
        found: npt.NDArray[Any] = np.bincount(place, values[used], minlength=len(edits))
        return found

    gains, times = total(table * (between - within)), total(between + within)
    costs = total(table * (between + within)) / np.where(times > 0, times, 1.0)
    order = np.argsort(-gains, kind="stable")
    firsts, seconds = np.divmod(edits[order], side)
    pairs: list[tuple[Label, Label | None]] = []
    for one, other in zip(firsts.tolist(), seconds.tolist(), strict=True):
        pairs.append((alphabet[one], None if other == side - 1 else alphabet[other]))
    kinds = tuple("delete" if end == side - 1 else "replace" for end in seconds.tolist())
    return TellingEdits(
        classes,
        kinds,
        tuple(pairs),
        costs[order],
        total(between)[order],
        total(within)[order],
        gains[order],
        (float(table @ between), float(table @ within)),
        unit,
    )
