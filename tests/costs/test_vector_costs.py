"""Costs between labels with vectors: every kind, every path, every label without a vector."""

import copy
import math
import pickle
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from buffers import at_odd_addresses
from strategies import tree_lists

KINDS = ("cosine", "chord", "angle", "euclidean")
METRICS = ("chord", "angle", "euclidean")
# The vector of z is zero, and y has none at all.
WORDS, BLANKS = "abcdz", "y"
LABELS = WORDS + BLANKS
# Products of float32 numbers, and what becomes of their error under a root.
SLACK = {"float32": 2e-3, "float64": 1e-9}


def some_vectors(dtype="float64", seed=0, dimension=3):
    vectors = np.random.RandomState(seed).standard_normal((len(WORDS), dimension))
    vectors[WORDS.index("z")] = 0.0
    return vectors.astype(dtype)


def some_costs(kind="cosine", dtype="float64", *, projected=False, seed=0, **options):
    projection = np.random.RandomState(seed + 1).standard_normal((3, 2)) if projected else None
    return tm.VectorCosts(
        WORDS, some_vectors(dtype, seed), kind=kind, projection=projection, **options
    )


def plain_cost(kind, x, y):
    """The cost of two vectors by the formulas of the documentation; None is no vector."""
    x, y = (None if v is None or not any(v) else [float(e) for e in v] for v in (x, y))
    if x is None and y is None:
        return 0.0
    if kind == "euclidean":
        x, y = (v or [0.0] * len(x or y) for v in (x, y))
        return math.dist(x, y)
    if x is None or y is None:
        return math.sqrt(0.5) if kind == "chord" else 0.5
    s = sum(a * b for a, b in zip(x, y, strict=True)) / (math.hypot(*x) * math.hypot(*y))
    s = min(1.0, max(-1.0, s))
    return {
        "cosine": (1 - s) / 2,
        "chord": math.sqrt((1 - s) / 2),
        "angle": math.acos(s) / math.pi,
    }[kind]


def plain_matrix(costs, labels=LABELS):
    """The table of all labels and the gap, entry by entry."""
    vectors = dict(zip(costs.alphabet, costs.vectors.astype(float), strict=True))
    if costs.projection is not None:
        vectors = {u: v @ costs.projection.astype(float) for u, v in vectors.items()}
    sides = [*labels, None]
    rows = [
        [0.0 if u == v else plain_cost(costs.kind, vectors.get(u), vectors.get(v)) for v in sides]
        for u in sides
    ]
    return tm.CostMatrix(labels, rows)


def check_same(found, expected, slack):
    np.testing.assert_allclose(found, expected, rtol=0, atol=slack)


def some_trees(count=12, seed=0, labels=LABELS):
    """Random trees of up to eight nodes, an empty one among them."""
    random = np.random.RandomState(seed)
    trees = [tm.Tree.from_sequence("")]
    for _ in range(count - 1):
        size = random.randint(1, 9)
        parents = [-1, *(int(random.randint(node)) for node in range(1, size))]
        children = [[v for v in range(size) if parents[v] == u] for u in range(size)]
        trees.append(tm.Tree.from_adjacency([*random.choice([*labels], size)], children))
    return trees


ALL = pytest.mark.parametrize(
    ("kind", "dtype", "projected"), list(product(KINDS, ("float32", "float64"), (False, True)))
)


# --- the costs ---------------------------------------------------------------------


@ALL
def test_single_nodes_cost_what_the_formulas_say(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected)
    twin = plain_matrix(costs)
    empty = tm.Tree.from_sequence("")
    nodes = [tm.Tree.from_sequence(label) for label in LABELS]
    deletions = [tm.distance(x, empty, costs=costs) for x in nodes]
    check_same(deletions, twin.matrix[:-1, -1], SLACK[dtype])
    assert deletions == [tm.distance(empty, x, costs=costs) for x in nodes]
    for (i, x), (j, y) in product(enumerate(nodes), repeat=2):
        # Two edits may be cheaper than one.
        best = min(twin.matrix[i, j], twin.matrix[i, -1] + twin.matrix[-1, j])
        check_same(tm.distance(x, y, costs=costs), best, SLACK[dtype])


