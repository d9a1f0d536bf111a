"""Every integer parameter of every public function and class, with integers that do not fit."""

import importlib
import inspect
import re
from functools import partial

import numpy as np
import pytest

import treemetric as tm
from treemetric import (
    classification,
    clustering,
    datasets,
    distributed,
    experiments,
    features,
    inspection,
    learning,
    metrics,
    regression,
    report,
    testing,
)
from treemetric.costs import VectorCosts
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel
from treemetric.transformers import TreeDistances, TreeNeighborsGraph

PACKAGES = (
    *("treemetric", "treemetric.classification", "treemetric.learning", "treemetric.datasets"),
    *("treemetric.plotting", "treemetric.experiments", "treemetric.testing", "treemetric.demo"),
    *("treemetric.distributed", "treemetric.convert", "treemetric.clustering"),
    *("treemetric.regression", "treemetric.inspection", "treemetric.report"),
    *("treemetric.features", "treemetric.kernels", "treemetric.metrics"),
)
SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=\n\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
# Arrays of ints have tests of their own; the value of a JSON file may be any int.
ARRAYS = {"adj", "roots", "parents", "codes", "offsets", "value"}
HUGE = (10**30, -(10**30), 2**63, 10**400, np.uint64(2**64 - 1))


def public():
    """Yield all public functions, classes and methods with their names."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            yield f"{package}.{name}".removeprefix("treemetric."), found
            if inspect.isclass(found):
                for key in dir(found):
                    method = getattr(found, key)
                    if not key.startswith("_") and callable(method):
                        yield f"{package}.{name}.{key}".removeprefix("treemetric."), method


def integers(function):
    """List the parameters that are ints, according to the docstring."""
    section = SECTION.search(inspect.getdoc(function) or "")
    if section is None or not (function.__module__ or "").startswith("treemetric"):
        return
    for names, kind in re.findall(r"^(\w[\w, ]*) : (.*)$", section[1], re.MULTILINE):
        if re.search(r"\bint\b", kind):
            yield from set(names.split(", ")) - ARRAYS


# They pass `n_jobs` to functions that are tested, and take long.
EXPERIMENTS = ("demo.run", "experiments.run_sentiment", "experiments.run_ablation")
LONG = {(name, "n_jobs") for name in EXPERIMENTS}
FOUND = {(name, parameter) for name, one in public() for parameter in integers(one)}
PARAMETERS = sorted(FOUND - LONG)

TREES = [
    tm.Tree.from_bracket(text) for text in ("{a{b}}", "{a}", "{b{a}{c}}", "{c}", "{c{c}}", "{b}")
]
CLASSES = [0, 0, 0, 1, 1, 1]
TREE = TREES[2]
TABLE = "<table><tr><td>1</td></tr></table>"
UNIT = tm.UnitCosts()
NEAREST = classification.KNeighborsTreeClassifier(2).fit(TREES, CLASSES)
LEARNER = learning.NCACosts(n_fits=1, random_state=0).fit(TREES, CLASSES)
PAIR = inspection.PairChange(0, 1, TREES[0], TREES[2], 1.0, 0.5, tm.UnitCosts())
NEAREST_MEAN = regression.KNeighborsTreeRegressor(2).fit(TREES, CLASSES)


def fitted(estimator, **options):
    return estimator(**options).fit(TREES, CLASSES)


def transformed(estimator, **options):
    return estimator(**options).fit(TREES).transform(TREES)


def counts():
    return tm.edit_counts(TREES)


def blocks(**options):
    pytest.importorskip("dask")
    return distributed.pairwise_distances(TREES, **options)


def joined(**options):
    for extra in ("distributed", "pyarrow"):
        pytest.importorskip(extra)
    try:
        distributed.within(TREES, radius=1, out="pairs.parquet", **options)
    except ValueError as error:
        # The last check before the work.
        if "'client' parameter" not in str(error):
            raise


def embedding(**options):
    plotting = pytest.importorskip("treemetric.plotting")
    costs = tm.EmbeddingCosts("abc", np.eye(3))
    return plotting.plot_embedding(costs, **options)


def drawn(name):
    """A plot function of the same trees."""

    def draw(**options):
        plotting = pytest.importorskip("treemetric.plotting")
        pytest.importorskip("matplotlib").use("Agg")
        values = {
            "plot_alignment": lambda: tm.align(TREES[0], TREES[2]),
            "plot_changed_pair": lambda: PAIR,
            "plot_dendrogram": lambda: tm.pairwise_distances(TREES),
            "plot_label_weights": lambda: LEARNER,
            "plot_telling_edits": lambda: inspection.telling_edits(LEARNER, TREES, CLASSES),
            "plot_tree": lambda: TREE,
        }
        return getattr(plotting, name)(values[name](), **options)

    return draw


def ablation(tmp_path, **options):
    data = datasets.make_strings(24, random_state=0)
    data.name = "few strings"
    return experiments.run_ablation([data], tmp_path, variants=["unit"], quick=True, **options)


def sentiment(tmp_path, **options):
    return experiments.run_sentiment(tmp_path, tmp_path / "v.npz", quick=True, **options)


CALLS = {
    "CoOptimal.sample": tm.cooptimal(*TREES[:2]).sample,
    "Tree.children": partial(TREE.children),
    "Tree.subtree": TREE.subtree,
    "Tree.to_text": TREE.to_text,
    "Tree.show": TREE.show,
    "Alignment.to_text": tm.align(TREES[0], TREES[2]).to_text,
    "Alignment.show": tm.align(TREES[0], TREES[2]).show,
    "UnorderedAlignment.to_text": tm.unordered_align(TREES[0], TREES[2]).to_text,
    "UnorderedAlignment.show": tm.unordered_align(TREES[0], TREES[2]).show,
    "TreeDistances": partial(transformed, TreeDistances),
    "TreeNeighborsGraph": partial(transformed, TreeNeighborsGraph),
    "TreeFeatures": partial(transformed, TreeFeatures, kinds=["paths", "pqgrams", "subtrees"]),
    "TreeKernel": partial(transformed, TreeKernel),
    "features.TreeFeatures": partial(transformed, TreeFeatures, kinds=["paths", "pqgrams"]),
    "features.pqgram_distance": partial(features.pqgram_distance, TREE, TREE),
    "features.pqgram_distances": partial(features.pqgram_distances, TREES),
    "kernels.TreeKernel": partial(transformed, TreeKernel),
    "metrics.teds_scores": partial(metrics.teds_scores, [TABLE], [TABLE]),
    "metrics.tsed_scores": partial(metrics.tsed_scores, ["x"], ["x"], language="ast"),
    "TreeIndex": partial(tm.TreeIndex, TREES),
    "TreeIndex.remove": tm.TreeIndex(TREES).remove,
    "TreeIndex.nearest": partial(tm.TreeIndex(TREES).nearest, TREES),
    "TreeIndex.within": partial(tm.TreeIndex(TREES).within, TREES, radius=1),
    "FindResult.subtree": tm.find(TREE, TREE, k=2).subtree,
    "align": partial(tm.align, TREE, TREE),
    "distance": partial(tm.distance, TREE, TREE),
    "edit_counts": partial(tm.edit_counts, TREES),
    "find": partial(tm.find, TREE, TREES),
    "nearest": partial(tm.nearest, TREES),
    "within": partial(tm.within, TREES, radius=1),
    "iter_within": partial(tm.iter_within, TREES, radius=1),
    "deduplicate": partial(tm.deduplicate, TREES, radius=1),
    "Duplicates.to_frame": tm.deduplicate(TREES, radius=1).to_frame,
    "datasets.load_functions": partial(datasets.load_functions, []),
    "paired_distances": partial(tm.paired_distances, TREES, TREES),
    "subtree_distances": partial(tm.subtree_distances, TREE, TREE),
    "unordered_pairwise_distances": partial(tm.unordered_pairwise_distances, TREES),
    "pairwise_distances": partial(tm.pairwise_distances, TREES),
    "classification.DistanceSVC": partial(fitted, classification.DistanceSVC),
    "classification.GoodnessClassifier": partial(fitted, classification.GoodnessClassifier),
    "classification.MedianGLVQ": partial(fitted, classification.MedianGLVQ),
    "classification.RelationalGLVQ": partial(fitted, classification.RelationalGLVQ),
    "classification.KNeighborsTreeClassifier": partial(
        fitted, classification.KNeighborsTreeClassifier
    ),
    "classification.KNeighborsTreeClassifier.kneighbors": NEAREST.kneighbors,
    "classification.KNeighborsTreeClassifier.kneighbors_graph": NEAREST.kneighbors_graph,
    "clustering.KMedoids": partial(fitted, clustering.KMedoids, n_clusters=2),
    "clustering.medoids": partial(clustering.medoids, TREES, CLASSES),
    "regression.DistanceKernelRidge": partial(fitted, regression.DistanceKernelRidge),
    "regression.KNeighborsTreeRegressor": partial(fitted, regression.KNeighborsTreeRegressor),
    "regression.KNeighborsTreeRegressor.kneighbors": NEAREST_MEAN.kneighbors,
    "regression.KNeighborsTreeRegressor.kneighbors_graph": NEAREST_MEAN.kneighbors_graph,
    "learning.BEDL": partial(fitted, learning.BEDL),
    "learning.GESL": partial(fitted, learning.GESL, pairs="prototypes"),
    "learning.NCACosts": partial(fitted, learning.NCACosts, n_fits=1),
    "learning.KernelRegressionCosts": partial(fitted, learning.KernelRegressionCosts, n_fits=1),
    "inspection.changed_pairs": partial(inspection.changed_pairs, LEARNER, TREES, CLASSES),
    "inspection.learning_curve": partial(
        inspection.learning_curve, LEARNER, TREES * 2, CLASSES * 2, sizes=[1.0]
    ),
    "inspection.telling_edits": partial(inspection.telling_edits, LEARNER, TREES, CLASSES),
    "learning.LVQCosts": partial(fitted, learning.LVQCosts),
    "learning.LearnedMetric.pairwise": partial(
        learning.LearnedMetric(UNIT.to_matrix("abc"), UNIT).pairwise, TREES, TREES
    ),
    "learning.learn_costs": lambda **options: learning.learn_costs(counts(), counts(), **options),
    "datasets.load_stdlib_functions": partial(datasets.load_stdlib_functions, modules=["bisect"]),
    "datasets.make_glycans": datasets.make_glycans,
    "datasets.make_programs": datasets.make_programs,
    "datasets.make_random_trees": datasets.make_random_trees,
    "datasets.make_strings": datasets.make_strings,
    "plotting.plot_alignment": drawn("plot_alignment"),
    "plotting.plot_changed_pair": drawn("plot_changed_pair"),
    "plotting.plot_dendrogram": drawn("plot_dendrogram"),
    "plotting.plot_embedding": embedding,
    "plotting.plot_label_weights": drawn("plot_label_weights"),
    "plotting.plot_telling_edits": drawn("plot_telling_edits"),
    "plotting.plot_tree": drawn("plot_tree"),
    "report.report_html": partial(report.report_html, TREES),
    "experiments.run_ablation": ablation,
    "experiments.run_sentiment": sentiment,
    "testing.check_tree_estimator": partial(testing.check_tree_estimator, TreeDistances()),
    "testing.tree_estimator_checks": partial(testing.tree_estimator_checks, TreeDistances()),
    "distributed.joblib_distances": partial(distributed.joblib_distances, TREES),
    "distributed.pairwise_distances": blocks,
    "distributed.within": joined,
}


def test_all_functions_with_integers_are_called():
    assert {name for name, _ in PARAMETERS} == set(CALLS)
    assert len(PARAMETERS) > 80


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", HUGE, ids=["large", "small", "2**63", "inf", "uint64"])
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_integers_that_do_not_fit(tmp_path, name, parameter, value):
    call = CALLS[name]
    if call in (ablation, sentiment):
        call = partial(call, tmp_path)
    try:
        call(**{parameter: value})
    except (ValueError, TypeError, IndexError) as error:
        message = str(error)
    else:
        message = "no limit"
    if message == "no limit":
        negative = name == "distributed.joblib_distances"  # as for joblib
        assert parameter in (
            "n_jobs",
            "max_depth",
            "max_nodes",
            "min_nodes",
            "min_size",
            "memory_budget",
        )
        assert value > 0 or negative
    elif parameter == "node":
        assert message.startswith("node must be in the range [0, 3); got")
    else:
        # More threads may need more memory than a block may take.
        assert re.match(f"The '({parameter}|memory_budget)' parameter of", message)


@pytest.mark.parametrize("value", [10**400, [[0, 10**400], [10**400, 0]]])
def test_numbers_above_all_floats(value):
    for make in (
        partial(tm.CostMatrix, "a", value),
        partial(VectorCosts, "ab", value),
        partial(VectorCosts, "ab", np.eye(2), projection=value),
        partial(tm.EmbeddingCosts, "ab", value),
    ):
        with pytest.raises((ValueError, TypeError), match=r"The '\w+' parameter of|must be"):
            make()


@pytest.mark.parametrize("budget", ["9" * 400 + "GB", 10**30, 2**64])
def test_a_budget_without_end(tmp_path, budget):
    path = tmp_path / "D.npy"
    got = tm.pairwise_distances(TREES, out=path, memory_budget=budget)
    assert np.array_equal(got, tm.pairwise_distances(TREES))


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, [1]])
def test_workers_that_are_no_number(n_jobs):
    with pytest.raises(ValueError, match="'n_jobs' parameter of joblib_distances must be None or"):
        distributed.joblib_distances(TREES, n_jobs=n_jobs)


@pytest.mark.parametrize("make", [datasets.make_glycans, datasets.make_strings])
def test_more_trees_than_memory(make):
    with pytest.raises(MemoryError, match="a set of 1000000000000 trees needs"):
        make(10**12)
