"""The variants that the ablation compares, and the grids of hyper-parameters.

Penalty weights are per training tree, because the losses of all learners are sums over trees. So
a number has the same meaning for data sets of any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from treemetric.learning import BEDL, GESL, LVQCosts

Parameters = Mapping[str, Any]

# Under learned costs that are not a pseudo-metric, the edit distance has two readings. "actual" is
# the cost of the cheapest edit script, which the dynamic program computes under the closure of the
# costs. "programme" is the value of the dynamic program under the costs themselves: not an edit
# distance, but the output of software that does not check the costs.
DISTANCES = ("pseudo", "actual", "programme")
CLASSIFIERS = ("knn", "median GLVQ", "SVM", "goodness")


@dataclass(frozen=True)
class Variant:
    """One way to learn costs."""

    title: str
    learner: type[BEDL | GESL | LVQCosts] | None
    fixed: Parameters
    distances: tuple[str, ...] = ("pseudo", "actual")
    script: str = "average"

    def make(self, parameters: Parameters, n_trees: int, seed: int) -> Any:
        """Return the learner for a number of training trees."""
        assert self.learner is not None
        chosen = dict(parameters)
        if "beta_per_tree" in chosen:
            chosen["beta"] = chosen.pop("beta_per_tree") * n_trees
        if "regularisation_per_tree" in chosen:
            chosen["regularisation"] = chosen.pop("regularisation_per_tree")
        return self.learner(unseen="gap-like", random_state=seed, **self.fixed, **chosen)


# Distances are computed from the costs (`distances.py`), so no learner needs to choose one.
_ONE = {"pairs": "neighbors", "script": "one", "distance": "pseudo"}
_AVERAGE = {"pairs": "neighbors", "script": "average", "distance": "pseudo"}
_PROTOTYPES = {"pairs": "prototypes", "script": "average", "distance": "pseudo"}
# The settings of the source, whatever the defaults of the learners are.
_VECTORS = {"squashing": "identity", "n_components": None, "fallback": False}
_TABLE = {"squashing": "identity", "max_labels": None, "fallback": False}

VARIANTS: dict[str, Variant] = {
    # Both distances are equal under unit costs; one is computed.
    "unit": Variant("unit costs, nothing learned", None, {}, ("actual",)),
    "G1": Variant("GESL, one script", GESL, _ONE, DISTANCES, "one"),
    "G2": Variant("GESL, average of all scripts", GESL, _AVERAGE, DISTANCES),
    "G3": Variant("GESL, average, prototypes", GESL, _PROTOTYPES, DISTANCES),
    "L1": Variant("LVQ of the costs", LVQCosts, _TABLE),
    "L2": Variant("LVQ of an embedding, BEDL", BEDL, _VECTORS),
    # Not in the source: GESL among the pseudo-metrics.
    "G1M": Variant("G1 among pseudo-metrics", GESL, {**_ONE, "metric": True}, script="one"),
    "G2M": Variant("G2 among pseudo-metrics", GESL, {**_AVERAGE, "metric": True}),
    "G3M": Variant("G3 among pseudo-metrics", GESL, {**_PROTOTYPES, "metric": True}),
}
DEFAULT_VARIANTS = ("unit", "G1", "G2", "G3", "L1", "L2")


def _crossed(**values: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    """Return all combinations; the last name changes fastest."""
    found: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        found = [{**one, name: choice} for one in found for choice in choices]
    return tuple(found)


@dataclass(frozen=True)
class Plan:
    """Inner folds and grids; ties between candidates go to the first in its grid."""

    inner_folds: int
    neighbours: tuple[dict[str, Any], ...]
    prototypes: tuple[dict[str, Any], ...]
    vectors: tuple[dict[str, Any], ...]
    classifiers: dict[str, tuple[dict[str, Any], ...]]

    def learner_grid(self, variant: str) -> tuple[dict[str, Any], ...]:
        """Return the candidates of a variant, as parameters of `Variant.make`."""
        if variant == "unit":
            return ({},)
        if variant.startswith("L"):
            return self.vectors
        return self.prototypes if variant.startswith("G3") else self.neighbours

    def as_dict(self) -> dict[str, Any]:
        """Return all settings as plain values."""
        return asdict(self)


FULL = Plan(
    inner_folds=3,
    neighbours=_crossed(beta_per_tree=(0.1, 0.001), n_neighbors=(1, 5)),
    prototypes=_crossed(beta_per_tree=(0.1, 0.001), n_prototypes=(1, 3)),
    vectors=_crossed(regularisation_per_tree=(0.01, 0.0), n_prototypes=(1, 3)),
    classifiers={
        "knn": _crossed(n_neighbors=(1, 3, 5, 7)),
        "median GLVQ": _crossed(n_prototypes=(1, 2, 4)),
        "SVM": _crossed(C=(1.0, 10.0, 100.0), bandwidth_per_median=(1.0, 0.5)),
        "goodness": _crossed(regularisation=(1.0, 0.1), scale=("median", 1.0)),
    },
)
QUICK = Plan(
    inner_folds=2,
    neighbours=_crossed(beta_per_tree=(0.01,), n_neighbors=(1,)),
    prototypes=_crossed(beta_per_tree=(0.01,), n_prototypes=(1,)),
    vectors=_crossed(
        regularisation_per_tree=(0.01,), n_prototypes=(1,), max_iter=(3,), max_inner_iter=(20,)
    ),
    classifiers={
        "knn": _crossed(n_neighbors=(1, 5)),
        "median GLVQ": _crossed(n_prototypes=(1, 3)),
        "SVM": _crossed(C=(1.0, 100.0), bandwidth_per_median=(1.0,)),
        "goodness": _crossed(regularisation=(1.0,), scale=("median",)),
    },
)
