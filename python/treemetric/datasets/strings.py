"""Strings of which one letter's place decides the class."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from treemetric._base.validation import check_int
from treemetric.datasets._common import draw_classes, generated
from treemetric.tree import Tree

_LENGTH = 12
# Where the one letter of {c, d} stands, by class.
_PLACES = np.array([6, 5])

_DESCR = """\
Strings
-------
Strings of twelve letters as chains, in two classes of equal size. A string of class 1
is six letters of {a, b}, one of {c, d} and five of {a, b}; one of class 2 is five
letters of {a, b}, one of {c, d} and six of {a, b}. Each letter is drawn uniformly and
independently of the others.

Under costs where a and b are the same and c and d are the same, but the pairs differ,
strings of one class have distance 0 and strings of different classes do not. Under unit
costs the letters that carry nothing drown the one that does.
"""


def make_strings(
    n_samples: int = 200, *, random_state: int | np.random.RandomState | None = None
) -> Bunch:
    """Make the strings of the paper on symbol embeddings, as chains.

    A string of class 1 is six letters of {a, b}, one of {c, d} and five of {a, b}; one
    of class 2 is five, one and six. Its first letter is the root.

    Parameters
    ----------
    n_samples : int, default=200
        Number of strings. Half of them are of each class; of an odd number, one more
        is of class 1.
    random_state : int, RandomState instance or None, default=None
        Decides letters and order.

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
    make_programs : Trees in which the place of a node decides the class.

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
    rng = check_random_state(random_state)
    target = draw_classes(n_samples, 2, rng)
    letters = np.array(["a", "b"])[rng.randint(2, size=(n_samples, _LENGTH))]
    odd = np.array(["c", "d"])[rng.randint(2, size=n_samples)]
    letters[np.arange(n_samples), _PLACES[target]] = odd
    trees = [Tree.from_sequence(row) for row in letters.tolist()]
    return generated("string", trees, target, ["class 1", "class 2"], _DESCR)
