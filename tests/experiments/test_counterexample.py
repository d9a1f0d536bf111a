"""The counter-example to GESL of Paassen et al. (2018), and what its text gets wrong.

Three kinds of trees over {1, 2, 3}: x1 = 1(2), x2 = 2, x3 = x4 = 3. Learned without axioms, the
costs are perfect for the pseudo-edit distance and worthless for the edit distance.
"""

import numpy as np
import pytest

import treemetric as tm
from edits import counts, tables
from gesl_reference import L, by_slsqp, loss
from treemetric.learning.gesl import learn_costs

TREES = [tm.Tree.from_nested((1, [2])), *(tm.Tree.from_nested(label) for label in (2, 3, 3))]
CLOSE = [(0, 1), (1, 0), (2, 3), (3, 2)]
FAR = [(0, 2), (1, 2), (2, 0), (3, 0)]
C0 = tm.CostMatrix([1, 2, 3], L * (1 - np.eye(4)))
BETAS = [1e-3, 0.1, 0.28]  # below 1 / (5 log 2), as the text demands

# The optimal scripts that the text chooses where there are two.
SCRIPTS = (
    counts(
        (1, 2, 3),
        [
            {(1, None): 1, (2, 2): 1},
            {(None, 1): 1, (2, 2): 1},
            {(3, 3): 1},
            {(3, 3): 1},
        ],
    ),
    counts(
        (1, 2, 3),
        [
            {(1, 3): 1, (2, None): 1},
            {(2, 3): 1},
            {(3, 1): 1, (None, 2): 1},
            {(3, 1): 1, (None, 2): 1},
        ],
    ),
)
AVERAGE = tuple(tm.edit_counts(TREES, pairs=pairs, costs=C0) for pairs in (CLOSE, FAR))

# Rows and columns are 1, 2, 3 and the gap.
C1 = L / 2 * np.array([[0, 0, 1, 0], [0, 0, 2, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
PRINTED_C2 = L / 2 * np.array([[0, 0, 1, 0], [0, 0, 2, 1], [1, 2, 0, 1], [0, 1, 1, 0]])
C2 = L / 2 * np.array([[0, 1, 1, 0], [1, 0, 2, 1], [1, 2, 0, 1], [0, 1, 1, 0]])


def test_the_scripts_are_optimal():
    for chosen, pairs in zip(SCRIPTS, (CLOSE, FAR), strict=True):
        distances = [tm.distance(TREES[i], TREES[j], costs=C0) for i, j in pairs]
        np.testing.assert_allclose(chosen.distances(C0), distances, rtol=1e-12)
    # One of the two scripts from x1 to x3, with the same cost for the other.
    both = tm.cooptimal(TREES[0], TREES[2], costs=C0)
    assert both.count == 2


@pytest.mark.parametrize("beta", BETAS)
def test_one_script_gives_the_printed_costs(beta):
    found = learn_costs(*SCRIPTS, beta=beta, tol=1e-13)
    assert found.costs.alphabet == (1, 2, 3)
    np.testing.assert_allclose(found.costs.matrix, C1, rtol=0, atol=1e-6)
    assert found.margin == pytest.approx(0.0, abs=1e-6)
    assert found.loss == pytest.approx(2 * beta * L**2, rel=1e-6)
    assert found.duality_gap <= 1e-12 * found.loss
    assert by_slsqp(*tables(SCRIPTS), beta)[0] == pytest.approx(found.loss, abs=1e-6)


@pytest.mark.parametrize("beta", BETAS)
def test_the_printed_costs_are_worthless_under_the_edit_distance(beta):
    costs = learn_costs(*SCRIPTS, beta=beta, tol=1e-13).costs
    assert {v.axiom for v in costs.violations(tol=1e-6)} == {"symmetry", "triangle"}
    closed = costs.closure()
    np.testing.assert_allclose(closed.matrix, 0.0, rtol=0, atol=1e-6)
    distances = tm.pairwise_distances(TREES, costs=closed)
    np.testing.assert_allclose(distances, 0.0, rtol=0, atol=1e-6)
    true = beta * (costs.matrix**2).sum()
    true += sum(max(0.0, distances[i, j]) for i, j in CLOSE)
    true += sum(max(0.0, L - distances[i, j]) for i, j in FAR)
    assert true == pytest.approx(2 * beta * L**2 + 4 * L, rel=1e-6)


def test_the_printed_costs_themselves():
    assert not tm.CostMatrix([1, 2, 3], C1).closure().matrix.any()
    assert loss(*tables(SCRIPTS), C1, 0.0, 0.1) == pytest.approx(0.2 * L**2, rel=1e-12)


def test_the_printed_metric_is_not_a_metric():
    printed = tm.CostMatrix([1, 2, 3], PRINTED_C2)
    assert printed.is_symmetric()
    broken = printed.violations()
    assert [v.axiom for v in broken] == ["triangle"]
    assert PRINTED_C2[1, 2] == pytest.approx(L)
    assert PRINTED_C2[1, 0] + PRINTED_C2[0, 2] == pytest.approx(L / 2)
    assert loss(*tables(AVERAGE), PRINTED_C2, 0.0, 0.1) == pytest.approx(0.35 * L**2, rel=1e-12)


@pytest.mark.parametrize("beta", BETAS)
def test_the_average_with_a_metric_gives_the_corrected_costs(beta):
    found = learn_costs(*AVERAGE, beta=beta, metric=True, tol=1e-13)
    np.testing.assert_allclose(found.costs.matrix, C2, rtol=0, atol=1e-6)
    assert found.costs.is_pseudo_metric()
    assert found.margin == pytest.approx(0.0, abs=1e-6)
    assert found.loss == pytest.approx(4 * beta * L**2, rel=1e-6)
    assert found.duality_gap <= 1e-12 * found.loss
    assert loss(*tables(AVERAGE), C2, 0.0, beta) == pytest.approx(4 * beta * L**2, rel=1e-12)
    assert by_slsqp(*tables(AVERAGE), beta, metric=True)[0] == pytest.approx(found.loss, abs=1e-6)


def test_a_metric_keeps_its_loss_under_the_edit_distance():
    costs = tm.CostMatrix([1, 2, 3], C2)
    for counted, pairs in zip(AVERAGE, (CLOSE, FAR), strict=True):
        true = [tm.distance(TREES[i], TREES[j], costs=costs) for i, j in pairs]
        assert np.all(counted.distances(costs) >= np.array(true) - 1e-12)
    # The closest pairs are at 0, and x2 is as far from x3 as it was learned to be.
    assert tm.distance(TREES[0], TREES[1], costs=costs) == 0.0
    assert tm.distance(TREES[1], TREES[2], costs=costs) == pytest.approx(L)
