"""Glycans in IUPAC-condensed notation: ``Gal(b1-4)[Fuc(a1-3)]GlcNAc``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from treemetric._base.validation import refuse
from treemetric._base.validation import shown as shown_value
from treemetric.convert.text import build, check_text, fail, shown, token_start
from treemetric.tree import Tree

if TYPE_CHECKING:
    from treemetric._base.typing import Label

_TOKEN = re.compile(r"\([^()\[\]{}\s]*+\)|[\[\]]|[^()\[\]{}\s]++|\S")
# The text may end in the bond by which the glycan hangs on something else: "GlcNAc(b1-".
_OPEN_BOND = re.compile(r"\([^()\[\]{}\s]*+$")
_BONDS = ("label", "node", "drop")


def from_iupac(text: str, *, bonds: Literal["label", "node", "drop"] = "label") -> Tree:
    """Read a glycan in IUPAC-condensed notation.

    The root is the last residue, the reducing end. The text is read from right to left, so
    that branches in square brackets come before the chain that they branch from.

    Parameters
    ----------
    text : str
        One glycan. Its residues are not checked.
    bonds : {"label", "node", "drop"}, default="label"
        What becomes of the bond from a residue to its parent: part of the residue's label,
        a node between the two, or nothing.

    Returns
    -------
    Tree
        Its labels are pairs ``(residue, bond)``, with None as the bond of the root, if
        `bonds` is "label", and text otherwise. A text may end in a bond, such as
        ``"GlcNAc(b1-"``; it is the bond of the root.

    Raises
    ------
    ValueError
        If the text is not one glycan, or a part of it has no place ("{Fuc(a1-3)}"); the
        message states the position.

    See Also
    --------
    treemetric.Tree.sorted : A canonical order of children.

    Notes
    -----
    The branches of a glycan have no order, but the edit distance respects the order. Use
    `Tree.sorted` where texts write branches in different orders.

    Examples
    --------
    >>> from treemetric.convert import from_iupac
    >>> from_iupac("Gal(b1-4)[Fuc(a1-3)]GlcNAc").labels
    (('GlcNAc', None), ('Fuc', 'a1-3'), ('Gal', 'b1-4'))
    >>> from_iupac("Gal(b1-4)[Fuc(a1-3)]GlcNAc", bonds="drop").to_bracket()
    '{GlcNAc{Fuc}{Gal}}'
    """
    check_text(text, "from_iupac")
    if bonds not in _BONDS:
        refuse("bonds", "from_iupac", "'label', 'node' or 'drop'", shown_value(bonds))
    source = text.rstrip()
    if _OPEN_BOND.search(source):
        source += ")"
    names, links, parents = _parse(text, source)
    if bonds == "drop":
        return build(names, parents)
    if bonds == "label":
        return build(list(zip(names, links, strict=True)), parents)
    return _with_bond_nodes(names, links, parents)


def _parse(text: str, source: str) -> tuple[list[str], list[str | None], list[int]]:
    names: list[str] = []
    links: list[str | None] = []
    parents: list[int] = []
    branching: list[int] = []
    opened: list[int] = []  # the tokens ']' that await their '['
    current = -1
    bond: str | None = None
    tokens = _TOKEN.findall(source)
    index = len(tokens)
    # A bond is due before a residue, except for the last residue; a bond must have a residue.
    for token in reversed(tokens):
        index -= 1
        first = token[0]
        if first == "(" and len(token) > 1:
            if bond is not None:
                _refuse(text, source, index, "two bonds follow each other")
            bond = token[1:-1]
        elif first == "]":
            if bond is not None or current < 0:
                _refuse(text, source, index, "']' must stand before a residue")
            branching.append(current)
            opened.append(index)
        elif first == "[":
            if not branching:
                _refuse(text, source, index, "'[' is never closed")
            if bond is not None:
                _refuse(text, source, index, "a bond must follow a residue")
            if current == branching[-1]:
                _refuse(text, source, index, "the branch is empty")
            current = branching.pop()
            opened.pop()
        elif first in "(){}":
            hint = "; parts in braces have no place in the tree" if first in "{}" else ""
            _refuse(text, source, index, f"{shown(token)} is not a bond, residue or branch{hint}")
        else:
            if bond is None and current >= 0:
                _refuse(text, source, index, f"the residue {shown(token)} has no bond")
            names.append(token)
            links.append(bond)
            parents.append(current)
            current = len(names) - 1
            bond = None
    if branching:
        _refuse(text, source, opened[-1], "']' is never opened")
    if bond is not None:
        fail(text, 0, "a bond must follow a residue")
    if not names:
        fail(text, 0, "the text holds no residue")
    return names, links, parents


def _refuse(text: str, source: str, index: int, message: str) -> None:
    fail(text, token_start(_TOKEN, source, index), message)


def _with_bond_nodes(names: list[str], links: list[str | None], parents: list[int]) -> Tree:
    labels: list[Label] = []
    above: list[int] = []
    places: list[int] = []
    for name, bond, parent in zip(names, links, parents, strict=True):
        top = places[parent] if parent >= 0 else -1
        if bond is not None:
            above.append(top)
            top = len(labels)
            labels.append(bond)
        above.append(top)
        places.append(len(labels))
        labels.append(name)
    return build(labels, above)
