"""The published checks pass good estimators and catch broken ones."""

import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

import treemetric as tm
from treemetric import learning
from treemetric.classification import MedianGLVQ
from treemetric.exceptions import UnknownLabelError
from treemetric.regression import DistanceKernelRidge, KNeighborsTreeRegressor
from treemetric.testing import check_tree_estimator, tree_estimator_checks
from treemetric.testing.checks import GENERAL_CHECKS
from treemetric.testing.class_checks import CLASS_CHECKS
from treemetric.testing.number_checks import NUMBER_CHECKS
from treemetric.testing.weight_checks import WEIGHT_CHECKS
from treemetric.treeset import check_trees


class Nearest(ClassifierMixin, BaseEstimator):
    """A small classifier by somebody else, as it should be."""

    def __init__(self, costs=None, n_jobs=None):
        self.costs = costs
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _trees(self, X):
        trees = check_trees(X, "X", "Nearest")
        if len(trees) == 0:
            raise ValueError("no trees")
        return trees

    def fit(self, X, y):
        self.trees_ = self._trees(X)
        if y is None or any(label is None for label in np.ravel(y)):
            raise ValueError("no classes")
        y = column_or_1d(y)
        check_consistent_length(self.trees_, y)
        assert_all_finite(y)
        check_classification_targets(y)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        return self

    def _distances(self, X):
        check_is_fitted(self)
        return tm.pairwise_distances(
            self._trees(X), self.trees_, costs=self.costs, n_jobs=self.n_jobs
        )

    def predict(self, X):
        return self.classes_[self.codes_[self._distances(X).argmin(axis=1)]]

    def transform(self, X):
        return self._distances(X)

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)


class NearestPredictFirst(Nearest):
    def predict(self, X):
        check_is_fitted(self)
        return super().predict(X)


GOOD = NearestPredictFirst()


def test_a_correct_estimator_of_another_package_passes():
    check_tree_estimator(GOOD)
    check_tree_estimator(GOOD, seed=3)


@pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
@pytest.mark.parametrize(
    "kind",
    [
        learning.BEDL,
        learning.GESL,
        learning.KernelRegressionCosts,
        learning.LVQCosts,
        learning.NCACosts,
    ],
)
def test_learners_pass(kind):
    check_tree_estimator(kind())


def test_checks_have_names_and_documentation():
    checks = tree_estimator_checks(GOOD)
    names = [check.__name__ for check in checks]
    count = len(GENERAL_CHECKS) + len(CLASS_CHECKS) + len(WEIGHT_CHECKS)
    assert len(set(names)) == len(names) == count > 25
    assert all(check.__doc__.startswith("Check that") for check in checks)


@pytest.mark.parametrize("kind", [KNeighborsTreeRegressor, DistanceKernelRidge])
def test_regressors_pass(kind):
    checks = tree_estimator_checks(kind())
    assert len(checks) == len(GENERAL_CHECKS) + len(NUMBER_CHECKS) + len(WEIGHT_CHECKS)
    assert all(check.__doc__.startswith("Check that") for check in checks)
    check_tree_estimator(kind())


class Rounding(KNeighborsTreeRegressor):
    def predict(self, X):
        return super().predict(X).round()


class Unweighted(MedianGLVQ):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight=None)


class Heavy(MedianGLVQ):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight=sample_weight)
        if sample_weight is not None:
            self.classes_ = self.classes_[::-1]
        return self


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (Rounding(), {"check_constant_numbers"}),
        (Unweighted(), {"check_wrong_weights"}),
        (Heavy(), {"check_equal_weights"}),
    ],
)
def test_broken_regressors_and_weights_are_caught(model, failing):
    caught = set()
    for check in tree_estimator_checks(model):
        try:
            check()
        except AssertionError:
            caught.add(check.__name__)
    assert failing <= caught


def test_the_estimator_itself_is_not_touched():
    model = MedianGLVQ()
    before = copy.deepcopy(vars(model))
    check_tree_estimator(model)
    assert vars(model) == before


def test_a_class_is_not_an_estimator():
    with pytest.raises(TypeError, match="Got the class Nearest"):
        check_tree_estimator(Nearest)


def test_a_precomputed_metric_is_detected():
    with pytest.raises(AssertionError, match="MedianGLVQ fails"):
        check_tree_estimator(MedianGLVQ(metric="precomputed"))


class Leaky(NearestPredictFirst):
    """Remembers classes of an earlier fit."""

    def fit(self, X, y):
        super().fit(X, y)
        self.fits_ = getattr(self, "fits_", 0) + 1
        return self

    def transform(self, X):
        return super().transform(X) + self.fits_


