"""Every public name, grouped by subject.

A page of the reference lists names of the package, or all names of a module. A name of the package
that no page lists appears under "Other", so that nothing is missing. Sphinx is not needed here.
"""

import importlib
from collections.abc import Iterator
from types import ModuleType

import treemetric

# Title and introduction of each page, then its sections: a heading, and names or a module.
PAGES = {
    "trees": (
        "Trees",
        "Immutable, labelled, ordered trees, and sets of them.",
        {"Values": "Tree TreeSet", "From and to other formats": "treemetric.convert"},
    ),
    "distances": (
        "Distances",
        "One pair, a list of pairs, or all pairs.",
        {
            "Ordered trees": "distance normalized_distance normalized_similarity paired_distances "
            "pairwise_distances subtree_distances",
            "Unordered trees": "unordered_distance unordered_pairwise_distances "
            "unordered_subtree_distances",
            "Blocks on several machines": "treemetric.distributed",
        },
    ),
    "costs": (
        "Costs",
        "What an edit costs. Every function with a parameter `costs` accepts all of these.",
        {
            "Kinds of costs": "UnitCosts OperationCosts CostMatrix EmbeddingCosts VectorCosts "
            "TableCosts CallableCosts PairCosts",
            "Common": "Costs Violation",
        },
    ),
    "alignments": (
        "Alignments",
        "Which node became which.",
        {
            "Functions": "align cooptimal soft_alignment edit_counts unordered_align",
            "Results": "Alignment Edit CoOptimal SoftAlignment EditCounts UnorderedAlignment",
        },
    ),
    "neighbors": (
        "Neighbours and duplicates",
        "The nearest trees, without a matrix of all distances.",
        {
            "Functions": "nearest within iter_within deduplicate find",
            "Index": "TreeIndex",
            "Results": "NearestResult WithinResult PairChunk PairFile Duplicates FindResult Match",
        },
    ),
    "estimators": (
        "Estimators",
        "Estimators of scikit-learn that take trees.",
        {
            "Transformers": "TreeDistances TreeNeighborsGraph",
            "Classification": "treemetric.classification",
            "Regression": "treemetric.regression",
            "Clustering": "treemetric.clustering",
            "Checks": "treemetric.testing",
        },
    ),
    "learning": (
        "Learning",
        "Edit costs from trees with classes or numbers, from pairs and triplets.",
        {"Learners": "treemetric.learning", "What was learned": "treemetric.inspection"},
    ),
    "features": (
        "Features and kernels",
        "Counts of parts of trees in linear time, and kernels.",
        {"Features": "treemetric.features", "Kernels": "treemetric.kernels"},
    ),
    "metrics": ("Metrics", "Published metrics.", {"": "treemetric.metrics"}),
    "plotting": (
        "Plotting",
        "Pictures with matplotlib. The [gallery](/gallery/index.md) shows them with their code.",
        {"Pictures": "treemetric.plotting", "Reports": "treemetric.report"},
    ),
    "data": ("Data sets", "Trees to try things with.", {"": "treemetric.datasets"}),
    "compat": (
        "Compatibility",
        "The interfaces of other packages; see [Coming from zss, apted and edist](/migration.md).",
        {
            "zss": "treemetric.compat.zss",
            "apted": "treemetric.compat.apted",
            "edist": "treemetric.compat.edist",
        },
    ),
    "tools": (
        "Tools, errors and experiments",
        "Versions, exceptions, and the experiments of the paper behind BEDL.",
        {
            "Versions": "show_versions",
            "Exceptions": "treemetric.exceptions",
            "Experiments": "treemetric.experiments",
        },
    ),
}


def public_names(module: ModuleType = treemetric) -> Iterator[str]:
    """Yield the full names of everything public in a module and in its public modules."""
    for name in module.__all__:
        item = getattr(module, name)
        if not isinstance(item, ModuleType):
            yield f"{module.__name__}.{name}"
        elif hasattr(item, "__all__"):
            yield from public_names(item)


def names_of(entry: str) -> list[str]:
    """Return the full names of a section: those listed, or all of a module."""
    if entry.startswith("treemetric."):
        return list(public_names(importlib.import_module(entry)))
    return [f"treemetric.{name}" for name in entry.split()]


def resolved(name: str) -> object:
    """Return the object of a full name."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def sections() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the sections of every page; each object is listed once, under its shortest name."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    listed: set[int] = set()
    for page, (_, _, parts) in PAGES.items():
        found[page] = []
        for heading, entry in parts.items():
            names = []
            for name in sorted(names_of(entry), key=lambda name: name.count(".")):
                if _documented(name) and id(resolved(name)) not in listed:
                    listed.add(id(resolved(name)))
                    names.append(name)
            found[page].append((heading, names))
    others = [
        name for name in public_names() if _documented(name) and id(resolved(name)) not in listed
    ]
    if others:
        found["tools"].append(("Other", others))
    return found


def _documented(name: str) -> bool:
    """Return whether a name is a class or a function; constants belong to their module."""
    return callable(resolved(name)) and not isinstance(resolved(name), ModuleType)
