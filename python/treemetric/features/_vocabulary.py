"""The features of training trees, their columns and their names."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.typing import IntArray, Label
from treemetric.features._kinds import KINDS

# The families of the core, in the order of their numbers, and the kind of each.
_FAMILIES = (
    "label",
    "path",
    "root",
    "leaf",
    "siblings",
    "pqgram",
    "subtree",
    "cut",
    "production",
)
_COUNT = len(_FAMILIES)
_CUT = _FAMILIES.index("cut")
_KIND_OF = np.array([0, 1, 1, 1, 1, 2, 3, 3, 3])
# The core's symbol for a node that does not exist.
_STAR = 2**32 - 2
_Numbers = npt.NDArray[np.uint32]
# Characters of the name of a subtree.
_LONGEST = 200


class Vocabulary:
    """Features as strings of symbols, and the columns of those that are used.

    Parameters
    ----------
    alphabet
        The labels that symbols refer to.
    prefix, symbol
        Each entry is a shorter one and one more symbol; entries count from the number of families.
    family
        What each entry begins with.
    """

    def __init__(
        self,
        alphabet: tuple[Label, ...],
        prefix: _Numbers,
        symbol: _Numbers,
        family: npt.NDArray[np.uint8],
    ) -> None:
        self.alphabet, self.prefix, self.symbol, self.family = alphabet, prefix, symbol, family
        self.entries: npt.NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._trie: _core.FeatureTrie | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_trie": None}

    def choose(
        self, ids: _Numbers, counts: npt.NDArray[np.float64], least: float, most: int | None
    ) -> None:
        """Use features of at least `least` trees, and only the `most` most frequent ones.

        ``ids`` and ``counts`` are the entries of all rows. Columns are sorted by kind, then by
        first appearance.
        """
        trees = np.bincount(ids, minlength=_COUNT)[_COUNT:]
        kept = np.flatnonzero(trees >= max(least, 1))
        if most is not None and len(kept) > most:
            total = np.bincount(ids, weights=counts, minlength=_COUNT)[_COUNT:]
            frequent = np.argsort(-total[kept], kind="stable")[:most]
            kept = np.sort(kept[frequent])
        kind = _KIND_OF[self.family[kept]]
        self.entries = kept[np.argsort(kind, kind="stable")]

    @property
    def trie(self) -> _core.FeatureTrie:
        """The strings in the core; built at first use."""
        if self._trie is None:
            self._trie = _core.FeatureTrie(self.prefix, self.symbol)
        return self._trie

    def columns(self) -> npt.NDArray[np.int64]:
        """Return the column of each number of the core, -1 if it is not used."""
        table = np.full(_COUNT + len(self.prefix), -1, dtype=np.int64)
        table[_COUNT + self.entries] = np.arange(len(self.entries))
        return table

    def codes_of(self, alphabet: tuple[Label, ...]) -> IntArray:
        """Return the code of each label of other trees, -1 if it is unknown."""
        index = {label: code for code, label in enumerate(self.alphabet)}
        return np.array([index.get(label, -1) for label in alphabet], dtype=np.int32)

    def names(self, p: int, *, prefixed: bool) -> list[str]:
        """Return readable names of all columns, with their kinds if ``prefixed``; all differ.

        ``p`` is the number of nodes of the stem of pq-grams. Names that would be equal have their
        labels in quotation marks, or else a number at the end.
        """
        entries = self.entries.tolist()
        subtrees: tuple[dict[int, str], ...] = ({}, {})

        def name_of(entry: int, *, quoted: bool) -> str:
            name = self._name(entry, p, subtrees[quoted], quoted=quoted)
            kind = KINDS[_KIND_OF[self.family[entry]]]
            return f"{kind}__{name}" if prefixed else name

        found = [name_of(entry, quoted=False) for entry in entries]
        quoted: set[int] = set()
        # A name in quotation marks can equal the name of another column, which then needs them.
        while True:
            times = Counter(found)
            new = {place for place, name in enumerate(found) if times[name] > 1} - quoted
            if not new:
                return numbered(found)
            for place in new:
                found[place] = name_of(entries[place], quoted=True)
            quoted |= new

    def _name(self, entry: int, p: int, subtrees: dict[int, str], *, quoted: bool) -> str:
        family = _FAMILIES[self.family[entry]]
        if family in ("subtree", "cut"):
            return self._subtree(entry, subtrees, quoted=quoted)
        labels = [self._label(symbol, quoted=quoted) for symbol in self._symbols(entry)]
        if family == "pqgram":
            return f"{' > '.join(labels[:p])} ({', '.join(labels[p:])})"
        if family == "siblings":
            return ", ".join(labels)
        marked = {"root": ["(root)", *labels], "leaf": [*labels, "(leaf)"]}
        return " > ".join(marked.get(family, labels))

    def _symbols(self, entry: int) -> list[int]:
        """Return the symbols of an entry after its family."""
        symbols = []
        while entry >= 0:
            symbols.append(int(self.symbol[entry]))
            entry = int(self.prefix[entry]) - _COUNT
        return symbols[::-1]

    def _label(self, symbol: int, *, quoted: bool) -> str:
        if symbol == _STAR:
            return "*"
        label = self.alphabet[symbol]
        return label if isinstance(label, str) and not quoted else repr(label)

    def _subtree(self, entry: int, known: dict[int, str], *, quoted: bool) -> str:
        """Return the name of a subtree; children first, without recursion."""
        waiting = [entry]
        while waiting:
            top = waiting[-1]
            symbol, *children = self._symbols(top)
            below = [child - _COUNT for child in children]
            missing = [child for child in below if child not in known]
            if missing:
                waiting += missing
                continue
            inner = ", ".join(known[child] for child in below)
            inner = "…" if self.family[top] == _CUT else inner
            label = self._label(symbol, quoted=quoted)
            known[top] = _shortened(f"{label}({inner})" if inner else label)
            waiting.pop()
        return known[entry]


def _shortened(name: str) -> str:
    """Leave out the middle of a long name."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST // 2]} … {name[-_LONGEST // 4 :]}"


def numbered(names: list[str]) -> list[str]:
    """Add a number to names that occurred before, such that all differ."""
    taken = set(names)
    if len(taken) == len(names):
        return names
    found, seen = [], Counter[str]()
    for name in names:
        unique = name
        while seen[name] and unique in taken:
            seen[name] += 1
            unique = f"{name} #{seen[name]}"
        seen[name] = max(1, seen[name])
        taken.add(unique)
        found.append(unique)
    return found
