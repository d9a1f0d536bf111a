"""A transformer from trees to counts of their features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treemetric import _core
from treemetric._base.typing import Label, Names, Trees
from treemetric._base.validation import (
    as_float,
    check_bool,
    check_int,
    check_memory,
    check_n_jobs,
    refuse,
    shown,
)
from treemetric._estimators.checks import check_option, check_some_trees
from treemetric.features._kinds import MOST_HEIGHT, Kinds, check_ancestors, check_kinds, check_pq
from treemetric.features._sets import label_hashes
from treemetric.features._vocabulary import Vocabulary
from treemetric.treeset import TreeSet

_Rows = tuple[npt.NDArray[np.int64], npt.NDArray[Any], npt.NDArray[np.float64]]
# Columns of SciPy's matrices are numbered by 32 bits.
_MOST_COLUMNS = 2**31 - 1


class TreeFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transform trees into a sparse matrix of counts of features.

    Parameters
    ----------
    kinds : str or list of str, default='paths'
        One or several of

        - ``'labels'``: the labels of all nodes;
        - ``'paths'``: paths of labels from an ancestor down to a node, pairs of adjacent siblings,
          and the labels of roots and of leaves;
        - ``'pqgrams'``: pq-grams, a node with its p - 1 nearest ancestors and q adjacent children;
        - ``'subtrees'``: the subtree of each node, cut below depth 0, 1, ..., `height`, as in a
          Weisfeiler-Lehman kernel on ordered trees.
    max_ancestors : int, default=4
        The largest number of ancestors of a path; a path has at most one label more.
    p, q : int, default=2, 3
        The sizes of pq-grams.
    height : int, default=2
        The largest depth of subtrees.
    hashing : int, optional
        Number of columns for hashed features. By default, a vocabulary is learned in `fit`, and
        features that are not in the training trees are ignored. With hashing, nothing is learned,
        `fit` is not necessary, and columns are the same in every process; features can share a
        column.
    alternate_sign : bool, default=True
        Whether half of the hashed features count negatively, so that shared columns cancel out on
        average.
    binary : bool, default=False
        Whether a feature counts once per tree, however often it occurs.
    norm : {'l1', 'l2'}, optional
        The norm that each row is divided by.
    min_df : int or float, default=1
        Ignore features of fewer training trees; a float is a share of the training trees. Not used
        with hashing.
    max_features : int, optional
        Use only that many features, the most frequent ones. Not used with hashing.
    sparse_output : bool, default=True
        Whether the result is a sparse matrix; ``set_output`` for data frames needs an array.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.

    Attributes
    ----------
    alphabet_ : tuple
        The labels of the training trees; not with hashing.

    See Also
    --------
    treemetric.kernels.TreeKernel : Kernels that compare trees by features.
    treemetric.TreeDistances : Distances to the training trees.

    Notes
    -----
    The time is proportional to the number of nodes, times the length of paths, pq-grams or the
    height of subtrees. Columns are sorted by kind and then by first appearance. Counts are exact:
    without hashing, different features never share a column.

    ``"A(…)"`` names the label of a node whose children are not part of the feature, ``"A"`` in a
    subtree is a leaf. ``"A, B"`` names adjacent siblings, ``"* > A (*, B, C)"`` a pq-gram.

    Hashes are the same for equal labels, such as 1 and 1.0. Labels other than strings, numbers,
    tuples and frozensets are hashed by their pickles.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.features import TreeFeatures
    >>> trees = [Tree.from_bracket("{If{Compare{Name}}{Return}}"), Tree.from_bracket("{Return}")]
    >>> features = TreeFeatures(max_ancestors=2)
    >>> X = features.fit_transform(trees)
    >>> X.shape
    (2, 13)
    >>> features.get_feature_names_out()[[5, 6, 8]].tolist()
    ['If > Compare > Name', 'Return', '(root) > If']

    A linear classifier on paths:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(TreeFeatures(), LogisticRegression())
    >>> model.fit(trees, ["branch", "leaf"]).predict([Tree.from_bracket("{If{Compare{Name}}}")])
    array(['branch'], dtype='<U6')
    """

    def __init__(
        self,
        kinds: str | Sequence[str] = "paths",
        *,
        max_ancestors: int = 4,
        p: int = 2,
        q: int = 3,
        height: int = 2,
        hashing: int | None = None,
        alternate_sign: bool = True,
        binary: bool = False,
        norm: str | None = None,
        min_df: float = 1,
        max_features: int | None = None,
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.kinds = kinds
        self.max_ancestors = max_ancestors
        self.p = p
        self.q = q
        self.height = height
        self.hashing = hashing
        self.alternate_sign = alternate_sign
        self.binary = binary
        self.norm = norm
        self.min_df = min_df
        self.max_features = max_features
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        tags.requires_fit = self.hashing is None
        return tags

    def fit(self, X: Trees, y: Any = None) -> TreeFeatures:  # noqa: ARG002
        """Learn the features of the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        TreeFeatures
            The fitted transformer.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.features import TreeFeatures
        >>> features = TreeFeatures("labels").fit([Tree.from_sequence("aba")])
        >>> features.get_feature_names_out().tolist()
        ['a', 'b']
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Trees, y: Any = None) -> Any:  # noqa: ARG002
        """Learn the features of the training trees, and count them.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        csr_matrix or ndarray of shape (n_X, n_features)
            The counts.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.features import TreeFeatures
        >>> TreeFeatures("labels").fit_transform([Tree.from_sequence("aba")]).toarray()
        array([[2., 1.]])
        """
        return self._as_output(self._fit_counts(X))

    def transform(self, X: Trees) -> Any:
        """Count the features of trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        csr_matrix or ndarray of shape (n_X, n_features)
            The counts; features that were not in the training trees are ignored.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.features import TreeFeatures
        >>> features = TreeFeatures("labels").fit([Tree.from_sequence("ab")])
        >>> features.transform([Tree.from_sequence("bcb")]).toarray()
        array([[0., 2.]])
        """
        return self._as_output(self._counts(X))

    def get_feature_names_out(self, input_features: Any = None) -> Names:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object, optional
            Ignored.

        Returns
        -------
        ndarray of str objects
            Readable names such as ``"If > Compare > Name"``, with the kind in front if there are
            several, as in ``"paths__If > Compare"``. All differ: where labels such as ``1`` and
            ``'1'``, or ``'a > b'`` beside a path, would give equal names, strings are in quotation
            marks. With hashing, the numbers of the columns.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.features import TreeFeatures
        >>> features = TreeFeatures(["labels", "subtrees"], height=1)
        >>> features.fit([Tree.from_bracket("{a{b}{c}}")]).get_feature_names_out()[3:7].tolist()
        ['subtrees__a(…)', 'subtrees__b(…)', 'subtrees__c(…)', 'subtrees__a(b(…), c(…))']
        """
        check_is_fitted(self)
        if self.hashing is not None:
            columns = check_int(self.hashing, "hashing", type(self).__name__)
            return np.array([f"treefeatures{column}" for column in range(columns)], dtype=object)
        prefixed = sum(kind not in (None, False) for kind in self._fitted_kinds) > 1
        pq = self._fitted_kinds.pq
        names = self._vocabulary.names(1 if pq is None else pq[0], prefixed=prefixed)
        return np.array(names, dtype=object)

    def _as_output(self, counts: csr_matrix) -> Any:
        if self.sparse_output:
            return counts
        check_memory(8 * counts.shape[0] * counts.shape[1], f"an array of shape {counts.shape}")
        return counts.toarray()

    def _fit_counts(self, X: Trees) -> csr_matrix:
        """Learn and count features; sparse, whatever output scikit-learn is configured for."""
        return self._matrix(self._learn(X))

    def _counts(self, X: Trees) -> csr_matrix:
        """Count features; sparse, whatever output scikit-learn is configured for."""
        check_is_fitted(self)
        kinds, threads = self._check_params()
        trees = check_some_trees(X, type(self).__name__)
        if self.hashing is not None:
            return self._matrix(self._hashed(trees, kinds, threads))
        known = self._vocabulary
        codes = known.codes_of(trees.alphabet)[trees.codes]
        arrays = (codes, trees.parents, trees.offsets)
        return self._matrix(known.trie.count(arrays, self._fitted_kinds, (threads, None)))

    def _check_params(self) -> tuple[Kinds, int]:
        name = type(self).__name__
        kinds = check_kinds(self.kinds, name)
        ancestors = check_ancestors(self.max_ancestors, name)
        pq = check_pq(self.p, self.q, name)
        height = check_int(self.height, "height", name, least=0, most=MOST_HEIGHT)
        if self.hashing is not None:
            check_int(self.hashing, "hashing", name, most=_MOST_COLUMNS, other="None")
        check_bool(self.alternate_sign, "alternate_sign", name)
        check_bool(self.binary, "binary", name)
        check_bool(self.sparse_output, "sparse_output", name)
        if self.norm is not None:
            check_option(self.norm, ("l1", "l2"), "norm", name, other="None")
        if self.max_features is not None:
            check_int(self.max_features, "max_features", name, other="None")
        found = Kinds(
            labels="labels" in kinds,
            max_ancestors=ancestors if "paths" in kinds else None,
            pq=pq if "pqgrams" in kinds else None,
            height=height if "subtrees" in kinds else None,
        )
        return found, check_n_jobs(self.n_jobs, name)

    def _least_trees(self, trees: int) -> float:
        """Return the smallest number of trees that a feature must be in."""
        number = as_float(self.min_df)
        share = isinstance(self.min_df, (float, np.floating))
        if not (0 <= number <= 1 if share else 1 <= number <= trees and number == int(number)):
            must = f"an int in the range [1, {trees}] or a float in the range [0.0, 1.0]"
            refuse("min_df", type(self).__name__, must, shown(self.min_df))
        return number * trees if share else number

    def _learn(self, X: Trees) -> _Rows:
        kinds, threads = self._check_params()
        name = type(self).__name__
        trees = check_some_trees(X, name)
        least = self._least_trees(len(trees))
        if self.hashing is not None:
            for name in ("alphabet_", "_vocabulary", "_fitted_kinds"):
                self.__dict__.pop(name, None)
            return self._hashed(trees, kinds, threads)
        arrays = (trees.codes, trees.parents, trees.offsets)
        rows, entries = _core.count_features(arrays, kinds, (threads, None))
        known = Vocabulary(trees.alphabet, *entries)
        known.choose(rows[1], rows[2], least, self.max_features)
        if len(rows[1]) > 0 and len(known.entries) == 0:
            message = (
                f"No feature is in {least:g} or more of the {len(trees)} trees, so {name} has no "
                f"columns. A smaller min_df than {shown(self.min_df)} keeps more."
            )
            warnings.warn(message, UserWarning, stacklevel=4)
        self.alphabet_: tuple[Label, ...] = trees.alphabet
        self._vocabulary = known
        self._fitted_kinds = kinds
        return rows

    def _hashed(self, trees: TreeSet, kinds: Kinds, threads: int) -> _Rows:
        arrays = (trees.codes, trees.parents, trees.offsets)
        how = (int(self.hashing or 1), bool(self.alternate_sign), bool(self.binary))
        hashes = label_hashes(trees.alphabet)
        return _core.hash_features(arrays, hashes, kinds, how, (threads, None))

    def _matrix(self, rows: _Rows) -> csr_matrix:
        """Return the rows with the columns that are used, and normalised."""
        offsets, ids, values = rows
        if self.hashing is not None:
            shape = (len(offsets) - 1, int(self.hashing))
            found = csr_matrix((values, ids.astype(np.int32), offsets), shape=shape)
        else:
            columns = self._vocabulary.columns()[ids]
            used = columns >= 0
            ends = np.concatenate([[0], np.cumsum(used)])[offsets]
            counts = np.ones(int(ends[-1])) if self.binary else values[used]
            shape = (len(offsets) - 1, len(self._vocabulary.entries))
            found = csr_matrix((counts, columns[used], ends), shape=shape)
            found.sort_indices()
        return found if self.norm is None else normalised(found, self.norm)


def normalised(rows: csr_matrix, norm: str = "l2") -> csr_matrix:
    """Divide rows by their norms in place; scikit-learn refuses a matrix without columns."""
    return normalize(rows, norm, copy=False) if rows.shape[1] else rows
