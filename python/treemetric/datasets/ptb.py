"""Parse trees in the bracketed notation of the Penn Treebank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import NamedTuple, NoReturn

import numpy as np
from sklearn.utils import Bunch

from treemetric._base.typing import Path
from treemetric._base.validation import count_of, refuse, shown
from treemetric.datasets._common import loaded
from treemetric.datasets._text import check_path, fail, read_text
from treemetric.treeset import TreeSet

_OWNER = "load_ptb"
# Words can contain other kinds of space, such as the no-break space of "8 1/2".
_TOKEN = re.compile(r"[()]|[^ \t\r\f\v()]+")
_GRADES = ("0", "1", "2", "3", "4")


def load_ptb(
    path: Path, *, kind: str = "syntax", words: str | None = None, n_classes: int = 5
) -> Bunch:
    """Load parse trees from a file of Penn Treebank brackets.

    A tree looks like ``(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))``. A tree can span
    several lines, and a line can contain several trees. The bracket without a label that
    the treebank puts around each sentence is ignored.

    Parameters
    ----------
    path : str or path
        The file, in UTF-8; it is decompressed if its name ends in ``.gz``.
    kind : {"syntax", "sentiment"}, default="syntax"
        Meaning of the labels. With "syntax" they are tags, which are kept as labels, and
        the trees have no classes. With "sentiment" they are grades from 0 to 4, as in
        the Stanford Sentiment Treebank: the grade of the root is the class, and all
        grades are replaced by ``"*"``, because they would reveal the class.
    words : {"child", "only", "none"}, default=None
        How to represent a word and its tag, such as ``(DT the)``: as a node ``DT`` with
        the child ``the`` ("child"), as the node ``the`` ("only"), or as the node ``DT``
        ("none"). None is "child" for syntax and "only" for sentiment.
    n_classes : {5, 2}, default=5
        For sentiment, 2 merges the grades 0 and 1 into the class "neg" and the grades 3
        and 4 into the class "pos", and omits trees of grade 2.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees in the order of the file. `data.ids` are the names, `data.classes`
            the names of the classes.
        target : ndarray of shape (n_samples,), dtype int64, or None
            Index of each tree's class in `target_names`; None for syntax.
        target_names : list of str
            The classes that occur, in order; empty for syntax.
        names : list of str
            Number of the line on which each tree starts, followed by ``#2``, ``#3``, and
            so on for further trees on that line.
        DESCR : str
            Source of the data.

    Raises
    ------
    ValueError
        If the file is malformed; the message states file, line and position.

    See Also
    --------
    load_jsonl : Trees in JSON Lines.

    Notes
    -----
    Words are kept as they are in the file, such as ``-LRB-`` for a bracket.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treemetric.datasets import load_ptb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "trees.txt"
    ...     _ = path.write_text("(3 (2 a) (4 (3 lovely) (2 film)))")
    ...     syntax, sentiment = load_ptb(path), load_ptb(path, kind="sentiment")
    >>> syntax.data[0]
    <Tree {3{2{a}}{4{3{lovely}}{2{film}}}}>
    >>> sentiment.data[0], sentiment.target_names
    (<Tree {*{a}{*{lovely}{film}}}>, ['3'])
    """
    file = check_path(path, _OWNER)
    if kind not in ("syntax", "sentiment"):
        refuse("kind", _OWNER, "'syntax' or 'sentiment'", shown(kind))
    if words not in ("child", "only", "none", None):
        refuse("words", _OWNER, "'child', 'only', 'none' or None", shown(words))
    if n_classes not in (2, 5):
        refuse("n_classes", _OWNER, "5 or 2", shown(n_classes))
    graded = kind == "sentiment"
    if words is None:
        words = "only" if graded else "child"

    builder = _Builder(words)
    names: list[str] = []
    classes: list[str] = []
    for nodes in _trees(file):
        grade = _check_grades(nodes, file) if graded else ""
        if graded and n_classes == 2:
            if grade == "2":
                continue
            grade = "neg" if grade < "2" else "pos"
        classes.append(grade)
        names.append(str(nodes[0].line))
        builder.add(nodes, "*" if graded else None)
    data = builder.tree_set(_numbered(names), classes if graded else None)
    descr = f"{file.name}: {count_of(len(data), 'tree')} from Penn Treebank brackets.\n"
    return loaded(data, list(data.ids or ()), descr)


class _Node(NamedTuple):
    """A bracket or a word; the parent is an index among the nodes of the tree."""

    label: str
    parent: int
    is_word: bool
    line: int
    position: int


def _trees(file: FilePath) -> Iterator[list[_Node]]:
    """Yield the nodes of each tree in preorder.

    A stack of open brackets replaces recursion. A bracket without a label has the index
    -1 on the stack, so that its content is a root.
    """
    nodes: list[_Node] = []
    stack: list[int] = []
    outermost = (0, 0)
    # Position of an open bracket whose label has not been read yet.
    opened: tuple[int, int] | None = None
    for line, position, token in _tokens(file):
        if opened is not None:
            if token not in ("(", ")"):
                nodes.append(_Node(token, stack[-1] if stack else -1, False, *opened))
                stack.append(len(nodes) - 1)
                opened = None
                continue
            if stack or token == ")":
                _fail_at(file, line, position, f"expected a label, found {token!r}")
            stack.append(-1)
        if token == "(":
            if not stack:
                outermost = (line, position)
            elif nodes and nodes[-1].is_word and nodes[-1].parent == stack[-1]:
                _fail_at(file, line, position, f"expected ')' after the word {nodes[-1].label!r}")
            elif nodes and stack[-1] == -1:
                what = "expected ')', because a bracket without a label contains one tree"
                _fail_at(file, line, position, what)
            opened = (line, position)
        elif not stack:
            _fail_at(file, line, position, f"expected '(', found {token!r}")
        elif token == ")":
            stack.pop()
            if not stack:
                yield nodes
                nodes = []
        else:
            # A tag with a word contains nothing else.
            if stack[-1] == -1 or stack[-1] != len(nodes) - 1:
                _fail_at(file, line, position, f"expected a bracket, found {token!r}")
            nodes.append(_Node(token, stack[-1], True, line, position))
    if stack or opened is not None:
        _fail_at(file, *outermost, "this bracket is never closed")


def _tokens(file: FilePath) -> Iterator[tuple[int, int, str]]:
    """Yield brackets, labels and words with their line, from 1, and position, from 0."""
    # Not splitlines, which splits at more characters than line breaks.
    for number, line in enumerate(read_text(file).split("\n"), 1):
        for found in _TOKEN.finditer(line):
            yield number, found.start(), found[0]


def _check_grades(nodes: list[_Node], file: FilePath) -> str:
    """Check that all labels are grades, and return the grade of the root."""
    for node in nodes:
        if not node.is_word and node.label not in _GRADES:
            what = f"expected a grade from 0 to 4 as label, found {node.label!r}"
            _fail_at(file, node.line, node.position, what)
    return nodes[0].label


def _fail_at(file: FilePath, line: int, position: int, what: str) -> NoReturn:
    fail(file, f"line {line}, position {position}", what)


def _numbered(names: list[str]) -> list[str]:
    """Append a number to repeated names."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return numbered