class Meddling(NearestPredictFirst):
    def fit(self, X, y):
        self.n_jobs = 1
        return super().fit(X, y)


class Copying(NearestPredictFirst):
    def __init__(self, costs=None, n_jobs=None):
        super().__init__(costs, n_jobs)
        self.costs = tm.UnitCosts() if costs is None else costs


class Silent(NearestPredictFirst):
    def fit(self, X, y):
        super().fit(X, y)


class Unpicklable(NearestPredictFirst):
    def fit(self, X, y):
        self.key_ = lambda tree: tree
        return super().fit(X, y)


class Threaded(NearestPredictFirst):
    def transform(self, X):
        return super().transform(X) + (self.n_jobs or 0)


class Relative(NearestPredictFirst):
    def transform(self, X):
        distances = super().transform(X)
        return distances / max(1.0, distances.max())


class Listing(NearestPredictFirst):
    def fit(self, X, y):
        if isinstance(X, tm.TreeSet):
            raise TypeError("lists only")
        return super().fit(X, y)


class Numeric(NearestPredictFirst):
    def predict(self, X):
        return np.searchsorted(self.classes_, super().predict(X))


class Careless(NearestPredictFirst):
    def fit(self, X, y):
        y = np.asarray(y)
        return super().fit(X, np.resize(y, len(X)))


class Dividing(NearestPredictFirst):
    def transform(self, X):
        distances = super().transform(X)
        with np.errstate(all="ignore"):
            return distances / distances.sum(axis=1, keepdims=True)


class Strict(NearestPredictFirst):
    def _distances(self, X):
        check_is_fitted(self)
        if set(self._trees(X).alphabet) - set(self.trees_.alphabet):
            raise KeyError("unknown")
        return super()._distances(X)


class Refusing(NearestPredictFirst):
    def _distances(self, X):
        check_is_fitted(self)
        if set(self._trees(X).alphabet) - set(self.trees_.alphabet):
            raise UnknownLabelError("unknown")
        return super()._distances(X)


class Opposite(NearestPredictFirst):
    def decision_function(self, X):
        return np.where(self.predict(X) == self.classes_[0], 1.0, -1.0)


class Doubtful(NearestPredictFirst):
    def predict_proba(self, X):
        return 1.0 - (self.predict(X)[:, None] == self.classes_)


class Tabular(NearestPredictFirst):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class Choosy(NearestPredictFirst):
    def fit(self, X, y):
        if len(set(np.ravel(y))) < 2:
            raise ValueError("not possible")
        return super().fit(X, y)


class Empty(NearestPredictFirst):
    def fit(self, X, y):
        if any(tree.size == 0 for tree in X):
            raise IndexError("no root")
        return super().fit(X, y)


class Transformed(NearestPredictFirst):
    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X) + 1


class Forgetful(Nearest):
    """Says nothing about fit before it looks at what fit left."""


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (Leaky(), {"check_refit_forgets", "check_fit_is_idempotent"}),
        (Meddling(), {"check_fit_keeps_params"}),
        (Copying(), {"check_params"}),
        (Silent(), {"check_fit_keeps_params"}),
        (Unpicklable(), {"check_pickle"}),
        (Threaded(), {"check_n_jobs"}),
        (Relative(), {"check_parts"}),
        (Listing(), {"check_containers", "check_grid_search"}),
        (Numeric(), {"check_string_targets", "check_integer_targets", "check_bool_targets"}),
        (Careless(), {"check_wrong_targets"}),
        (Dividing(), {"check_equal_trees"}),
        (Strict(), {"check_unknown_symbols"}),
        (Refusing(), {"check_unknown_symbols"}),
        (Opposite(), {"check_two_classes"}),
        (Doubtful(), {"check_probabilities"}),
        (Tabular(), {"check_tags"}),
        (Choosy(), {"check_one_class", "check_one_tree"}),
        (Empty(), {"check_empty_tree"}),
        (Transformed(), {"check_transform"}),
        (Forgetful(), {"check_not_fitted"}),
    ],
)
def test_a_broken_estimator_is_caught(model, failing):
    caught = {}
    for check in tree_estimator_checks(model):
        try:
            check()
        except AssertionError as error:
            caught[check.__name__] = str(error)
    assert failing <= set(caught)
    for name, message in caught.items():
        assert message.startswith(f"{type(model).__name__} fails {name}: ")
    with pytest.raises(AssertionError, match=f"{type(model).__name__} fails"):
        check_tree_estimator(model)
