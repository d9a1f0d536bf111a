"""Random ordered trees over an alphabet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from treemetric._base.typing import Label
from treemetric._base.validation import as_float, check_int, check_random_state, refuse, shown
from treemetric.datasets._common import (
    check_range,
    check_size,
    draw_classes,
    draw_in,
    generated,
)
from treemetric.tree import Tree

_OWNER = "make_random_trees"
_DESCR = """\
Random trees
------------
Ordered trees of random shape. Labels are drawn independently of the shape and of each
other. In class k, the labels number k, k + n_classes, k + 2 * n_classes, ... of the
alphabet are `skew` times as likely as the others. Shapes and sizes do not depend on the
class.
"""


def make_random_trees(
    n_samples: int = 100,
    *,
    n_nodes: int | tuple[int, int] = (10, 30),
    alphabet: Sequence[Label] = "abcde",
    shape: str = "uniform",
    max_depth: int | None = None,
    n_classes: int = 1,
    skew: float = 2.0,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Generate random ordered trees with random labels.

    Parameters
    ----------
    n_samples : int, default=100
        Number of trees.
    n_nodes : int or (int, int), default=(10, 30)
        Number of nodes of each tree, or the smallest and the largest number. Sizes
        between them are equally likely.
    alphabet : sequence of labels, default="abcde"
        Distinct labels, at least one for each class.
    shape : {"uniform", "growth"}, default="uniform"
        Distribution of shapes. With "uniform", all ordered trees of the drawn size and
        of depth up to `max_depth` are equally likely; such trees are slender, and their
        depth grows with the square root of the size. With "growth", nodes are added one
        by one, each as a child of a uniformly drawn node and at a uniformly drawn
        position among its children; such trees are bushy, and their depth grows with
        the logarithm of the size.
    max_depth : int, default=None
        Largest number of nodes on a path from the root to a leaf; None for no limit.
    n_classes : int, default=1
        Number of classes; their sizes differ by at most one tree.
    skew : float, default=2.0
        How many times as likely as the others the labels of a class are in its trees.
        The labels of class k are number k, k + `n_classes`, and so on of the alphabet.
        With 1.0, the trees do not depend on the class.
    random_state : int, RandomState instance or None, default=None
        Controls all random choices.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, with classes in random order. `data.ids` are the names,
            `data.classes` the names of the classes.
        target : ndarray of shape (n_samples,), dtype int64
            Index of each tree's class in `target_names`.
        target_names : list of str
            ``"class 0"``, ``"class 1"``, and so on.
        names : list of str
            ``"tree_0"``, ``"tree_1"``, and so on.
        DESCR : str
            Description of the data.

    Raises
    ------
    ValueError
        If a parameter is invalid.

    See Also
    --------
    make_programs : Trees from a grammar.

    Notes
    -----
    Ordered trees of n nodes correspond to the walks of n - 1 steps up and n - 1 steps
    down that never go below their start. Without `max_depth`, a walk is drawn by the
    cycle lemma (Dvoretzky and Motzkin, 1947). With it, a walk is drawn step by step; the
    probability of a step is the share of the remaining walks that begin with it.

    Examples
    --------
    >>> from treemetric.datasets import make_random_trees
    >>> trees = make_random_trees(50, n_nodes=8, alphabet="xyz", random_state=0)
    >>> trees.data
    <TreeSet of 50 trees, 400 nodes, 3 labels>
    """
    n_samples = check_int(n_samples, "n_samples", _OWNER)
    sizes = check_range(n_nodes, 1, "n_nodes", _OWNER)
    if shape not in ("uniform", "growth"):
        refuse("shape", _OWNER, "'uniform' or 'growth'", shown(shape))
    if max_depth is not None:
        # A tree of more than one node has a node below its root.
        max_depth = check_int(max_depth, "max_depth", _OWNER, least=min(sizes[1], 2), other="None")
    n_classes = check_int(n_classes, "n_classes", _OWNER)
    labels = _check_alphabet(alphabet, n_classes)
    if not 1 <= as_float(skew) < np.inf:
        refuse("skew", _OWNER, "a float in the range [1.0, inf)", shown(skew))

    rng = check_random_state(random_state, _OWNER)
    check_size(n_samples, sizes)
    target = draw_classes(n_samples, n_classes, rng)
    favoured = np.arange(len(labels)) % n_classes == np.arange(n_classes)[:, None]
    weights = np.where(favoured & (n_classes > 1), float(skew), 1.0)
    weights /= weights.sum(axis=1, keepdims=True)

    # All trees of a size share the same counts of walks.
    shares: dict[int, NDArray[np.float64]] = {}
    trees = []
    for k in target.tolist():
        n = draw_in(sizes, rng)
        if shape == "growth":
            parents = _grown(n, max_depth, rng)
        elif max_depth is None or max_depth >= n:
            parents = _parents(_free_walk(n, rng))
        else:
            if n not in shares:
                shares[n] = _shares_up(n, max_depth)
            parents = _parents(_bounded_walk(shares[n], rng))
        codes = rng.choice(len(labels), size=n, p=weights[k])
        trees.append(Tree.from_parents([labels[code] for code in codes.tolist()], parents))
    names = [f"class {k}" for k in range(n_classes)]
    return generated("tree", trees, target, names, _DESCR)


