"""Kinds of features and their parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

from treemetric._base.validation import check_int, refuse, shown

KINDS = ("labels", "paths", "pqgrams", "subtrees")
# Time and memory are proportional to these numbers.
MOST_ANCESTORS = MOST_HEIGHT = 1000
MOST_GRAM = 64


class Kinds(NamedTuple):
    """Features to count, as the core takes them; None for a kind that is not counted."""

    labels: bool = False
    max_ancestors: int | None = None
    pq: tuple[int, int] | None = None
    height: int | None = None


def check_kinds(kinds: object, owner: str) -> tuple[str, ...]:
    """Check one kind or a collection of kinds; return them in the order of `KINDS`."""
    listed: Any = (kinds,) if isinstance(kinds, str) else kinds
    valid = isinstance(listed, (list, tuple, set, frozenset)) and len(listed) > 0
    if not valid or not all(isinstance(kind, str) and kind in KINDS for kind in listed):
        must = "one or several of {" + ", ".join(map(repr, KINDS)) + "}"
        refuse("kinds", owner, must, shown(kinds))
    return tuple(kind for kind in KINDS if kind in listed)


def check_pq(p: object, q: object, owner: str) -> tuple[int, int]:
    """Check the sizes of pq-grams."""
    return (
        check_int(p, "p", owner, most=MOST_GRAM),
        check_int(q, "q", owner, most=MOST_GRAM),
    )


def check_ancestors(value: object, owner: str) -> int:
    """Check the largest number of ancestors of a path."""
    return check_int(value, "max_ancestors", owner, least=0, most=MOST_ANCESTORS)
