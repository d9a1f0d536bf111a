"""Generated trees: sizes, shapes, grammars and the planted rules."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import treemetric as tm
from treemetric.datasets import make_glycans, make_programs, make_random_trees, make_strings

GENERATORS = [make_strings, make_random_trees, make_programs, make_glycans]
RULED = [make_strings, make_programs, make_glycans]

# Labels that the rule needs, by the group in which they are the same; all others are free.
GROUPS = {
    make_strings: ["ab", "cd"],
    make_programs: [["Function"], ["For", "While"], ["If"], ["Return"]],
    make_glycans: [["Gal_1a3"], ["Fuc_1a2"]],
}


def rule_costs(alphabet, groups):
    """Cost 1 between groups and 0 inside; free labels are in the group of the gap."""
    group = {label: k for k, labels in enumerate(groups, 1) for label in labels}
    of = np.array([*(group.get(label, 0) for label in alphabet), 0])
    return tm.CostMatrix(alphabet, of[:, None] != of)


def knn_error(D, y):
    knn = KNeighborsClassifier(n_neighbors=1, metric="precomputed")
    return 1 - cross_val_score(knn, D, y, cv=5).mean()


def depth(tree):
    """Return the most nodes on a way down."""
    depths = []
    for parent in tree.parents.tolist():
        depths.append(1 if parent < 0 else depths[parent] + 1)
    return max(depths)


@pytest.mark.parametrize("make", GENERATORS)
class TestAll:
    def test_bunch_has_the_form_of_a_data_set(self, make):
        bunch = make(31, random_state=0)
        assert isinstance(bunch.data, tm.TreeSet)
        assert len(bunch.data) == len(bunch.names) == 31
        assert bunch.target.shape == (31,)
        assert bunch.target.dtype == np.int64
        assert len(set(bunch.names)) == 31
        assert bunch.data.ids == tuple(bunch.names)
        assert bunch.data.classes == tuple(bunch.target_names[k] for k in bunch.target)
        assert len(bunch.DESCR) > 100
        assert sorted(set(bunch.target.tolist())) == list(range(len(bunch.target_names)))

    def test_the_seed_decides_everything(self, make):
        first, second = make(20, random_state=3), make(20, random_state=3)
        assert first.data == second.data
        assert np.array_equal(first.target, second.target)
        state = np.random.RandomState(3)
        assert make(20, random_state=state).data == first.data
        assert make(20, random_state=state).data != first.data
        assert make(20, random_state=4).data != first.data

    @pytest.mark.parametrize("n_samples", [0, -1, 2.0, True, "10", None])
    def test_number_of_samples_is_checked(self, make, n_samples):
        name = make.__name__
        with pytest.raises(ValueError, match=rf"'n_samples' parameter of {name}.*Got .* instead"):
            make(n_samples)

    def test_one_sample(self, make):
        assert len(make(1, random_state=0).data) == 1


@pytest.mark.parametrize("make", RULED)
class TestRules:
    def test_classes_are_of_equal_size_and_mixed(self, make):
        y = make(101, random_state=0).target
        assert np.bincount(y).tolist() == [51, 50]
        assert y[:50].min() != y[:50].max()

    def test_the_rule_separates_the_classes_under_its_costs(self, make):
        bunch = make(60, random_state=0)
        D = tm.pairwise_distances(bunch.data, costs=rule_costs(bunch.data.alphabet, GROUPS[make]))
        same = bunch.target[:, None] == bunch.target
        assert D[same].max() == 0
        assert D[~same].min() >= 1

    @pytest.mark.parametrize("seed", [0, 1])
    def test_unit_costs_leave_much_to_be_learned(self, make, seed):
        bunch = make(100, random_state=seed)
        error = knn_error(tm.pairwise_distances(bunch.data), bunch.target)
        assert error > 0.15


def test_strings_are_those_of_the_paper():
    bunch = make_strings(random_state=0)
    assert len(bunch.data) == 200
    forms = [re.compile("[ab]{6}[cd][ab]{5}"), re.compile("[ab]{5}[cd][ab]{6}")]
    for tree, k in zip(bunch.data, bunch.target, strict=True):
        assert forms[k].fullmatch("".join(tree.labels))
        assert tree == tm.Tree.from_sequence(tree.labels)


def test_letters_of_strings_are_uniform():
    bunch = make_strings(4000, random_state=0)
    letters = np.array([tree.labels for tree in bunch.data])
    for column in letters.T:
        found = Counter(column.tolist())
        assert abs(found["a"] / (found["a"] + found["b"]) - 0.5) < 0.05
    assert abs(np.mean(letters == "c") * 12 - 0.5) < 0.05


def test_labels_alone_do_not_tell_programs_apart():
    """The classes differ by structure: counts of labels are the same on average."""
    bunch = make_programs(600, random_state=0)
    labels = sorted(bunch.data.alphabet)
    counts = np.array([[tree.labels.count(name) for name in labels] for tree in bunch.data])
    means = [counts[bunch.target == k].mean(axis=0) for k in (0, 1)]
    errors = np.sqrt(counts.var(axis=0) / 150)
    assert np.all(np.abs(means[0] - means[1]) <= 4 * errors)


def test_programs_have_one_loop_and_one_return_in_an_if():
    bunch = make_programs(50, random_state=0)
    for tree, k in zip(bunch.data, bunch.target, strict=True):
        labels, parents = tree.labels, tree.parents
        assert labels[0] == "Function"
        assert sum(label in ("For", "While") for label in labels) == 1
        (test,) = (i for i, label in enumerate(labels) if label == "If")
        (last,) = (i for i, label in enumerate(labels) if label == "Return")
        assert parents[last] == test
        above = labels[parents[test]]
        assert above in (("For", "While") if k == 0 else ("Function",))


def test_number_of_other_statements():
    for n, bunch in (
        (0, make_programs(30, n_statements=0, random_state=0)),
        (3, make_programs(30, n_statements=3, random_state=0)),
    ):
        for tree in bunch.data:
            found = sum(label in ("Assign", "AugAssign", "Call") for label in tree.labels)
            assert found == n
    sizes = {
        sum(label in ("Assign", "AugAssign", "Call") for label in tree.labels)
        for tree in make_programs(200, n_statements=(2, 4), random_state=0).data
    }
    assert sizes == {2, 3, 4}


def test_glycans_follow_the_grammar():
    bunch = make_glycans(100, random_state=0)
    mark = ["Gal_1a3", "Fuc_1a2"]
    for tree, k in zip(bunch.data, bunch.target, strict=True):
        labels = tree.labels
        assert labels[:3] == ("GlcNAc", "GlcNAc_1b4", "Man_1b4")
        assert labels.count(mark[k]) == 1
        assert labels.count(mark[1 - k]) == 0
        at = labels.index(mark[k])
        assert labels[tree.parents[at]] in ("Gal_1b4", "Gal_1b3")
        assert at not in tree.parents
        assert labels.count("Man_1a3") == labels.count("Man_1a6") == 1


def test_number_of_antennae():
    for tree in make_glycans(40, n_antennae=3, random_state=0).data:
        mannoses = [tree.labels.index(name) for name in ("Man_1a3", "Man_1a6")]
        assert np.isin(tree.parents, mannoses).sum() == 3


# ------------------------------------------------------------------------- random trees


def all_shapes(n):
    """Return the parents of all ordered trees of n nodes, by brute force."""
    found = set()
    for rest in itertools.product(range(n), repeat=n - 1):
        parents = (-1, *rest)
        stack = [0]
        for node in range(1, n):
            while stack and stack[-1] != parents[node]:
                stack.pop()
            if not stack:
                break
            stack.append(node)
        else:
            found.add(parents)
    return found


def chi_square(found, expected_shapes, n):
    expected = n / len(expected_shapes)
    return sum((found[shape] - expected) ** 2 / expected for shape in expected_shapes)


@pytest.mark.parametrize("max_depth", [None, 6, 4, 3, 2])
def test_all_shapes_are_equally_likely(max_depth):
    n = 3000
    bunch = make_random_trees(n, n_nodes=6, max_depth=max_depth, random_state=0)
    found = Counter(tuple(tree.parents.tolist()) for tree in bunch.data)
    shapes = all_shapes(6)
    assert len(shapes) == 42
    if max_depth is not None:
        shapes = {s for s in shapes if depth(tm.Tree.from_parents("a" * 6, s)) <= max_depth}
    assert set(found) == shapes
    # Far in the tail of the distribution, whose mean is the degrees of freedom.
    freedom = len(shapes) - 1
    assert chi_square(found, shapes, n) <= freedom + 4 * np.sqrt(2 * freedom)


def test_growth_reaches_all_shapes_and_prefers_bushy_ones():
    bunch = make_random_trees(3000, n_nodes=4, shape="growth", random_state=0)
    found = Counter(tuple(tree.parents.tolist()) for tree in bunch.data)
    assert set(found) == all_shapes(4)
    # A chain arises in one of the six histories of parents.
    assert abs(found[(-1, 0, 1, 2)] / 3000 - 1 / 6) < 0.03
    deep = make_random_trees(20, n_nodes=300, random_state=0).data
    flat = make_random_trees(20, n_nodes=300, shape="growth", random_state=0).data
    assert np.mean([depth(tree) for tree in flat]) < np.mean([depth(tree) for tree in deep]) / 1.5


@pytest.mark.parametrize("shape", ["uniform", "growth"])
def test_sizes_and_depths_stay_within_their_limits(shape):
    bunch = make_random_trees(
        200, n_nodes=(1, 12), max_depth=3, shape=shape, alphabet=[1, 2.5, "x"], random_state=0
    )
    assert set(bunch.data.sizes.tolist()) == set(range(1, 13))
    assert max(depth(tree) for tree in bunch.data) == 3
    assert set(bunch.data.alphabet) == {1, 2.5, "x"}


@pytest.mark.parametrize("shape", ["uniform", "growth"])
@pytest.mark.parametrize("max_depth", [None, 40])
def test_large_trees_need_no_recursion(shape, max_depth):
    bunch = make_random_trees(2, n_nodes=5000, shape=shape, max_depth=max_depth, random_state=0)
    assert bunch.data.sizes.tolist() == [5000, 5000]
    if max_depth:
        assert max(depth(tree) for tree in bunch.data) <= max_depth


def test_classes_favour_their_labels():
    bunch = make_random_trees(300, n_classes=3, alphabet="abcdef", skew=5.0, random_state=0)
    assert bunch.target_names == ["class 0", "class 1", "class 2"]
    assert np.bincount(bunch.target).tolist() == [100, 100, 100]
    for k, own in enumerate(("ad", "be", "cf")):
        trees = bunch.data[bunch.target == k]
        share = np.mean([label in own for tree in trees for label in tree.labels])
        assert abs(share - 10 / 14) < 0.05


def test_without_skew_classes_are_chance():
    bunch = make_random_trees(120, n_classes=2, alphabet="ab", skew=1.0, random_state=0)
    letters = [
        np.mean([label == "a" for tree in bunch.data[bunch.target == k] for label in tree.labels])
        for k in (0, 1)
    ]
    assert abs(letters[0] - letters[1]) < 0.1


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (make_random_trees, {"n_nodes": 0}, r"'n_nodes'.*\[1, inf\). Got 0"),
        (make_random_trees, {"n_nodes": (5, 3)}, r"'n_nodes'.*Got \(5, 3\)"),
        (make_random_trees, {"n_nodes": (1, 2, 3)}, "'n_nodes'.*pair"),
        (make_random_trees, {"n_nodes": 2.5}, "'n_nodes'.*Got 2.5"),
        (make_random_trees, {"n_nodes": "12"}, "'n_nodes'.*Got '12'"),
        (make_random_trees, {"shape": "tall"}, "'uniform' or 'growth'. Got 'tall'"),
        (make_random_trees, {"max_depth": 1}, r"'max_depth'.*None or an int.*\[2, inf\)"),
        (make_random_trees, {"alphabet": "aba"}, "distinct labels. Got 'a' twice"),
        (make_random_trees, {"alphabet": ""}, "at least 1 labels"),
        (make_random_trees, {"alphabet": 5}, "a sequence of labels. Got 5"),
        (make_random_trees, {"alphabet": "ab", "n_classes": 3}, "at least 3 labels"),
        (make_random_trees, {"n_classes": 0}, "'n_classes'.*Got 0"),
        (make_random_trees, {"skew": 0.5}, r"'skew'.*\[1.0, inf\). Got 0.5"),
        (make_random_trees, {"skew": float("nan")}, "'skew'.*Got nan"),
        (make_programs, {"n_statements": -1}, r"'n_statements'.*\[0, inf\)"),
        (make_glycans, {"n_antennae": 0}, r"'n_antennae'.*\[1, inf\)"),
    ],
)
def test_parameters_out_of_range_are_named(make, parameters, message):
    with pytest.raises(ValueError, match=message):
        make(**parameters)


def test_a_single_node_may_have_depth_one():
    assert make_random_trees(3, n_nodes=1, max_depth=1, random_state=0).data.sizes.max() == 1
