"""Text art: a tree drawn with lines, as the Unix command ``tree`` draws folders."""

from __future__ import annotations

from collections.abc import Sequence

from treemetric._base.traversal import sizes
from treemetric._base.typing import IntArray, Label


def draw(
    labels: Sequence[Label],
    parents: IntArray,
    max_depth: int | None,
    max_nodes: int | None,
) -> str:
    """Return one line per node, the last one without a line break."""
    counts = sizes(parents)
    above = parents.tolist()
    lines: list[str] = []
    # Nodes of the current path with the text that goes before their children.
    path: list[tuple[int, str]] = []
    node = 0
    while node < len(above):
        if max_nodes is not None and len(lines) == max_nodes:
            lines.append(f"… {len(above) - node} more nodes")
            break
        while path and path[-1][0] != above[node]:
            path.pop()
        line, indent = "", ""
        if path:
            parent, indent = path[-1]
            last = node + counts[node] == parent + counts[parent]
            line = indent + ("└── " if last else "├── ")
            indent += "    " if last else "│   "
        cut = max_depth is not None and len(path) >= max_depth and counts[node] > 1
        below = f" … {counts[node] - 1} below" if cut else ""
        lines.append(line + label_shown(labels[node]) + below)
        path.append((node, indent))
        node += counts[node] if cut else 1
    return "\n".join(lines)


def label_shown(label: Label) -> str:
    """Return a label as printable text on one line.

    The parts of a tuple that starts with text, such as ``("Name", "x")``, are separated by blanks,
    without None. Other labels that are no printable text are shown by their ``repr``.
    """
    if isinstance(label, tuple) and label and isinstance(label[0], str):
        return " ".join(label_shown(part) for part in label if part is not None)
    return (
        label if isinstance(label, str) and label.isprintable() and label.strip() else repr(label)
    )
