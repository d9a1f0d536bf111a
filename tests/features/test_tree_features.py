"""Features of trees against explicit enumeration, and scikit-learn's contract."""

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import feature_reference
import treemetric as tm
from children import run_script
from shapes import make_tree
from strategies import any_label, tree_lists, trees
from treemetric.datasets import make_strings
from treemetric.features import TreeFeatures
from treemetric.features._vocabulary import numbered
from treemetric.testing import tree_estimator_checks

KINDS = ("labels", "paths", "pqgrams", "subtrees")
TWINS = {
    "labels": lambda tree: Counter(tree.labels),
    "paths": lambda tree: feature_reference.path_features(tree, 2),
    "pqgrams": lambda tree: feature_reference.pqgrams(tree, 2, 3),
    "subtrees": lambda tree: feature_reference.cut_subtrees(tree, 2),
}
MODELS = [
    *map(TreeFeatures, KINDS),
    TreeFeatures(["labels", "pqgrams"], binary=True, norm="l2"),
    TreeFeatures(min_df=0.1, max_features=20, norm="l1"),
    TreeFeatures(KINDS, hashing=64),
    TreeFeatures(hashing=32, alternate_sign=False, binary=True),
]


def test_names_differ():
    def names(kinds, *trees):
        found = TreeFeatures(kinds, max_ancestors=1).fit(list(trees)).get_feature_names_out()
        assert len(set(found)) == len(found)
        return found.tolist()

    chain = tm.Tree.from_bracket
    both = tm.Tree.from_nested((1, [("1", []), ("a", [])]))
    assert names("labels", both) == ["1", "'1'", "a"]
    quotes = tm.Tree.from_nested((1, [("1", []), ("'1'", [])]))
    assert names("labels", quotes) == ["1", "'1'", "\"'1'\""]
    path = names("paths", chain("{a{b}}"), tm.Tree.from_sequence(["a > b"]))
    assert "'a > b'" in path
    assert "'a' > 'b'" in path
    assert "(root) > a" in path
    names("paths", chain("{a{b}}"), tm.Tree.from_sequence(["(root)", "a"]))
    names("subtrees", chain("{a{b}}"), tm.Tree.from_sequence(["a(b)"]))
    names("pqgrams", chain("{a{*}}"), chain("{a}"))


def test_names_that_quotation_marks_do_not_separate_have_numbers():
    assert numbered(["a", "b", "a", "a #2", "a"]) == ["a", "b", "a #3", "a #2", "a #4"]
    assert numbered(["a", "b"]) == ["a", "b"]


@given(tree_lists(min_size=1, labels=any_label), st.sampled_from(KINDS))
def test_names_of_any_labels_differ(trees, kind):
    found = TreeFeatures(kind).fit(trees).get_feature_names_out()
    assert len(set(found)) == len(found)


def counters(features, matrix):
    """Return each row as a Counter of names."""
    names = features.get_feature_names_out()
    rows = matrix.toarray()
    assert rows.shape[1] == len(names)
    return [Counter({n: v for n, v in zip(names, row, strict=True) if v}) for row in rows]


@pytest.mark.parametrize(
    "check",
    [pytest.param(c, id=f"{e}-{c.__name__}") for e in MODELS for c in tree_estimator_checks(e)],
)
def test_our_checks(check):
    check()


@pytest.mark.parametrize("kind", KINDS)
@given(some=tree_lists(min_size=1, nodes=9), others=tree_lists(min_size=1, nodes=9, labels="abcd"))
def test_counts_are_those_of_the_enumeration(kind, some, others):
    features = TreeFeatures(kind, max_ancestors=2, height=2)
    matrix = features.fit_transform(some)
    expected = [TWINS[kind](tree) for tree in some]
    assert counters(features, matrix) == expected
    assert matrix.has_canonical_format
    # Features that were not in the training trees are ignored.
    known = set().union(*expected)
    wanted = [
        Counter({n: v for n, v in TWINS[kind](tree).items() if n in known}) for tree in others
    ]
    assert counters(features, features.transform(others)) == wanted


@given(
    tree=trees(max_size=9),
    p=st.integers(1, 3),
    q=st.integers(1, 4),
    height=st.integers(0, 4),
    above=st.integers(0, 5),
)
def test_parameters(tree, p, q, height, above):
    options = {"p": p, "q": q, "height": height, "max_ancestors": above}
    for kind, expected in (
        ("pqgrams", feature_reference.pqgrams(tree, p, q)),
        ("subtrees", feature_reference.cut_subtrees(tree, height)),
        ("paths", feature_reference.path_features(tree, above)),
    ):
        features = TreeFeatures(kind, **options)
        assert counters(features, features.fit_transform([tree])) == [expected]


