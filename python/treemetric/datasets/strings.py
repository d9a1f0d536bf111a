"""Strings whose class depends on the position of one letter."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from treemetric._base.validation import check_int, check_random_state
from treemetric.datasets._common import check_size, draw_classes, generated
from treemetric.tree import Tree

_LENGTH = 12
# Position of the one letter of {c, d}, by class.
_PLACES = np.array([6, 5])

_DESCR = """\
Strings
-------
Strings of twelve letters as chains, in two classes of equal size. A string of class 1
is six letters of {a, b}, one of {c, d} and five of {a, b}; one of class 2 is five
letters of {a, b}, one of {c, d} and six of {a, b}. Each letter is drawn uniformly and
independently of the others.

If replacing a by b is free and replacing c by d is free, but no other edit is, strings
of the same class have distance 0 and strings of different classes do not. Under unit
costs the uninformative letters hide the informative one.
"""


def make_strings(
    n_samples: int = 200, *, random_state: int | np.random.RandomState | None = None
) -> Bunch:
    """Generate the strings of the paper on symbol embeddings, as chains.

    A string of class 1 is six letters of {a, b}, one of {c, d} and five of {a, b}; one
    of class 2 is five, one and six. Its first letter is the root.

    Parameters
    ----------
    n_samples : int, default=200
        Number of strings. The classes have equal size; if the number is odd, class 1
        has one more.
    random_state : int, RandomState instance or None, default=None
        Controls letters and order.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The strings in random order. `data.ids` are the names, `data.classes` the
            names of the classes.
        target : ndarray of shape (n_samples,), dtype int64
            Index of each string's class in `target_names`.
        target_names : list of str
            ``["class 1", "class 2"]``.
        names : list of str
            ``"string_0"``, ``"string_1"``, and so on.
        DESCR : str
            Description of the data.

    Raises
    ------
    ValueError
        If `n_samples` is not a positive int.

    See Also
    --------
    make_programs : Trees whose class depends on the position of a node.

    References
    ----------
    Paaßen, Gallicchio, Micheli, Hammer (2018): Tree Edit Distance Learning via Adaptive
    Symbol Embeddings. International Conference on Machine Learning.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> strings = make_strings(random_state=0)
    >>> len(strings.data), strings.data[0].size
    (200, 12)
    >>> [int((strings.target == k).sum()) for k in (0, 1)]
    [100, 100]
    """
    n_samples = check_int(n_samples, "n_samples", "make_strings")
    rng = check_random_state(random_state, "make_strings")
    check_size(n_samples, (_LENGTH, _LENGTH))
    target = draw_classes(n_samples, 2, rng)
    letters = np.array(["a", "b"])[rng.randint(2, size=(n_samples, _LENGTH))]
    odd = np.array(["c", "d"])[rng.randint(2, size=n_samples)]
    letters[np.arange(n_samples), _PLACES[target]] = odd
    trees = [Tree.from_sequence(row) for row in letters.tolist()]
    return generated("string", trees, target, ["class 1", "class 2"], _DESCR)
