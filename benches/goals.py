"""The goals of the project and the measured values, in one table over all kinds of work.

"C++" is the best of the programs in tree-similarity (Zhang-Shasha and APTED, unit costs or a cost
matrix), which is not on PyPI. Its time is not measured but derived. It is the time of the C++
program on the machine where the goals were set, multiplied by the ratio of edist's time here to
edist's time there on the same work. For some shapes edist's time there is unknown; these are
scaled by edist's time for one random pair of 1000 nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from report import WALL, spell, times

if TYPE_CHECKING:
    from report import Report, Row

PEERS = ("edist", "zss", "apted")


class Work(NamedTuple):
    """A kind of work and its goal, if it has one."""

    name: str
    task: str
    shape: str
    n: int
    least: float | None = None  # required speed-up over `against`
    against: str = "edist"


WORKS = (
    Work("one AST pair, unit costs", "pair, unit", "ast", 0, 60),
    *(
        Work(f"one random pair, n = {n}, unit costs", "pair, unit", "random", n, least)
        for n, least in (
            *((10, None), (20, None), (50, None), (100, 40)),
            *((200, None), (500, None), (1000, 25)),
        )
    ),
    *(
        Work(f"{name}, n = {n}, unit costs", "pair, unit", shape, n)
        for name, shape, sizes in (
            ("recursive random", "recursive", (100, 1000)),
            ("full binary", "binary", (100, 1000)),
            ("left branch", "left", (100, 1000)),
            ("right branch", "right", (100, 500, 1000)),
            ("star", "star", (100, 1000)),
            ("table", "table", (100, 1000)),
            ("mixed", "mixed", (100, 500, 1000)),
            ("zigzag", "zigzag", (100, 500)),
        )
        for n in sizes
    ),
    Work("zigzag, n = 1000, unit costs", "pair, unit", "zigzag", 1000, 5, "C++"),
    Work("one AST pair, float64 matrix", "pair, matrix", "ast", 0, 50),
    *(
        Work(f"one random pair, n = {n}, float64 matrix", "pair, matrix", "random", n)
        for n in (10, 20, 50, 100, 200, 500, 1000)
    ),
    *(
        Work(f"{name}, n = {n}, float64 matrix", "pair, matrix", shape, n)
        for name, shape, sizes in (
            ("left branch", "left", (100, 1000)),
            ("right branch", "right", (100, 1000)),
            ("mixed", "mixed", (100, 1000)),
            ("zigzag", "zigzag", (100, 500)),
        )
        for n in sizes
    ),
    Work("all pairs of 1000 ASTs", "all pairs", "ast", 1000, 120),
    Work("all pairs of 400 random trees, n = 10", "all pairs", "random 10", 400, 80),
    Work("all pairs of 400 random trees, n = 20", "all pairs", "random 20", 400, 80),
    Work("all pairs of 400 random trees, n = 50", "all pairs", "random 50", 400),
    Work("all pairs of 1000 random trees, n = 10 to 40", "all pairs", "random 10-40", 1000),
    Work("pairs of 1000 ASTs up to distance 5", "bounded", "ast, cutoff 5", 1000),
    Work("pairs of 1000 ASTs up to distance 20", "bounded", "ast, cutoff 20", 1000),
    *(
        Work(f"exact {k}-NN of one AST among {n}", "nearest", f"ast, k = {k}", n, 3, "exhaustive")
        for n in (500, 5000)
        for k in (1, 5)
    ),
)

# Seconds of C++ and of edist on the machine where the goals were set, for one pair or for all pairs
# of a set; None if edist's time is unknown.
_RANDOM = (5.9, 15.4), (37.4, 34.8), (515, 254), (3105, 1413), (29_110, 16_524)
_RANDOM += (316_127, 113_815), (2_136_728, 999_248)
_MATRIX = (16.1, 86.8), (14.7, 39.2), (19.4, 25.6), (15.1, 14.9), (16.1, 12.5), (14.8, 12.6)
_MATRIX += ((15.8, 8.2),)  # both per cell
_SIZES = (10, 20, 50, 100, 200, 500, 1000)
CPP: dict[tuple[str, str, int], tuple[float, float | None]] = {
    ("pair, unit", "ast", 0): (609e-6, 442e-6),
    **{
        ("pair, unit", "random", n): (cpp * 1e-6, edist * 1e-6)
        for n, (cpp, edist) in zip(_SIZES, _RANDOM, strict=True)
    },
    ("pair, unit", "right", 500): (11e-3, None),
    ("pair, unit", "mixed", 1000): (1.07, None),
    ("pair, unit", "zigzag", 100): (4.9e-3, None),
    ("pair, unit", "zigzag", 500): (0.45, None),
    ("pair, unit", "zigzag", 1000): (4.0, 95.0),
    ("pair, matrix", "ast", 0): (580e-6, 1494e-6),
    **{
        ("pair, matrix", "random", n): (cpp * 1e-9, edist * 1e-9)
        for n, (cpp, edist) in zip(_SIZES, _MATRIX, strict=True)
    },
    ("all pairs", "ast", 1000): (304.0, 221.0),
    ("all pairs", "random 10", 400): (6.5, 15.0),
    ("all pairs", "random 20", 400): (38.0, 35.0),
    ("all pairs", "random 50", 400): (426.0, 254.0),
}
_YARDSTICK = ("pair, unit", "random", 1000)


def cpp_seconds(report: Report, task: str, shape: str, n: int) -> tuple[float | None, str]:
    """Return the derived time of C++ on this machine, and a mark for the derivation."""
    if (task, shape, n) not in CPP:
        return None, ""
    there, edist_there = CPP[task, shape, n]
    key, mark = (task, shape, n), "†"
    if edist_there is None:
        key, mark = _YARDSTICK, "‡"
        edist_there = CPP[key][1]
    here = report.find(*key, "edist")
    if here is None or here.seconds is None or edist_there is None:
        return None, ""
    return there * here.seconds / edist_there, mark


def goal_table(report: Report) -> list[str]:
    """Return the table of measured work, and its notes."""
    lines = [
        "| work | edist | zss | apted | C++ | treemetric | two threads | next best | goal "
        "| reached | met |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for work in WORKS:
        own = report.find(work.task, work.shape, work.n, "treemetric")
        if own is not None and own.seconds is not None:
            lines.append(_line(report, work, own))
    lines += _other_lines(report)
    return [
        *lines,
        "",
        "\\* extrapolated: from smaller trees, or from a random sample of the pairs.",
        "",
        "† derived: time of C++ on the machine where the goals were set, multiplied by the ratio "
        "of edist's time here to edist's time there. ‡ the same, with edist's time for one random "
        "pair of 1000 nodes.",
        "",
        "Next best: ratio of the time of the fastest other engine to the time of treemetric. For "
        "a cutoff or nearest neighbours, the other engines compute all distances. Times of nearest "
        "neighbours are per query, on one thread, relative to treemetric's own exhaustive search.",
    ]


def _line(report: Report, work: Work, own: Row) -> str:
    key = (work.task, work.shape, work.n)
    ratios: dict[str, float] = {}
    cells = []
    for name in PEERS:
        row = report.find(*key, name)
        cells.append(_peer_cell(row))
        if row is not None and row.ratio is not None:
            ratios[name] = row.ratio
    derived, mark = cpp_seconds(report, *key)
    cells.append("" if derived is None else f"{spell(derived)}{mark}")
    if derived is not None and own.seconds:
        # On the pairs that edist computed, if they are fewer.
        own_of_edist = own.seconds
        edist = report.find(*key, "edist")
        if mark == "†" and edist and edist.seconds and edist.ratio:
            own_of_edist = edist.seconds / edist.ratio
        ratios["C++"] = derived / own_of_edist
    exhaustive = report.find(*key, "exhaustive")
    two = report.find(*key, WALL, 2)
    cells += [spell(own.seconds), spell(two.seconds) if two else ""]
    best = min(ratios, key=ratios.__getitem__, default=None)
    cells.append("" if best is None else f"{times(ratios[best])} ({best})")
    if exhaustive is not None and exhaustive.ratio is not None:
        ratios["exhaustive"] = exhaustive.ratio
    reached = ratios.get(work.against)
    ahead = best is None or ratios[best] > 1
    if work.least is None:
        cells += ["ahead", "" if best is None else times(ratios[best]), _yes(met=ahead)]
    else:
        met = ahead and reached is not None and reached >= work.least
        cells += [f"≥ {work.least:g} times {work.against}", times(reached), _yes(met=met)]
    return f"| {work.name} | {' | '.join(cells)} |"


def _peer_cell(row: Row | None) -> str:
    if row is None:
        return ""
    return spell(row.seconds) + ("*" if row.seconds and "extrapolated" in row.note else "")


def _other_lines(report: Report) -> list[str]:
    """Return the lines of goals that do not involve peers."""
    lines = []
    share = report.find("expectation", "ast", 0, "treemetric")
    if share and share.seconds is not None:
        found = float(share.note.split()[0])
        edist = report.find("expectation", "ast", 0, "edist")
        lines.append(
            f"| expectation matrix, one AST pair | {edist.note if edist else ''} | | | | "
            f"{spell(share.seconds)} | | | ≤ 3 ns per cell | {found:.2f} | {_yes(met=found <= 3)} |"
        )
    for shape in ("zigzag", "left"):
        lines += _mirror_line(report, shape)
    one = report.find("all pairs", "random 10-40", 1000, WALL)
    two = report.find("all pairs", "random 10-40", 1000, WALL, 2)
    if one and two and one.seconds and two.seconds:
        efficiency = one.seconds / (2 * two.seconds)
        lines.append(
            "| parallel efficiency on two cores, 1000 trees of 10 to 40 nodes | | | | | "
            f"{spell(one.seconds)} | {spell(two.seconds)} | | ≥ 0.9 | {efficiency:.2f} | "
            f"{_yes(met=efficiency >= 0.9)} |"
        )
    call = report.find("call", "random", 10, "treemetric")
    if call and call.seconds is not None:
        lines.append(
            "| one call of `distance`, two trees of 10 nodes | | | | | "
            f"{spell(call.seconds)} | | | < 3 µs | | {_yes(met=call.seconds < 3e-6)} |"
        )
    return lines


def _mirror_line(report: Report, shape: str) -> list[str]:
    """Return the line that compares a pair with its mirror image.

    Left paths are better for one of them and right paths for the other, so equal times
    mean that the better kind was chosen.
    """
    rows = [row for row in report.rows if row[:2] == ("mirror", shape)]
    if not rows or not rows[-1].ratio:
        return []
    row = rows[-1]
    worse = max(row.ratio, 1 / row.ratio)
    return [
        f"| {shape} and its mirror image, n = {row.n} | | | | | {spell(rows[-2].seconds)} | | | "
        f"≤ 1.2 apart | {worse:.2f} | {_yes(met=worse <= 1.2)} |"
    ]


def _yes(*, met: bool) -> str:
    return "yes" if met else "**no**"
