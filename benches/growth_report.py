"""The record of the growth of time and memory: tables and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from growth_theory import GROWTH, exponent
from report import Report, spell

if TYPE_CHECKING:
    from growth import Curves, Point

_MARKS = "osv^D*PX"


def _fit(points: list[Point], value: str) -> tuple[float, float, float] | None:
    known = [(p.n, getattr(p, value)) for p in points if getattr(p, value)]
    return exponent([n for n, _ in known], [float(v) for _, v in known])


def _fit_count(points: list[Point], key: str) -> str:
    known = [(p.n, p.counted[key]) for p in points if p.counted]
    found = exponent([n for n, _ in known], [value for _, value in known])
    return "" if found is None else f"{found[0]:.2f}"


def _spell_fit(found: tuple[float, float, float] | None) -> str:
    return "" if found is None else f"{found[0]:.2f}"


def megabytes(size: int | None) -> str:
    """Return bytes as text in millions, with about three digits."""
    if size is None:
        return ""
    return f"{size / 1e6:.3g}" if size < 1e8 else f"{size / 1e6:.0f}"


# ------------------------------------------------------------------------------ tables


def markdown(
    pairs: Curves, memory: Curves, sets: Curves, longest: float, report: Report, figure: str
) -> list[str]:
    """Return the lines of the page."""
    return [
        f"# Growth of time and memory, {report.date}",
        "",
        f"{report.cpu}; {report.versions}. Processor time of one thread, trees prepared before "
        "timing, minimum of several rounds. Peak memory is the memory that a call adds in a "
        "separate process.",
        "",
        f"![time and memory]({figure})",
        "",
        "## One pair: exponents",
        "",
        "The power of n that fits the times of the upper half of the sizes, and the powers for the "
        "Zhang-Shasha cells counted on the same trees: with left paths, with the better of left "
        "and right paths, and for the bound n² min(depth, leaves)². The last column states the "
        "theory: growth of the cells with left paths / with the better kind / with the best paths "
        "for every pair of subtrees, at most O(n³) for any shape. Times of unit costs increase in "
        "steps at 128 nodes, where 8-bit lanes become 16-bit lanes, and where tables outgrow a "
        "cache. Small trees do not fill vectors, so times can also grow more slowly than cells.",
        "",
        *_exponent_table(pairs),
        "",
        *[
            line
            for costs, title in (("unit", "unit costs"), ("matrix", "float64 cost matrix"))
            for line in (f"## One pair, {title}", "", *_time_table(pairs, costs, longest), "")
        ],
        "## One pair: peak memory, MB",
        "",
        *_memory_table(memory),
        "",
        "## All pairs, unit costs",
        "",
        "Theory: time and the matrix itself grow with the square of the number of trees.",
        "",
        *_set_tables(sets),
    ]


def _exponent_table(pairs: Curves) -> list[str]:
    lines = [
        "| shape | sizes | time, unit | time, matrix | cells, left | cells, better | bound "
        "| theory |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for shape in dict.fromkeys(shape for shape, _ in pairs):
        unit, matrix = pairs[shape, "unit"], pairs[shape, "matrix"]
        fits = [_fit(points, "seconds") for points in (unit, matrix)]
        sizes = "" if fits[0] is None else f"{fits[0][1]:.0f} to {fits[0][2]:.0f}"
        if fits[0] and fits[1] and fits[0][1:] != fits[1][1:]:
            sizes += f"; {fits[1][1]:.0f} to {fits[1][2]:.0f}"
        counted = [_fit_count(unit, key) for key in ("left", "better", "bound")]
        cells = [shape, sizes, *map(_spell_fit, fits), *counted, " / ".join(GROWTH[shape])]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _time_table(pairs: Curves, costs: str, longest: float) -> list[str]:
    curves = {shape: points for (shape, kind), points in pairs.items() if kind == costs}
    sizes = sorted({point.n for points in curves.values() for point in points})
    lines = [f"| n | {' | '.join(curves)} |", f"|---:|{'---:|' * len(curves)}"]
    for n in sizes:
        found = [{p.n: p.seconds for p in points}.get(n) for points in curves.values()]
        lines.append(f"| {n} | {' | '.join(map(spell, found))} |")
    if any(len(points) < len(sizes) for points in curves.values()):
        lines += ["", f"Empty: a pair would take more than {longest:.0f} s."]
    return lines


def _memory_table(memory: Curves) -> list[str]:
    heads = [f"{shape}, {costs}" for shape, costs in memory]
    lines = [f"| n | {' | '.join(heads)} |", f"|---:|{'---:|' * len(heads)}"]
    for n in sorted({point.n for points in memory.values() for point in points}):
        found = [{p.n: p.peak for p in points}.get(n) for points in memory.values()]
        lines.append(f"| {n} | {' | '.join(map(megabytes, found))} |")
    fits = [_spell_fit(_fit(points, "peak")) for points in memory.values()]
    return [*lines, f"| exponent | {' | '.join(fits)} |"]


def _set_tables(sets: Curves) -> list[str]:
    lines = []
    for (name, _), points in sets.items():
        lines += [
            f"| {name}: trees | time | per pair | peak memory, MB | beyond the matrix, MB |",
            "|---:|---:|---:|---:|---:|",
        ]
        for n, seconds, peak, _ in points:
            beyond = None if peak is None else max(peak - 8 * n * n, 0)
            per_pair = None if seconds is None else seconds / (n * (n - 1) / 2)
            cells = [spell(seconds), spell(per_pair), megabytes(peak), megabytes(beyond)]
            lines.append(f"| {n} | {' | '.join(cells)} |")
        fits = [_spell_fit(_fit(points, value)) for value in ("seconds", "peak")]
        lines += [f"| exponent | {fits[0]} | | {fits[1]} | |", ""]
    return lines[:-1]


# ------------------------------------------------------------------------------ figure


def draw(pairs: Curves, memory: Curves, sets: Curves) -> Any:
    """Draw time and memory of one pair and of all pairs."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 10), layout="constrained")
    for place, costs, title in (
        (axes[0, 0], "unit", "one pair, unit costs"),
        (axes[0, 1], "matrix", "one pair, float64 cost matrix"),
    ):
        curves = {shape: points for (shape, kind), points in pairs.items() if kind == costs}
        _lines(place, curves, "seconds")
        _label(place, title, "nodes of each tree", "processor time, seconds")
        _guides(place, curves)
        place.legend(fontsize=8, ncols=2, loc="upper left")
    bottom, top = (
        pick(place.get_ylim()[side] for place in axes[0]) for pick, side in ((min, 0), (max, 1))
    )
    for place in axes[0]:
        place.set_ylim(bottom, top)
    left, right = axes[1]
    _lines(left, {name: points for (name, _), points in sets.items()}, "seconds")
    _label(left, "all pairs, unit costs", "number of trees", "processor time, seconds")
    curves = {name: points for (name, _), points in sets.items()}
    _guides(left, curves, powers=(2,))
    left.legend(fontsize=8, loc="upper left")
    styles = {f"one pair, {shape}, {costs}": points for (shape, costs), points in memory.items()}
    styles |= {f"all pairs, {name}": points for (name, _), points in sets.items()}
    _lines(right, styles, "peak", scale=1e-6)
    _label(right, "peak memory", "nodes of each tree, or number of trees", "MB added")
    # Make room for the legend above the lines.
    right.set_ylim(top=right.get_ylim()[1] * 100)
    right.legend(fontsize=8, ncols=2, loc="upper left")
    return figure


