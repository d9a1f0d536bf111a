"""What all learners share: data in, a learned distance out, labels that nobody has seen."""

import pickle
import sys
import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treemetric as tm
from treemetric._base.progress import fit_report
from treemetric._base.threads import _libraries, one_blas_thread
from treemetric._base.validation import check_int
from treemetric.learning import BEDL, GESL, LearnedMetric, LVQCosts, NCACosts
from treemetric.learning._metric import Closing, _blocks, check_choice
from treemetric.testing import tree_estimator_checks

# GESL on a few small trees often makes most edits free.
pytestmark = pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")

LEARNERS = [
    BEDL(),
    LVQCosts(),
    GESL(beta=0.1, pairs="prototypes"),
    NCACosts(1, fallback=False, random_state=0),
]


def chains(*words):
    return [tm.Tree.from_sequence(word) for word in words]


TREES = chains("aab", "aba", "aaa", "ccb", "cbc", "ccc")
CLASSES = np.array([0, 0, 0, 1, 1, 1])


def table(values):
    """A table of costs from any square: the gap last."""
    costs = np.abs(values)
    costs[-1, -1] = 0.0
    return tm.CostMatrix(range(len(costs) - 1), costs)


squares = st.integers(1, 5).flatmap(
    lambda side: arrays(np.float64, (side, side), elements=st.integers(0, 20).map(float))
)


@given(squares, st.booleans())
def test_labels_like_the_gap_keep_a_pseudo_metric(values, symmetric):
    costs = table(values + values.T if symmetric else values).closure()
    longer = costs._extended(["new", "other", 0])
    assert [v.axiom for v in longer.violations()] == [v.axiom for v in costs.violations()]
    # Without symmetry the triangle inequality still holds.
    np.testing.assert_allclose(longer.closure().matrix, longer.matrix)
    known = [*range(len(costs.alphabet)), -1]
    np.testing.assert_array_equal(longer.matrix[np.ix_(known, known)], costs.matrix)


def test_labels_like_the_gap_cost_the_mean_deletion():
    costs = tm.CostMatrix("ab", [[0, 2, 1], [2, 0, 3], [1, 3, 0]])
    longer = costs._extended("xy")
    assert longer.alphabet == ("a", "b", "x", "y")
    np.testing.assert_array_equal(
        longer.matrix,
        [
            [0, 2, 2, 2, 1],
            [2, 0, 3, 3, 3],
            [2, 3, 0, 2, 2],
            [2, 3, 2, 0, 2],
            [1, 3, 2, 2, 0],
        ],
    )


@pytest.mark.parametrize("known", ["", "a", "abc"])
def test_unit_costs_stay_unit_costs(known):
    longer = tm.UnitCosts().to_matrix(known)._extended("xyz")
    np.testing.assert_array_equal(longer.matrix, 1 - np.eye(len(known) + 4))


def test_nothing_new_changes_nothing():
    costs = tm.UnitCosts().to_matrix("ab")
    assert costs._extended("ba") is costs


