"""JSON values: dictionaries, lists, text, numbers, booleans and None."""

from __future__ import annotations

import json
import operator
import warnings
from collections.abc import Iterable
from typing import Any

from treemetric._base.typing import Label
from treemetric.convert.cycles import MANY, refuse_cycles
from treemetric.convert.text import build, single_root
from treemetric.tree import Tree

_NAMES = {kind: kind.__name__ for kind in (bool, int, float, str, type(None))}
_SCALARS = frozenset(_NAMES.values())
_NAN = float("nan")


def from_json(value: Any, *, sort_keys: bool = False, values: bool = True) -> Tree:
    """Make a tree of a JSON value, as ``json.loads`` returns it.

    An object is a node ``"{}"`` whose children are its keys; each key has its value as its
    only child. An array is a node ``"[]"`` whose children are its items.

    Parameters
    ----------
    value : dict, list, tuple, str, int, float, bool or None
        The value, of any depth. A text is a value, too, and is not parsed: use
        ``from_json(json.loads(text))``. A text that holds an object or an array is a leaf, with
        a warning.
    sort_keys : bool, default=False
        Sort the keys of each object. If False, they are in the order of the dictionary.
    values : bool, default=True
        If False, the labels of text, numbers, booleans and None are the names of their
        types only, such as ``"int"``.

    Returns
    -------
    Tree
        The labels are ``"{}"``, ``"[]"``, ``("key", key)`` and ``(type, value)``, such as
        ``("int", 1)``. The type belongs to the label because ``True == 1 == 1.0`` in
        Python.

    Raises
    ------
    ValueError
        If there is anything else in the value, or it contains itself; the message states
        the path to it.

    See Also
    --------
    to_json : The way back.

    Notes
    -----
    The keys of a JSON object have no order, but the edit distance respects the order. Use
    `sort_keys` where the same object may be written in different orders.

    Examples
    --------
    >>> from treemetric.convert import from_json
    >>> tree = from_json({"b": 1, "a": [True, None]})
    >>> tree.labels[:4]
    ('{}', ('key', 'b'), ('int', 1), ('key', 'a'))
    >>> from_json({"b": 1, "a": [True, None]}, values=False, sort_keys=True).show()
    {}
    ├── key a
    │   └── []
    │       ├── bool
    │       └── NoneType
    └── key b
        └── int
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        _warn_of_text(value)
    labels: list[Label] = []
    parents: list[int] = []
    stack: list[Any] = [value]
    above = [-1]
    while stack:
        item = stack.pop()
        parents.append(above.pop())
        node = len(labels)
        if node == MANY:
            refuse_cycles(value, _containers, "value")
        kind = type(item)
        if kind in _NAMES:
            if item != item:
                item = _NAN  # NaN is equal to itself as part of a label only if it is one object
            labels.append((_NAMES[kind], item) if values else _NAMES[kind])
        elif kind is _Entry:
            labels.append(("key", item[0]))
            stack.append(item[1])
            above.append(node)
        elif isinstance(item, dict):
            labels.append("{}")
            if not all(type(key) is str for key in item):
                _check_keys(item, labels, parents)
            entries = list(map(_Entry, item.items()))
            if sort_keys:
                entries.sort(key=operator.itemgetter(0))
            entries.reverse()
            stack += entries
            above += [node] * len(entries)
        elif isinstance(item, list | tuple):
            labels.append("[]")
            stack += item[::-1]
            above += [node] * len(item)
        else:
            name, item = _base(item, labels, parents)
            labels.append((name, item) if values else name)
    return build(labels, parents)


def _warn_of_text(text: str) -> None:
    """Warn of a text that holds an object or an array: it was probably meant to be parsed."""
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        return
    if inside:
        message = "value is a text that holds JSON, a tree of one node. Use json.loads(text)."
        warnings.warn(message, stacklevel=3)


class _Entry(tuple[str, Any]):
    """A key with its value; a class of its own distinguishes it from tuples of users."""

    __slots__ = ()


def _containers(value: Any) -> Iterable[Any]:
    below = value.values() if isinstance(value, dict) else value
    return (item for item in below if isinstance(item, dict | list | tuple))


def _check_keys(item: dict[Any, Any], labels: list[Label], parents: list[int]) -> None:
    for key in item:
        if not isinstance(key, str):
            where = _path(labels, parents, len(labels) - 1)
            message = f"keys must be of type str; got {key!r} of type {type(key).__name__} {where}"
            raise ValueError(message)  # noqa: TRY004


def _base(item: Any, labels: list[Label], parents: list[int]) -> tuple[str, Any]:
    """Return subclasses, such as members of an enumeration of ints, as their base."""
    for base in (str, int, float):
        if isinstance(item, base):
            return base.__name__, base(item)
    where = _path(labels, parents, len(parents) - 1)
    message = (
        "value must be made of dict, list, tuple, str, int, float, bool and None; "
        f"got {type(item).__name__} {where}"
    )
    raise ValueError(message)


def _path(labels: list[Label], parents: list[int], node: int) -> str:
    """Return the path to a node whose label may be missing still: ``at $.a[3]``."""
    steps: list[str] = []
    while (parent := parents[node]) >= 0:
        if labels[parent] == "[]":
            steps.append(f"[{parents[:node].count(parent)}]")
        elif labels[parent] != "{}":
            steps.append(f"[{labels[parent][1]!r}]")  # type: ignore[index]
        node = parent
        if len(steps) > 50:
            steps.append("[…]")
            break
    return f"at ${''.join(reversed(steps))}"


def to_json(tree: Tree) -> Any:
    """Make a JSON value of a tree whose labels are those of `from_json`.

    Parameters
    ----------
    tree : Tree
        A tree from `from_json`, with ``values=True``.

    Returns
    -------
    dict, list, str, int, float, bool or None
        The value that `from_json` turns into the same tree.

    Raises
    ------
    ValueError
        If the tree is not one of a JSON value; the message states the node.

    Examples
    --------
    >>> from treemetric.convert import from_json, to_json
    >>> to_json(from_json({"b": 1, "a": [True, None]}))
    {'b': 1, 'a': [True, None]}
    """
    single_root(tree, "to_json")
    labels, parents = tree.labels, tree.parents.tolist()
    made: list[Any] = [None] * len(labels)
    filled = [False] * len(labels)  # keys that have their value
    for node, label in enumerate(labels):
        if label in ("{}", "[]"):
            made[node] = {} if label == "{}" else []
        elif isinstance(label, tuple) and len(label) == 2 and label[0] in _SCALARS:
            made[node] = label[1]
        elif not (isinstance(label, tuple) and len(label) == 2 and label[0] == "key"):
            _refuse(node, label, "is not a label of from_json")
        parent = parents[node]
        above = labels[parent] if parent >= 0 else "[]"
        is_key = isinstance(label, tuple) and label[0] == "key"
        if is_key != (above == "{}"):
            _refuse(node, label, f"cannot be below {above!r}" if parent >= 0 else "is the root")
        if is_key:
            if label[1] in made[parent]:  # type: ignore[index]
                _refuse(node, label, "is the second key of this name")
            made[parent][label[1]] = None  # type: ignore[index]
        elif above == "[]":
            if parent >= 0:
                made[parent].append(made[node])
        elif isinstance(above, tuple) and above[0] == "key":
            if filled[parent]:
                _refuse(node, label, "is the second value of a key")
            filled[parent] = True
            made[parents[parent]][above[1]] = made[node]
        else:
            _refuse(node, label, f"cannot be below {above!r}")
    for node, label in enumerate(labels):
        if isinstance(label, tuple) and label[0] == "key" and not filled[node]:
            _refuse(node, label, "has no value")
    return made[0]


def _refuse(node: int, label: Label, message: str) -> None:
    message = f"tree must be that of a JSON value, but node {node}, {label!r}, {message}"
    raise ValueError(message)
