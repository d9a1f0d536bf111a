"""Costs are immutable values; files keep their fingerprints."""

import copy
import operator
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import treemetric as tm


def compare(a, b):
    return float(a != b)


KINDS = [
    tm.UnitCosts(),
    tm.CostMatrix("ab", [[0, 2, 1], [2, 0, 1], [1, 1, 0]]),
    tm.EmbeddingCosts("ab", [[1.0, 0.0], [0.0, 1.0]]),
    tm.VectorCosts("ab", [[1.0, 0.0], [0.0, 1.0]]),
    tm.CallableCosts(compare),
]


@pytest.fixture(params=KINDS, ids=lambda costs: type(costs).__name__)
def costs(request):
    return request.param


def test_nothing_can_be_set_or_deleted(costs):
    before = tm.distance(tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b"), costs=costs)
    for name in ("matrix", "alphabet", "vectors", "fn", "new"):
        with pytest.raises(
            AttributeError, match=f"{type(costs).__name__} is immutable: cannot set"
        ):
            setattr(costs, name, None)
        with pytest.raises(AttributeError, match="immutable: cannot delete"):
            delattr(costs, name)
    after = tm.distance(tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b"), costs=costs)
    assert before == after


def test_copies_are_equal(costs):
    for other in (
        copy.copy(costs),
        copy.deepcopy(costs),
        pickle.loads(pickle.dumps(costs)),
        clone(costs, safe=False),
    ):
        assert type(other) is type(costs)
        assert other == costs
        assert hash(other) == hash(costs)


def test_kinds_differ():
    for one in KINDS:
        assert sum(one == other for other in KINDS) == 1


def test_functions_compare_by_the_function():
    assert tm.CallableCosts(compare) == tm.CallableCosts(compare)
    assert tm.CallableCosts(compare) != tm.CallableCosts(operator.ne)


def test_functions_with_a_state_are_copied_deeply():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, a, b):
            return self.factor * (a != b)

    costs = tm.CallableCosts(Scaled(2.0))
    other = copy.deepcopy(costs)
    costs.fn.factor = 3.0
    assert other.fn.factor == 2.0


def test_negative_zeros_are_zeros():
    plain = tm.CostMatrix("a", [[0.0, 1.0], [1.0, 0.0]])
    signed = tm.CostMatrix("a", [[-0.0, 1.0], [1.0, -0.0]])
    assert plain == signed
    assert hash(plain) == hash(signed)
    assert plain._fingerprint() == signed._fingerprint()
    assert not np.signbit(signed.matrix).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_negative_zeros_of_vectors_are_zeros_for_files(tmp_path, dtype):
    """Vectors are shared, not copied; the two zeros are one in files."""
    plain = np.eye(2, dtype=dtype)
    signed = np.where(plain == 0, -plain, plain)
    assert np.signbit(signed[0, 1])
    trees = [tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")]
    for make in (
        lambda vectors: tm.VectorCosts("ab", vectors),
        lambda vectors: tm.VectorCosts("ab", plain, projection=vectors),
        lambda vectors: tm.EmbeddingCosts("ab", vectors, own=vectors[0]),
        lambda vectors: tm.PairCosts(vectors, vectors[0], vectors[1]),
    ):
        first, second = make(plain), make(signed)
        assert first == second
        assert hash(first) == hash(second)
        assert first._fingerprint() == second._fingerprint()
    path = tmp_path / "D.npy"
    for vectors in (plain, signed):
        tm.pairwise_distances(trees, costs=tm.VectorCosts("ab", vectors), out=path)


def test_the_fingerprints_of_old_files_are_kept():
    """Files that were made by earlier versions can be resumed."""
    vectors = np.array([[1, 0], [0, 2]], dtype=np.float32)
    options = {"kind": "angle", "projection": [[1.0], [2.0]], "unknown": "error"}
    function = tm.CallableCosts(lambda a, b: 0.5 + (a is None))
    found = [
        tm.UnitCosts(),
        tm.CostMatrix(["a", 3, None, ("x", 1)], 1 - np.eye(5)),
        tm.EmbeddingCosts("ab", [[1.0, 0.0], [0.0, 2.0]]),
        tm.VectorCosts("ab", vectors, **options),
        function._frozen(("a", "b"), ("b", "c", "d")),
    ]
    assert [costs._fingerprint() for costs in found] == [
        "unit",
        "f93055efb68dc1519e621553aa53c497648aa0ae8ad2eb7eb5880ec1110ae651",
        "b4dd89158c66d71b1dfb492cbf79f823b1fad6922108726173b3d7aa715cacb4",
        "1714bf02f6df5b18c7c0fccf2bfe8a24b73641f2b67459da73d480a2bf6bd286",
        "804a1c4d55ad7dc69ecf90069791fab0cdcf7fff3c5f696bc83bde75421973b0",
    ]


def test_embeddings_are_metrics_without_a_check(monkeypatch):
    def fail(self, tol):
        raise AssertionError

    monkeypatch.setattr(tm.CostMatrix, "_find_violations", fail)
    costs = tm.EmbeddingCosts("ab", [[1.0, 0.0], [0.0, 1.0]])
    assert costs.is_pseudo_metric()
    with pytest.raises(tm.exceptions.UnknownLabelError):
        costs.is_pseudo_metric("c")
    with pytest.raises(AssertionError):
        costs.violations(tol=0.0)
    with pytest.raises(AssertionError):
        # Squares of such lengths lose their digits.
        tm.EmbeddingCosts("ab", [[1e-160, 0.0], [0.0, 1e-160]]).violations()
