"""Costs of two alphabets as plain numbers, which can be sent to other processes."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from treemetric import _core
from treemetric._base.digest import digest
from treemetric._base.immutable import Immutable
from treemetric._base.typing import Label
from treemetric.costs.base import Costs, Parts, Symbol, Table

_NO_LABELS = "FrozenCosts do not contain the labels that the costs belong to"


class FrozenCosts(Immutable, Costs):
    """The costs of two alphabets without their labels; made by ``Costs._frozen``.

    Parameters
    ----------
    parts : tuple of ndarray
        The costs of replacing, deleting and inserting.
    """

    parts: Parts

    def __init__(self, parts: Parts) -> None:
        self._put(parts=parts)

    def to_matrix(self, alphabet: Any = None) -> NoReturn:
        """Raise TypeError: the labels are not known."""
        raise TypeError(_NO_LABELS)

    def _cost(self, old: Symbol, new: Symbol) -> NoReturn:
        raise TypeError(_NO_LABELS)

    def _parts(self, x: Any, y: Any) -> Parts:
        return self.parts

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        # Buffers that were received from another process may be unaligned.
        parts = (np.require(part, requirements=["C", "A"]) for part in self.parts)
        return _core.CostTable(*parts), None

    def _frozen(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> FrozenCosts:
        return self

    def _least_gap(self, x: Any, y: Any) -> float:
        return float(np.concatenate(self.parts[1:]).min(initial=np.inf))

    def _fingerprint(self) -> str:
        return digest(b"function", *self.parts)
