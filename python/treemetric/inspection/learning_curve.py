"""Errors of a learner against the number of training trees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_regressor
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from treemetric._base.extras import need
from treemetric._base.progress import stage
from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import as_float, check_int, check_random_state, refuse, shown
from treemetric._estimators.base import check_verbose
from treemetric._estimators.checks import check_numbers, check_some_trees, check_targets
from treemetric.distances import pairwise_distances
from treemetric.inspection._checks import check_learner
from treemetric.learning._ensemble import EnsembleLearner
from treemetric.learning._votes import neighbour_shares, vote_shares, winners

__all__ = ["LearningCurve", "learning_curve"]


class LearningCurve(NamedTuple):
    """Errors of learned costs and of unit costs by number of training trees.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        The numbers of training trees.
    learned, unit : ndarray of shape (n_sizes, n_repeats)
        The errors on test trees, of the learner and of the nearest training trees under unit
        costs: shares of wrong classes, or root mean squared errors.
    used : ndarray of shape (n_sizes,)
        The share of the fits that use learned costs and have not chosen unit costs, or `GESL` its
        initial costs.
    measure : {'error', 'RMSE'}
        What the errors are.

    Examples
    --------
    >>> import numpy as np
    >>> from treemetric.inspection import LearningCurve
    >>> errors = np.array([[0.4, 0.2], [0.1, 0.1]])
    >>> curve = LearningCurve(np.array([10, 20]), errors, 2 * errors, np.ones(2), "error")
    >>> curve.learned.mean(axis=1).round(2)
    array([0.3, 0.1])
    """

    sizes: npt.NDArray[np.int64]
    learned: FloatArray
    unit: FloatArray
    used: FloatArray
    measure: str

    def to_frame(self) -> Any:
        """Return the errors as a data frame of pandas, one row per size and repetition.

        Returns
        -------
        pandas.DataFrame
            The columns ``n_trees``, ``repeat``, ``learned`` and ``unit``.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> import numpy as np
        >>> from treemetric.inspection import LearningCurve
        >>> errors = np.array([[0.4, 0.2], [0.1, 0.1]])
        >>> curve = LearningCurve(np.array([10, 20]), errors, 2 * errors, np.ones(2), "error")
        >>> len(curve.to_frame())
        4
        """
        pandas = need("pandas", "pandas", "LearningCurve.to_frame")
        repeats = self.learned.shape[1]
        columns = {
            "n_trees": np.repeat(self.sizes, repeats),
            "repeat": np.tile(np.arange(repeats), len(self.sizes)),
            "learned": self.learned.ravel(),
            "unit": self.unit.ravel(),
        }
        return pandas.DataFrame(columns)


def learning_curve(
    learner: Any,
    X: Trees,
    y: npt.ArrayLike,
    *,
    sizes: npt.ArrayLike = (0.2, 0.4, 0.6, 0.8, 1.0),
    n_repeats: int = 5,
    test_fraction: float = 0.25,
    random_state: Any = 0,
    verbose: int = 0,
) -> LearningCurve:
    """Measure the errors of a learner for growing numbers of training trees.

    Trees are split at random into training and test trees, several times. The learner is fitted to
    a part of the training trees, then to a larger part that contains it, and so on. Its errors on
    the test trees are compared with those of the same training trees under unit costs.

    Parameters
    ----------
    learner : learner of treemetric.learning
        The learner; clones of it are fitted.
    X : TreeSet or list of Tree
        The trees.
    y : array-like of shape (n_trees,)
        Their classes, or numbers for a regressor.
    sizes : array-like, default=(0.2, 0.4, 0.6, 0.8, 1.0)
        Shares of the training trees if floats, numbers of trees if ints.
    n_repeats : int, default=5
        Number of random splits.
    test_fraction : float, default=0.25
        The share of the trees that are test trees.
    random_state : int, RandomState instance or None, default=0
        Seed of the splits.
    verbose : int, default=0
        1 shows a progress bar if the fits take longer than a second.

    Returns
    -------
    LearningCurve
        Sizes, and errors under learned costs and under unit costs.

    See Also
    --------
    treemetric.plotting.plot_learning_curve : The errors as a picture.

    Notes
    -----
    Under unit costs, the nearest training trees vote: ``n_neighbors`` of them if the learner is
    `NCACosts` or `KernelRegressionCosts`, and one for other learners. `BEDL` and `LVQCosts` predict
    by prototypes, so that their errors differ from those under unit costs also by the classifier.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.inspection import learning_curve
    >>> from treemetric.learning import NCACosts
    >>> strings = make_strings(60, random_state=0)
    >>> learner = NCACosts(random_state=0)
    >>> curve = learning_curve(learner, strings.data, strings.target, sizes=[0.5, 1.0], n_repeats=2)
    >>> curve.sizes
    array([22, 45])
    """
    name = "learning_curve"
    model = check_learner(learner, name, fitted=False)
    check_int(n_repeats, "n_repeats", name)
    check_verbose(verbose, name)
    share = as_float(test_fraction)
    if not 0 < share < 1:
        must = "a float in the range (0.0, 1.0)"
        refuse("test_fraction", name, must, shown(test_fraction))
    random = check_random_state(random_state, name)
    trees = check_some_trees(X, name)
    regression = is_regressor(model)
    if regression:
        targets: npt.NDArray[Any] = check_numbers(y, trees, name)
        splitter: Any = ShuffleSplit(n_repeats, test_size=share, random_state=random)
    else:
        classes, codes = check_targets(y, trees, name)
        targets = classes[codes]
        splitter = StratifiedShuffleSplit(n_repeats, test_size=share, random_state=random)
    splits = list(splitter.split(np.zeros(len(trees)), targets))
    numbers = _numbers(sizes, len(splits[0][0]), name)
    unit_costs = pairwise_distances(trees, n_jobs=model.n_jobs).astype(np.float64)
    votes = model.n_neighbors if isinstance(model, EnsembleLearner) else 1
    check_int(votes, "n_neighbors", type(model).__name__)
    learned, unit = np.empty((2, len(numbers), n_repeats))
    used = np.zeros(len(numbers))
    done = 0
    with stage(int(verbose), name, "fits") as report:
        for repeat, (train, test) in enumerate(splits):
            for place, number in enumerate(numbers.tolist()):
                some = train[:number]
                fitted = clone(model).fit(trees[some], targets[some])
                rows = unit_costs[np.ix_(test, some)]
                if regression:
                    plain = neighbour_shares(rows, votes) @ targets[some]
                else:
                    plain = _voted(rows, targets[some], votes)
                found = fitted.predict(trees[test])
                learned[place, repeat] = _error(found, targets[test], regression=regression)
                unit[place, repeat] = _error(plain, targets[test], regression=regression)
                used[place] += fitted._has_learned() / n_repeats
                done += 1
                if report is not None:
                    report(done, len(numbers) * n_repeats)
    return LearningCurve(numbers, learned, unit, used, "RMSE" if regression else "error")


def _numbers(sizes: npt.ArrayLike, most: int, owner: str) -> npt.NDArray[np.int64]:
    """Check the sizes of training sets; return numbers of trees in ascending order."""
    must = f"floats in the range (0.0, 1.0] or ints from 1 to {most}"
    try:
        given = np.asarray(sizes)
    except (TypeError, ValueError):
        given = np.empty(0, dtype=object)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iuf":
        refuse("sizes", owner, must, shown(sizes))
    if given.dtype.kind == "f":
        if not ((given > 0) & (given <= 1)).all():
            refuse("sizes", owner, must, shown(sizes))
        given = np.maximum(1, np.floor(given * most + 1e-9))
    if int(given.min()) < 1 or int(given.max()) > most:
        refuse("sizes", owner, must, shown(sizes))
    return np.unique(given.astype(np.int64))


def _voted(rows: FloatArray, targets: npt.NDArray[Any], votes: int) -> npt.NDArray[Any]:
    """Return the classes that the nearest trees vote for."""
    classes, codes = np.unique(targets, return_inverse=True)
    shares = [vote_shares(rows, codes, len(classes), k) for k in (votes, 1)]
    found: npt.NDArray[Any] = classes[winners(*shares)]
    return found


def _error(found: npt.NDArray[Any], truth: npt.NDArray[Any], *, regression: bool) -> float:
    """Return the share of wrong classes, or the root mean squared error."""
    if regression:
        return float(np.sqrt(np.mean((found - truth) ** 2)))
    return float(np.mean(found != truth))
