"""Tables of the benchmarks page and of the start page, from the records in benches/record/.

Sphinx is not needed here: cells of notebooks import this module.
"""

import re
from pathlib import Path

import pandas as pd
from IPython.display import Markdown

RECORD = Path(__file__).resolve().parents[2] / "benches" / "record"
ENGINES = ("treemetric", "edist", "apted", "zss")
_UNITS = (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
# The rows of the start page: their names, tasks, shapes and sizes.
_SHORT = (
    ("all pairs of 1,000 functions of Python's library", "all pairs", "syntax trees", 1000),
    ("all pairs of 400 random trees of 20 nodes", "all pairs", "random 20", 400),
    ("one pair of random trees of 100 nodes", "pair, unit", "random", 100),
)


def newest() -> tuple[str, pd.DataFrame]:
    """Return the name and the rows of the newest record of treemetric and its peers."""
    files = [path for path in RECORD.glob("*.csv") if "versions" in pd.read_csv(path, nrows=0)]
    path = max(files)
    record = pd.read_csv(path)
    record["shape"] = record["shape"].replace("ast", "syntax trees")
    return path.stem, record


def one_thread(record: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the engines that readers know, on one thread."""
    return record[(record["threads"] == 1) & record["engine"].isin(ENGINES)]


def readable(seconds: float) -> str:
    """Return a time with a unit that suits it."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    unit, scale = next((u, s) for u, s in _UNITS if seconds >= s)
    return f"{seconds / scale:,.3g} {unit}" if seconds < 1000 else f"{seconds:,.0f} s"


def table(rows: pd.DataFrame) -> Markdown:
    """Return rows of times, one column per engine, and how many times longer the others take."""
    lines = ["| | " + " | ".join(ENGINES) + " |", "|---|" + "---:|" * len(ENGINES)]
    for name, group in rows.groupby("name", sort=False):
        cells = []
        for engine in ENGINES:
            one = group[group["engine"] == engine]
            if not len(one) or pd.isna(one["seconds"].iloc[0]):
                cells.append("")
                continue
            cell = readable(one["seconds"].iloc[0])
            if "extrapolated" in str(one["note"].iloc[0]):
                cell += "\\*"
            if engine != "treemetric":
                ratio = one["ratio_to_treemetric"].iloc[0]
                cell += f"<br>{ratio:,.{0 if ratio >= 20 else 1}f} ×"  # noqa: RUF001
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return Markdown("\n".join(lines))


def short_table() -> Markdown:
    """Return the table of the start page: a few rows of the newest record."""
    rows = one_thread(newest()[1])
    parts = []
    for name, task, shape, n in _SHORT:
        part = rows[(rows["task"] == task) & (rows["shape"] == shape) & (rows["n"] == n)]
        parts.append(part.assign(name=name))
    return table(pd.concat(parts))


def first_table(record: str, **values: str) -> Markdown:
    """Return the first table of the newest record of this name.

    A record of another day has another date in front of its name. Where the table has the
    columns that are named, only rows with these values are kept.
    """
    path = max(RECORD.glob(f"*-{record}.md"))
    found = re.search(r"(?:^\|.*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
    lines = found[0].splitlines() if found else []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    wanted = {rows[0].index(name): value for name, value in values.items() if name in rows[0]}
    kept = [
        line
        for line, row in zip(lines[2:], rows[2:], strict=True)
        if all(row[column] == value for column, value in wanted.items())
    ]
    link = f"From the record [{path.stem}](/_generated/record/{path.stem}.md)."
    return Markdown("\n".join([*lines[:2], *kept, "", link]))
