"""What notebooks and browsers show of a tree; a part of `Tree`."""

from __future__ import annotations

from treemetric._base.traversal import depths
from treemetric._core import TreeData
from treemetric._pages.notebook import tree_html
from treemetric._pages.outline import Side, outline_data
from treemetric._pages.shell import embedded, page


class TreeViews:
    """A tree with nodes in preorder as HTML."""

    __slots__ = ()
    _data: TreeData

    def to_html(self, *, name: str = "tree") -> str:
        """Write the tree as a page in HTML, to look at in a browser.

        The page is one file that needs no network: nodes open and close, labels can be searched,
        and details appear under the mouse. Trees of a hundred thousand nodes remain usable.

        Parameters
        ----------
        name : str, default="tree"
            The name of the tree, for the title.

        Returns
        -------
        str
            The page.

        See Also
        --------
        show : Print the tree as text.
        treemetric.plotting.plot_tree : Draw the tree with matplotlib.

        Examples
        --------
        >>> from pathlib import Path
        >>> from treemetric import Tree
        >>> page = Tree.from_bracket("{a{b{c}}{d}}").to_html()
        >>> Path("tree.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
        >>> page.splitlines()[0]
        '<!DOCTYPE html>'
        """
        side = Side(name, self._data.labels(), self._data.parents())
        return page(name, embedded("outline", outline_data(name, [side])), "outline", full=True)

    def _repr_html_(self) -> str:
        nodes = self._data.size
        levels = depths(self._data.parents()).max(initial=-1)
        title = f"Tree of {nodes} node{'' if nodes == 1 else 's'}, depth {levels}"
        return tree_html(self._data.labels(), self._data.parents(), title)
