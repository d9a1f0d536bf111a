"""Results of a benchmark: printed lines, a CSV file and a Markdown page."""

from __future__ import annotations

import csv
import datetime as dt
import platform
import re
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One measurement; `seconds` is None if an engine was skipped."""

    task: str
    shape: str
    n: int
    engine: str
    threads: int
    seconds: float | None
    ratio: float | None
    note: str


# Wall-clock times of treemetric; processor times are under the name "treemetric".
WALL = "treemetric, wall clock"
COLUMNS = (
    *("date", "cpu", "versions", "task", "shape", "n", "engine", "threads"),
    *("seconds", "ratio_to_treemetric", "note"),
)


class Report:
    """Collects rows, prints them as they arrive, and writes the record."""

    def __init__(self, versions: str) -> None:
        self.rows: list[Row] = []
        self.versions = versions
        self.date = dt.datetime.now(tz=dt.UTC).date().isoformat()
        self.cpu = _cpu_name()

    def add(
        self,
        task: str,
        shape: str,
        n: int,
        seconds: dict[str, float | None],
        notes: dict[str, str] | None = None,
        baseline: dict[str, float] | None = None,
    ) -> None:
        """Add one row per engine and print them in one line.

        `baseline` is treemetric's time on the subset of the work that an engine did.
        """
        notes, baseline = notes or {}, baseline or {}
        parts = []
        for engine, value in seconds.items():
            own = seconds["treemetric"]
            if engine != "treemetric":
                own = baseline.get(engine, own)
            ratio = value / own if value is not None and own else None
            note = notes.get(engine, "")
            self.rows.append(Row(task, shape, n, engine, 1, value, ratio, note))
            if value is None:
                parts.append(f"{engine} -")
            elif engine == "treemetric":
                parts.append(f"{engine} {spell(value)}")
            else:
                parts.append(f"{engine} {spell(value)} ({times(ratio)}x)")
        size = f"n={n}" if n else ""
        print(f"{task:<13}{shape:<14}{size:<8}{'  '.join(parts)}", flush=True)

    def add_threads(self, task: str, shape: str, n: int, one: float, two: float, note: str) -> None:
        """Add treemetric's wall-clock time with one thread and with two."""
        efficiency = f"efficiency {one / (2 * two):.2f}"
        self.rows.append(Row(task, shape, n, WALL, 1, one, 1.0, ""))
        self.rows.append(Row(task, shape, n, WALL, 2, two, two / one, efficiency))
        line = f"two threads {spell(two)}, one {spell(one)}, {efficiency}; {note}"
        print(f"{'':<35}{line}".rstrip("; "), flush=True)

    def find(self, task: str, shape: str, n: int, engine: str, threads: int = 1) -> Row | None:
        key = (task, shape, n, engine, threads)
        return next((row for row in self.rows if row[:5] == key), None)

    # ------------------------------------------------------------------------ record

    def write(self, folder: Path, suffix: str, goals: list[str]) -> Path:
        """Write the CSV file and the Markdown page; return the path of the page."""
        folder.mkdir(parents=True, exist_ok=True)
        slug = re.sub(r"[^a-z0-9]+", "-", self.cpu.lower()).strip("-")
        stem = folder / f"{self.date}-{slug}{suffix}"
        table = stem.with_name(f"{stem.name}.csv")
        with table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for row in self.rows:
                seconds = "" if row.seconds is None else f"{row.seconds:.4g}"
                ratio = "" if row.ratio is None else f"{row.ratio:.4g}"
                machine = (self.date, self.cpu, self.versions)
                writer.writerow([*machine, *row[:5], seconds, ratio, row.note])
        page = stem.with_name(f"{stem.name}.md")
        page.write_text(self.markdown(table.name, goals), encoding="utf-8")
        return page

    def markdown(self, table: str, goals: list[str]) -> str:
        lines = [
            f"# treemetric and its peers, {self.date}",
            "",
            f"{self.cpu}; {self.versions}.",
            "",
            "Times are processor times of one thread; times of two threads are wall-clock times. "
            "Each time is the minimum of several rounds in which the engines run alternately. "
            "Trees are prepared before timing: `Tree` and `TreeSet` objects for treemetric, node "
            "and adjacency lists for edist, linked nodes for zss and apted. Distances are "
            "compared before timing. A cell is empty if one call would take too long. "
            "Slow peers compute a subset of the AST pairs, and their ratio is for that subset. "
            f"Every number is in [{table}]({table}).",
            "",
            "## Goals",
            "",
            *goals,
            "",
        ]
        own = ("exhaustive", "edist")
        for title, task, engines in (
            ("One pair, unit costs", "pair, unit", ("edist", "zss", "apted")),
            ("One pair, float64 cost matrix", "pair, matrix", ("edist",)),
            ("All pairs, unit costs", "all pairs", ("edist", "zss", "apted")),
            ("All pairs up to a cutoff", "bounded", own),
            ("Nearest neighbours, per query", "nearest", own),
        ):
            lines += [f"## {title}", "", *self._table(task, engines), ""]
        lines += ["## Two threads, wall-clock time", "", *self._thread_table(), ""]
        return "\n".join(lines)

    def _table(self, task: str, engines: tuple[str, ...]) -> list[str]:
        head = ["shape", "n", "treemetric"]
        head += [f"{name}{part}" for name in engines for part in ("", ", times")]
        lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
        for own in self.rows:
            if own[0] != task or own.engine != "treemetric" or own.threads != 1:
                continue
            cells = [own.shape, str(own.n or ""), spell(own.seconds)]
            for engine in engines:
                row = self.find(task, own.shape, own.n, engine)
                mark = "*" if row and row.seconds and "extrapolated" in row.note else ""
                cells.append((spell(row.seconds) if row else "") + mark)
                cells.append(times(row.ratio if row else None))
            lines.append(f"| {' | '.join(cells)} |")
        if any("*" in line for line in lines):
            lines += ["", "\\* extrapolated from smaller trees, or from a sample of the pairs."]
        return lines

    def _thread_table(self) -> list[str]:
        lines = ["| work | shape | n | one thread | two threads | efficiency |"]
        lines.append("|---|---|---:|---:|---:|---:|")
        for row in self.rows:
            one = self.find(row.task, row.shape, row.n, WALL)
            if row.threads == 2 and one and row.ratio:
                seconds = f"{spell(one.seconds)} | {spell(row.seconds)}"
                cells = f"{row.shape} | {row.n} | {seconds} | {1 / (2 * row.ratio):.2f}"
                lines.append(f"| {row.task} | {cells} |")
        return lines


def spell(seconds: float | None) -> str:
    """Return seconds as text with a suitable unit."""
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            value = seconds / size
            return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def times(ratio: float | None) -> str:
    """Return a ratio as text with three digits, or as a whole number from 100 on."""
    if ratio is None:
        return ""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text(encoding="utf-8"))
        if found:
            return re.sub(r"\((R|TM)\)", "", found.group(1)).strip()
    return platform.processor() or platform.machine()
