"""Time and memory on the page of each name, from the tables of reference/complexity.md."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = Path(__file__).parents[1] / "reference" / "complexity.md"


def rows() -> dict[str, list[tuple[str, list[tuple[str, str]]]]]:
    """Return, for each name, the calls that have a row and the cells of these rows.

    A row serves all names in its first cell; "`within` with `out`" is a second row of `within`.
    """
    found: dict[str, list[tuple[str, list[tuple[str, str]]]]] = {}
    headings: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            headings = []
        elif not headings:
            headings = cells
        elif set(cells[0]) - set("-:"):
            for call in cells[0].split(", "):
                name = re.match(r"`([\w.]+)`", call)
                if name:
                    pairs = [(h, c) for h, c in zip(headings[1:], cells[1:], strict=True) if c]
                    found.setdefault(name[1], []).append((call, pairs))
    return found


def rows_of(name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the rows of a public name; the interfaces of other packages have one row each."""
    short = name.removeprefix("treemetric.")
    if short.startswith("compat."):
        short = ".".join(short.split(".")[:2])
    return ROWS.get(short, [])


def add(_app: "Sphinx", what: str, name: str, _item: Any, _options: Any, lines: list[str]) -> None:
    """Append the rows of a name to its docstring."""
    found = rows_of(name) if what in ("class", "function", "exception") else []
    if found:
        lines += ["", ".. rubric:: Time and memory", ""]
    for call, cells in found:
        lines += [f"{_rst(call)}:", ""] if " with " in call else []
        lines += [f"* {heading.strip('`')}: {_rst(text)}" for heading, text in cells] + [""]
    if found:
        lines += ["Symbols and examples: :doc:`/reference/complexity`.", ""]


def _rst(text: str) -> str:
    """Return Markdown of a cell as reStructuredText."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    # An escaped blank separates code from a letter or an exponent that follows it.
    return re.sub(r"`([^`]+)`", r"``\1``\\ ", text)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Register the addition, after numpydoc has made its sections."""
    app.connect("autodoc-process-docstring", add, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


ROWS = rows()