def _check_alphabet(alphabet: Any, n_classes: int) -> list[Label]:
    if not isinstance(alphabet, Sequence | np.ndarray):
        refuse("alphabet", _OWNER, "a sequence of labels", shown(alphabet))
    labels = list(alphabet)
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        refuse("alphabet", _OWNER, "a sequence of distinct labels", f"{twice!r} twice")
    if len(labels) < n_classes:
        must = f"a sequence of at least {n_classes} labels, one for each class"
        refuse("alphabet", _OWNER, must, shown(alphabet))
    return labels


def _free_walk(n: int, rng: np.random.RandomState) -> NDArray[np.bool_]:
    """Draw one of all walks of n - 1 steps up and n - 1 down that stay at or above 0.

    Exactly one rotation of a cycle of n - 1 steps up and n steps down goes below 0 only
    with its last step: the one that starts after the first lowest point.
    """
    steps = np.zeros(2 * n - 1, dtype=bool)
    steps[: n - 1] = True
    rng.shuffle(steps)
    heights = np.cumsum(np.where(steps, 1, -1))
    return np.roll(steps, -(int(np.argmin(heights)) + 1))[:-1]


def _shares_up(n: int, max_depth: int) -> NDArray[np.float64]:
    """Return, by steps left and height, the share of walks whose next step is up.

    Heights are those below the root, 0 to max_depth - 1. Only ratios within a row matter,
    so each row of counts is scaled to avoid overflow.
    """
    top = max_depth - 1
    shares = np.zeros((2 * n - 1, max_depth))
    walks = np.zeros(max_depth)
    walks[0] = 1.0
    for left in range(1, 2 * n - 1):
        up, down = np.zeros(max_depth), np.zeros(max_depth)
        up[:top], down[1:] = walks[1:], walks[:top]
        walks = up + down
        np.divide(up, walks, out=shares[left], where=walks > 0)
        walks /= walks.max()
    return shares


def _bounded_walk(shares: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.bool_]:
    length = len(shares) - 1
    steps = np.zeros(length, dtype=bool)
    height = 0
    for at, chance in enumerate(rng.random_sample(length)):
        steps[at] = chance < shares[length - at, height]
        height += 1 if steps[at] else -1
    return steps


def _parents(walk: NDArray[np.bool_]) -> list[int]:
    """Return the parents, in preorder, of a walk: up adds a child, down returns to the parent."""
    parents = [-1]
    at = 0
    for up in walk.tolist():
        if up:
            parents.append(at)
            at = len(parents) - 1
        else:
            at = parents[at]
    return parents


def _grown(n: int, max_depth: int | None, rng: np.random.RandomState) -> list[int]:
    """Grow a tree node by node and return its parents in preorder."""
    children: list[list[int]] = [[]]
    depths = [1]
    # Nodes that can still get children.
    open_nodes = [0]
    for node in range(1, n):
        parent = open_nodes[rng.randint(len(open_nodes))]
        children[parent].insert(rng.randint(len(children[parent]) + 1), node)
        children.append([])
        depths.append(depths[parent] + 1)
        if max_depth is None or depths[node] < max_depth:
            open_nodes.append(node)
    parents: list[int] = []
    stack = [(0, -1)]
    while stack:
        node, parent = stack.pop()
        here = len(parents)
        parents.append(parent)
        stack += [(child, here) for child in reversed(children[node])]
    return parents
