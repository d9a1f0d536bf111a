"""The demonstration behind ``treemetric demo``: one real job from data to plots.

Each section is a function that reads the shared `_Demo` and reports its result. A new
section is one more function in `_SECTIONS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treemetric.alignment import align
from treemetric.alignment.cooptimal import cooptimal
from treemetric.datasets import load_stdlib_functions, make_glycans
from treemetric.distances import pairwise_distances
from treemetric.inspection import label_weights
from treemetric.learning import NCACosts
from treemetric.plotting import (
    plot_alignment,
    plot_costs,
    plot_distances,
    plot_label_weights,
    plot_map,
)
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

__all__ = ["run"]

# Six modules with different subjects: decimal arithmetic, dates, bit masks, a byte
# format, drawing, assertions. Modules of similar style are harder to classify.
_MODULES = ("_pydecimal", "calendar", "ipaddress", "pickle", "turtle", "unittest.case")
# Functions of similar size, so that shape decides and not length.
_SMALLEST, _LARGEST = 25, 70
_QUERY = "unittest.case.TestCase.assertGreater"
_WIDTH = 68


@dataclass(frozen=True)
class _Demo:
    """What the sections share."""

    trees: TreeSet
    names: list[str]
    modules: list[str]
    y: NDArray[np.int64]
    D: NDArray[np.floating[Any]]
    seconds: float
    n_jobs: int | None
    folder: Path
    say: Callable[[str], None]


def run(
    folder: str | Path = "demo",
    n_jobs: int | None = -1,
    *,
    say: Callable[[str], None] = print,
) -> Path | None:
    """Compare functions of Python's standard library and report the results.

    Parameters
    ----------
    folder : str or Path, default="demo"
        Folder for the plots; it is created if it does not exist.
    n_jobs : int, default=-1
        Number of threads; -1 uses all usable cores.
    say : callable, default=print
        Called with each line of the report.

    Returns
    -------
    Path or None
        The first plot, ``distances.png``; None if matplotlib is not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from treemetric.demo import run
    >>> report = []
    >>> with TemporaryDirectory() as folder:
    ...     picture = run(folder, say=report.append)
    >>> picture.name
    'distances.png'
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    functions = load_stdlib_functions(modules=_MODULES, min_nodes=_SMALLEST, max_nodes=_LARGEST)
    start = time.perf_counter()
    D = pairwise_distances(functions.data, n_jobs=n_jobs)
    demo = _Demo(
        trees=functions.data,
        names=functions.names,
        modules=functions.target_names,
        y=functions.target,
        D=D,
        seconds=time.perf_counter() - start,
        n_jobs=n_jobs,
        folder=folder,
        say=say,
    )
    for title, section in _SECTIONS:
        say(f"\n{title}\n{'-' * len(title)}")
        section(demo)
    say("\nPlots\n-----")
    return _draw(demo)


def _report_data(demo: _Demo) -> None:
    sizes = demo.trees.sizes
    counts = np.bincount(demo.y, minlength=len(demo.modules))
    parts = [f"{m} {c}" for m, c in zip(demo.modules, counts, strict=True)]
    demo.say(f"{len(sizes)} functions of Python's standard library as syntax trees:")
    demo.say(f"  {', '.join(parts)}")
    demo.say(f"{sizes.min()} to {sizes.max()} nodes each, {sizes.mean():.0f} on average.")


def _report_speed(demo: _Demo) -> None:
    n = len(demo.trees)
    pairs = n * (n - 1) // 2
    demo.say(f"{pairs:,} exact tree edit distances in {demo.seconds:.2f} s:")
    demo.say(f"{pairs / demo.seconds:,.0f} pairs per second.")


def _report_neighbours(demo: _Demo) -> None:
    query = demo.names.index(_QUERY) if _QUERY in demo.names else 0
    nearest = [k for k in np.argsort(demo.D[query], kind="stable") if k != query][:4]
    demo.say(f"Nearest to {demo.names[query]}, in edits:")
    for k in nearest:
        demo.say(f"  {demo.D[query, k]:4.0f}  {demo.names[k]}")

    i, j = _closest_strangers(demo)
    demo.say(f"Closest pair from two modules, {demo.D[i, j]:.0f} edits:")
    for k in (i, j):
        demo.say(f"  {demo.names[k]} ({demo.trees.sizes[k]} nodes)")
        demo.say(f"    {_shorten(demo.trees[k])}")