@given(some=tree_lists(min_size=1))
def test_several_kinds_are_side_by_side(some):
    features = TreeFeatures(["subtrees", "labels", "paths"], max_ancestors=2)
    matrix = features.fit_transform(some)
    alone = [TreeFeatures(kind, max_ancestors=2) for kind in ("labels", "paths", "subtrees")]
    parts = [one.fit_transform(some).toarray() for one in alone]
    assert np.array_equal(matrix.toarray(), np.hstack(parts))
    names = [
        f"{one.kinds}__{name}" for one in alone for name in one.get_feature_names_out().tolist()
    ]
    assert features.get_feature_names_out().tolist() == names


def test_names_can_be_read():
    tree = tm.Tree.from_nested(("If", [("Compare", ["Name"]), 7]))
    names = TreeFeatures(max_ancestors=2).fit([tree]).get_feature_names_out()
    assert {"If > Compare > Name", "(root) > If", "Name > (leaf)", "Compare, 7"} <= set(names)
    names = TreeFeatures("subtrees").fit([tree]).get_feature_names_out()
    assert {"If(…)", "If(Compare(…), 7(…))", "If(Compare(Name(…)), 7)", "7"} <= set(names)
    names = TreeFeatures("pqgrams").fit([tree]).get_feature_names_out()
    assert "* > If (*, Compare, 7)" in set(names)


def test_threads_and_parts_change_nothing():
    rng = random.Random(0)
    some = tm.TreeSet(
        [make_tree(rng, rng.randint(0, 600), "forest", "abcdefgh") for _ in range(120)]
    )
    assert len(some.codes) > 20_000  # below, one thread does everything
    for options in ({"kinds": KINDS}, {"kinds": KINDS, "hashing": 1000}):
        one, many = TreeFeatures(**options), TreeFeatures(**options, n_jobs=3)
        found, other = one.fit_transform(some), many.fit_transform(some)
        assert np.array_equal(found.indptr, other.indptr)
        assert np.array_equal(found.indices, other.indices)
        assert np.array_equal(found.data, other.data)
        assert np.array_equal(one.get_feature_names_out(), many.get_feature_names_out())
        assert (many.transform(some) != found).nnz == 0


@given(some=tree_lists(min_size=1, nodes=9))
def test_hashed_counts_are_sums_of_counts(some):
    features = TreeFeatures(KINDS)
    exact = features.fit_transform(some)
    wide = TreeFeatures(KINDS, hashing=2**30, alternate_sign=False).fit_transform(some)
    # So many columns that no two of a few hundred features meet.
    for row, other in zip(exact, wide, strict=True):
        assert sorted(row.data) == sorted(other.data)
    signed = TreeFeatures(KINDS, hashing=2**30).transform(some)
    assert (abs(signed) != wide).nnz == 0
    narrow = TreeFeatures(KINDS, hashing=1, alternate_sign=False).transform(some)
    assert narrow.toarray().ravel().tolist() == exact.sum(axis=1).ravel().tolist()[0]


def test_signs_are_balanced_and_columns_are_used_evenly():
    alphabet = [f"label {i}" for i in range(4000)]
    features = TreeFeatures("labels", hashing=100)
    hashed = features.transform([tm.Tree.from_sequence([label]) for label in alphabet])
    assert 0.45 < (hashed.data > 0).mean() < 0.55
    used = np.bincount(hashed.indices, minlength=100)
    assert used.min() > 15
    assert used.max() < 80
    assert features.transform([tm.Tree.from_sequence(alphabet)]).nnz <= 100


@given(labels=st.lists(any_label, min_size=1, max_size=6))
def test_hashes_of_equal_labels_are_equal(labels):
    features = TreeFeatures("labels", hashing=2**20)
    as_floats = [float(a) if type(a) in (int, bool) and abs(a) < 2**53 else a for a in labels]
    found = features.transform([tm.Tree.from_sequence(labels)])
    assert (found != features.transform([tm.Tree.from_sequence(as_floats)])).nnz == 0


