"""Dot-bracket notation of the secondary structure of RNA: ``((..))``."""

from __future__ import annotations

from treemetric.convert.text import build, check_text, fail, shown
from treemetric.tree import Tree


def from_dotbracket(text: str, *, sequence: str | None = None) -> Tree:
    """Read the secondary structure of RNA in dot-bracket notation.

    A pair of brackets is an inner node, a dot is a leaf, and a root stands above all of
    them. Blanks before and after the text are ignored.

    Parameters
    ----------
    text : str
        A structure of ``(``, ``)`` and ``.``; pseudoknots (other brackets) are no trees.
    sequence : str, optional
        The bases, one per character of the structure.

    Returns
    -------
    Tree
        The labels are ``"R"`` for the root, ``"P"`` for a pair and ``"U"`` for an unpaired
        base. With a sequence a pair has both of its bases as label, such as ``"GC"``, and
        an unpaired base is its own label, such as ``"A"``.

    Raises
    ------
    ValueError
        If brackets do not match, there are other characters, or the sequence has another
        length; the message states the position.

    Examples
    --------
    >>> from treemetric.convert import from_dotbracket
    >>> from_dotbracket("((..))").to_bracket()
    '{R{P{P{U}{U}}}}'
    >>> from_dotbracket("((..)).", sequence="GCAAGUA").to_bracket()
    '{R{GU{CG{A}{A}}}{A}}'
    """
    check_text(text, "from_dotbracket")
    begin = len(text) - len(text.lstrip())
    structure = text.strip()
    if sequence is not None:
        sequence = check_text(sequence, "from_dotbracket").strip()
        if len(sequence) != len(structure):
            message = (
                "sequence must have one base per character of the structure; "
                f"got {len(sequence)} bases for {len(structure)} characters"
            )
            raise ValueError(message)
    labels, parents = ["R"], [-1]
    stack: list[int] = []
    begins: list[int] = []
    parent = 0
    for position, mark in enumerate(structure):
        if mark == ".":
            labels.append("U" if sequence is None else sequence[position])
            parents.append(parent)
        elif mark == "(":
            stack.append(parent)
            begins.append(position)
            parents.append(parent)
            parent = len(labels)
            labels.append("P")
        elif mark == ")":
            if not stack:
                fail(text, begin + position, "')' has no matching '('")
            opened = begins.pop()
            if sequence is not None:
                labels[parent] = sequence[opened] + sequence[position]
            parent = stack.pop()
        else:
            reason = " (pseudoknots are no trees)" if mark in "[]{}<>" else ""
            message = f"characters must be '(', ')' or '.'; got {shown(mark)}{reason}"
            fail(text, begin + position, message)
    if stack:
        fail(text, begin + begins[-1], "'(' is never closed")
    return build(labels, parents)
