"""Glycan-like trees in which one label decides the class."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from treemetric._base.validation import check_int
from treemetric.datasets._common import (
    check_range,
    draw_classes,
    draw_in,
    generated,
)
from treemetric.tree import Tree

_OWNER = "make_glycans"
# The end of one antenna, by class; and the ends of the others.
_MARKS = ("Gal_1a3", "Fuc_1a2")
_ENDS = ("NeuAc_2a3", "NeuAc_2a6", "GalNAc_1b4", "")
_LINKS = ("GlcNAc_1b2", "GlcNAc_1b4", "GlcNAc_1b6")
_LACTOSES = ("Gal_1b4", "Gal_1b3")

_DESCR = """\
Glycans
-------
Trees like those of N-glycans from a grammar: a core of five sugars, from whose two
mannoses antennae grow. A label is a sugar and the bond to its parent, such as
`Gal_1b4`; the root has no bond.

    glycan  -> GlcNAc(chitobiose[, Fuc_1a6])
    chitobiose -> GlcNAc_1b4(Man_1b4(Man_1a3(antennae)[, GlcNAc_1b4], Man_1a6(antennae)))
    antenna -> GlcNAc_1b2 | GlcNAc_1b4 | GlcNAc_1b6, carrying Gal_1b4 | Gal_1b3
               [and Fuc_1a3]
    on each Gal: another antenna, or an end: NeuAc_2a3 | NeuAc_2a6 | GalNAc_1b4 | none

One antenna, drawn at random, has an end of its own: Gal_1a3 (the alpha-Gal epitope) in
class "alpha-Gal", Fuc_1a2 (the H antigen) in class "H". All else, which is most of the
tree, is the same in both classes. Under costs where all labels but those two are free
and the two differ, glycans of one class have distance 0 and glycans of different
classes do not. Under unit costs it is one node among many.
"""


def make_glycans(
    n_samples: int = 100,
    *,
    n_antennae: int | tuple[int, int] = (2, 4),
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Make trees like those of glycans, with a class rule to be found.

    Each glycan has a core of five sugars and a number of antennae. The end of one
    antenna decides the class; all else, which is most of the tree, is the same in both
    classes. `DESCR` has the grammar.

    Parameters
    ----------
    n_samples : int, default=100
        Number of glycans. Half of them are of each class; of an odd number, one more
        is of class "alpha-Gal".
    n_antennae : int or (int, int), default=(2, 4)
        Number of antennae, or the smallest and the largest number. The more, the
        harder.
    random_state : int, RandomState instance or None, default=None
        Decides everything that is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The glycans in random order. `data.ids` are the names, `data.classes` the
            names of the classes.
        target : ndarray of shape (n_samples,), dtype int64
            Index of each glycan's class in `target_names`.
        target_names : list of str
            ``["alpha-Gal", "H"]``.
        names : list of str
            ``"glycan_0"``, ``"glycan_1"``, and so on.
        DESCR : str
            Description of the data, with the grammar and the rule.

    Raises
    ------
    ValueError
        If a parameter is not what it must be.

    See Also
    --------
    make_programs : Trees in which the place of a node decides the class.

    Examples
    --------
    >>> from treemetric.datasets import make_glycans
    >>> glycans = make_glycans(20, random_state=0)
    >>> glycans.target_names
    ['alpha-Gal', 'H']
    >>> glycans.data[0].labels[:3]
    ('GlcNAc', 'GlcNAc_1b4', 'Man_1b4')
    """
    n_samples = check_int(n_samples, "n_samples", _OWNER)
    bounds = check_range(n_antennae, 1, "n_antennae", _OWNER)
    rng = check_random_state(random_state)
    target = draw_classes(n_samples, 2, rng)
    trees = [
        Tree.from_nested(_glycan(_MARKS[k], draw_in(bounds, rng), rng)) for k in target.tolist()
    ]
    return generated("glycan", trees, target, ["alpha-Gal", "H"], _DESCR)


def _glycan(mark: str, n_antennae: int, rng: np.random.RandomState) -> Any:
    arms: tuple[list[Any], list[Any]] = ([], [])
    marked = rng.randint(n_antennae)
    for number in range(n_antennae):
        end = mark if number == marked else _ENDS[rng.randint(len(_ENDS))]
        arms[rng.randint(2)].append(_antenna(end, rng))
    bisecting = ["GlcNAc_1b4"] if rng.random_sample() < 0.3 else []
    branches = [("Man_1a3", arms[0]), *bisecting, ("Man_1a6", arms[1])]
    core = ("GlcNAc_1b4", [("Man_1b4", branches)])
    fucose = ["Fuc_1a6"] if rng.random_sample() < 0.5 else []
    return ("GlcNAc", [core, *fucose])


def _antenna(end: str, rng: np.random.RandomState) -> Any:
    """Build an antenna of one to three units from its end down to the core."""
    top: list[Any] = [end] if end else []
    for _ in range(rng.randint(1, 4)):
        unit = [(_LACTOSES[rng.randint(2)], top)]
        branch = ["Fuc_1a3"] if rng.random_sample() < 0.3 else []
        top = [(_LINKS[rng.randint(3)], [*unit, *branch])]
    return top[0]