class _Builder:
    """Collects trees in flat arrays."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.index: dict[str, int] = {}
        self.codes: list[int] = []
        self.parents: list[int] = []
        self.offsets = [0]

    def _code(self, label: str) -> int:
        return self.index.setdefault(label, len(self.index))

    def add(self, nodes: list[_Node], mask: str | None) -> None:
        """Add a tree; a mask, if given, replaces all its tags."""
        start = self.offsets[-1]
        # Positions of the nodes after words are omitted or replace their tags.
        places: list[int] = []
        for node in nodes:
            places.append(len(self.codes) - start)
            if node.is_word and self.words == "none":
                continue
            if node.is_word and self.words == "only":
                self.codes[-1] = self._code(node.label)
                continue
            tag = node.label if node.is_word or mask is None else mask
            self.codes.append(self._code(tag))
            self.parents.append(-1 if node.parent == -1 else places[node.parent])
        self.offsets.append(len(self.codes))

    def tree_set(self, names: list[str], classes: list[str] | None) -> TreeSet:
        return TreeSet.from_arrays(
            tuple(self.index),
            np.array(self.codes, dtype=np.int32),
            np.array(self.parents, dtype=np.int32),
            np.array(self.offsets, dtype=np.int64),
            ids=names,
            classes=classes,
        )