def _closest_strangers(demo: _Demo) -> tuple[int, int]:
    """Return the two functions of different modules that are most similar for their size."""
    sizes = demo.trees.sizes
    share = demo.D / (sizes[:, None] + sizes[None, :])
    share[demo.y[:, None] == demo.y[None, :]] = np.inf
    i, j = np.unravel_index(np.argmin(share), share.shape)
    return int(i), int(j)


def _report_edits(demo: _Demo) -> None:
    i, j = _closest_strangers(demo)
    pair = cooptimal(demo.trees[i], demo.trees[j])
    demo.say(f"From {demo.names[i]} to {demo.names[j]},")
    demo.say(f"one of {pair.count:,} optimal alignments:")
    for edit in align(demo.trees[i], demo.trees[j]).edits():
        words = {
            "replace": f"replace {edit.old} by {edit.new}",
            "delete": f"delete {edit.old}",
            "insert": f"insert {edit.new}",
        }
        demo.say(f"  {words[edit.op]}")


def _report_classes(demo: _Demo) -> None:
    D = demo.D.copy()
    np.fill_diagonal(D, np.inf)
    right = np.mean(demo.y[D.argmin(axis=1)] == demo.y)
    largest = int(np.bincount(demo.y).argmax())
    guess = np.mean(demo.y == largest)
    demo.say("Predict the module of a function from its nearest neighbour:")
    demo.say(f"  nearest neighbour, leave-one-out   {right:4.0%} correct")
    demo.say(f"  always predict {demo.modules[largest]:<18}  {guess:4.0%} correct")


def _report_learning(demo: _Demo) -> None:
    train, test = (make_glycans(120, random_state=seed) for seed in (0, 1))
    demo.say(
        f"{len(train.data)} generated glycans in two classes for training, as many for testing."
    )
    demo.say("The classes differ only at the end of one branch. Errors of nearest neighbours:")
    before = _errors(pairwise_distances(test.data, train.data, n_jobs=demo.n_jobs), train, test)
    demo.say(f"  every edit costs 1   {before:4.0%} error")
    start = time.perf_counter()
    learner = NCACosts(random_state=0, n_jobs=demo.n_jobs).fit(train.data, train.target)
    seconds = time.perf_counter() - start
    after = _errors(learner.transform(test.data), train, test)
    demo.say(f"  learned costs        {after:4.0%} error, after {seconds:.2f} s of training")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    plot_label_weights(label_weights(learner), ax=left)
    plot_costs(learner.costs_, ax=right)
    right.set_title("Learned costs")
    figure.savefig(demo.folder / "learned.png", dpi=120, bbox_inches="tight")
    demo.say(f"  {demo.folder / 'learned.png'}")


def _errors(D: NDArray[np.floating[Any]], train: Any, test: Any) -> float:
    """Return the share of test trees whose nearest training tree is of another class."""
    return float(np.mean(train.target[D.argmin(axis=1)] != test.target))


_SECTIONS: tuple[tuple[str, Callable[[_Demo], None]], ...] = (
    ("Trees", _report_data),
    ("All pairs", _report_speed),
    ("Neighbours", _report_neighbours),
    ("Edits", _report_edits),
    ("Classes", _report_classes),
    ("Learning", _report_learning),
)


def _draw(demo: _Demo) -> Path | None:
    try:
        # `Figure` without pyplot opens no window and leaves no global state.
        from matplotlib.figure import Figure
    except ImportError:
        demo.say('Plots need matplotlib: pip install "treemetric[plot]"')
        return None
    names = np.asarray(demo.modules)[demo.y]
    figure = Figure(figsize=(13.5, 6.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot_distances(demo.D, names, ax=left)
    left.set_title("All tree edit distances, ordered by module and similarity")
    plot_map(demo.D, names, ax=right)
    right.set_title("The same distances as a map")
    path = demo.folder / "distances.png"
    figure.savefig(path, dpi=120)
    demo.say(str(path))
    i, j = _closest_strangers(demo)
    figure = Figure(figsize=(9, 8), layout="constrained")
    plot_alignment(align(demo.trees[i], demo.trees[j]), ax=figure.subplots())
    figure.savefig(demo.folder / "alignment.png", dpi=120)
    demo.say(str(demo.folder / "alignment.png"))
    return path


def _shorten(tree: Tree) -> str:
    text = tree.to_bracket()
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
