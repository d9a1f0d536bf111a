"""What the tests of `treemetric.compat` share: records of zss and apted."""

import json
from pathlib import Path

RECORDS = json.loads((Path(__file__).parent / "compat" / "compat.json").read_text("utf-8"))


def exact(case):
    """Return whether rounding errors of the originals cannot decide between alignments."""
    return all(float(case[part]).is_integer() for part in ("delete", "insert", "replace"))


def operation_functions(case, attribute):
    """Return functions of nodes for the costs of a record: delete, insert, rename."""

    def rename(a, b):
        return 0 if getattr(a, attribute) == getattr(b, attribute) else case["replace"]

    return lambda node: case["delete"], lambda node: case["insert"], rename
