"""What an alignment looks like: as text, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from treemetric._base.validation import check_int, count_of, refuse, shown
from treemetric.alignment.layout import aligned_rows, label_text, unchanged_stretches

if TYPE_CHECKING:
    from treemetric.alignment.align import Alignment
    from treemetric.alignment.layout import Row
    from treemetric.tree import Tree

__all__ = ["AlignmentViews"]

_SIGNS = {"kept": " ", "replaced": "~", "deleted": "-", "inserted": "+"}
_LONGEST_LABEL = 80
# Longer listings are folded.
_MOST_ROWS = 200


class AlignmentViews:
    """Methods that show an alignment; `Alignment` inherits them."""

    __slots__ = ()

    def to_text(self, *, max_rows: int | None = _MOST_ROWS) -> str:
        """Write the alignment as text: both trees in one, like a diff.

        Parameters
        ----------
        max_rows : int or None, default=200
            Most rows of the text, one for each node or pair of nodes. In longer texts, unchanged
            parts are left out, and the end if that is not enough. None writes all rows.

        Returns
        -------
        str
            One line for each node, further to the right than its parents in both trees. Deleted
            nodes start with ``-``, inserted ones with ``+``, replaced ones with ``~``.

        See Also
        --------
        show : Print the text.

        Examples
        --------
        >>> from treemetric import Tree, align
        >>> x, y = Tree.from_bracket("{a{b}{c{d}}}"), Tree.from_bracket("{a{e}{d}{f}}")
        >>> print(align(x, y).to_text())
          a
        ~   b -> e
        -   c
              d
        +   f
        """
        if max_rows is not None:
            max_rows = check_int(max_rows, "max_rows", "to_text", 1, other="None")
        alignment = cast("Alignment", self)
        rows, trees = aligned_rows(alignment), (alignment.x, alignment.y)
        folded = {}
        if max_rows is not None and len(rows) > max_rows:
            folded = dict(unchanged_stretches(rows, trees))
        depths = _depths(rows, trees)
        lines: list[str] = []
        at = 0
        while at < len(rows):
            if len(lines) == max_rows:
                lines.append(f"… {count_of(len(rows) - at, 'more row')}")
                break
            if at in folded:
                lines.append(f"  … {folded[at] + 1 - at} unchanged nodes")
                at = folded[at] + 1
                continue
            row = rows[at]
            old = "" if row.i is None else label_text(alignment.x.labels[row.i], _LONGEST_LABEL)
            new = "" if row.j is None else label_text(alignment.y.labels[row.j], _LONGEST_LABEL)
            text = f"{old} -> {new}" if row.kind == "replaced" else old or new
            lines.append(f"{_SIGNS[row.kind]} {'  ' * depths[at]}{text}")
            at += 1
        return "\n".join(lines)

    def show(self, *, max_rows: int | None = _MOST_ROWS) -> None:
        """Print the alignment: both trees in one, like a diff.

        Parameters
        ----------
        max_rows : int or None, default=200
            Most rows to print, as in `to_text`.

        Examples
        --------
        >>> from treemetric import Tree, align
        >>> align(Tree.from_bracket("{a{b}}"), Tree.from_bracket("{a{c}{d}}")).show()
          a
        ~   b -> c
        +   d
        """
        print(self.to_text(max_rows=max_rows))  # noqa: T201  # that is what it is for

    def to_html(self, *, names: Sequence[str] = ("x", "y")) -> str:
        """Write the alignment as a page in HTML, to look at in a browser.

        The page is one file that needs no network. Unchanged parts are folded and open by a click;
        labels can be searched, and details appear under the mouse. Trees of many thousand nodes
        remain usable.

        Parameters
        ----------
        names : pair of str, default=("x", "y")
            The names of the trees.

        Returns
        -------
        str
            The page.

        See Also
        --------
        treemetric.plotting.plot_alignment : Draw the alignment with matplotlib.

        Examples
        --------
        >>> from pathlib import Path
        >>> from treemetric import Tree, align
        >>> page = align(Tree.from_sequence("ab"), Tree.from_sequence("ac")).to_html()
        >>> Path("alignment.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
        >>> page.splitlines()[0]
        '<!DOCTYPE html>'
        """
        from treemetric.alignment.html import alignment_page

        if isinstance(names, str) or len(names) != 2:
            refuse("names", "to_html", "a pair of str", shown(names))
        return alignment_page(cast("Alignment", self), [str(name) for name in names])

    def _repr_html_(self) -> str:
        from treemetric.alignment.html import alignment_html

        return alignment_html(cast("Alignment", self))


def _depths(rows: Sequence[Row], trees: tuple[Tree, Tree]) -> list[int]:
    """Return how far each row is indented: one step more than the parents of its nodes."""
    parents = tuple(tree.parents.tolist() for tree in trees)
    depth_of: tuple[dict[int, int], dict[int, int]] = ({-1: -1}, {-1: -1})
    depths = []
    for row in rows:
        nodes = [(side, node) for side, node in enumerate((row.i, row.j)) if node is not None]
        depth = 1 + max(depth_of[side][parents[side][node]] for side, node in nodes)
        for side, node in nodes:
            depth_of[side][node] = depth
        depths.append(depth)
    return depths
