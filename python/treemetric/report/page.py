"""The page: its sections in order, and the function that computes what they show."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

import numpy as np

from treemetric._base.text_art import label_shown
from treemetric._base.typing import CostsLike, Progress, Trees
from treemetric._base.validation import check_int, check_n_jobs
from treemetric._core import __version__
from treemetric._pages.outline import Side, outline_data
from treemetric._pages.scatter import Points, scatter_data
from treemetric._pages.shell import embedded, page
from treemetric.alignment import align
from treemetric.alignment.html import alignment_element
from treemetric.plotting.common import classical_scaling
from treemetric.report.facts import Facts, count_facts, shared_folder
from treemetric.report.pairs import JOIN_RADIUS, SMALLEST_JOINED, NearPair, near_pairs
from treemetric.report.parts import bar, card, cards, code, counted, histogram, number, table
from treemetric.report.sample import (
    Cluster,
    Sample,
    Sampling,
    choose_sample,
    cluster_sample,
    measure,
    outliers,
)
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_trees

__all__ = ["report_html"]

# How much of each list is shown.
_LABELS = 25
_GROUPS = 12
_NAMES = 4
_PAIRS = 10
_OUTLIERS = 10
_EXTREMES = 5
# Larger trees are shown as text of their first nodes, which keeps the page small.
_MOST_NODES = 5000
_NOTE_NODES = 8


class _Report(NamedTuple):
    """Everything that the sections show."""

    trees: TreeSet
    facts: Facts
    sampling: Sampling
    sample: Sample
    clusters: list[Cluster]
    pairs: list[NearPair]
    costs: CostsLike | None
    seed: int
    # What all names begin with, which is left out.
    folder: str

    def name(self, position: int) -> str:
        """Return the id of a tree, or its position."""
        ids = self.trees.ids
        return f"tree {position}" if ids is None else str(ids[position])[len(self.folder) :]

    def names(self, positions: list[int]) -> str:
        """Return the first names of a list, and how many follow."""
        shown = ", ".join(code(self.name(position)) for position in positions[:_NAMES])
        more = len(positions) - _NAMES
        return f"{shown} and {number(more)} more" if more > 0 else shown


def report_html(
    trees: Trees,
    *,
    title: str = "Trees",
    costs: CostsLike | None = None,
    max_trees: int = 1000,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> str:
    """Write a page about a collection of trees: sizes, labels, duplicates, clusters, pairs.

    The page is one file that needs no network. Sizes, labels and duplicates are those of all trees.
    Clusters, medoids and outliers come from the distances of all trees, or of a random sample if
    there are too many; the page states it.

    Parameters
    ----------
    trees : TreeSet or list of Tree
        The collection. The `ids` of a `TreeSet` are the names of the trees.
    title : str, default="Trees"
        Title of the page.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    max_trees : int, default=1000
        Most trees of the sample. The sample is smaller if the trees are large.
    seed : int, default=0
        Seed of the sample.
    n_jobs : int, optional
        Number of threads; None means 1, -1 means all CPUs. The result does not depend on it.
    progress : bool or callable, default=False
        Whether to show the progress of the distances, as in `treemetric.pairwise_distances`.

    Returns
    -------
    str
        The page.

    See Also
    --------
    treemetric.plotting.map_html : Only the map.
    treemetric.deduplicate : Groups of near-duplicates.

    Examples
    --------
    >>> from pathlib import Path
    >>> from treemetric import Tree
    >>> from treemetric.report import report_html
    >>> trees = [Tree.from_sequence(s) for s in ("ab", "abc", "abd", "xyz", "xy")]
    >>> page = report_html(trees, title="Five chains")
    >>> Path("report.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
    >>> page.splitlines()[0]
    '<!DOCTYPE html>'
    """
    checked = check_trees(trees, "trees", "report_html")
    max_trees = check_int(max_trees, "max_trees", "report_html", 2)
    seed = check_int(seed, "seed", "report_html", 0)
    check_n_jobs(n_jobs, "report_html")
    facts = count_facts(checked)
    sampling = choose_sample(facts.sizes, facts.distinct, max_trees, seed)
    sample = measure(checked, sampling.positions, costs, n_jobs=n_jobs, progress=progress)
    pairs = near_pairs(checked, facts.distinct, sample, costs, n_jobs, _PAIRS)
    clusters = cluster_sample(sample)
    folder = shared_folder(checked.ids)
    report = _Report(checked, facts, sampling, sample, clusters, pairs, costs, seed, folder)
    return page(title, _body(report, title), "report", "outline", "map")


def _body(report: _Report, title: str) -> str:
    sections = [("sizes", "Sizes", _sizes), ("labels", "Labels", _labels)]
    sections += [("duplicates", "Equal trees", _equal), ("pairs", "Nearest pairs", _near)]
    sections += [("clusters", "Clusters and medoids", _clusters), ("outliers", "Outliers", _far)]
    sections.append(("method", "How this was computed", _method))
    links = "".join(f'<a href="#{anchor}">{name}</a>' for anchor, name, _ in sections)
    parts = [f'<div class="report"><h1>{escape(title)}</h1>{_summary(report)}<nav>{links}</nav>']
    for anchor, name, make in sections:
        parts.append(f'<section id="{anchor}"><h2>{name}</h2>{make(report)}</section>')
    parts.append("</div>")
    return "\n".join(parts)


def _summary(report: _Report) -> str:
    facts = report.facts
    nodes = int(facts.sizes.sum())
    middle = float(np.median(facts.sizes)) if len(facts.sizes) else 0.0
    return cards(
        [
            card(len(facts.sizes), "tree"),
            card(len(facts.distinct), "different tree"),
            card(nodes, "node"),
            card(len(facts.labels), "different label"),
            (number(middle), "nodes of the median tree"),
            (number(int(facts.sizes.max(initial=0))), "nodes of the largest tree"),
            (number(int(facts.depths.max(initial=-1)) + 1), "levels of the deepest tree"),
        ]
    )


def _sizes(report: _Report) -> str:
    facts = report.facts
    order = np.argsort(-facts.sizes, kind="stable").tolist()
    charts = "".join(
        f"<div><h3>{name} per tree</h3>{histogram(values, name.lower())}</div>"
        for name, values in (("Nodes", facts.sizes), ("Levels", facts.depths + 1))
    )
    largest = [
        (code(report.name(at)), number(int(facts.sizes[at])), number(int(facts.depths[at]) + 1))
        for at in order[:_EXTREMES]
    ]
    rows = table(("largest trees", "nodes", "levels"), largest, (1, 2))
    return f'<div class="charts">{charts}</div>{rows}'


def _labels(report: _Report) -> str:
    facts = report.facts
    most = facts.labels[0].nodes if facts.labels else 1
    count = max(len(facts.sizes), 1)
    rows = [
        (
            code(label_shown(found.label)),
            number(found.nodes),
            f"{found.trees / count:.0%}",
            bar(found.nodes / most),
        )
        for found in facts.labels[:_LABELS]
    ]
    once = sum(found.nodes == 1 for found in facts.labels)
    text = f"{counted(once, 'label')} {'occurs' if once == 1 else 'occur'} once.</p>"
    if len(facts.labels) > _LABELS:
        most_of = f"The {_LABELS} most frequent of {counted(len(facts.labels), 'label')}."
        text = f"{most_of} {text}"
    text = f"<p>{text}"
    return text + table(("label", "nodes", "trees", ""), rows, (1, 2)).replace(
        "<th></th>", '<th class="wide"></th>'
    )


def _equal(report: _Report) -> str:
    groups = report.facts.groups
    copies = sum(map(len, groups)) - len(groups)
    if not groups:
        return "<p>No two trees are equal.</p>"
    text = (
        f"<p>{counted(copies, 'tree')} {'is a copy' if copies == 1 else 'are copies'} of another "
        f"one, in {counted(len(groups), 'group')}.</p>"
    )
    rows = [
        (
            number(len(group)),
            number(int(report.facts.sizes[group[0]])),
            report.names(group),
        )
        for group in groups[:_GROUPS]
    ]
    return text + table(("trees", "nodes", "names"), rows, (0, 1))


def _near(report: _Report) -> str:
    if not report.pairs:
        return "<p>There are no two different trees.</p>"
    parts = [
        "<p>The pairs of different trees with the smallest share of edits, which is the distance "
        "divided by the cost of deleting one tree and inserting the other. Open a pair to see its "
        f"alignment.</p>{_said(report, joined=report.costs is None)}"
    ]
    for pair in report.pairs:
        x, y = report.trees[pair.i], report.trees[pair.j]
        names = report.name(pair.i), report.name(pair.j)
        summary = (
            f"<b>{number(pair.distance)}</b> <span class='faint'>({pair.relative:.1%})</span> "
            f"{code(names[0])} and {code(names[1])} "
            f"<span class='faint'>{number(x.size)} and {counted(y.size, 'node')}</span>"
        )
        alignment = align(x, y, costs=report.costs)
        title = f"Alignment of cost {alignment.cost:.6g}"
        element = alignment_element(alignment, names, title)
        parts.append(f"<details><summary>{summary}</summary>{element}</details>")
    return "".join(parts)


def _clusters(report: _Report) -> str:
    sample, clusters = report.sample, report.clusters
    if not clusters:
        return "<p>There are too few trees.</p>"
    places, share = classical_scaling(sample.relative)
    codes = np.zeros(len(sample.positions), dtype=np.int64)
    for at, cluster in enumerate(clusters):
        codes[cluster.members] = at
    points = Points(
        places,
        [report.name(position) for position in sample.positions.tolist()],
        [f"cluster {at + 1}" for at in range(len(clusters))],
        codes.tolist(),
        [_note(tree) for tree in sample.trees],
    )
    note = f"classical scaling, {share:.0%} of the variance"
    parts = [
        "<p>Each point is a tree; trees with a small share of edits are close to each other. The "
        "number of clusters is the one with the best silhouette. The medoid of a cluster has the "
        f"smallest mean distance to its other trees.</p>{_said(report)}",
        embedded("map", scatter_data(f"Map of {counted(len(places), 'tree')}", note, points)),
    ]
    for at, cluster in enumerate(clusters):
        parts.append(_cluster(report, at, cluster))
    return "".join(parts)


def _cluster(report: _Report, at: int, cluster: Cluster) -> str:
    sample = report.sample
    sizes = sample.trees.sizes[cluster.members]
    medoid = int(sample.positions[cluster.medoid])
    mean = float(sample.relative[cluster.members, cluster.medoid].mean())
    others = [int(sample.positions[place]) for place in cluster.members if place != cluster.medoid]
    smallest, largest = int(sizes.min()), int(sizes.max())
    span = counted(largest, "node")
    if smallest < largest:
        span = f"{number(smallest)} to {span}"
    text = (
        f"<h3>Cluster {at + 1}: {counted(len(cluster.members), 'tree')}, {span}</h3>"
        f"<p>Medoid {code(report.name(medoid))}, mean share of edits {mean:.0%}."
    )
    if others:
        text += f" Near it: {report.names(others)}."
    return f"{text}</p>{_tree(report, medoid)}"


def _far(report: _Report) -> str:
    found = outliers(report.sample, _OUTLIERS)
    if not found:
        return "<p>There are too few trees.</p>"
    parts = [
        "<p>Trees that are far from their three nearest trees: the mean share of edits. 100% means "
        f"that nothing can be kept.</p>{_said(report)}"
    ]
    for place, far in found:
        position = int(report.sample.positions[place])
        size = counted(int(report.facts.sizes[position]), "node")
        name = code(report.name(position))
        summary = f"<b>{far:.0%}</b> {name} <span class='faint'>{size}</span>"
        parts.append(_tree(report, position, summary))
    return "".join(parts)


def _tree(report: _Report, position: int, summary: str = "show the medoid") -> str:
    """Return a tree that opens by a click."""
    tree, name = report.trees[position], report.name(position)
    if tree.size > _MOST_NODES:
        inside = f"<pre>{escape(tree.to_text(max_nodes=100))}</pre>"
    else:
        side = Side(name, tree.labels, tree.parents)
        inside = embedded("outline", outline_data(name, [side]))
    return f"<details><summary>{summary}</summary>{inside}</details>"


def _note(tree: Tree) -> str:
    lines = tree.to_text(max_nodes=_NOTE_NODES).splitlines()
    return "\n".join([counted(tree.size, "node"), *(line[:48] for line in lines)])


def _said(report: _Report, *, joined: bool = False) -> str:
    """State that only a sample was compared, if so."""
    count, distinct = len(report.sample.positions), len(report.facts.distinct)
    if count == distinct:
        return ""
    text = f"From a random sample of {number(count)} of the {number(distinct)} different trees"
    if joined:
        text += (
            f", and from all pairs within {JOIN_RADIUS} edits of trees with {SMALLEST_JOINED} "
            "nodes or more"
        )
    return f'<p class="said">{text}.</p>'


def _method(report: _Report) -> str:
    facts, sampling = report.facts, report.sampling
    count, distinct = len(sampling.positions), len(facts.distinct)
    lines = [
        "The edit distance of two trees is the cost of the cheapest edits that turn one into the "
        "other. An edit replaces a label, deletes a node, so that its children move up, or inserts "
        "one.",
        "Every edit costs 1."
        if report.costs is None
        else f"Costs of edits: {type(report.costs).__name__}.",
        "Sizes, labels and equal trees are those of all trees.",
    ]
    if count == distinct:
        lines.append("The distances of all different trees were computed.")
    else:
        lines.append(
            f"Distances were computed for a random sample of {number(count)} of {number(distinct)} "
            f"different trees (seed {report.seed})."
        )
        if sampling.too_large:
            lines.append(
                f"{counted(sampling.too_large, 'tree')} "
                f"{'was' if sampling.too_large == 1 else 'were'} too large for the sample."
            )
        if report.costs is None:
            lines.append(
                f"The nearest pairs include those within {JOIN_RADIUS} edits of all trees with "
                f"{SMALLEST_JOINED} nodes or more."
            )
    if report.folder:
        lines.append(f"All names begin with {report.folder}, which is left out.")
    lines.append(f"Written by treemetric {__version__}. This page loads nothing from a network.")
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
