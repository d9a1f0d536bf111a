"""The order in which other packages list the edits of an alignment."""

from __future__ import annotations

from typing import Any

from treemetric.alignment import Alignment
from treemetric.tree import Tree

# Nodes in preorder, None for the gap.
Step = tuple[int | None, int | None]


class PostOrder:
    """A tree in postorder.

    Parameters
    ----------
    tree : Tree
        The tree.

    Attributes
    ----------
    node : list of int
        The preorder index of each node.
    first : list of int
        The first node of each subtree, as a position in postorder: the left-most leaf.
    """

    def __init__(self, tree: Tree) -> None:
        parents, depths = tree.parents.tolist(), tree.depths.tolist()
        sizes = [1] * len(parents)
        for node in range(len(parents) - 1, -1, -1):
            if parents[node] >= 0:
                sizes[parents[node]] += sizes[node]
        self.node = [0] * len(parents)
        self.first = [0] * len(parents)
        for node, (depth, size) in enumerate(zip(depths, sizes, strict=True)):
            # All nodes that precede a node in preorder precede it in postorder too, except its
            # ancestors; and so do the nodes below it.
            rank = node - depth + size - 1
            self.node[rank] = node
            self.first[rank] = rank - size + 1


def _sides(alignment: Alignment) -> Any:
    """Return both trees in postorder, and which nodes are paired."""
    pairs = [pair for pair in alignment.pairs if None not in pair]
    for side, tree in enumerate((alignment.x, alignment.y)):
        order = PostOrder(tree)
        paired = {pair[side] for pair in pairs}
        yield order, [node in paired for node in order.node]


def postorder_steps(alignment: Alignment) -> list[Step]:
    """List deletions, insertions and pairs in postorder, as zss does.

    The alignment must be that of ``ties="delete"``. It is followed from the last nodes backwards:
    what is below a pair comes before what is beside it.
    """
    (x, x_paired), (y, y_paired) = _sides(alignment)
    i, j = len(x.node) - 1, len(y.node) - 1
    steps: list[Step] = []
    # The first nodes of the subtrees that are open.
    firsts = [(0, 0)]
    while firsts:
        first_i, first_j = firsts[-1]
        if i >= first_i and not x_paired[i]:
            steps.append((x.node[i], None))
            i -= 1
        elif j >= first_j and not y_paired[j]:
            steps.append((None, y.node[j]))
            j -= 1
        elif i >= first_i:
            steps.append((x.node[i], y.node[j]))
            firsts.append((x.first[i], y.first[j]))
            i, j = i - 1, j - 1
        else:
            firsts.pop()
    return steps[::-1]


def mapping_steps(alignment: Alignment) -> list[Step]:
    """List pairs, deletions and insertions from the roots on, as apted does.

    The alignment must be that of ``ties="delete"``. It is followed from the last nodes backwards.
    Two subtrees that do not both start at the first nodes are followed after what is beside them.
    """
    (x, x_paired), (y, y_paired) = _sides(alignment)
    steps: list[Step] = []
    subtrees = [(len(x.node) - 1, len(y.node) - 1)]
    while subtrees:
        i, j = subtrees.pop()
        first_i, first_j = x.first[i], y.first[j]
        while i >= first_i or j >= first_j:
            if i >= first_i and not x_paired[i]:
                steps.append((x.node[i], None))
                i -= 1
            elif j >= first_j and not y_paired[j]:
                steps.append((None, y.node[j]))
                j -= 1
            elif (x.first[i], y.first[j]) == (first_i, first_j):
                steps.append((x.node[i], y.node[j]))
                i, j = i - 1, j - 1
            else:
                subtrees.append((i, j))
                i, j = x.first[i] - 1, y.first[j] - 1
    return steps
