"""DOT, the language of Graphviz."""

from __future__ import annotations

from treemetric._base.typing import Label
from treemetric.tree import Tree


def to_dot(tree: Tree) -> str:
    r"""Write a tree in DOT, the language of Graphviz.

    Parameters
    ----------
    tree : Tree
        A tree or a forest.

    Returns
    -------
    str
        A directed graph with the nodes 0, 1, 2, … in preorder, for instance for
        ``graphviz.Source(text)`` or the command ``dot -Tsvg``. Labels that are no text are
        written by their ``repr``.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.convert import to_dot
    >>> print(to_dot(Tree.from_bracket("{a{b}}")))
    digraph {
      graph [ordering=out]
      node [shape=plaintext]
      0 [label="a"]
      1 [label="b"]
      0 -> 1
    }
    """
    if not isinstance(tree, Tree):
        message = f"tree must be an instance of 'treemetric.Tree'; got {type(tree).__name__}"
        raise TypeError(message)
    texts = {label: _quoted(label) for label in tree._data.alphabet}
    lines = ["digraph {", "  graph [ordering=out]", "  node [shape=plaintext]"]
    lines += [f"  {node} [label={texts[label]}]" for node, label in enumerate(tree.labels)]
    parents = enumerate(tree.parents.tolist())
    lines += [f"  {parent} -> {node}" for node, parent in parents if parent >= 0]
    return "\n".join((*lines, "}"))


def _quoted(label: Label) -> str:
    text = label if isinstance(label, str) else repr(label)
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    for break_ in ("\r\n", "\n", "\r"):
        text = text.replace(break_, "\\n")
    # A NUL would end the text for Graphviz, which is written in C.
    return '"' + text.replace("\0", "�") + '"'
