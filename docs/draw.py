"""Draw the picture of the README and of the start page: python docs/draw.py."""

from pathlib import Path

import matplotlib as mpl

import treemetric as tm
from treemetric.convert import from_ast
from treemetric.plotting import plot_alignment

OLD = """
def total(prices):
    result = 0
    for price in prices:
        if price > 0:
            result += price
    return result
"""
NEW = """
def total(prices, digits):
    result = 0
    for price in prices:
        result += price
    return round(result, digits)
"""


def main() -> None:
    """Write _static/alignment.svg; the same versions write the same bytes."""
    mpl.rcParams["svg.hashsalt"] = "treemetric"
    old, new = (from_ast(source, values=True).subtree(1) for source in (OLD, NEW))
    ax = plot_alignment(tm.align(old, new))
    ax.set_title("")
    path = Path(__file__).parent / "_static" / "alignment.svg"
    ax.figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
