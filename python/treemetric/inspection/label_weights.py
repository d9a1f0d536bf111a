"""Which labels a learner found important."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.extras import need
from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import as_float, refuse, shown
from treemetric.inspection._checks import check_learner

__all__ = ["LabelWeights", "label_weights"]


class LabelWeights(NamedTuple):
    """Weights of labels, the largest first; returned by `label_weights`.

    Attributes
    ----------
    labels : tuple
        The labels.
    weights : ndarray of shape (n_labels,)
        The cost of deleting or inserting each label, as a multiple of the mean.
    low, high : ndarray of shape (n_labels,)
        Ends of the interval of the weight over the fits of the learner; NaN without several fits.
    n_trees : ndarray of shape (n_labels,)
        The number of training trees with the label. Weights of rare labels stay close to 1.
    learned : bool
        Whether the learner uses these weights; False if it chose unit costs, or `GESL` its
        initial costs.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.inspection import label_weights
    >>> from treemetric.learning import NCACosts
    >>> strings = make_strings(60, random_state=0)
    >>> found = label_weights(NCACosts(random_state=0).fit(strings.data, strings.target))
    >>> sorted(found.labels)
    ['a', 'b', 'c', 'd']
    >>> bool((found.low <= found.weights).all())
    True
    """

    labels: tuple[Label, ...]
    weights: FloatArray
    low: FloatArray
    high: FloatArray
    n_trees: npt.NDArray[np.int64]
    learned: bool

    def to_frame(self) -> Any:
        """Return the weights as a data frame of pandas, one row per label.

        Returns
        -------
        pandas.DataFrame
            The columns ``weight``, ``low``, ``high`` and ``n_trees``; the labels are the index.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.inspection import label_weights
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> frame = label_weights(BEDL().fit(trees, [0, 0, 1, 1])).to_frame()
        >>> frame.columns.tolist()
        ['weight', 'low', 'high', 'n_trees']
        """
        pandas = need("pandas", "pandas", "LabelWeights.to_frame")
        columns = {
            "weight": self.weights,
            "low": self.low,
            "high": self.high,
            "n_trees": self.n_trees,
        }
        index = pandas.Index(list(self.labels), name="label", tupleize_cols=False)
        return pandas.DataFrame(columns, index=index)


def label_weights(learner: Any, *, level: float = 0.9) -> LabelWeights:
    """Return how much each label weighs under the costs of a learner.

    The weight of a label is the cost of deleting it and of inserting it (their mean), divided by
    the mean of all labels. A label of a small weight hardly matters: trees that differ in such
    labels only are close.

    Parameters
    ----------
    learner : fitted learner of treemetric.learning
        The learner. `NCACosts` and `KernelRegressionCosts` have several fits, whose weights form
        intervals.
    level : float, default=0.9
        The share of the fits inside the interval, between quantiles of the fits.

    Returns
    -------
    LabelWeights
        Labels of the training trees, weights, intervals and numbers of trees.

    See Also
    --------
    telling_edits : Which edits separate two classes.
    treemetric.plotting.plot_label_weights : The weights as a picture.

    Examples
    --------
    The class depends on the label b only:

    >>> import numpy as np
    >>> from treemetric import Tree
    >>> from treemetric.inspection import label_weights
    >>> from treemetric.learning import NCACosts
    >>> random = np.random.RandomState(0)
    >>> words = ["".join(random.choice(list("abcd"), 5)) for _ in range(60)]
    >>> trees = [Tree.from_sequence(word) for word in words]
    >>> learner = NCACosts(random_state=0).fit(trees, ["b" in word for word in words])
    >>> label_weights(learner).labels[0]
    'b'
    """
    fitted = check_learner(learner, "label_weights")
    share = as_float(level)
    if not 0 < share <= 1:
        refuse("level", "label_weights", "a float in the range (0.0, 1.0]", shown(level))
    labels = fitted.trees_.alphabet
    fits = getattr(fitted, "fit_weights_", np.empty((0, 0)))
    low = high = np.full(len(labels), np.nan)
    if len(fits) and fits.shape[1] == len(labels):
        # The weights of costs_ are the mean of the fits, or 1 if the fits are not used.
        weights = fits.mean(axis=0)
        if len(fits) > 1:
            low, high = np.quantile(fits, [(1 - share) / 2, (1 + share) / 2], axis=0)
            low, high = np.minimum(low, weights), np.maximum(high, weights)
    else:
        table = fitted.costs_.to_matrix(labels).matrix
        weights = (table[:-1, -1] + table[-1, :-1]) / 2
        mean = float(weights.mean()) if len(labels) else 1.0
        weights = weights / (mean if mean > 0 else 1.0)
    owners = np.repeat(np.arange(len(fitted.trees_)), fitted.trees_.sizes)
    both = np.unique(owners * max(1, len(labels)) + fitted.trees_.codes)
    n_trees = np.bincount(both % max(1, len(labels)), minlength=len(labels)).astype(np.int64)
    order = np.argsort(-weights, kind="stable")
    return LabelWeights(
        tuple(labels[place] for place in order.tolist()),
        weights[order],
        low[order],
        high[order],
        n_trees[order],
        fitted._has_learned(),
    )
