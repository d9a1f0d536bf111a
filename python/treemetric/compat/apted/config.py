"""Costs and children of nodes, as in ``apted.config``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treemetric.compat.apted.helpers import ChainedValue

if TYPE_CHECKING:
    from treemetric.compat.apted.apted import APTED

__all__ = ["Config", "PerEditOperationConfig", "meta_chained_config"]

# Pairs of nodes; None for a node that is deleted or inserted.
Mapping = list[tuple[Any, Any]]


class Config:
    """Costs and children of nodes; override methods to change them.

    Each edit costs 1. The label of a node is its attribute ``name``, its children are its
    attribute ``children``.

    Attributes
    ----------
    valuecls : type
        The type of distances. Costs that are integers give a distance of this type.

    Examples
    --------
    >>> from treemetric.compat.apted import APTED, Config
    >>> from treemetric.compat.apted.helpers import Tree
    >>> class Lengths(Config):
    ...     def rename(self, node1, node2):
    ...         return abs(len(node1.name) - len(node2.name))
    >>> APTED(Tree("a"), Tree("bcd"), Lengths()).compute_edit_distance()
    2
    """

    valuecls: Any = int

    def delete(self, node: Any) -> Any:
        """Return the cost of deleting a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        int or float
            1.

        Examples
        --------
        >>> from treemetric.compat.apted import Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().delete(Tree("a"))
        1
        """
        return 1

    def insert(self, node: Any) -> Any:
        """Return the cost of inserting a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        int or float
            1.

        Examples
        --------
        >>> from treemetric.compat.apted import Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().insert(Tree("a"))
        1
        """
        return 1

    def rename(self, node1: Any, node2: Any) -> Any:
        """Return the cost of pairing two nodes.

        Parameters
        ----------
        node1, node2 : object
            Nodes of the two trees.

        Returns
        -------
        int or float
            0 if their names are equal, otherwise 1.

        Examples
        --------
        >>> from treemetric.compat.apted import Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().rename(Tree("a"), Tree("b"))
        1
        """
        return int(node1.name != node2.name)

    def children(self, node: Any) -> Any:
        """Return the children of a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        list
            Its attribute ``children``; empty if it has none.

        Examples
        --------
        >>> from treemetric.compat.apted import Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().children(Tree("a", Tree("b")))
        [{b}]
        """
        return getattr(node, "children", [])

    def mapping_cost(self, mapping: Mapping) -> Any:
        """Return the cost of a mapping of nodes.

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
        >>> from treemetric.compat.apted import Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().mapping_cost([(Tree("a"), Tree("a")), (None, Tree("b"))])
        1
        """
        total: Any = 0
        for one, other in mapping:
            if other is None:
                total += _plain(self.delete(one))
            elif one is None:
                total += _plain(self.insert(other))
            else:
                total += _plain(self.rename(one, other))
        return total

    def compute_edit_mapping(self, apted: APTED) -> Mapping:
        """Return the mapping of a pair of trees.

        Parameters
        ----------
        apted : APTED
            The pair of trees.

        Returns
        -------
        list of tuple
            The mapping, as by `APTED.compute_edit_mapping`.

        Examples
        --------
        >>> from treemetric.compat.apted import APTED, Config
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Config().compute_edit_mapping(APTED(Tree("a"), Tree("b")))
        [({a}, {b})]
        """
        return apted._find_mapping()


class PerEditOperationConfig(Config):
    """One cost for deleting, one for inserting and one for renaming.

    Parameters
    ----------
    del_cost, ins_cost, ren_cost : float
        The costs.

    Attributes
    ----------
    del_cost, ins_cost, ren_cost : float
        The costs.

    Examples
    --------
    >>> from treemetric.compat.apted import APTED, PerEditOperationConfig
    >>> from treemetric.compat.apted.helpers import Tree
    >>> APTED(Tree("a"), Tree("b"), PerEditOperationConfig(0.4, 0.4, 0.6)).compute_edit_distance()
    0.6
    """

    def __init__(self, del_cost: Any, ins_cost: Any, ren_cost: Any) -> None:
        self.del_cost = del_cost
        self.ins_cost = ins_cost
        self.ren_cost = ren_cost

    def delete(self, node: Any) -> Any:
        """Return the cost of deleting a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        int or float
            ``del_cost``.

        Examples
        --------
        >>> from treemetric.compat.apted import PerEditOperationConfig
        >>> from treemetric.compat.apted.helpers import Tree
        >>> PerEditOperationConfig(2, 3, 4).delete(Tree("a"))
        2
        """
        return self.del_cost

    def insert(self, node: Any) -> Any:
        """Return the cost of inserting a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        int or float
            ``ins_cost``.

        Examples
        --------
        >>> from treemetric.compat.apted import PerEditOperationConfig
        >>> from treemetric.compat.apted.helpers import Tree
        >>> PerEditOperationConfig(2, 3, 4).insert(Tree("a"))
        3
        """
        return self.ins_cost

    def rename(self, node1: Any, node2: Any) -> Any:
        """Return the cost of pairing two nodes.

        Parameters
        ----------
        node1, node2 : object
            Nodes of the two trees.

        Returns
        -------
        int or float
            0 if their names are equal, otherwise ``ren_cost``.

        Examples
        --------
        >>> from treemetric.compat.apted import PerEditOperationConfig
        >>> from treemetric.compat.apted.helpers import Tree
        >>> PerEditOperationConfig(2, 3, 4).rename(Tree("a"), Tree("b"))
        4
        """
        return self.ren_cost if node1.name != node2.name else 0


def meta_chained_config(config_cls: type[Config]) -> Any:
    """Return a class of configurations whose distances are instances of `ChainedValue`.

    Parameters
    ----------
    config_cls : type
        A subclass of `Config`.

    Returns
    -------
    type
        A subclass of it. With apted it records the mapping while the distance is computed; here
        it changes only the type of the distance.

    Examples
    --------
    >>> from treemetric.compat.apted import APTED, Config, meta_chained_config
    >>> from treemetric.compat.apted.helpers import Tree
    >>> APTED(Tree("a"), Tree("b"), meta_chained_config(Config)()).compute_edit_distance().value
    1
    """
    # Made by `type`, because a class cannot derive from a variable under strict type checks.
    return type("ChainedConfig", (config_cls,), {"valuecls": ChainedValue})


def _plain(cost: Any) -> Any:
    return cost.value if isinstance(cost, ChainedValue) else cost
