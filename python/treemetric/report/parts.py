"""Pieces of a report in HTML: cards, tables and bar charts. Everything that is given is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

__all__ = ["bar", "card", "cards", "code", "counted", "histogram", "number", "table"]

_BARS = 40
_WIDTH, _HEIGHT = 460, 170
_LEFT, _BOTTOM, _TOP = 8, 22, 16
_LONGEST = 160


def number(value: float) -> str:
    """Return a number with commas between thousands."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: "1 tree", "1,000 trees"."""
    return f"{number(count)} {_plural(count, noun)}"


def card(count: int, noun: str) -> tuple[str, str]:
    """Return a number and what it counts, for `cards`."""
    return number(count), _plural(count, noun)


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def code(text: object) -> str:
    """Return a name or a label."""
    shown = str(text)
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
    return f"<code>{escape(shown.encode('utf-8', 'replace').decode())}</code>"


def cards(items: Iterable[tuple[str, str]]) -> str:
    """Return numbers with what they count."""
    inner = "".join(
        f'<div class="card"><b>{escape(value)}</b><span>{escape(what)}</span></div>'
        for value, what in items
    )
    return f'<div class="cards">{inner}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int]) -> str:
    """Return a table; the columns `numbers` are aligned on the right. Cells are HTML."""
    kind = [' class="number"' if at in numbers else "" for at in range(len(header))]
    head = "".join(f"<th{kind[at]}>{escape(text)}</th>" for at, text in enumerate(header))
    body = "".join(
        "<tr>" + "".join(f"<td{kind[at]}>{cell}</td>" for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<div class="table"><table><tr>{head}</tr>{body}</table></div>'


def bar(share: float) -> str:
    """Return a bar whose length is a share of its cell."""
    return f'<span class="bar" style="width:{100 * min(max(share, 0.0), 1.0):.2f}%"></span>'


def histogram(values: NDArray[np.int64], what: str) -> str:
    """Return a bar chart of whole numbers, on a logarithmic scale if they spread widely."""
    if not len(values):
        return ""
    edges = _edges(int(values.min()), int(values.max()))
    counts, _ = np.histogram(values, bins=edges)
    highest = int(counts.max())
    step = (_WIDTH - 2 * _LEFT) / len(counts)
    floor = _HEIGHT - _BOTTOM
    parts = [f'<line x1="{_LEFT}" x2="{_WIDTH - _LEFT}" y1="{floor}" y2="{floor}"/>']
    for at, count in enumerate(counts.tolist()):
        height = (floor - _TOP) * count / highest
        # A single tree must be visible.
        height = max(height, 1.5) if count else 0.0
        first, last = int(edges[at]), int(edges[at + 1]) - 1
        span = f"{first:,} to {last:,} {what}" if first < last else counted(first, what[:-1])
        parts.append(
            f'<rect x="{_LEFT + at * step:.2f}" y="{floor - height:.2f}" '
            f'width="{max(step - 1, 0.6):.2f}" height="{height:.2f}">'
            f"<title>{escape(span)}: {counted(count, 'tree')}</title></rect>"
        )
    for at in sorted({0, len(counts) // 2, len(counts) - 1}):
        x = _LEFT + (at + 0.5) * step
        anchor = "start" if at == 0 and len(counts) > 1 else "middle"
        anchor = "end" if at == len(counts) - 1 and len(counts) > 1 else anchor
        # The last number is the largest value, the others are the first values of their bars.
        value = int(edges[at]) if at == 0 or anchor == "middle" else int(edges[at + 1]) - 1
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}">{value:,}</text>')
    parts.append(f'<text x="{_LEFT}" y="11">highest bar: {counted(highest, "tree")}</text>')
    label = escape(f"Histogram of {what} per tree")
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _edges(low: int, high: int) -> NDArray[np.int64]:
    """Return the first number of each bar, and one more than the last number."""
    if high - low < _BARS:
        return np.arange(low, high + 2)
    if high > 20 * max(low, 1):
        # Wider bars for larger numbers.
        points = np.geomspace(max(low, 1), high + 1, _BARS + 1)
        edges = np.unique(np.round(points).astype(np.int64))
        edges[0], edges[-1] = low, high + 1
        return np.unique(edges)
    return np.unique(np.linspace(low, high + 1, _BARS + 1).astype(np.int64))