def test_closed_keeps_pseudo_metrics():
    costs = tm.EmbeddingCosts("ab", [[1.0, 0.0], [0.0, 2.0]])
    assert costs._closed() is costs
    broken = tm.CostMatrix("ab", [[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    assert broken._closed().matrix[0, 1] == 2


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_transform_is_the_metric_to_the_training_trees(learner, distance):
    fitted = clone(learner).set_params(distance=distance).fit(TREES, CLASSES)
    metric = fitted.get_metric()
    new = chains("abc", "", "b")
    found = fitted.transform(new)
    assert found.shape == (3, 6)
    expected = [[metric(x, y) for y in TREES] for x in new]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    nearest = found[:, fitted.prototypes_].argmin(axis=1)
    assert fitted.predict(new).tolist() == fitted.prototype_labels_[nearest].tolist()


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_actual_and_pseudo_are_what_they_say(learner):
    fitted = clone(learner).set_params(distance="actual").fit(TREES, CLASSES)
    costs = fitted.costs_._closed()
    actual = fitted.transform(TREES)
    np.testing.assert_array_equal(actual, tm.pairwise_distances(TREES, costs=costs))
    pseudo = fitted.set_params(distance="pseudo").transform(TREES)
    counts = tm.edit_counts(TREES, costs=fitted.initial_costs_)
    np.testing.assert_allclose(pseudo, counts.distances(fitted.costs_).reshape(6, 6))
    assert (pseudo >= actual - 1e-9).all()


@pytest.mark.parametrize("distance", ["actual", "pseudo"])
@pytest.mark.parametrize("init", ["simplex", tm.EmbeddingCosts("abc", np.eye(3))])
def test_unseen_labels(distance, init):
    new = chains("xx", "ax", "aab")
    strict = BEDL(distance=distance, init=init, unseen="error").fit(TREES, CLASSES)
    for method in (strict.transform, strict.predict):
        with pytest.raises(tm.exceptions.UnknownLabelError, match="'x' was not seen in training"):
            method(new)
    with pytest.raises(tm.exceptions.UnknownLabelError, match="not seen"):
        strict.get_metric()(new[0], new[2])
    lenient = strict.set_params(unseen="gap-like")
    found = lenient.transform(new)
    assert np.isfinite(found).all()
    assert lenient.predict(new).shape == (3,)
    mean = lenient.costs_.matrix[:-1, -1].mean()
    assert lenient.get_metric()(new[0], tm.Tree.from_sequence("")) == pytest.approx(2 * mean)
    # Trees without such labels are not touched by them.
    np.testing.assert_allclose(found[2], strict.set_params(unseen="error").transform(new[2:])[0])


def test_a_metric_is_a_value():
    metric = BEDL(distance="pseudo").fit(TREES, CLASSES).get_metric()
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert again != LearnedMetric(metric.costs, metric.initial_costs)
    assert again(TREES[0], TREES[3]) == metric(TREES[0], TREES[3])
    assert "pseudo edit distance" in repr(again)
    with pytest.raises(TypeError, match="'x' parameter of LearnedMetric"):
        metric("aab", TREES[0])
    with pytest.raises(TypeError, match="'y' parameter of LearnedMetric"):
        metric(TREES[0], None)


def test_pseudo_distances_in_blocks(monkeypatch):
    fitted = BEDL(distance="pseudo").fit(TREES, CLASSES)
    whole = fitted.transform(TREES)
    monkeypatch.setattr("treemetric.learning._metric._ENTRIES", 20)
    sets = tm.TreeSet(TREES), tm.TreeSet(TREES)
    assert list(_blocks(*sets)) == [(i, i + 1) for i in range(6)]
    # Each tree has 4 · 6 · 4 counts at most.
    monkeypatch.setattr("treemetric.learning._metric._ENTRIES", 200)
    assert list(_blocks(*sets)) == [(0, 2), (2, 4), (4, 6)]
    np.testing.assert_allclose(fitted.transform(TREES), whole, rtol=1e-12)


def test_names_of_columns_and_data_frames():
    fitted = BEDL().fit(TREES, CLASSES)
    assert fitted.get_feature_names_out().tolist() == [f"bedl{i}" for i in range(6)]
    pd = pytest.importorskip("pandas")
    frame = fitted.set_output(transform="pandas").transform(TREES[:2])
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [f"bedl{i}" for i in range(6)]


def test_tags():
    tags = BEDL().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.target_tags.required
    assert not tags.input_tags.two_d_array


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    ("parameter", "value"),
    [("distance", "real"), ("unseen", None), ("n_jobs", 0), ("verbose", -1), ("verbose", "yes")],
)
def test_common_parameters_are_checked(learner, parameter, value):
    wrong = type(learner)(**{parameter: value})
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {type(learner).__name__}"):
        wrong.fit(TREES, CLASSES)


def test_data_is_checked():
    with pytest.raises(ValueError, match="requires y"):
        BEDL().fit(TREES, None)
    with pytest.raises(ValueError, match="inconsistent"):
        BEDL().fit(TREES, [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        BEDL().fit([], [])
    with pytest.raises(TypeError, match=r"'treemetric\.Tree'"):
        BEDL().fit(["aab"], [0])
    with pytest.raises(ValueError, match="NaN"):
        BEDL().fit(TREES, [0, 0, 0, 1, 1, np.nan])
    with pytest.raises(NotFittedError):
        BEDL().transform(TREES)
    with pytest.raises(NotFittedError):
        BEDL().get_metric()


def test_checks_of_words_and_numbers():
    check_choice("b", "word", "owner", ("a", "b"))
    with pytest.raises(ValueError, match=r"must be 'a', 'b' or 'c'\. Got 1 instead"):
        check_choice(1, "word", "owner", ("a", "b", "c"))
    assert check_int(np.int64(3), "number", "owner", 1) == 3
    for wrong in (0, True, 1.0, "1"):
        with pytest.raises(ValueError, match="'number' parameter of owner must be an int"):
            check_int(wrong, "number", "owner", 1)


CHECKS = [
    pytest.param(check, id=f"{type(learner).__name__}-{learner.distance}-{check.__name__}")
    for learner in (
        BEDL(),
        LVQCosts(),
        BEDL(2, distance="pseudo", unseen="gap-like"),
        NCACosts(n_fits=2, random_state=0),
    )
    for check in tree_estimator_checks(learner)
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_contract_of_estimators(check):
    assert check() is None  # raises if it is broken


def test_lines_per_iteration(capsys):
    with fit_report(2, "Learner", 3) as report:
        report(1, -2.5)
    assert capsys.readouterr().out == "[Learner] iteration 1, loss -2.5\n"
    with fit_report(0, "Learner", 3) as report:
        report(1, -2.5)
    assert capsys.readouterr().out == ""


def test_a_bar_appears_in_long_fits_only(capsys, monkeypatch):
    with fit_report(1, "Learner", 2) as report:
        report(1, 0.5)
    assert "Learner" not in capsys.readouterr().err
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.0)
    with fit_report(1, "Learner", 2) as report:
        report(2, 0.5)
    assert "Learner" in capsys.readouterr().err


def test_lines_where_there_is_no_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with fit_report(1, "Learner", 2) as report:
        report(1, 0.5)
    assert capsys.readouterr().out == "[Learner] iteration 1, loss 0.5\n"


def test_a_bar_for_each_stage(capsys, monkeypatch):
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.0)
    for learner in (BEDL(verbose=1), GESL(verbose=True), BEDL(init=VECTORS, verbose=1)):
        learner.fit(TREES, CLASSES)
        shown = capsys.readouterr().err
        assert "distances" in shown
        assert "iterations" in shown
    with fit_report(1, "Learner", 3) as report:
        count = report.stage("distances", "pairs")
        count(10, 15)
        assert (report.bar.n, report.bar.total) == (10, 15)
        report(1, 0.5)
        assert (report.bar.n, report.bar.total) == (1, 3)
    with fit_report(2, "Learner", 3) as report:
        assert report.stage("distances", "pairs") is None


VECTORS = tm.VectorCosts("abc", np.eye(3))


@pytest.mark.parametrize("verbose", [False, True, np.False_, 0, 2])
def test_verbose_is_a_bool_or_an_int(verbose, capsys):
    assert BEDL(verbose=verbose).fit(TREES, CLASSES).score(TREES, CLASSES) == 1.0
    assert ("iteration" in capsys.readouterr().out) == (verbose is not True and verbose == 2)


def test_overlapping_limits_of_threads_are_lifted():
    before = [library.num_threads for library in _libraries()]
    first, second = threading.Event(), threading.Event()

    def early():
        with one_blas_thread():
            first.set()
            assert second.wait(30)

    def late():
        assert first.wait(30)
        with one_blas_thread():
            second.set()
            workers[0].join()
            limited.extend(library.num_threads for library in _libraries())

    limited = []
    workers = [threading.Thread(target=early), threading.Thread(target=late)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert limited == [1] * len(before)
    assert [library.num_threads for library in _libraries()] == before


def test_fits_in_many_threads_leave_blas_as_it_was():
    before = [library.num_threads for library in _libraries()]
    learners = [GESL(beta=10.0**-k) for k in range(8)]
    workers = [threading.Thread(target=one.fit, args=(TREES, CLASSES)) for one in learners]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(one.loss_ > 0 for one in learners)
    assert [library.num_threads for library in _libraries()] == before


def test_axioms_are_checked_once():
    learner = GESL(beta=0.01, distance="actual").fit(TREES, CLASSES)
    closed = tm.CostMatrix._closed
    with mock.patch.object(tm.CostMatrix, "_closed", autospec=True, side_effect=closed) as check:
        metric = learner.get_metric()
        for tree in TREES:
            metric(tree, TREES[0])
        learner.transform(TREES)
        learner.predict(TREES)
    assert check.call_count == 1
    with mock.patch.object(tm.EmbeddingCosts, "violations") as violations:
        BEDL().fit(TREES, CLASSES).transform(TREES)
    assert not violations.called


def test_other_costs_are_closed_anew():
    broken = tm.CostMatrix("ab", [[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    metric = LearnedMetric(broken, tm.UnitCosts())
    x, y = chains("a", "b")
    assert metric(x, y) == 2.0
    metric.costs = tm.UnitCosts().to_matrix("ab")
    assert metric(x, y) == 1.0
    again = pickle.loads(pickle.dumps(Closing(broken)))
    assert again.table.matrix[0, 1] == 2.0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("x", None), "costs"),
        ((tm.UnitCosts(), tm.UnitCosts()), "costs"),
        ((VECTORS.to_matrix(), None), "initial_costs"),
        ((VECTORS.to_matrix(), tm.UnitCosts(), "foo"), "distance"),
        ((VECTORS.to_matrix(), tm.UnitCosts(), "actual", "foo"), "unseen"),
        ((VECTORS.to_matrix(), tm.UnitCosts(), "actual", "error", 3), "counting"),
    ],
)
def test_arguments_of_a_metric_are_checked(arguments, name):
    with pytest.raises((TypeError, ValueError), match=f"'{name}' parameter of LearnedMetric"):
        LearnedMetric(*arguments)


@pytest.mark.parametrize("parameter", ["distance", "unseen"])
def test_parameters_that_were_changed_after_the_fit_are_checked(parameter):
    fitted = BEDL().fit(TREES, CLASSES).set_params(**{parameter: "foo"})
    for method in (fitted.transform, fitted.predict):
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of BEDL"):
            method(TREES)


@pytest.mark.parametrize(
    ("learner", "wrong"),
    [
        (BEDL(), {"n_prototypes": {7: 1}}),
        (BEDL(), {"init": tm.EmbeddingCosts("a", [[1.0]])}),
        (BEDL(init=VECTORS), {"n_prototypes": 0}),
        (BEDL(init=VECTORS), {"random_state": "x"}),
        (LVQCosts(), {"n_prototypes": 0}),
        (LVQCosts(), {"initial_costs": tm.UnitCosts().to_matrix("a")}),
        (LVQCosts(), {"temperature": 1e-300}),
        (GESL(), {"pairs": "prototypes", "n_prototypes": {7: 1}}),
        (GESL(), {"initial_costs": tm.UnitCosts().to_matrix("a")}),
    ],
)
def test_a_fit_that_fails_leaves_the_earlier_one(learner, wrong):
    fitted = clone(learner).fit(TREES, CLASSES)
    before = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    predicted = fitted.predict(TREES)
    with pytest.raises((ValueError, tm.exceptions.UnknownLabelError)):
        fitted.set_params(**wrong).fit(chains("ab", "cb"), ["p", "q"])
    after = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)
    np.testing.assert_array_equal(fitted.predict(TREES), predicted)


@pytest.mark.parametrize(
    "wrong",
    [
        GESL(pairs="prototypes", n_prototypes=0),
        GESL(pairs="prototypes", n_prototypes={7: 1}),
        GESL(pairs="prototypes", random_state="x"),
        BEDL(temperature=1e-300),
        BEDL(temperature=1e101),
        BEDL(random_state="x"),
        LVQCosts(temperature=1e-300),
        LVQCosts(squashing="logistic", slope=1e300),
        BEDL(init=VECTORS, temperature=1e-300),
    ],
    ids=repr,
)
def test_parameters_are_checked_before_any_work(wrong):
    name = "|".join([type(wrong).__name__, "seed"])
    with (
        mock.patch("treemetric.learning.gesl.pairwise_distances") as first,
        mock.patch("treemetric.learning._alternation.pairwise_distances") as second,
        pytest.raises(ValueError, match=name),
    ):
        wrong.fit(TREES, CLASSES)
    assert not first.called
    assert not second.called


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_tables_that_do_not_fit_in_memory(learner, monkeypatch):
    monkeypatch.setattr("treemetric._core.available_memory", lambda: 500)
    with pytest.raises(MemoryError, match=r"for 3 labels needs \d+ bytes"):
        clone(learner).fit(TREES, CLASSES)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_classes_of_words_and_numbers(learner):
    mixed = np.array(["u", "u", "u", 1, 1, 1], dtype=object)
    with pytest.raises(ValueError, match="strings"):
        clone(learner).fit(TREES, mixed)
