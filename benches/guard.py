"""Instructions of fixed workloads, counted by callgrind and compared with those recorded.

    python benches/guard.py             compare; exit status 1 if a workload takes more
    python benches/guard.py --record    write benches/record/instructions.csv

Counts do not depend on what else runs on the machine, but on the compiler: with another version of
rustc, differences are only reported. The instructions are those of AVX2, because valgrind knows no
later ones. Without valgrind, or on a processor without AVX2, nothing is compared.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).parent / "record" / "instructions.csv"
# More instructions than recorded by this share are a failure.
TOLERANCE = 0.05


def compiled() -> str:
    """Build the program of the workloads; return its path."""
    command = ["cargo", "bench", "--locked", "--no-run", "--bench", "instructions"]
    command += ["--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    paths = [m["executable"] for m in messages if m.get("executable")]
    return str(paths[-1])


def compiler() -> str:
    """Return the version of rustc."""
    output = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True)
    return output.stdout.split()[1]


def count(program: str, name: str) -> int:
    """Return the instructions of one workload."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += ["--collect-atstart=no", "--toggle-collect=*instructions*measured*"]
    environment = {**os.environ, "TREEMETRIC_SIMD": "avx2"}
    found = subprocess.run(
        [*command, program, name], check=True, capture_output=True, text=True, env=environment
    )
    return collected(found.stderr)


def collected(report: str) -> int:
    """Return the number that callgrind reports."""
    match = re.search(r"Collected : (\d+)", report)
    if match is None or match[1] == "0":
        raise ValueError(f"callgrind has counted nothing: {report[-500:]!r}")
    return int(match[1])


def read(path: Path) -> tuple[str, dict[str, int]]:
    """Return the version of rustc of a record and its counts."""
    with path.open(newline="", encoding="utf-8") as file:
        (_, version), *rows = list(csv.reader(file))
    return version, {name: int(number) for name, number in rows}


def write(path: Path, version: str, counts: dict[str, int]) -> None:
    """Write a record."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["workload", version])
        writer.writerows(counts.items())


def compare(before: dict[str, int], after: dict[str, int]) -> tuple[list[str], list[str]]:
    """Return a line for each workload, and the names of those that take too many instructions."""
    lines, worse = [], []
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            lines.append(f"{name}: {'not recorded' if old is None else 'gone'}")
            worse.append(name)
            continue
        lines.append(f"{name}: {new} instructions, {new / old:.3f} times as many as recorded")
        if new > (1 + TOLERANCE) * old:
            worse.append(name)
    return lines, worse


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="one workload, without comparing")
    chosen = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed; nothing is compared")
        return 0
    from treemetric import _core

    if "avx2" not in _core.instructions()[0]:
        print("this processor has no AVX2; nothing is compared")
        return 0
    program = compiled()
    listed = subprocess.run([program, "--list"], check=True, stdout=subprocess.PIPE, text=True)
    names = listed.stdout.splitlines()
    counts = {name: count(program, name) for name in (names[:1] if chosen.smoke else names)}
    version = compiler()
    if chosen.smoke:
        print(counts)
        return 0
    if chosen.record:
        write(RECORD, version, counts)
        return 0
    recorded, before = read(RECORD)
    lines, worse = compare(before, counts)
    print("\n".join(lines))
    if worse:
        print(f"more than {1 + TOLERANCE} times as many, or not in both: {', '.join(worse)}")
        if recorded != version:
            print(f"recorded by rustc {recorded}, counted by {version}: no failure")
            return 0
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
