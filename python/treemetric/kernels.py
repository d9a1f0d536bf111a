"""Kernels of trees: inner products of trees by what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.gaussian_process.kernels import GenericKernelMixin, Kernel
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treemetric import _core
from treemetric._base.progress import stage
from treemetric._base.typing import FloatArray, Trees
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
from treemetric.features._kinds import check_ancestors
from treemetric.features._sets import joined
from treemetric.treeset import TreeSet, check_trees

__all__ = ["GaussianProcessKernel", "TreeKernel"]

_KINDS = ("path", "subtree", "subset-tree", "partial-tree")


class TreeKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A kernel of trees, as a function and as a transformer to a precomputed kernel.

    The kernel of two trees is the inner product of their counts of fragments, which are

    - ``'path'``: paths of labels, pairs of adjacent siblings, roots and leaves, as in
      ``TreeFeatures('paths')``;
    - ``'subtree'``: complete subtrees, a node with all its descendants;
    - ``'subset-tree'``: parts of the tree in which each node has all its children or none;
    - ``'partial-tree'``: parts of the tree in which each node has some of its children, in order.

    Parameters
    ----------
    kind : {'path', 'subtree', 'subset-tree', 'partial-tree'}, default='path'
        The fragments to count.
    decay : float, default=0.4
        A factor λ in (0, 1] by which large fragments weigh less: for each node of a subtree, for
        each node with children or without children in the tree of a subset tree, and for the
        width of the children in a partial tree. Not used by paths.
    depth_decay : float, default=0.4
        A factor μ in (0, 1] for each node of a partial tree. Not used by others.
    max_ancestors : int, default=4
        The largest number of ancestors of a path. Not used by others.
    normalize : bool, default=True
        Whether to divide by the square roots of the kernels of both trees with themselves, so that
        the kernel of a tree with itself is 1.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if the kernels take longer than a second.

    Attributes
    ----------
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    treemetric.features.TreeFeatures : Counts of features as a sparse matrix.
    treemetric.classification.DistanceSVC : Combines a kernel with one of edit distances.
    GaussianProcessKernel : A kernel of trees for Gaussian processes.

    Notes
    -----
    All kernels are positive semi-definite. The kernel of an empty tree with any tree is 0, also if
    normalised.

    Paths and subtrees are counted once in linear time, and a pair takes the time of a sparse
    product. Subset trees (Collins and Duffy 2001) and partial trees (Moschitti 2006) are counted
    by the recursions of these papers for each pair of equal productions, or equal labels. For
    subset trees, a leaf is a production without children, so that a fragment that contains a leaf
    and a fragment that ends there are different; in the paper, leaves are words, which have no
    production. Weights of subtrees are λ to the power of the number of nodes.

    Kernels of subset trees and partial trees grow exponentially with the number of children. If
    one is too large for a float, an error says so; use a smaller decay then.

    References
    ----------
    S. V. N. Vishwanathan and A. J. Smola, "Fast kernels for string and tree matching", NIPS 2003.

    M. Collins and N. Duffy, "Convolution kernels for natural language", NIPS 2001.

    A. Moschitti, "Efficient convolution kernels for dependency and constituent syntactic trees",
    ECML 2006.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.kernels import TreeKernel
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{b}{d}}", "{a{b}{b}}")]
    >>> TreeKernel("subtree", decay=1, normalize=False)(trees)
    array([[3., 1., 2.],
           [1., 3., 2.],
           [2., 2., 5.]])

    A support vector machine on trees:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> model = make_pipeline(TreeKernel("partial-tree"), SVC(kernel="precomputed"))
    >>> model.fit(trees, ["x", "x", "y"]).predict([Tree.from_bracket("{a{c}{d}}")])
    array(['x'], dtype='<U1')
    """

    trees_: TreeSet

    def __init__(
        self,
        kind: str = "path",
        *,
        decay: float = 0.4,
        depth_decay: float = 0.4,
        max_ancestors: int = 4,
        normalize: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kind = kind
        self.decay = decay
        self.depth_decay = depth_decay
        self.max_ancestors = max_ancestors
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.trees_)

    def fit(self, X: Trees, y: Any = None) -> TreeKernel:  # noqa: ARG002
        """Store the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        TreeKernel
            The fitted transformer.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.kernels import TreeKernel
        >>> TreeKernel().fit([Tree.from_sequence("ab")]).trees_
        <TreeSet of 1 tree, 2 nodes, 2 labels>
        """
        self._check_params()
        self.trees_ = check_some_trees(X, type(self).__name__)
        return self

    def transform(self, X: Trees) -> FloatArray:
        """Compute the kernels with the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees of the rows.

        Returns
        -------
        ndarray of shape (n_X, n_train)
            The kernels.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.kernels import TreeKernel
        >>> kernel = TreeKernel("subtree").fit([Tree.from_sequence("ab")])
        >>> kernel.transform([Tree.from_sequence("ab"), Tree.from_sequence("c")])
        array([[1.],
               [0.]])
        """
        check_is_fitted(self)
        return self._kernels(check_some_trees(X, type(self).__name__), self.trees_)

    def fit_transform(self, X: Trees, y: Any = None) -> FloatArray:
        """Compute the kernels among the training trees, each pair once.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        ndarray of shape (n_X, n_X)
            The kernels.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.kernels import TreeKernel
        >>> TreeKernel("subtree").fit_transform([Tree.from_sequence("a"), Tree.from_sequence("b")])
        array([[1., 0.],
               [0., 1.]])
        """
        return self._kernels(self.fit(X, y).trees_, None)

    def __call__(self, X: Trees, Y: Trees | None = None) -> FloatArray:
        """Compute the kernels from all trees of X to all trees of Y, or among the trees of X.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees of the rows.
        Y : TreeSet or list of Tree, optional
            The trees of the columns; X itself by default. Then every pair is computed once.

        Returns
        -------
        ndarray of shape (n_X, n_Y)
            The kernels; the transformer is not changed.
        """
        name = type(self).__name__
        targets = None if Y is None else check_trees(Y, "Y", name)
        return self._kernels(check_trees(X, "X", name), targets)

    def _check_params(self) -> tuple[tuple[str, float, float, int], int]:
        name = type(self).__name__
        check_option(self.kind, _KINDS, "kind", name)
        factors = []
        for parameter in ("decay", "depth_decay"):
            factor = as_float(getattr(self, parameter))
            if not 0 < factor <= 1:
                got = shown(getattr(self, parameter))
                refuse(parameter, name, "a float in the range (0.0, 1.0]", got)
            factors.append(factor)
        ancestors = check_ancestors(self.max_ancestors, name)
        check_bool(self.normalize, "normalize", name)
        if not isinstance(self.verbose, (bool, np.bool_)):
            check_int(self.verbose, "verbose", name, least=0)
        return (self.kind, factors[0], factors[1], ancestors), check_n_jobs(self.n_jobs, name)

    def _kernels(self, X: TreeSet, Y: TreeSet | None) -> FloatArray:
        kernel, threads = self._check_params()
        shape = (len(X), len(X if Y is None else Y))
        # The kernels and the products of lengths.
        check_memory(16 * shape[0] * shape[1], f"a kernel matrix of shape {shape}")
        arrays, rows = joined(X, Y)
        found = np.empty(shape)
        with stage(self.verbose, f"{type(self).__name__}: kernels", "pairs") as report:
            _core.tree_kernels(arrays, rows, kernel, found, (threads, report))
        found += 0.0  # A sum of nothing is -0.0 in the core.
        if not self.normalize:
            return found
        if Y is None:
            lengths = _lengths(np.diagonal(found))
            found /= np.multiply.outer(lengths, lengths)
            # Not almost 1; the kernel of an empty tree stays 0.
            np.fill_diagonal(found, (np.diagonal(found) > 0).astype(np.float64))
            return found
        lengths = _lengths(_core.self_kernels(arrays, kernel, (threads, None)))
        found /= np.multiply.outer(lengths[: len(X)], lengths[len(X) :])
        return found

    def _diagonal(self, X: TreeSet) -> FloatArray:
        """Return the kernel of each tree with itself."""
        kernel, threads = self._check_params()
        arrays, _ = joined(X, None)
        found = _core.self_kernels(arrays, kernel, (threads, None))
        return (found > 0).astype(np.float64) if self.normalize else found + 0.0