@ALL
def test_to_matrix_has_the_same_costs(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected)
    twin = plain_matrix(costs)
    # The twin projects in float64, the costs in the type of their vectors.
    slack = 1e-9 if dtype == "float64" or not projected else 1e-5
    check_same(costs.to_matrix(LABELS).matrix, twin.matrix, max(slack, 3e-8))
    assert costs.to_matrix().alphabet == costs.alphabet == tuple(WORDS)
    few = costs.to_matrix("yca")
    assert few.alphabet == ("y", "c", "a")
    check_same(few.matrix, costs.to_matrix(LABELS).to_matrix("yca").matrix, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_distances_agree_with_the_matrix_to_nine_digits(kind):
    costs = some_costs(kind, projected=True)
    trees = some_trees(20)
    table = costs.to_matrix(LABELS)
    found, expected = (tm.pairwise_distances(trees, costs=c) for c in (costs, table))
    check_same(found, expected, 1e-9)


@given(tree_lists(min_size=1, max_size=4, labels=LABELS), st.sampled_from(KINDS), st.booleans())
def test_distances_of_any_trees_agree_with_the_matrix(trees, kind, projected):
    costs = some_costs(kind, projected=projected, seed=4)
    expected = tm.pairwise_distances(trees, costs=plain_matrix(costs))
    check_same(tm.pairwise_distances(trees, costs=costs), expected, 1e-9)


@ALL
def test_close_and_opposite_vectors_keep_their_digits(kind, dtype, projected):
    base = np.array([0.6, 0.8, 0.0])
    near = base + np.array([0.0, 0.0, 1e-3])
    far = -base
    projection = np.eye(3) if projected else None
    vectors = np.array([base, base, near, far, 5 * base], dtype=dtype)
    costs = tm.VectorCosts("abnfl", vectors, kind=kind, projection=projection)
    x = tm.Tree.from_sequence("a")
    found = [tm.distance(x, tm.Tree.from_sequence(label), costs=costs) for label in "abnfl"]
    expected = [
        plain_cost(kind, vectors[0], v) if i else 0.0 for i, v in enumerate(vectors.astype(float))
    ]
    if kind != "euclidean":
        expected[3] = 1.0
    slack = {"float32": 2e-7, "float64": 1e-9}[dtype]
    # math.acos, unlike the library, loses half of the digits next to 1.
    expected[2] = {
        "cosine": expected[2],
        "chord": math.sin(math.atan(1e-3) / 2),
        "angle": math.atan(1e-3) / math.pi,
        "euclidean": 1e-3,
    }[kind]
    expected[1] = 0.0
    if kind != "euclidean":
        expected[4] = 0.0
    check_same(found, expected, slack)


@pytest.mark.parametrize("turn", [0.3, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_angles_keep_their_digits_at_both_ends(turn):
    """Where neither the sine of half the angle nor its cosine does."""
    near, far = (math.cos(turn), math.sin(turn)), (-math.cos(turn), math.sin(turn))
    costs = tm.VectorCosts("anfo", [(1.0, 0.0), near, far, (-1.0, 0.0)], kind="angle")
    expected = [0.0, turn / math.pi, 1 - turn / math.pi, 1.0]
    check_same(costs.to_matrix().matrix[0, :4], expected, 1e-15)
    assert costs.to_matrix().matrix[0, 3] == 1.0
    nodes = [tm.Tree.from_sequence(label) for label in "anfo"]
    # The core rounds costs to multiples of 2**-40.
    check_same(tm.pairwise_distances(nodes[:1], nodes, costs=costs)[0], expected, 2**-40)
    counts = tm.edit_counts(nodes[:1], nodes, costs=tm.UnitCosts())
    check_same(counts.distances(costs), expected, 1e-15)


# --- every path --------------------------------------------------------------------


@ALL
def test_all_paths_agree(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected)
    trees = tm.TreeSet(some_trees())
    full = tm.pairwise_distances(trees, costs=costs)
    upper = np.triu_indices(len(trees), 1)
    np.testing.assert_array_equal(full, full.T)
    np.testing.assert_array_equal(np.diag(full), 0.0)
    condensed = tm.pairwise_distances(trees, costs=costs, condensed=True)
    np.testing.assert_array_equal(condensed, full[upper])
    for jobs in (2, -1):
        again = tm.pairwise_distances(trees, costs=costs, n_jobs=jobs)
        np.testing.assert_array_equal(again, full)
    part = tm.pairwise_distances(trees[3:7], trees, costs=costs)
    np.testing.assert_array_equal(part, full[3:7])
    single = tm.pairwise_distances(trees, costs=costs, dtype="float32")
    np.testing.assert_array_equal(single, full.astype(np.float32))
    for i, j in ((1, 2), (3, 5), (0, 4), (6, 6), (7, 11)):
        x, y = trees[i], trees[j]
        assert tm.distance(x, y, costs=costs) == full[i, j]
        assert tm.align(x, y, costs=costs).cost == pytest.approx(full[i, j], abs=1e-11)
        assert tm.cooptimal(x, y, costs=costs).cost == pytest.approx(full[i, j], abs=1e-11)
        if x.size and y.size:
            between = tm.subtree_distances(x, y, costs=costs)
            assert between[0, 0] == pytest.approx(full[i, j], abs=1e-11)


@ALL
def test_alignments_are_those_of_the_matrix(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected)
    # Words only: nodes without a vector have ties, which rounding breaks either way.
    trees = some_trees(labels="abcd", seed=3)[1:]
    table = costs.to_matrix(LABELS)
    slack = SLACK[dtype]
    for x, y in pairwise(trees):
        one, other = (tm.align(x, y, costs=c) for c in (costs, table))
        assert one.cost == pytest.approx(other.cost, abs=slack)
        priced = sum(edit.cost for edit in one.edits())
        assert priced == pytest.approx(one.cost, abs=slack)
        soft, other = (tm.soft_alignment(x, y, costs=c, temperature=0.5) for c in (costs, table))
        assert soft.cost == pytest.approx(other.cost, abs=slack)
        check_same(soft.expectation, other.expectation, slack)
        between = [tm.subtree_distances(x, y, costs=c) for c in (costs, table)]
        check_same(*between, slack)
        shares = tm.cooptimal(x, y, costs=costs).expectation
        check_same(shares[:-1].sum(axis=1), 1, 1e-9)
        check_same(shares[:, :-1].sum(axis=0), 1, 1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options", [{}, {"script": "one"}, {"temperature": 0.3}], ids=["average", "one", "soft"]
)
def test_counts_price_to_the_distance(kind, options):
    costs = some_costs(kind)
    trees = some_trees(8)
    counts = tm.edit_counts(trees, costs=costs, **options)
    priced = counts.distances(costs).reshape(8, 8)
    expected = tm.pairwise_distances(trees, costs=costs)
    if "temperature" in options:
        table = costs.to_matrix(LABELS)
        twin = tm.edit_counts(trees, costs=table, **options)
        check_same(counts.dense(), twin.dense(), 1e-9)
        assert (priced >= expected - 1e-9).all()
    else:
        check_same(priced, expected, 1e-9)
    again = tm.edit_counts(trees, costs=costs, n_jobs=2, **options)
    np.testing.assert_array_equal(again.matrix.toarray(), counts.matrix.toarray())


@pytest.mark.parametrize("kind", KINDS)
def test_average_counts_are_shares_of_all_optimal_alignments(kind):
    costs = some_costs(kind)
    x, y = tm.Tree.from_bracket("{y{a}{b}{y}}"), tm.Tree.from_bracket("{y{b}{z}}")
    shares = tm.cooptimal(x, y, costs=costs)
    counts = tm.edit_counts([x], [y], costs=costs)
    side = len(counts.alphabet)
    place = {label: code for code, label in enumerate(counts.alphabet)}
    rows = [*(place[label] for label in x.labels), side]
    columns = [*(place[label] for label in y.labels), side]
    expected = np.zeros((side + 1, side + 1))
    np.add.at(expected, np.ix_(rows, columns), shares.expectation)
    check_same(counts.dense()[0], expected, 1e-9)
    assert shares.count == len(list(shares)) > 1


# --- axioms ------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.booleans())
def test_chord_angle_and_euclidean_are_pseudo_metrics(seed, kind, projected):
    costs = some_costs(kind, projected=projected, seed=seed)
    assert costs.violations(LABELS) == []


@pytest.mark.parametrize("kind", METRICS)
def test_their_distances_are_pseudo_metrics(kind):
    found = tm.pairwise_distances(some_trees(15, seed=8), costs=some_costs(kind))
    assert (found[:, None, :] <= found[:, :, None] + found[None] + 1e-9).all()


def test_the_cosine_is_not_triangular():
    angles = np.deg2rad([0, 60, 120])
    vectors = np.c_[np.cos(angles), np.sin(angles)]
    costs = tm.VectorCosts("abc", vectors)
    check_same(
        costs.to_matrix().matrix[:3, :3],
        [[0, 1 / 4, 3 / 4], [1 / 4, 0, 1 / 4], [3 / 4, 1 / 4, 0]],
        1e-12,
    )
    (broken,) = costs.violations()
    assert broken.axiom == "triangle"
    assert set(broken.labels) == {"a", "b", "c"}
    assert not costs.is_pseudo_metric()
    assert costs.closure().is_pseudo_metric()
    x, y = (tm.Tree.from_sequence(label) for label in "ac")
    assert tm.distance(x, y, costs=costs) == pytest.approx(3 / 4)
    assert tm.distance(x, y, costs=costs.closure()) == pytest.approx(1 / 2)
    for kind in METRICS:
        assert tm.VectorCosts("abc", vectors, kind=kind).is_pseudo_metric()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cosine_chord_and_angle_agree_on_nearest_neighbours_of_single_nodes(dtype):
    random = np.random.RandomState(5)
    labels = range(40)
    # All directions. Nodes without a vector, of which the first three are, stand at a right angle.
    vectors = random.standard_normal((40, 6)).astype(dtype)
    vectors[:3] = 0.0
    nodes = [tm.Tree.from_sequence([label]) for label in labels]
    orders = []
    for kind in ("cosine", "chord", "angle"):
        costs = tm.VectorCosts(labels, vectors, kind=kind)
        orders.append(np.argsort(costs.to_matrix().matrix[:-1, :-1], axis=1, kind="stable"))
        found = tm.pairwise_distances(nodes, costs=costs)
        np.testing.assert_array_equal(np.argsort(found, axis=1, kind="stable"), orders[-1])
    # Blank nodes have neighbours both nearer and farther than other blank ones.
    assert ((orders[0][3:] < 3).argmax(axis=1) > 1).any()
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])


@pytest.mark.parametrize("kind", KINDS)
def test_edits_cost_as_much_as_their_inverse(kind):
    costs = some_costs(kind)
    assert costs.is_symmetric()
    matrix = costs.to_matrix(LABELS).matrix
    np.testing.assert_array_equal(matrix, matrix.T)


# --- no vector ---------------------------------------------------------------------


@ALL
def test_nodes_without_a_vector_are_free(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected)
    bracket = tm.Tree.from_bracket
    empty = bracket("")
    # z has a vector of zeros, y and x have none.
    for x, y in (("z", "y"), ("y", "x"), ("z", "x"), ("y", ""), ("", "z"), ("y", "y")):
        trees = [bracket(f"{{{label}}}") if label else empty for label in (x, y)]
        assert tm.distance(*trees, costs=costs) == 0.0
    bare, dressed = bracket("{a}"), bracket("{y{x}{z{a{y}}}}")
    assert tm.distance(bare, dressed, costs=costs) == 0.0
    gone = tm.distance(bare, empty, costs=costs)
    for label in "yz":
        # Against a vector they cost what the gap does.
        assert tm.distance(bare, bracket(f"{{{label}}}"), costs=costs) == gone
    if kind != "euclidean":
        assert gone == pytest.approx(math.sqrt(0.5) if kind == "chord" else 0.5, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_projection_can_take_a_vector_away(kind):
    vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    costs = tm.VectorCosts("abc", vectors, kind=kind, projection=[[1.0], [0.0]])
    empty = tm.Tree.from_sequence("")
    a, b, c = (tm.Tree.from_sequence(label) for label in "abc")
    assert tm.distance(b, empty, costs=costs) == 0.0
    assert tm.distance(a, b, costs=costs) == tm.distance(a, empty, costs=costs) > 0
    assert tm.distance(a, c, costs=costs) == 0.0
    assert costs.to_matrix().matrix[1].tolist() == costs.to_matrix().matrix[3].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("vectors", [np.zeros((2, 3)), np.zeros((2, 0))], ids=["zero", "no"])
def test_without_any_vector_all_is_free(kind, vectors):
    costs = tm.VectorCosts("ab", vectors, kind=kind)
    assert not tm.pairwise_distances(some_trees(), costs=costs).any()
    assert not costs.to_matrix().matrix.any()


def test_an_empty_alphabet_is_all_blanks():
    costs = tm.VectorCosts([], np.zeros((0, 4)))
    assert not tm.pairwise_distances(some_trees(), costs=costs).any()
    assert costs.to_matrix("ab").matrix.shape == (3, 3)


def test_unknown_labels_may_be_an_error():
    costs = some_costs(unknown="error")
    known, other = tm.Tree.from_sequence("abz"), tm.Tree.from_sequence("ay")
    assert tm.distance(known, known, costs=costs) == 0.0
    message = r"The label 'y' is not in the alphabet of the costs, which has 5 labels\."
    calls = [
        lambda: tm.distance(known, other, costs=costs),
        lambda: tm.pairwise_distances([known, other], costs=costs),
        lambda: tm.pairwise_distances([known], [other], costs=costs),
        lambda: tm.align(other, known, costs=costs),
        lambda: tm.edit_counts([known, other], costs=costs),
        lambda: costs.to_matrix("ay"),
        lambda: costs.project("ay"),
    ]
    for call in calls:
        with pytest.raises(tm.exceptions.UnknownLabelError, match=message):
            call()


# --- as a value --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_are_not_copied_and_cannot_be_written(dtype):
    vectors, projection = some_vectors(dtype), np.eye(3, dtype=dtype)
    costs = tm.VectorCosts(WORDS, vectors, projection=projection)
    for kept, given_one in ((costs.vectors, vectors), (costs.projection, projection)):
        assert np.shares_memory(kept, given_one)
        assert kept.dtype == dtype
        assert given_one.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            kept[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        tm.VectorCosts(WORDS, vectors).project()[0, 0] = 1.0


@pytest.mark.parametrize(
    ("given_one", "dtype"),
    [
        ([[1, 2], [3, 4]], "float64"),
        (np.array([[1, 2], [3, 4]], dtype="float16"), "float32"),
        (np.array([[1, 2], [3, 4]], dtype=">f8"), "float64"),
        (np.array([[1, 2], [3, 4]], dtype="int8"), "float64"),
        (np.array([[1, 2], [3, 4]], dtype=object), "float64"),
    ],
)
def test_other_numbers_are_converted(given_one, dtype):
    costs = tm.VectorCosts("ab", given_one)
    assert costs.vectors.dtype == dtype
    np.testing.assert_array_equal(costs.vectors, [[1, 2], [3, 4]])


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda v: np.repeat(v, 2, axis=0)[::2]])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_layout_of_memory_gives_the_same(layout, dtype):
    vectors = some_vectors(dtype)
    trees = some_trees()
    one, other = (
        tm.pairwise_distances(trees, costs=tm.VectorCosts(WORDS, v, kind="euclidean"))
        for v in (vectors, layout(vectors))
    )
    np.testing.assert_array_equal(one, other)


def test_attributes_cannot_be_set():
    costs = some_costs()
    for name in ("alphabet", "vectors", "kind", "projection", "unknown", "other"):
        with pytest.raises(AttributeError, match=f"cannot set '{name}'"):
            setattr(costs, name, None)
        with pytest.raises(AttributeError, match=f"cannot delete '{name}'"):
            delattr(costs, name)


@ALL
def test_costs_pickle_and_compare_by_value(kind, dtype, projected):
    costs = some_costs(kind, dtype, projected=projected, unknown="error")
    again = pickle.loads(pickle.dumps(costs))
    assert again == costs == some_costs(kind, dtype, projected=projected, unknown="error")
    assert hash(again) == hash(costs)
    assert again.vectors.dtype == dtype
    assert not again.vectors.flags.writeable
    trees = some_trees(labels=WORDS)
    one, other = (tm.pairwise_distances(trees, costs=c) for c in (costs, again))
    np.testing.assert_array_equal(one, other)


def test_copies_share_the_vectors():
    costs = some_costs()
    assert copy.deepcopy(costs) is costs
    assert np.shares_memory(copy.copy(costs).vectors, costs.vectors)


@ALL
def test_buffers_at_odd_addresses(kind, dtype, projected):
    """As dask gives them, which cuts them out of a message."""
    costs = some_costs(kind, dtype, projected=projected)
    again = at_odd_addresses(costs)
    assert again == costs
    assert again.vectors.flags.aligned
    trees = some_trees()
    one, other = (tm.pairwise_distances(trees, costs=c) for c in (costs, again))
    np.testing.assert_array_equal(one, other)


def test_different_costs_are_not_equal():
    costs = some_costs()
    others = [
        some_costs("chord"),
        some_costs(dtype="float32"),
        some_costs(projected=True),
        some_costs(unknown="error"),
        some_costs(seed=1),
        tm.VectorCosts("vwxyz", some_vectors()),
        tm.VectorCosts(WORDS, some_vectors(), projection=np.eye(3)),
        tm.UnitCosts(),
        "costs",
    ]
    for other in others:
        assert costs != other
    projected = [tm.VectorCosts(WORDS, some_vectors(), projection=f * np.eye(3)) for f in (1, 2)]
    assert projected[0] != projected[1]


def test_costs_say_what_they_are():
    assert repr(some_costs("angle")) == "<VectorCosts (angle) of 5 labels in 3 dimensions>"
    assert "in 2 dimensions" in repr(some_costs(projected=True))


def test_another_projection():
    costs = some_costs("chord", "float32", unknown="error")
    other = costs.with_projection(np.eye(3)[:, :2])
    assert np.shares_memory(other.vectors, costs.vectors)
    assert (other.kind, other.unknown, other.alphabet) == ("chord", "error", costs.alphabet)
    np.testing.assert_array_equal(other.project(), costs.vectors[:, :2])
    assert other.with_projection(None) == costs
    with pytest.raises(ValueError, match=r"'projection' .* of shape"):
        costs.with_projection(np.eye(2))


def test_vectors_after_the_projection():
    costs = some_costs(projected=True)
    expected = costs.vectors @ costs.projection
    np.testing.assert_array_equal(costs.project(), expected)
    np.testing.assert_array_equal(costs.project("cy"), [expected[2], [0.0, 0.0]])
    assert some_costs(dtype="float32", projected=True).project().dtype == np.float32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alphabet": "aba"}, "'alphabet' .* a list of different labels. Got 'a' twice"),
        ({"alphabet": "ab"}, r"'vectors' .* of shape \(2, V\) for 2 labels. Got shape \(3, 2\)"),
        ({"vectors": [1.0, 2.0, 3.0]}, "'vectors' .* an array of 2 dimensions. Got 1 dim"),
        ({"vectors": [[0, np.nan]] * 3}, "'vectors' .* finite. Got nan in row 0, column 1 in"),
        ({"vectors": [[0, 1], [0, np.inf], [0, 0]]}, "'vectors' .* finite. Got inf in row 1, c"),
        ({"vectors": [["x", "y"]] * 3}, "'vectors' .* must be an array of numbers"),
        ({"vectors": [["1", "2"]] * 3}, "'vectors' .* must be an array of numbers"),
        ({"vectors": np.array([["1", 2]] * 3, dtype=object)}, "'vectors' .* an array of numbers"),
        ({"vectors": np.ma.array(np.ones((3, 2)), mask=np.eye(3, 2))}, "without masked entries"),
        ({"vectors": [[1], [2, 3], [4]]}, "'vectors' .* must be an array of numbers"),
        ({"vectors": [[1j, 1]] * 3}, "'vectors' .* must be an array of numbers"),
        ({"kind": "manhattan"}, "'kind' .* 'cosine', 'chord', 'angle' or 'euclidean'. Got 'manh"),
        ({"kind": None}, "'kind' .* Got None"),
        ({"kind": ["cosine"]}, "'kind' .* Got "),
        ({"unknown": "ignore"}, "'unknown' .* 'blank' or 'error'. Got 'ignore'"),
        ({"projection": np.eye(3)}, r"'projection' .* of shape \(2, k\) .* Got shape \(3, 3\)"),
        ({"projection": [1.0, 2.0]}, "'projection' .* an array of 2 dimensions"),
        ({"projection": [[np.nan], [0]]}, "'projection' .* finite"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    arguments = {"alphabet": "abc", "vectors": np.ones((3, 2)), **change}
    with pytest.raises(ValueError, match=message):
        tm.VectorCosts(arguments.pop("alphabet"), arguments.pop("vectors"), **arguments)


def test_labels_that_cannot_be_hashed_are_refused():
    with pytest.raises(TypeError, match=r"'alphabet' .* must have hashable labels: .*list"):
        tm.VectorCosts([["a"], ["b"]], np.eye(2))


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_that_overflow_are_refused(kind):
    vectors = np.array([[1.0, 0.0], [3e38, 3e38]], dtype="float32")
    costs = tm.VectorCosts("ab", vectors, kind=kind, projection=[[1e3], [1e3]])
    with pytest.raises(ValueError, match=r"must keep vectors finite\. It maps the vector of 'b'"):
        tm.distance(tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b"), costs=costs)


def test_no_table_of_all_labels_is_made():
    count = 300_000
    vectors = np.random.RandomState(0).standard_normal((count, 2)).astype("float32")
    costs = tm.VectorCosts(range(count), vectors, kind="euclidean")
    trees = [tm.Tree.from_sequence([1, 2]), tm.Tree.from_sequence([1, count - 1])]
    expected = np.linalg.norm(vectors[2] - vectors[-1])
    assert tm.pairwise_distances(trees, costs=costs)[0, 1] == pytest.approx(expected, rel=1e-5)
    with pytest.raises(MemoryError, match="a cost matrix of 300000 labels needs"):
        costs.to_matrix()