def test_hashes_are_the_same_in_every_process():
    program = (
        "import treemetric as tm\n"
        "tree = tm.Tree.from_nested(('a', [('b', [1, 2.5]), (('t', 1), [None])]))\n"
        "found = tm.TreeFeatures(['paths', 'subtrees'], hashing=1000).transform([tree])\n"
        "print(found.indices.tolist(), found.data.tolist())\n"
    )
    runs = [run_script(program, env={"PYTHONHASHSEED": seed}) for seed in ("1", "2")]
    assert runs[0] == runs[1]
    assert runs[0].startswith("[")


def test_hashing_needs_no_fit():
    tree = tm.Tree.from_sequence("ab")
    features = TreeFeatures(hashing=8)
    assert np.array_equal(
        features.transform([tree]).toarray(), features.fit_transform([tree]).toarray()
    )
    assert features.get_feature_names_out().tolist() == [f"treefeatures{i}" for i in range(8)]
    with pytest.raises(NotFittedError):
        TreeFeatures().transform([tree])


def test_options_of_counts():
    some = [tm.Tree.from_sequence(s) for s in ("aab", "ab", "c")]
    count = TreeFeatures("labels").fit_transform(some).toarray()
    assert count.tolist() == [[2, 1, 0], [1, 1, 0], [0, 0, 1]]
    binary = TreeFeatures("labels", binary=True).fit_transform(some).toarray()
    assert binary.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    shares = TreeFeatures("labels", norm="l1").fit_transform(some).toarray()
    assert np.allclose(shares.sum(axis=1), 1)

    def names(**options):
        return TreeFeatures("labels", **options).fit(some).get_feature_names_out().tolist()

    assert names(min_df=2) == names(min_df=0.5) == ["a", "b"]
    assert names(max_features=1) == ["a"]
    assert names(max_features=2) == ["a", "b"]
    with pytest.warns(UserWarning, match="No feature is in 3 or more of the 3 trees"):
        assert names(min_df=1.0) == []


def test_pipelines_and_pickles():
    strings = make_strings(60, random_state=0)
    model = make_pipeline(TreeFeatures("pqgrams"), LogisticRegression())
    scores = cross_val_score(model, strings.data, strings.target, cv=3, error_score="raise")
    assert scores.shape == (3,)
    features = TreeFeatures().fit(strings.data)
    again = pickle.loads(pickle.dumps(features))
    assert (again.transform(strings.data) != features.transform(strings.data)).nnz == 0
    assert not hasattr(clone(features), "alphabet_")
    assert issparse(features.set_output(transform="default").transform(strings.data))


def test_names_of_wide_subtrees_are_short_and_differ():
    wide = [tm.Tree.from_nested(("a", ["b"] * n + ["c"])) for n in (3000, 4000)]
    names = TreeFeatures("subtrees").fit(wide).get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    assert max(map(len, names)) < 220
    assert sum("…" in name for name in names) >= 2


def test_deep_and_wide_trees():
    n = 100_000
    deep = tm.Tree.from_parents(["a"] * n, range(-1, n - 1))
    wide = tm.Tree.from_parents(["a"] * n, [-1] + [0] * (n - 1))
    features = TreeFeatures(KINDS)
    found = features.fit_transform([deep, wide])
    assert found[0].max() == n
    assert len(features.get_feature_names_out()) == found.shape[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": "words"}, "'kinds' parameter of TreeFeatures must be one or several of"),
        ({"kinds": []}, "'kinds' parameter"),
        ({"kinds": 3}, "'kinds' parameter"),
        ({"max_ancestors": -1}, r"'max_ancestors' parameter .* range \[0, 1000\]"),
        ({"p": 0}, "'p' parameter"),
        ({"q": 65}, "'q' parameter"),
        ({"height": 1.5}, "'height' parameter"),
        ({"hashing": 0}, "'hashing' parameter of TreeFeatures must be None or an int"),
        ({"min_df": 0}, "'min_df' parameter"),
        ({"min_df": 1.5}, "'min_df' parameter"),
        ({"min_df": "2"}, "'min_df' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        ({"norm": "max"}, "'norm' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        TreeFeatures(**options).fit([tm.Tree.from_sequence("a")])


def test_flags_must_be_bools():
    for name in ("binary", "alternate_sign"):
        with pytest.raises(TypeError, match=f"'{name}' parameter"):
            TreeFeatures(**{name: 1}).fit([tm.Tree.from_sequence("a")])
