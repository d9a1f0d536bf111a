"""Objects that cannot be changed after they are made."""

from __future__ import annotations

from typing import Any, Self


class Immutable:
    """Mixin for immutable values: setting or deleting an attribute raises AttributeError.

    A class sets its attributes in ``__init__`` with `_put`. Copies are the object itself. A
    subclass that is pickled by its slots needs a ``__reduce__``, because the default sets
    attributes.
    """

    __slots__ = ()

    def _put(self, **values: Any) -> None:
        """Set attributes while the object is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        message = f"{type(self).__name__} is immutable: cannot set {name!r}"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        message = f"{type(self).__name__} is immutable: cannot delete {name!r}"
        raise AttributeError(message)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
