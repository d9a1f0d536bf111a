"""Random ordered trees over an alphabet."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from treemetric._base.typing import Label
from treemetric._base.validation import as_float, check_int, refuse, shown
from treemetric.datasets._common import (
    check_range,
    draw_classes,
    draw_in,
    generated,
)
from treemetric.tree import Tree

_OWNER = "make_random_trees"
_DESCR = """\
Random trees
------------
Ordered trees of random shape whose labels are drawn independently of the shape and of
each other. In class k, the labels number k, k + n_classes, k + 2 * n_classes, ... of
the alphabet are `skew` times as likely as the others; shapes and sizes say nothing
about the class.
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
    """Make random ordered trees with random labels.

    Parameters
    ----------
    n_samples : int, default=100
        Number of trees.
    n_nodes : int or (int, int), default=(10, 30)
        Number of nodes of each tree, or the smallest and the largest number; then
        each size between them is equally likely.
    alphabet : sequence of labels, default="abcde"
        The labels, each once and at least one for each class.
    shape : {"uniform", "growth"}, default="uniform"
        How shapes are drawn. With "uniform", all ordered trees of the drawn size (and
        at most `max_depth` deep) are equally likely: slender trees, whose depth grows
        with the square root of the size. With "growth", nodes are added one by one,
        each below a node drawn uniformly and at a place drawn uniformly among its
        children: bushy trees, whose depth grows with the logarithm of the size.
    max_depth : int, default=None
        Largest number of nodes on a way from the root down to a leaf; None for no
        limit.
    n_classes : int, default=1
        Number of classes, of equal size up to one tree.
    skew : float, default=2.0
        How many times likelier than others the labels of a class are in its trees:
        labels number k, k + `n_classes`, and so on of the alphabet for class k. With
        1.0, classes have nothing to do with the trees.
    random_state : int, RandomState instance or None, default=None
        Decides everything that is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, classes in random order. `data.ids` are the names,
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
        If a parameter is not what it must be.

    See Also
    --------
    make_programs : Trees from a grammar.

    Notes
    -----
    Ordered trees of n nodes are the ways of n - 1 steps up and n - 1 steps down that
    never go below where they start. Without a limit, a way is drawn by the cycle lemma
    (Dvoretzky and Motzkin, 1947); with one, step by step, each with the share of the
    ways that can still follow it.

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

    rng = check_random_state(random_state)
    target = draw_classes(n_samples, n_classes, rng)
    favoured = np.arange(len(labels)) % n_classes == np.arange(n_classes)[:, None]
    weights = np.where(favoured & (n_classes > 1), float(skew), 1.0)
    weights /= weights.sum(axis=1, keepdims=True)

    # Counts of ways are the same for all trees of a size.
    shares: dict[int, NDArray[np.float64]] = {}
    trees = []
    for k in target.tolist():
        n = draw_in(sizes, rng)
        if shape == "growth":
            parents = _grown(n, max_depth, rng)
        elif max_depth is None or max_depth >= n:
            parents = _parents(_free_way(n, rng))
        else:
            if n not in shares:
                shares[n] = _shares_up(n, max_depth)
            parents = _parents(_bounded_way(shares[n], rng))
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
        refuse("alphabet", _OWNER, "a sequence of different labels", f"{twice!r} twice")
    if len(labels) < n_classes:
        must = f"a sequence of at least {n_classes} labels, one for each class"
        refuse("alphabet", _OWNER, must, shown(alphabet))
    return labels


def _free_way(n: int, rng: np.random.RandomState) -> NDArray[np.bool_]:
    """Draw one of all ways of n - 1 steps up and n - 1 down that stay at or above 0.

    Of the rotations of a circle of n - 1 steps up and n down, exactly one goes below 0
    only with its last step: the one that starts after the first lowest point.
    """
    steps = np.zeros(2 * n - 1, dtype=bool)
    steps[: n - 1] = True
    rng.shuffle(steps)
    heights = np.cumsum(np.where(steps, 1, -1))
    return np.roll(steps, -(int(np.argmin(heights)) + 1))[:-1]


def _shares_up(n: int, max_depth: int) -> NDArray[np.float64]:
    """Give, by steps left and height, the share of ways whose next step is up.

    Heights are those below the root, 0 to max_depth - 1. Only shares within a row are
    asked for, so each row of counts is scaled, lest they overflow.
    """
    top = max_depth - 1
    shares = np.zeros((2 * n - 1, max_depth))
    ways = np.zeros(max_depth)
    ways[0] = 1.0
    for left in range(1, 2 * n - 1):
        up, down = np.zeros(max_depth), np.zeros(max_depth)
        up[:top], down[1:] = ways[1:], ways[:top]
        ways = up + down
        np.divide(up, ways, out=shares[left], where=ways > 0)
        ways /= ways.max()
    return shares


def _bounded_way(shares: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.bool_]:
    length = len(shares) - 1
    steps = np.zeros(length, dtype=bool)
    height = 0
    for at, chance in enumerate(rng.random_sample(length)):
        steps[at] = chance < shares[length - at, height]
        height += 1 if steps[at] else -1
    return steps


def _parents(way: NDArray[np.bool_]) -> list[int]:
    """Turn a way into parents in preorder: up goes to a new child, down to the parent."""
    parents = [-1]
    at = 0
    for up in way.tolist():
        if up:
            parents.append(at)
            at = len(parents) - 1
        else:
            at = parents[at]
    return parents


def _grown(n: int, max_depth: int | None, rng: np.random.RandomState) -> list[int]:
    """Grow a tree node by node and give its parents in preorder."""
    children: list[list[int]] = [[]]
    depths = [1]
    # Nodes that may have children.
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