def _lengths(squares: FloatArray) -> FloatArray:
    """Return the lengths of the vectors behind the kernel; 1 for those that are 0."""
    lengths: FloatArray = np.sqrt(np.where(squares > 0, squares, 1.0))
    return lengths


class GaussianProcessKernel(GenericKernelMixin, Kernel):  # type: ignore[misc]
    """A kernel of trees for Gaussian processes of scikit-learn.

    It can be combined with other kernels that need no vectors, such as ``ConstantKernel`` and
    ``WhiteKernel``, whose parameters are then optimised. The parameters of the kernel of trees are
    not optimised; compare several of them by cross-validation or by the likelihood.

    Parameters
    ----------
    kernel : TreeKernel
        The kernel of trees.

    See Also
    --------
    TreeKernel : Kernels for support vector machines and other methods.

    Notes
    -----
    X must be a list or an array of trees: scikit-learn turns it into an array of objects.
    ``GaussianProcessClassifier`` and ``GaussianProcessRegressor`` accept such arrays because the
    kernel declares that it needs no vectors.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from sklearn.gaussian_process.kernels import WhiteKernel
    >>> from treemetric import Tree
    >>> from treemetric.kernels import GaussianProcessKernel, TreeKernel
    >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb", "abbb")]
    >>> kernel = GaussianProcessKernel(TreeKernel("path")) + WhiteKernel(0.01)
    >>> model = GaussianProcessRegressor(kernel, optimizer=None).fit(trees, [0, 1, 2, 3])
    >>> model.predict([Tree.from_sequence("abbb")]).round(1)
    array([2.9])
    """

    def __init__(self, kernel: TreeKernel) -> None:
        self.kernel = kernel

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:  # noqa: FBT001
        """Compute the kernels, and their gradient, which is empty.

        Parameters
        ----------
        X : list or ndarray of Tree
            The trees of the rows.
        Y : list or ndarray of Tree, optional
            The trees of the columns; X itself by default.
        eval_gradient : bool, default=False
            Whether to return the gradient with respect to the parameters, too; there are none.

        Returns
        -------
        ndarray of shape (n_X, n_Y), or a tuple of it and an ndarray of shape (n_X, n_X, 0)
            The kernels, and the gradient.
        """
        found = self._tree_kernel()(X, Y)
        return (found, np.zeros((*found.shape, 0))) if eval_gradient else found

    def diag(self, X: Any) -> FloatArray:
        """Compute the kernel of each tree with itself.

        Parameters
        ----------
        X : list or ndarray of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_X,)
            The kernels.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.kernels import GaussianProcessKernel, TreeKernel
        >>> GaussianProcessKernel(TreeKernel()).diag([Tree.from_sequence("ab")])
        array([1.])
        """
        return self._tree_kernel()._diagonal(check_trees(X, "X", type(self).__name__))

    def is_stationary(self) -> bool:
        """Return whether the kernel only depends on a difference of vectors, which is False.

        Returns
        -------
        bool
            False.

        Examples
        --------
        >>> from treemetric.kernels import GaussianProcessKernel, TreeKernel
        >>> GaussianProcessKernel(TreeKernel()).is_stationary()
        False
        """
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianProcessKernel):
            return False
        ours, theirs = self._tree_kernel(), other._tree_kernel()
        return type(ours) is type(theirs) and bool(ours.get_params() == theirs.get_params())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r})"

    def _tree_kernel(self) -> TreeKernel:
        if not isinstance(self.kernel, TreeKernel):
            must = "an instance of 'treemetric.kernels.TreeKernel'"
            refuse("kernel", type(self).__name__, must, shown(self.kernel))
        return self.kernel


def __dir__() -> list[str]:
    # Names for users only, not what this module imports.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
