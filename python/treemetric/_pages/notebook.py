"""A tree as nested lists that open and close, without a script: what notebooks show."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from treemetric._base.text_art import label_shown
from treemetric._base.traversal import sizes
from treemetric._base.typing import IntArray, Label

__all__ = ["tree_html"]

_MOST_NODES = 300
# Browsers limit the depth of nested elements.
_MOST_LEVELS = 100
_LONGEST_LABEL = 80
# Larger trees are open down to this depth.
_ALL_OPEN = 40
_OPEN_LEVELS = 2
_BOX = "font-family:monospace;line-height:1.35"
_CHILDREN = "margin-left:1.1em;border-left:1px solid rgba(128,128,128,.35);padding-left:.35em"
_NOTE = '<div style="opacity:.6">… {}</div>'


def tree_html(labels: Sequence[Label], parents: IntArray, title: str) -> str:
    """Return a fragment with a node per line; a node with children opens and closes."""
    counts = sizes(parents)
    above = parents.tolist()
    parts = [f'<div style="{_BOX}"><div style="opacity:.6">{escape(title)}</div>']
    path: list[int] = []
    node = shown = 0
    while node < len(above):
        while path and path[-1] != above[node]:
            path.pop()
            parts.append("</div></details>")
        if shown == _MOST_NODES:
            parts.append(_NOTE.format(f"{len(above) - node} more nodes"))
            break
        shown += 1
        text = escape(_short(labels[node]))
        if counts[node] == 1:
            parts.append(f'<div style="margin-left:1em">{text}</div>')
            node += 1
            continue
        is_open = len(above) <= _ALL_OPEN or len(path) < _OPEN_LEVELS
        summary = f'<summary style="display:list-item;cursor:pointer">{text}</summary>'
        parts.append(f'<details{" open" if is_open else ""}>{summary}<div style="{_CHILDREN}">')
        if len(path) + 1 >= _MOST_LEVELS:
            parts.append(_NOTE.format(f"{counts[node] - 1} below") + "</div></details>")
            node += counts[node]
            continue
        path.append(node)
        node += 1
    parts.append("</div></details>" * len(path) + "</div>")
    return "".join(parts)


def _short(label: Label) -> str:
    text = label_shown(label)
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
