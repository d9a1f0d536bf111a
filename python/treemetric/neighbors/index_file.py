"""The file of an index: trees, labels, ids, classes, costs and pivots."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from treemetric import _core
from treemetric._base.array_file import ArrayFile, write_arrays
from treemetric._base.validation import check_norm
from treemetric.costs import Costs
from treemetric.costs.stored import restore_costs, store_costs
from treemetric.formats.json_values import decode_values, encode_values
from treemetric.neighbors.pivots import Pivots
from treemetric.treeset import TreeSet

_KIND = "treemetric.TreeIndex"
_FACTS = {"trees", "nodes", "labels", "norm", "n_pivots", "slack", "costs"}
_REQUIRED = {"codes", "parents", "offsets", "labels"}
_OPTIONAL = {"ids", "classes", "pivots", "pivot_distances"}
_OF_COSTS = {"costs", "costs_labels", "costs_own", "costs_projection"}


def write_index(
    path: Path,
    trees: TreeSet,
    costs: Costs,
    norm: str | None,
    pivots: tuple[int | str, Pivots | None],
) -> None:
    """Write an index; refuse labels, ids and costs that no file can hold."""
    wanted, chosen = pivots
    words, arrays = store_costs(costs, "TreeIndex.save")
    codes, parents, offsets = trees._arrays
    arrays = {**arrays, "codes": codes, "parents": parents, "offsets": offsets}
    texts = (("labels", trees.alphabet), ("ids", trees.ids), ("classes", trees.classes))
    for name, values in texts:
        if values is not None:
            arrays[name] = np.frombuffer(encode_values(values, name), dtype=np.uint8)
    if chosen is not None:
        arrays.update(pivots=chosen.chosen, pivot_distances=chosen.distances)
    facts = {
        "trees": len(trees),
        "nodes": len(codes),
        "labels": len(trees.alphabet),
        "norm": norm,
        "n_pivots": wanted,
        "slack": None if chosen is None else chosen.slack,
        "costs": words,
    }
    write_arrays(path, _KIND, f"treemetric {_core.__version__}", facts, arrays)


class IndexFile:
    """A stored index. Only its header is read until something else is asked for.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._file = ArrayFile(path, _KIND, "an index of treemetric")
        self.path, self.digest = path.absolute(), self._file.digest
        facts, names = self._file.facts, self._file.names()
        unknown = names - _REQUIRED - _OPTIONAL - _OF_COSTS
        missing = _REQUIRED - names
        if set(facts) != _FACTS or unknown or missing:
            fields = sorted((_FACTS ^ set(facts)) | unknown | missing)
            self._file.refuse(f"unknown or missing fields: {', '.join(map(str, fields))}")
        counts = [facts[name] for name in ("trees", "nodes", "labels")]
        if not all(type(count) is int and count >= 0 for count in counts):
            self._file.refuse(f"its numbers of trees, nodes and labels are {counts}")
        self.count: int = facts["trees"]
        wanted = facts["n_pivots"]
        if not (wanted == "auto" or (type(wanted) is int and wanted >= 0)):
            self._file.refuse(f"n_pivots is {wanted!r}")
        self.n_pivots: int | str = wanted
        try:
            self.norm = check_norm(facts["norm"], "TreeIndex")
        except ValueError as error:
            self._file.refuse(str(error))

    def check_unchanged(self) -> None:
        """Refuse the file if it was written to since it was opened."""
        self._file.check_unchanged()

    @cached_property
    def costs(self) -> Costs:
        """The costs."""
        words = self._file.facts["costs"]
        if not isinstance(words, dict):
            self._file.refuse(f"its costs are {words!r}")
        try:
            return restore_costs(words, self._file.array, self._file.names())
        except (ValueError, TypeError, RecursionError) as error:
            self._wrap(error)

    @cached_property
    def trees(self) -> TreeSet:
        """The trees, whose arrays are views of the file; all of them are checked first."""
        file, facts = self._file, self._file.facts
        try:
            labels = decode_values(file.array("labels", np.uint8).tobytes())
            ids, classes = (
                decode_values(file.array(name, np.uint8).tobytes())
                if name in file.names()
                else None
                for name in ("ids", "classes")
            )
            arrays = (
                file.array("codes", np.int32),
                file.array("parents", np.int32),
                file.array("offsets", np.int64),
            )
            _core.check_arrays(len(labels), *arrays)
            counts = [len(arrays[2]) - 1, len(arrays[0]), len(labels)]
            stated = [facts[name] for name in ("trees", "nodes", "labels")]
            if counts != stated or len(set(labels)) != len(labels):
                file.refuse(f"{counts} trees, nodes and labels, where the header has {stated}")
            trees = TreeSet.__new__(TreeSet)
            trees._set(labels, arrays, ids, classes)
        except (ValueError, TypeError, RecursionError) as error:
            self._wrap(error)
        return trees

    @cached_property
    def pivots(self) -> Pivots | None:
        """The pivots."""
        names, slack = self._file.names(), self._file.facts["slack"]
        present = {"pivots", "pivot_distances"} & names
        if slack is None and not present:
            return None
        if len(present) < 2 or type(slack) is not float or not slack >= 0:
            self._file.refuse("its pivots are incomplete")
        chosen = self._file.array("pivots", np.uint32)
        distances = self._file.array("pivot_distances", np.float64)
        if len(chosen) == 0 or chosen.max() >= self.count:
            self._file.refuse(f"its pivots are not among its {self.count} trees")
        if len(distances) != len(chosen) * self.count:
            self._file.refuse(f"it has {len(distances)} distances of {len(chosen)} pivots")
        return Pivots(chosen, distances, slack)

    def _wrap(self, error: Exception) -> NoReturn:
        """Raise an error that names the file."""
        if str(error).startswith(str(self._file.path)):
            raise error
        self._file.refuse(str(error))
