"""Weights of trees in GESL: repeated pairs, trees without weight, and routing."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric.datasets import make_strings
from treemetric.learning import GESL
from treemetric.learning._gesl_costs import good_costs

STRINGS = make_strings(24, random_state=0)
X, Y = STRINGS.data, np.asarray(STRINGS.target)
pytestmark = pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
OPTIONS = {"beta": 0.5, "tol": 1e-10, "max_iter": 200}


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=20)
def test_a_pair_of_weight_two_is_two_pairs(seed, metric):
    random = np.random.RandomState(seed)
    trees = [tm.Tree.from_sequence(random.choice(list("abc"), size=4)) for _ in range(8)]
    pairs = random.randint(8, size=(10, 2))
    weights = random.randint(1, 4, size=10)
    counts = tm.edit_counts(trees, pairs=pairs)
    repeated = tm.edit_counts(trees, pairs=np.repeat(pairs, weights, axis=0))
    split = int(weights[:5].sum())

    def part(of, rows):
        return of._replace(pairs=of.pairs[rows], matrix=of.matrix[rows])

    found = good_costs(
        part(counts, slice(5)),
        part(counts, slice(5, None)),
        importance=weights.astype(float),
        metric=metric,
        **OPTIONS,
    )
    twin = good_costs(
        part(repeated, slice(split)), part(repeated, slice(split, None)), metric=metric, **OPTIONS
    )
    assert found.loss == pytest.approx(twin.loss, rel=1e-8)
    np.testing.assert_allclose(found.costs.matrix, twin.costs.matrix, atol=1e-3)


@pytest.mark.parametrize("pairs", ["neighbors", "prototypes"])
def test_a_tree_without_weight_is_not_used(pairs):
    learner = GESL(beta=0.1, pairs=pairs, distance="pseudo")
    weights = np.ones(len(Y))
    weights[[3, 10, 11]] = 0.0
    kept = np.flatnonzero(weights)
    some = learner.fit(X, Y, sample_weight=weights)
    costs, prototypes, chosen = some.costs_, some.prototypes_, some.pairs_
    assert len(some.trees_) == len(X)
    twin = GESL(**learner.get_params()).fit([X[i] for i in kept], Y[kept])
    assert costs == twin.costs_
    np.testing.assert_array_equal(prototypes, kept[twin.prototypes_])
    for mine, other in zip(chosen, twin.pairs_, strict=True):
        np.testing.assert_array_equal(mine, kept[other])
    same = learner.fit(X, Y, sample_weight=np.ones(len(Y))).costs_
    assert same == learner.fit(X, Y).costs_
    with pytest.raises(ValueError, match="'sample_weight' parameter of GESL"):
        learner.fit(X, Y, sample_weight=weights[:-1])


def test_weights_are_routed():
    weights = np.random.RandomState(0).randint(1, 4, size=len(Y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GESL(beta=0.1).set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=False)
        pipe = make_pipeline(asking).fit(X, Y, sample_weight=weights)
        search = GridSearchCV(asking, {"beta": [0.1]}, cv=2).fit(X, Y, sample_weight=weights)
        folds = cross_validate(
            asking,
            X,
            Y,
            cv=2,
            params={"sample_weight": weights},
            return_estimator=True,
            return_indices=True,
        )
    twin = GESL(beta=0.1).fit(X, Y, sample_weight=weights)
    assert pipe[-1].costs_ == search.best_estimator_.costs_ == twin.costs_
    train = folds["indices"]["train"][0]
    first = GESL(beta=0.1).fit(X[train], Y[train], sample_weight=weights[train])
    assert folds["estimator"][0].costs_ == first.costs_
