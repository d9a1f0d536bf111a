"""Distances and mappings, as in ``apted.apted``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from treemetric._base.validation import as_float
from treemetric.alignment import align
from treemetric.compat._order import mapping_steps
from treemetric.compat._prices import compare_by_equality, price, walk
from treemetric.compat.apted.config import Config, Mapping, PerEditOperationConfig
from treemetric.compat.apted.helpers import ChainedValue
from treemetric.costs import Costs, OperationCosts
from treemetric.distances import distance
from treemetric.tree import Tree

__all__ = ["APTED"]

_COSTS = ("delete", "insert", "rename")


class APTED:
    """The edit distance and the edit mapping of two trees.

    Parameters
    ----------
    tree1, tree2 : object
        The roots of the trees.
    config : Config, optional
        Costs and children of nodes. ``children(node)`` is called here, once per node, in
        preorder. Overridden costs are called once per node and once per pair of nodes.
    spf : object, optional
        Accepted as in apted, without effect.

    Attributes
    ----------
    config : Config
        The configuration.
    result : int or float or None
        The distance; None before it is computed.
    mapping : list of tuple or None
        The mapping; None before it is computed.

    Examples
    --------
    >>> from treemetric.compat.apted import APTED
    >>> from treemetric.compat.apted.helpers import Tree
    >>> APTED(Tree.from_text("{a{b}}"), Tree.from_text("{a}")).compute_edit_distance()
    1
    """

    def __init__(self, tree1: Any, tree2: Any, config: Any = None, spf: Any = None) -> None:
        self.config: Any = Config() if config is None else config
        self.spf = spf
        self.result: Any = None
        self.mapping: Mapping | None = None
        self._trees, self._nodes = zip(
            *(walk(tree, self.config.children) for tree in (tree1, tree2)), strict=True
        )

    def compute_edit_distance(self) -> Any:
        """Return the distance.

        Returns
        -------
        int or float
            An int if all costs are integers and ``config.valuecls`` is int.

        Examples
        --------
        >>> from treemetric.compat.apted import APTED
        >>> from treemetric.compat.apted.helpers import Tree
        >>> pair = APTED(Tree.from_text("{a{b}}"), Tree.from_text("{a}"))
        >>> pair.compute_edit_distance()
        1
        """
        x, y, costs, whole = self._problem
        self.result = self._value(distance(x, y, costs=costs), whole)
        return self.result

    def compute_edit_distance_spf_test(self, spf_type: int) -> Any:
        """Return the distance.

        Parameters
        ----------
        spf_type : int
            The type of paths, accepted as in apted, without effect.

        Returns
        -------
        int or float
            The distance.

        Examples
        --------
        >>> from treemetric.compat.apted import APTED
        >>> from treemetric.compat.apted.helpers import Tree
        >>> pair = APTED(Tree.from_text("{a{b}}"), Tree.from_text("{a}"))
        >>> pair.compute_edit_distance_spf_test(0)
        1
        """
        return self.compute_edit_distance()

    def compute_edit_mapping(self) -> Mapping:
        """Return the mapping.

        Returns
        -------
        list of tuple
            Pairs of nodes, from the roots on, in the order of apted; None for a node that is
            deleted or inserted.

        Examples
        --------
        >>> from treemetric.compat.apted import APTED
        >>> from treemetric.compat.apted.helpers import Tree
        >>> pair = APTED(Tree.from_text("{a{b}}"), Tree.from_text("{a}"))
        >>> pair.compute_edit_mapping()
        [({a{b}}, {a}), ({b}, None)]
        """
        self.mapping = self.config.compute_edit_mapping(self)
        return self.mapping

    def mapping_cost(self, mapping: Mapping) -> Any:
        """Return the cost of a mapping.

        Parameters
        ----------
        mapping : list of tuple
            Pairs of nodes; None for a node that is deleted or inserted.

        Returns
        -------
        int or float
            The sum of the costs.

        Examples
        --------
        >>> from treemetric.compat.apted import APTED
        >>> from treemetric.compat.apted.helpers import Tree
        >>> pair = APTED(Tree.from_text("{a{b}}"), Tree.from_text("{a}"))
        >>> pair.mapping_cost(pair.compute_edit_mapping())
        1
        """
        return self.config.mapping_cost(mapping)

    def _find_mapping(self) -> Mapping:
        x, y, costs, whole = self._problem
        alignment = align(x, y, costs=costs, ties="delete")
        self.result = self._value(alignment.cost, whole)
        first, second = self._nodes
        return [
            (None if i is None else first[i], None if j is None else second[j])
            for i, j in mapping_steps(alignment)
        ]

    @cached_property
    def _problem(self) -> tuple[Tree, Tree, Costs | None, bool]:
        """Two trees, their costs, and whether all costs are integers."""
        config = self.config
        for kind in (Config, PerEditOperationConfig):
            if all(_is_method_of(kind, config, name) for name in _COSTS):
                named = self._named_trees()
                if named is None:
                    break
                if kind is Config:
                    return *named, None, True
                costs = config.del_cost, config.ins_cost, config.ren_cost
                whole = {type(cost) for cost in costs} <= {int, bool}
                return *named, OperationCosts(*map(_as_number, costs)), whole
        first, second = self._nodes
        prices = price(
            first,
            second,
            lambda a, b: _as_number(config.rename(a, b)),
            lambda node: _as_number(config.delete(node)),
            lambda node: _as_number(config.insert(node)),
        )
        return *self._trees, prices.of_nodes(), prices.whole

    def _named_trees(self) -> tuple[Tree, Tree] | None:
        """Return the trees with names as labels; None if names cannot be labels."""
        names = [[node.name for node in nodes] for nodes in self._nodes]
        if not all(map(compare_by_equality, names)):
            return None
        x, y = (
            Tree.from_parents(labels, tree._data.parents())
            for labels, tree in zip(names, self._trees, strict=True)
        )
        return x, y

    def _value(self, total: float, whole: bool) -> Any:
        """Return a distance in the type of the configuration."""
        number: Any = int(total) if whole else total
        valuecls = self.config.valuecls
        if valuecls is int:
            return number
        return valuecls(number)


def _is_method_of(kind: type, config: Any, name: str) -> bool:
    method = getattr(config, name)
    return getattr(method, "__func__", None) is vars(kind).get(name)


def _as_number(cost: Any) -> Any:
    if isinstance(cost, ChainedValue):
        return cost.value
    return cost if isinstance(cost, int) else as_float(cost)
