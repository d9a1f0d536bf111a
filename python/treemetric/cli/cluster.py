"""The command ``treemetric cluster``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from treemetric.cli.common import (
    NORMS,
    add_costs,
    add_jobs,
    add_progress,
    check_words,
    costs_of,
    progress_of,
)
from treemetric.cli.help import add_command
from treemetric.cli.inputs import add_format
from treemetric.cli.members import (
    Member,
    Source,
    add_members,
    counted,
    member_lines,
    read_members,
    write_groups,
)
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    opened,
    target_of,
)
from treemetric.distances import pairwise_distances

# Of the largest possible distance. Trees of one shape without a common label are at 0.5.
_THRESHOLD = 0.35


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    parser = add_command(
        commands,
        "cluster",
        "PATH...",
        summary="group similar functions of a code base, or similar trees",
        description="Group similar functions of Python files, or the trees of other files, by "
        "average linkage: clusters whose mean distance is at most the threshold are joined.",
        notes="The first tree of a cluster is its medoid, which is nearest to all others; these "
        "follow with their distance to it. Trees that are similar to no other are listed in files "
        "only. The distances of all pairs are computed; to find copies among very many functions, "
        "see 'duplicates'.",
        examples=(
            "treemetric cluster src/",
            "treemetric cluster src/ --threshold 0.25 --min-nodes 40",
            "treemetric cluster trees.jsonl -k 8 -o clusters.csv",
        ),
    )
    add_members(parser)
    cut = parser.add_mutually_exclusive_group()
    cut.add_argument(
        *("-t", "--threshold"),
        type=float,
        metavar="D",
        help="largest mean distance of two clusters that are joined; with the usual --norm, 0 "
        f"joins equal trees only and 0.5 almost everything (default: {_THRESHOLD})",
    )
    cut.add_argument("-k", "--clusters", type=int, metavar="N", help="number of clusters")
    parser.add_argument(
        "--norm",
        choices=(*NORMS, "none"),
        default="weight",
        help="divide distances by the largest possible one (weight), by the larger or the sum of "
        "the numbers of nodes (max, sum), to a metric (li_zhang), or not at all (none) "
        "(default: weight)",
    )
    add_costs(parser)
    add_output(parser, ("text", "csv", "json", "parquet"), "text")
    add_jobs(parser)
    add_progress(parser)
    add_format(parser)
    parser.set_defaults(command=_cluster)


def _cluster(arguments: argparse.Namespace) -> None:
    target = target_of(arguments)
    check_free(target, arguments)
    _check(arguments)
    costs = costs_of(arguments)
    trees, places = read_members(arguments)
    check_words(costs, trees)
    D = pairwise_distances(
        trees,
        costs=costs,
        norm=None if arguments.norm == "none" else arguments.norm,
        condensed=True,
        n_jobs=arguments.jobs,
        progress=progress_of(arguments),
    )
    groups = _groups(np.asarray(D), len(trees), arguments)
    sizes = trees.sizes.tolist()
    members = [[Member(places[i], sizes[i], distance) for i, distance in group] for group in groups]
    _save(target, members, places)
    if target.path is not None:
        print(f"{_summary(members, places)} -> {target.path}")


def _check(arguments: argparse.Namespace) -> None:
    threshold, count = arguments.threshold, arguments.clusters
    if threshold is not None and not threshold >= 0:
        message = f"--threshold must not be negative. Got {threshold}."
        raise ValueError(message)
    if count is not None and count < 1:
        message = f"--clusters must be at least 1. Got {count}."
        raise ValueError(message)


def _groups(
    D: np.ndarray[Any, Any], count: int, arguments: argparse.Namespace
) -> Iterator[list[tuple[int, float]]]:
    """Yield the clusters, largest first: the medoid, then the others by distance to it."""
    if count == 0:
        return
    codes = _codes(D, count, arguments)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    for part in sorted(parts, key=lambda part: (-len(part), part[0])):
        i, j = np.minimum.outer(part, part), np.maximum.outer(part, part)
        # Where SciPy keeps the distance of a pair; the diagonal is replaced.
        at = count * i - i * (i + 1) // 2 + j - i - 1
        inner = np.where(i == j, 0.0, D[np.where(i == j, 0, at)]) if len(part) > 1 else [[0.0]]
        near = np.asarray(inner)
        medoid = int(near.sum(axis=1).argmin())
        ranked = sorted(range(len(part)), key=lambda k: (k != medoid, near[medoid, k], k))
        yield [(int(part[k]), float(near[medoid, k])) for k in ranked]


def _codes(
    D: np.ndarray[Any, Any], count: int, arguments: argparse.Namespace
) -> np.ndarray[Any, Any]:
    """Return the number of the cluster of each tree."""
    # Imported here because SciPy takes long to import.
    from scipy.cluster.hierarchy import cut_tree, fcluster, linkage

    if count == 1:
        return np.zeros(1, dtype=np.int64)
    links = linkage(D, method="average")
    if arguments.clusters is not None:
        # Exactly this number of clusters, also if several merges have the same distance.
        return np.asarray(cut_tree(links, min(arguments.clusters, count))).ravel()
    threshold = _THRESHOLD if arguments.threshold is None else arguments.threshold
    return np.asarray(fcluster(links, threshold, criterion="distance"))


# --- output ------------------------------------------------------------------------


def _summary(groups: list[list[Member]], places: list[Source]) -> str:
    sizes = [len(group) for group in groups if len(group) > 1]
    clusters = f"{len(sizes)} cluster{'s' * (len(sizes) != 1)}"
    return f"{sum(sizes)} of {counted(places)} are in {clusters} of two or more"


def _save(target: Target, groups: list[list[Member]], places: list[Source]) -> None:
    if target.kind == "text":
        with opened(target) as file:
            for group in groups:
                if len(group) > 1:
                    file.write(_as_text(group).encode("utf-8", "backslashreplace"))
            file.write(f"{_summary(groups, places)}\n".encode())
    else:
        write_groups(target, groups, len(places), "cluster")


def _as_text(group: list[Member]) -> str:
    sizes = [member.nodes for member in group]
    span = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else f"{sizes[0]}"
    noun = "node" if max(sizes) == 1 else "nodes"
    lines = [f"{len(group)} similar, of {span} {noun}"]
    lines += member_lines(group, lambda distance: f"{distance:.2f}")
    return "\n".join(lines) + "\n\n"