def _lines(place: Any, curves: dict[str, list[Point]], value: str, scale: float = 1.0) -> None:
    for k, (name, points) in enumerate(curves.items()):
        known = [(p.n, getattr(p, value) * scale) for p in points if getattr(p, value)]
        fitted = _fit(points, value)
        label = name if fitted is None else f"{name}, n^{fitted[0]:.2f}"
        if known:
            mark = _MARKS[k % len(_MARKS)]
            place.loglog(*zip(*known, strict=True), marker=mark, ms=5, lw=1.4, label=label)


def _guides(place: Any, curves: dict[str, list[Point]], powers: tuple[int, ...] = (2, 3)) -> None:
    """Draw powers of n below the lines, for a comparison of slopes."""
    known = [(p.n, p.seconds) for points in curves.values() for p in points if p.seconds]
    if not known:
        return
    largest = max(n for n, _ in known)
    floor = min(seconds for n, seconds in known if n == largest)
    for power in powers:
        low = largest / 10
        values = [floor / 3 * (n / largest) ** power for n in (low, largest)]
        place.loglog((low, largest), values, color="0.6", ls=":", lw=1)
        place.annotate(
            f"n{'⁰¹²³⁴'[power]}",
            (low, values[0]),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color="0.4",
            fontsize=9,
        )


def _label(place: Any, title: str, x: str, y: str) -> None:
    place.set_title(title)
    place.set_xlabel(x)
    place.set_ylabel(y)
    place.grid(visible=True, which="major", alpha=0.3)
