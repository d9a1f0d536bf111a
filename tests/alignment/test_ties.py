"""Which of several optimal alignments `align` returns."""

import json
from pathlib import Path

import pytest
from hypothesis import given

import reference
import treemetric as tm
from strategies import cost_cases, trees

RECORDS = json.loads((Path(__file__).parents[1] / "compat" / "compat.json").read_text())
CASES = ("unit", "per-op", "cheap rename", "dear rename")


def matched(alignment):
    return tuple((i, j) for i, j in alignment.pairs if i is not None and j is not None)


def operation_costs(x, y, case):
    """The costs of a record as a matrix of the labels of both trees."""
    labels = tuple(dict.fromkeys((*x.labels, *y.labels)))
    price = {(None, None): 0.0}
    for a in labels:
        price[a, None], price[None, a] = case["delete"], case["insert"]
        price.update({(a, b): 0.0 if a == b else case["replace"] for b in labels})
    return tm.CostMatrix(labels, [[price[a, b] for b in (*labels, None)] for a in (*labels, None)])


@pytest.mark.parametrize("name", CASES)
def test_the_records_of_zss_and_apted(name):
    exact = 0
    for record in RECORDS:
        x, y = (tm.Tree.from_bracket(record[side]) for side in "xy")
        case = record["cases"][name]
        found = tm.align(x, y, costs=operation_costs(x, y, case), ties="delete")
        assert found.cost == pytest.approx(case["zss_distance"], abs=1e-9)
        if all(float(case[part]).is_integer() for part in ("delete", "insert", "replace")):
            listed = [(i, j) for op, i, j in case["zss_operations"] if op in ("match", "update")]
            assert matched(found) == tuple(sorted(map(tuple, listed)))
            exact += 1
    assert exact == (len(RECORDS) if name in ("unit", "dear rename") else 0)


@given(trees(), trees())
def test_deleting_first_with_unit_costs(x, y):
    found = tm.align(x, y, ties="delete")
    assert matched(found) == reference.delete_first_alignment(x, y, reference.unit_cost)
    assert found.cost == tm.distance(x, y)


@given(trees(), trees(), cost_cases(scales=(1, 10, 1000, 8)))
def test_deleting_first_with_exact_costs(x, y, case):
    found = tm.align(x, y, costs=case.costs, ties="delete")
    assert matched(found) == reference.delete_first_alignment(x, y, case.cost)
    assert found.cost == tm.distance(x, y, costs=case.costs)


@given(trees(max_size=6), trees(max_size=6), cost_cases())
def test_deleting_first_is_optimal_for_all_costs(x, y, case):
    found = tm.align(x, y, costs=case.costs, ties="delete")
    price = reference.alignment_cost(x, y, matched(found), case.cost)
    assert case.agrees(tm.distance(x, y, costs=case.costs), price, x.size + y.size)


def test_vectors():
    costs = tm.VectorCosts(("a", "b"), [[1.0, 0.5], [0.25, 2.0]])
    x, y = tm.Tree.from_sequence("abab"), tm.Tree.from_sequence("ba")
    found = tm.align(x, y, costs=costs, ties="delete")
    assert found.cost == tm.distance(x, y, costs=costs)
    assert len(matched(found)) == 2


def test_trees_of_any_depth():
    x, y = tm.Tree.from_sequence("a" * 3000), tm.Tree.from_sequence("a" * 2000)
    # The last node in postorder is the root: deletions come from the top.
    expected = tuple((1000 + k, k) for k in range(2000))
    assert matched(tm.align(x, y, ties="delete")) == expected


def test_the_default_is_unchanged():
    x, y = tm.Tree.from_sequence("aa"), tm.Tree.from_sequence("a")
    assert tm.align(x, y).pairs == tm.align(x, y, ties="pair").pairs == ((0, 0), (1, None))


@pytest.mark.parametrize("ties", ["insert", None, 1, ["pair"]])
def test_other_ties_are_refused(ties):
    x = tm.Tree.from_sequence("a")
    with pytest.raises(ValueError, match=r"'ties' parameter of align must be 'pair' or 'delete'"):
        tm.align(x, x, ties=ties)
