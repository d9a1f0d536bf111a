"""Program-like trees in which the place of a node decides the class."""

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

_OWNER = "make_programs"
_NAMES = ("x", "y", "z", "i", "n")
_NUMBERS = ("0", "1", "2")
_OPERATORS = ("Add", "Sub", "Mult", "Div")
_COMPARISONS = ("Lt", "Gt", "LtE", "GtE", "Eq")
# Depth of the largest expression below a statement.
_DEEPEST = 2

_DESCR = """\
Programs
--------
Syntax trees of small functions from a grammar. Every function has one loop, one `If`
that returns, and a number of statements that do something else, at random places in
the function and in the loop. In class "inside" the `If` stands in the loop, in class
"after" it stands behind the loop:

    Function -> statements, Loop, statements, If, statements             (after)
    Function -> statements, Loop(..., If, ...), statements               (inside)
    Loop     -> For(name, expression, statements)
              | While(comparison, statements)
    If       -> If(comparison, statements, Return(expression))
    statement -> Assign(name, expression) | AugAssign(name, operator, expression)
               | Call(name, expressions)
    expression -> name | number | BinOp(expression, operator, expression)

The classes have the same labels, equally often on average, so only the place of `If` and
`Return` tells them apart. Under costs where all labels but `Function`, `For`, `While`,
`If` and `Return` are free, and `For` is the same as `While`, functions of one class have
distance 0 and functions of different classes do not. Under unit costs the other
statements drown the difference.
"""


def make_programs(
    n_samples: int = 100,
    *,
    n_statements: int | tuple[int, int] = (4, 8),
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Make trees like those of small programs, with a class rule to be found.

    Each function has one loop and one ``If`` that returns. The class says whether the
    ``If`` stands inside the loop or after it; all else, which is most of the tree, is
    the same in both classes. `DESCR` has the grammar.

    Parameters
    ----------
    n_samples : int, default=100
        Number of programs. Half of them are of each class; of an odd number, one more
        is of class "inside".
    n_statements : int or (int, int), default=(4, 8)
        Number of statements that have nothing to do with the class, or the smallest
        and the largest number. The more, the harder.
    random_state : int, RandomState instance or None, default=None
        Decides everything that is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The programs in random order. `data.ids` are the names, `data.classes` the
            names of the classes.
        target : ndarray of shape (n_samples,), dtype int64
            Index of each program's class in `target_names`.
        target_names : list of str
            ``["inside", "after"]``.
        names : list of str
            ``"program_0"``, ``"program_1"``, and so on.
        DESCR : str
            Description of the data, with the grammar and the rule.

    Raises
    ------
    ValueError
        If a parameter is not what it must be.

    See Also
    --------
    load_stdlib_functions : Syntax trees of real functions.
    make_glycans : Trees in which a label decides the class.

    Examples
    --------
    >>> from treemetric.datasets import make_programs
    >>> programs = make_programs(20, random_state=0)
    >>> programs.target_names
    ['inside', 'after']
    >>> programs.data[0].labels[0]
    'Function'
    """
    n_samples = check_int(n_samples, "n_samples", _OWNER)
    bounds = check_range(n_statements, 0, "n_statements", _OWNER)
    rng = check_random_state(random_state)
    target = draw_classes(n_samples, 2, rng)
    writer = _Writer(rng)
    trees = [
        Tree.from_nested(writer.function(inside=k == 0, n_statements=draw_in(bounds, rng)))
        for k in target.tolist()
    ]
    return generated("program", trees, target, ["inside", "after"], _DESCR)


class _Writer:
    """Draws from the grammar; nodes are (label, children). Depth is bounded by it."""

    def __init__(self, rng: np.random.RandomState) -> None:
        self.rng = rng

    def one_of(self, choices: tuple[str, ...]) -> str:
        return choices[self.rng.randint(len(choices))]

    def function(self, *, inside: bool, n_statements: int) -> Any:
        # Statements fall at random into the three gaps beside loop and If in a row,
        # or into the loop or the If; both classes have the same five places.
        places: list[list[Any]] = [[] for _ in range(5)]
        for _ in range(n_statements):
            places[self.rng.randint(5)].append(self.statement())
        before, between, behind, in_loop, in_test = places
        test = ("If", [self.comparison(), *in_test, ("Return", [self.expression()])])
        if inside:
            loop = self.loop([*in_loop, test, *between])
            return ("Function", [*before, loop, *behind])
        return ("Function", [*before, self.loop(in_loop), *between, test, *behind])

    def loop(self, body: list[Any]) -> Any:
        if self.rng.randint(2):
            return ("For", [self.one_of(_NAMES), self.expression(), *body])
        return ("While", [self.comparison(), *body])

    def statement(self) -> Any:
        kind = self.rng.randint(3)
        name = self.one_of(_NAMES)
        if kind == 0:
            return ("Assign", [name, self.expression()])
        if kind == 1:
            return ("AugAssign", [name, self.one_of(_OPERATORS), self.expression()])
        arguments = [self.expression() for _ in range(self.rng.randint(3))]
        return ("Call", [name, *arguments])

    def comparison(self) -> Any:
        sides = [self.expression(), self.one_of(_COMPARISONS), self.expression()]
        return ("Compare", sides)

    def expression(self, depth: int = 0) -> Any:
        if depth < _DEEPEST and self.rng.random_sample() < 0.3:
            left, right = self.expression(depth + 1), self.expression(depth + 1)
            return ("BinOp", [left, self.one_of(_OPERATORS), right])
        return self.one_of(_NAMES if self.rng.randint(2) else _NUMBERS)
