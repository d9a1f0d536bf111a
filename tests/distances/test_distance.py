"""One pair: against the twins, the axioms, the cutoff, and the arguments."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
from shapes import SHAPES, delete_nodes, make_tree
from strategies import cost_cases, metric_cases, trees

EMPTY = tm.Tree.from_bracket("")


# --- against the definition --------------------------------------------------------


@given(trees(max_size=9), trees(max_size=9))
def test_unit_costs_equal_the_definition(x, y):
    assert tm.distance(x, y) == reference.naive_distance(x, y, reference.unit_cost)


@given(trees(max_size=8), trees(max_size=8), cost_cases())
def test_any_costs_equal_the_definition(x, y, case):
    got = tm.distance(x, y, costs=case.costs)
    expected = reference.naive_distance(x, y, case.cost)
    assert case.agrees(got, expected, x.size + y.size)


@given(trees(max_size=7), trees(max_size=7), cost_cases(symmetric=False))
def test_asymmetric_costs_equal_the_definition_in_both_directions(x, y, case):
    for a, b in ((x, y), (y, x)):
        got = tm.distance(a, b, costs=case.costs)
        expected = reference.naive_distance(a, b, case.cost)
        assert case.agrees(got, expected, x.size + y.size)


def test_ten_thousand_small_pairs_equal_the_enumeration_of_all_alignments():
    rng = Random(2018)
    alphabet = "abc"
    unequal = []
    for round_ in range(10_000):
        x, y = (
            make_tree(rng, rng.randint(0, 5), rng.choice(["random", "forest"])) for _ in range(2)
        )
        if round_ % 2:
            costs, cost, scale = None, reference.unit_cost, 1
        else:
            # Whole numbers of tenths or hundredths: the twin adds integers.
            table = [[rng.randint(0, 20) for _ in range(4)] for _ in range(4)]
            table[3][3] = 0
            scale = rng.choice([1, 10, 100])
            costs = tm.CostMatrix(alphabet, np.array(table) / scale)
            cost = reference.table_cost(alphabet, table)
        expected = Fraction(reference.enumerated_distance(x, y, cost), scale)
        if tm.distance(x, y, costs=costs) != float(expected):
            unequal.append((x.to_bracket(), y.to_bracket(), costs and costs.matrix))
    assert unequal == []


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_every_pair_of_shapes_equals_the_tables(first, second):
    rng = Random(f"{first} {second}")
    alphabet = "abcd"
    table = [[rng.randint(0, 40) for _ in range(5)] for _ in range(5)]
    table[4][4] = 0
    costs = tm.CostMatrix(alphabet, np.array(table) / 10)
    cost = reference.table_cost(alphabet, table)
    for size, other in ((13, 22), (24, 9)):
        x = make_tree(rng, size, first, alphabet)
        y = make_tree(rng, other, second, alphabet)
        unit = reference.table_distance(x, y, reference.unit_cost)
        assert tm.distance(x, y) == unit
        tenths = reference.table_distance(x, y, cost)
        assert tm.distance(x, y, costs=costs) == float(Fraction(tenths, 10))


LARGE = [
    (shape, size)
    for shape in SHAPES
    for size in (20, 63, 64, 65, 127, 128, 129, 257, 500)
    # Neither direction of decomposition suits a zigzag, so large ones take long.
    if shape != "zigzag" or size < 150
]


@pytest.mark.parametrize(("shape", "size"), LARGE)
def test_large_trees_with_a_known_number_of_edits(shape, size):
    # Fresh labels on some nodes and the loss of others cannot be had for less than one
    # edit each: the multiset of labels already differs by that many.
    rng = Random(size)
    x = make_tree(rng, size, shape, "abcdefgh")
    chosen = rng.sample(range(size), size // 3)
    fresh, gone = chosen[: size // 5], chosen[size // 5 :]
    labels = list(x.labels)
    for node in fresh:
        labels[node] = "fresh"
    y = delete_nodes(tm.Tree.from_parents(labels, x.parents), gone)
    edits = len(chosen)
    alphabet = [*"abcdefgh", "fresh"]
    unit = 1 - np.eye(len(alphabet) + 1)
    for price, expected in (
        (1.0, float(edits)),
        (0.1, float(Fraction(edits, 10))),
        (3.0, 3.0 * edits),
        (math.pi, pytest.approx(math.pi * edits, rel=1e-11)),
    ):
        costs = tm.CostMatrix(alphabet, price * unit)
        assert tm.distance(x, y, costs=costs) == expected
        assert tm.distance(y, x, costs=costs) == tm.distance(x, y, costs=costs)
        assert tm.distance(x, x, costs=costs) == 0.0
    assert tm.distance(x, y) == edits
    assert tm.distance(x, x) == 0.0
    assert tm.distance(x, x.map_labels(str.upper)) == size


# --- known values ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("", "", 0),
        ("{a}", "", 1),
        ("", "{a{b}{c}}", 3),
        ("{a}", "{a}", 0),
        ("{a}", "{b}", 1),
        ("{a}{b}", "{a}", 1),
        ("{a}{b}", "{b}{a}", 2),
        ("{a}{b}", "{a{b}}", 2),
        ("{a{b}}", "{b}", 1),
        ("{a{b}{c}}", "{b}{c}", 1),
        ("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}", 2),
        ("{a{b}{c{d}{e}}}", "{a{b}{d}{e}}", 1),
        ("{kitten}", "{sitting}", 1),
        # A chain against a star of other labels: nearly everything goes and comes.
        ("{a{b{c{d{e}}}}}", "{v{w}{x}{y}{z}}", 8),
    ],
)
def test_distances_done_by_hand(x, y, expected):
    x, y = tm.Tree.from_bracket(x), tm.Tree.from_bracket(y)
    assert tm.distance(x, y) == expected
    assert tm.distance(y, x) == expected
    assert reference.naive_distance(x, y, reference.unit_cost) == expected


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("intention", "execution", 5)],
)
def test_the_distance_of_chains_is_the_string_edit_distance(x, y, expected):
    assert tm.distance(tm.Tree.from_sequence(x), tm.Tree.from_sequence(y)) == expected


def test_the_result_is_a_python_float():
    assert type(tm.distance(EMPTY, EMPTY)) is float
    assert type(tm.distance(EMPTY, EMPTY, cutoff=0)) is float


# --- axioms ------------------------------------------------------------------------


@given(trees(max_size=7), trees(max_size=7), trees(max_size=7), metric_cases)
def test_a_metric_cost_gives_a_metric_distance(x, y, z, case):
    d = {
        (a, b): tm.distance(p, q, costs=case.costs)
        for a, p in enumerate((x, y, z))
        for b, q in enumerate((x, y, z))
    }
    assert d[0, 0] == d[1, 1] == d[2, 2] == 0.0
    assert d[0, 1] == d[1, 0]
    assert d[0, 2] == d[2, 0]
    assert d[1, 2] == d[2, 1]
    assert all(value >= 0 for value in d.values())
    assert d[0, 2] <= d[0, 1] + d[1, 2] + 1e-9 * (1 + d[0, 2])


@given(trees(max_size=30), trees(max_size=30), cost_cases(symmetric=True))
def test_symmetric_costs_give_exactly_symmetric_distances(x, y, case):
    assert tm.distance(x, y, costs=case.costs) == tm.distance(y, x, costs=case.costs)


@given(trees(max_size=40), cost_cases(zero_diagonal=True))
def test_a_tree_is_at_exactly_zero_from_itself(x, case):
    twin = tm.Tree.from_parents(x.labels, x.parents)
    assert tm.distance(x, x, costs=case.costs) == 0.0
    assert tm.distance(x, twin, costs=case.costs) == 0.0


@given(trees(), trees(), trees(), cost_cases(scales=(1, 10)))
def test_a_common_tree_on_either_side_does_not_bring_forests_further_apart(x, y, z, case):
    apart = tm.distance(x, y, costs=case.costs)
    more = tm.distance(z, z, costs=case.costs) + 1e-9
    left = tm.distance(tm.Tree.forest([z, x]), tm.Tree.forest([z, y]), costs=case.costs)
    right = tm.distance(tm.Tree.forest([x, z]), tm.Tree.forest([y, z]), costs=case.costs)
    assert left <= apart + more
    assert right <= apart + more


def mirror(tree):
    """The same forest with all children in the opposite order."""
    kids = reference.children(tree.parents)

    def flip(node):
        return (tree.labels[node], [flip(kid) for kid in reversed(kids[node])])

    return tm.Tree.from_nested([flip(root) for root in reversed(kids[-1])])


@given(trees(max_size=14), trees(max_size=14), cost_cases())
def test_mirrored_trees_are_as_far_apart(x, y, case):
    expected = tm.distance(x, y, costs=case.costs)
    assert tm.distance(mirror(x), mirror(y), costs=case.costs) == expected


@given(trees(), trees(), cost_cases(), st.sampled_from([-600, -60, -1, 1, 60, 600]))
def test_costs_scaled_by_a_power_of_two_scale_the_distance(x, y, case, power):
    scaled = tm.CostMatrix("abc", np.ldexp(case.costs.matrix, power))
    expected = math.ldexp(tm.distance(x, y, costs=case.costs), power)
    assert tm.distance(x, y, costs=scaled) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("smallest", [1e-201, 1e-300, 5e-324])
def test_costs_too_small_to_count_are_refused(smallest):
    with pytest.raises(ValueError, match="1e-200"):
        tm.CostMatrix("abc", smallest * (1 - np.eye(4)))


# --- cutoff ------------------------------------------------------------------------


@given(trees(max_size=12), trees(max_size=12), cost_cases())
def test_cutoff_at_above_and_below_the_distance(x, y, case):
    d = tm.distance(x, y, costs=case.costs)
    assert tm.distance(x, y, costs=case.costs, cutoff=d) == d
    assert tm.distance(x, y, costs=case.costs, cutoff=d + 1) == d
    assert tm.distance(x, y, costs=case.costs, cutoff=math.inf) == d
    assert tm.distance(x, y, costs=case.costs, cutoff=np.nextafter(d, np.inf)) == d
    if d > 0:
        below = float(np.nextafter(d, 0))
        assert tm.distance(x, y, costs=case.costs, cutoff=below) == math.inf
        assert tm.distance(x, y, costs=case.costs, cutoff=d / 2) == math.inf
        assert tm.distance(x, y, costs=case.costs, cutoff=0) == math.inf


@given(trees(max_size=16), trees(max_size=16))
def test_whole_number_cutoffs_of_the_unit_distance(x, y):
    d = tm.distance(x, y)
    for cutoff in range(int(d) + 3):
        expected = d if d <= cutoff else math.inf
        assert tm.distance(x, y, cutoff=cutoff) == expected


# --- arguments ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("value", ["{a}", None, [EMPTY], 3])
def test_distance_takes_two_trees(name, value):
    arguments = {"x": EMPTY, "y": EMPTY, name: value}
    with pytest.raises(TypeError, match=f"The '{name}' parameter of distance must be"):
        tm.distance(**arguments)


@pytest.mark.parametrize("cutoff", [-1, -0.001, math.nan, -math.inf, "3", [1]])
def test_cutoff_must_be_a_number_from_zero(cutoff):
    message = r"The 'cutoff' parameter of distance must be .* Got .* instead\."
    with pytest.raises((TypeError, ValueError), match=message):
        tm.distance(EMPTY, EMPTY, cutoff=cutoff)


@pytest.mark.parametrize("costs", ["unit", 1, np.zeros((2, 2)), tm.UnitCosts, {}])
def test_costs_must_be_one_of_the_kinds(costs):
    message = r"(?s)The 'costs' parameter of distance must be .* Got .* instead\."
    with pytest.raises((TypeError, ValueError), match=message):
        tm.distance(EMPTY, EMPTY, costs=costs)


def test_everything_after_the_trees_is_named():
    with pytest.raises(TypeError, match="positional"):
        tm.distance(EMPTY, EMPTY, tm.UnitCosts())
