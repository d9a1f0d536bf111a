"""Many trees with one alphabet, in flat arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from mmap import mmap
from numbers import Integral
from pathlib import Path as FilePath
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base import doors
from treemetric._base.arrays import index_array
from treemetric._base.files import naming
from treemetric._base.immutable import Immutable
from treemetric._base.typing import IntArray, Label, OffsetArray, Path, Trees
from treemetric._base.validation import count_of, refuse, refuse_set, refuse_unordered, shown
from treemetric.formats import bracket, jsonl
from treemetric.tree import Tree

__all__ = ["TreeSet"]


def check_tree(tree: object, parameter: str, owner: str) -> Tree:
    """Check that an object is a tree."""
    if not isinstance(tree, Tree):
        must = "an instance of 'treemetric.Tree'"
        refuse(parameter, owner, must, shown(tree), doors.advice(tree))
    return tree


def check_trees(trees: Trees, parameter: str, owner: str) -> TreeSet:
    """Check that an object is a collection of trees, and return it as a set of trees."""
    if isinstance(trees, TreeSet):
        return trees
    found = TreeSet.__new__(TreeSet)
    found._pack(trees, parameter, owner)
    return found


def check_lists(lists: Sequence[tuple[Trees, str]], owner: str) -> TreeSet | None:
    """Return the trees of several lists as one set, or None if one of them is not a list."""
    if any(type(trees) is not list for trees, _ in lists):
        return None
    data: list[_core.TreeData] = []
    for trees, parameter in lists:
        data += _data_of(trees, parameter, owner)
    alphabet, arrays, shapes = _core.pack(data)
    found = TreeSet.__new__(TreeSet)
    found._set(alphabet, arrays, None, None, shapes)
    return found


def _data_of(trees: Iterable[Tree], parameter: str, owner: str) -> list[_core.TreeData]:
    """Check that all are trees, each once, and return what the core knows of them."""
    # A list is the usual case; other checks are slower.
    if type(trees) is not list:
        _check_collection(trees, parameter, owner)
    data = []
    for position, tree in enumerate(trees):
        if type(tree) is not Tree:
            check_tree(tree, f"{parameter}[{position}]", owner)
        data.append(tree._data)
    return data


def _check_collection(trees: object, parameter: str, owner: str) -> None:
    """Check that an object can be a collection of trees, and that its order has a meaning."""
    must = "an instance of 'treemetric.TreeSet' or a list of 'treemetric.Tree'"
    if isinstance(trees, TreeSet):
        return
    if isinstance(trees, Tree):
        refuse(parameter, owner, must, shown(trees), "Use a list: [tree].")
    if advice := doors.unordered(trees):
        refuse(parameter, owner, must, f"a {type(trees).__name__}", advice)
    found = doors.of_class(trees)
    single = isinstance(trees, str) or getattr(trees, "ndim", 1) == 0
    if found or single or not isinstance(trees, Iterable):
        refuse(parameter, owner, must, shown(trees), found or doors.advice(trees))


def take_arrays(
    arrays: tuple[IntArray, IntArray, OffsetArray], chosen: np.ndarray[Any, Any]
) -> tuple[IntArray, IntArray, OffsetArray]:
    """Return the codes, parents and offsets of some trees, with the codes of the whole set."""
    codes, parents, starts = arrays
    sizes = np.diff(starts)[chosen]
    offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    # Positions of all nodes of the chosen trees, in order.
    nodes = np.arange(offsets[-1]) + np.repeat(starts[chosen] - offsets[:-1], sizes)
    return codes[nodes], parents[nodes], offsets


def positions_of(index: Any, count: int) -> np.ndarray[Any, Any]:
    """Return the positions that a slice, a list of ints or a mask selects of some trees."""
    if isinstance(index, slice):
        return np.arange(count)[index]
    array = np.asarray(index if isinstance(index, (list, np.ndarray)) else None)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        must = "an int, a slice, a list of ints or a mask"
        message = f"tree sets are indexed by {must}; got {shown(index)}"
        raise TypeError(message)
    # NumPy takes the largest unsigned integers for negative ones.
    if array.dtype.kind == "u" and (array >= count).any():
        message = f"index {array.max()} is out of range for a set of {count} trees"
        raise IndexError(message)
    positions: np.ndarray[Any, Any] = np.arange(count)[array]
    return positions


def join_sets(parts: Sequence[tuple[TreeSet, OffsetArray | None]]) -> TreeSet:
    """Return the trees of several sets as one: those at some positions, or all.

    Ids and classes are kept if all sets have them.
    """
    index: dict[Label, int] = {}
    codes, parents = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    offsets, nodes = [np.zeros(1, dtype=np.int64)], 0
    for trees, chosen in parts:
        arrays = trees._arrays if chosen is None else take_arrays(trees._arrays, chosen)
        known = (index.setdefault(label, len(index)) for label in trees.alphabet)
        table = np.fromiter(known, dtype=np.int32, count=len(trees.alphabet))
        codes.append(table[arrays[0]])
        parents.append(arrays[1])
        offsets.append(arrays[2][1:] + nodes)
        nodes += len(arrays[0])
    values: list[list[Any] | None] = []
    for name in ("ids", "classes"):
        lists = [_chosen(getattr(trees, name), chosen) for trees, chosen in parts]
        whole = bool(lists) and all(found is not None for found in lists)
        values.append([value for found in lists for value in found or ()] if whole else None)
    joined = (np.concatenate(codes), np.concatenate(parents), np.concatenate(offsets))
    return TreeSet._canonical(tuple(index), joined, *values)


def _chosen(values: Sequence[Any] | None, chosen: OffsetArray | None) -> Sequence[Any] | None:
    if values is None or chosen is None:
        return values
    return [values[i] for i in chosen.tolist()]


class TreeSet(Immutable):
    """An immutable sequence of trees with one alphabet.

    Functions of many trees also accept a list. A `TreeSet` avoids the conversion when the same
    trees are used again, reads and writes files in bulk, and is sent to other processes as a few
    flat buffers.

    Parameters
    ----------
    trees : iterable of Tree
        The trees.
    ids : sequence, optional
        A name for each tree; written to JSON Lines.
    classes : sequence, optional
        A class for each tree; written to JSON Lines as ``label``.

    Examples
    --------
    >>> from treemetric import Tree, TreeSet
    >>> trees = TreeSet([Tree.from_bracket("{a{b}}"), Tree.from_bracket("{b}")])
    >>> len(trees), trees.alphabet, trees.codes, trees.offsets
    (2, ('a', 'b'), array([0, 1, 1], dtype=int32), array([0, 2, 3]))
    >>> trees[1]
    <Tree {b}>
    """

    __slots__ = ("_alphabet", "_arrays", "_classes", "_ids", "_label_codes", "_prepared", "_shapes")
    _alphabet: tuple[Label, ...]
    _ids: tuple[Any, ...] | None
    _classes: tuple[Any, ...] | None
    _arrays: tuple[IntArray, IntArray, OffsetArray]
    _label_codes: dict[Label, int] | None
    _prepared: _core.PreparedSet | None
    _shapes: _core.Shapes | None

    def __init__(
        self,
        trees: Iterable[Tree],
        *,
        ids: Sequence[Any] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self._pack(trees, "trees", "TreeSet", ids, classes)

    def _pack(
        self,
        trees: Iterable[Tree],
        parameter: str,
        owner: str,
        ids: Sequence[Any] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        """Check that all are trees, each once, and pack them."""
        alphabet, arrays, shapes = _core.pack(_data_of(trees, parameter, owner))
        self._set(alphabet, arrays, ids, classes, shapes)

    def _set(
        self,
        alphabet: tuple[Label, ...],
        arrays: tuple[IntArray, IntArray, OffsetArray],
        ids: Sequence[Any] | None,
        classes: Sequence[Any] | None,
        shapes: _core.Shapes | None = None,
    ) -> None:
        for array in arrays:
            array.setflags(write=False)
        count = len(arrays[2]) - 1
        for name, values in (("ids", ids), ("classes", classes)):
            refuse_unordered(values, name, "TreeSet", "a list")
            if values is not None and len(values) != count:
                refuse(
                    name,
                    "TreeSet",
                    f"of length {count}, one per tree",
                    str(len(values)),
                )
        self._put(
            _alphabet=alphabet,
            _arrays=arrays,
            _ids=None if ids is None else tuple(ids),
            _classes=None if classes is None else tuple(classes),
            _label_codes=None,
            _prepared=None,
            _shapes=shapes,
        )

    @classmethod
    def from_arrays(
        cls,
        alphabet: Sequence[Label],
        codes: IntArray,
        parents: IntArray,
        offsets: OffsetArray,
        *,
        ids: Sequence[Any] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> TreeSet:
        """Make a set from flat arrays.

        Parameters
        ----------
        alphabet : sequence of labels
            The labels that codes refer to.
        codes : array of int
            Label codes of all nodes, tree after tree, each in preorder.
        parents : array of int
            Parent of each node within its tree, -1 for a root.
        offsets : array of int
            The start of each tree, and the end of the last one.
        ids, classes : sequence, optional
            As for `TreeSet`.

        Returns
        -------
        TreeSet
            The set; unused labels are removed from its alphabet.

        Raises
        ------
        ValueError
            If the arrays do not describe trees.

        Examples
        --------
        >>> from treemetric import TreeSet
        >>> TreeSet.from_arrays(["a", "b"], [0, 1, 1], [-1, 0, -1], [0, 2, 3])[0]
        <Tree {a{b}}>
        """
        arrays = (
            index_array(codes, "codes", np.int32),
            index_array(parents, "parents", np.int32, least=-1),
            index_array(offsets, "offsets", np.int64),
        )
        _core.check_arrays(len(alphabet), *arrays)
        refuse_set(alphabet, "alphabet", "TreeSet.from_arrays")
        return cls._canonical(tuple(alphabet), arrays, ids, classes)

    @classmethod
    def _of_alphabet(cls, alphabet: tuple[Label, ...]) -> TreeSet:
        """Make a set without trees that has an alphabet all the same, to resolve costs for it."""
        trees = cls.__new__(cls)
        empty = np.empty(0, dtype=np.int32)
        trees._set(alphabet, (empty, empty, np.zeros(1, dtype=np.int64)), None, None)
        return trees

    @classmethod
    def _canonical(
        cls,
        alphabet: tuple[Label, ...],
        arrays: tuple[IntArray, IntArray, OffsetArray],
        ids: Sequence[Any] | None,
        classes: Sequence[Any] | None,
    ) -> TreeSet:
        """Make a set with labels numbered by first appearance: equal sets have equal arrays."""
        codes, parents, offsets = arrays
        used, first = np.unique(codes, return_index=True)
        index: dict[Label, int] = {}
        table = np.zeros(len(alphabet), dtype=np.int32)
        for code in used[np.argsort(first)].tolist():
            table[code] = index.setdefault(alphabet[code], len(index))
        trees = cls.__new__(cls)
        copies = (table[codes], parents.copy(), offsets.copy())
        trees._set(tuple(index), copies, ids, classes)
        return trees

    @classmethod
    def from_jsonl(cls, path: Path) -> TreeSet:
        """Read trees from a JSON Lines file.

        Each line is an object with ``nodes`` and ``adj`` (and ``roots`` for a forest),
        or with ``bracket``; ``id`` and ``label`` become `ids` and `classes`. Blank
        lines are skipped, arrays as labels become tuples.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        TreeSet
            The trees.

        Raises
        ------
        ValueError
            If a line has another form; the message gives the file and the line.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import TreeSet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trees.jsonl"
        ...     _ = path.write_text('{"nodes": ["a", 7], "adj": [[1], []], "label": 0}')
        ...     trees = TreeSet.from_jsonl(path)
        >>> trees.alphabet, trees.classes
        (('a', 7), (0,))
        """
        with naming(path):
            return cls._of_jsonl(FilePath(path).read_bytes().decode())

    @classmethod
    def _of_jsonl(cls, text: str) -> TreeSet:
        alphabet, codes, parents, offsets, ids, classes = jsonl.parse(text)
        return cls._canonical(alphabet, (codes, parents, offsets), ids, classes)

    def to_jsonl(self, path: Path) -> None:
        """Write the trees to a JSON Lines file, with `ids` and `classes` if they exist.

        Parameters
        ----------
        path : str or path
            The file; it is replaced as a whole, and stays as it was if the disk is full.

        Raises
        ------
        TypeError
            If a label is neither str, int, float, bool, None nor a tuple of those.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import Tree, TreeSet
        >>> trees = TreeSet([Tree.from_sequence("ab")], ids=["t0"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trees.jsonl"
        ...     trees.to_jsonl(path)
        ...     print(path.read_text(), end="")
        {"id":"t0","nodes":["a","b"],"adj":[[1],[]]}
        """
        jsonl.write(self, path)

    @classmethod
    def from_bracket(cls, path: Path) -> TreeSet:
        r"""Read trees from a file with one tree in bracket notation per line.

        Parameters
        ----------
        path : str or path
            The file. An empty line is the empty tree.

        Returns
        -------
        TreeSet
            The trees.

        Raises
        ------
        ValueError
            If a line is not in bracket notation; the message gives file, line and position.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import TreeSet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trees.txt"
        ...     _ = path.write_text("{a{b}}\n{c}\n")
        ...     trees = TreeSet.from_bracket(path)
        >>> len(trees), trees.alphabet
        (2, ('a', 'b', 'c'))
        """
        with naming(path):
            return cls._of_bracket(FilePath(path).read_bytes().decode())

    @classmethod
    def _of_bracket(cls, text: str) -> TreeSet:
        alphabet, codes, parents, offsets = bracket.parse(text)
        return cls._canonical(alphabet, (codes, parents, offsets), None, None)

    def to_bracket(self, path: Path) -> None:
        """Write the trees to a file, one per line in bracket notation.

        Parameters
        ----------
        path : str or path
            The file; it is replaced as a whole, and stays as it was if the disk is full.

        Raises
        ------
        TypeError
            If a label is not of type ``str``.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import Tree, TreeSet
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trees.txt"
        ...     TreeSet([Tree.from_sequence("ab")]).to_bracket(path)
        ...     print(path.read_text(), end="")
        {a{b}}
        """
        bracket.write(self, path)

    @property
    def alphabet(self) -> tuple[Label, ...]:
        """The distinct labels, in order of first appearance."""
        return self._alphabet

    @property
    def ids(self) -> tuple[Any, ...] | None:
        """The names of the trees, or None."""
        return self._ids

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes of the trees, or None."""
        return self._classes

    @property
    def codes(self) -> IntArray:
        """Label codes of all nodes, tree after tree, in preorder; read-only."""
        return self._arrays[0]

    @property
    def parents(self) -> IntArray:
        """Parent of each node within its tree, -1 for a root; read-only."""
        return self._arrays[1]

    @property
    def offsets(self) -> OffsetArray:
        """The start of each tree, and the end of the last one; read-only."""
        return self._arrays[2]

    @property
    def sizes(self) -> OffsetArray:
        """Number of nodes of each tree."""
        return np.diff(self.offsets)

    def _core_set(self, threads: int = 1) -> _core.PreparedSet:
        """Return the trees prepared for the kernels; computed at first use."""
        if self._prepared is None:
            if isinstance(self._arrays[0].base, mmap):  # the file may have been written to since
                _core.check_arrays(len(self.alphabet), *self._arrays)
            # Trees that were compared before bring their preparation.
            prepared = _core.PreparedSet(*self._arrays, self._shapes, threads)
            self._put(_prepared=prepared, _shapes=None)
        return self._prepared  # type: ignore[return-value]

    def _codes_of(self, alphabet: tuple[Label, ...]) -> npt.NDArray[np.uint32]:
        """Return the codes of other labels in this set; labels that it lacks follow its own.

        The dictionary of the labels is kept: an index has many labels and a query has few.
        """
        if self._label_codes is None:
            self._put(_label_codes={label: code for code, label in enumerate(self.alphabet)})
        known: dict[Label, int] = self._label_codes  # type: ignore[assignment]
        others = itertools.count(len(known))
        codes = (known[label] if label in known else next(others) for label in alphabet)
        return np.fromiter(codes, dtype=np.uint32, count=len(alphabet))

    def __len__(self) -> int:
        return len(self._arrays[2]) - 1

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | np.ndarray[Any, Any]) -> TreeSet: ...

    def __getitem__(self, index: Any) -> Tree | TreeSet:
        if not isinstance(index, Integral) or isinstance(index, bool):
            return self._take(positions_of(index, len(self)))
        position = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= position < len(self):
            message = f"index {index} is out of range for a set of {len(self)} trees"
            raise IndexError(message)
        nodes = slice(self.offsets[position], self.offsets[position + 1])
        data = _core.TreeData.from_codes(self.alphabet, self.codes[nodes], self.parents[nodes])
        return Tree._wrap(data)

    def _take(self, chosen: np.ndarray[Any, Any]) -> TreeSet:
        picked = [_chosen(values, chosen) for values in (self.ids, self.classes)]
        return self._canonical(self.alphabet, take_arrays(self._arrays, chosen), *picked)

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

    def _value(self) -> tuple[Any, ...]:
        arrays = tuple(array.tobytes() for array in self._arrays)
        return (self.alphabet, *arrays, self.ids, self.classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSet):
            return NotImplemented
        return self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy sends its buffers out of band under protocol 5.
        return _rebuild, (self.alphabet, *self._arrays, self.ids, self.classes)

    def __repr__(self) -> str:
        nodes, labels = len(self.codes), len(self.alphabet)
        parts = (count_of(len(self), "tree"), count_of(nodes, "node"), count_of(labels, "label"))
        return f"<TreeSet of {', '.join(parts)}>"


def _rebuild(
    alphabet: tuple[Label, ...],
    codes: IntArray,
    parents: IntArray,
    offsets: OffsetArray,
    ids: tuple[Any, ...] | None,
    classes: tuple[Any, ...] | None,
) -> TreeSet:
    # Buffers that were received out of band belong to the caller, who may write to them, and may be
    # unaligned: dask takes them from the middle of a message.
    arrays: Any = tuple(a if a.flags.owndata else a.copy() for a in (codes, parents, offsets))
    _core.check_arrays(len(alphabet), *arrays)
    trees = TreeSet.__new__(TreeSet)
    trees._set(alphabet, arrays, ids, classes)
    return trees
