"""Calls of other packages that Ctrl-C can leave."""

import signal
import threading
import warnings

import numpy as np
import pytest

import treemetric as tm
from treemetric._base.threads import interruptible
from treemetric.classification import DistanceSVC


def test_results_errors_and_warnings_are_those_of_a_plain_call():
    threads = []

    def call(value):
        threads.append(threading.current_thread())
        warnings.warn("slow", RuntimeWarning, stacklevel=1)
        return 1 / value

    with pytest.warns(RuntimeWarning, match="slow"):
        assert interruptible(lambda: call(4)) == 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="slow"):
            interruptible(lambda: call(4))
        warnings.simplefilter("ignore")
        with pytest.raises(ZeroDivisionError) as error:
            interruptible(lambda: call(0))
    assert error.traceback[-1].name == "call"
    assert threading.main_thread() not in threads


def test_another_thread_calls_it_itself():
    found = []
    thread = threading.Thread(target=lambda: found.append(interruptible(threading.current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_the_main_thread_leaves_a_call_at_a_signal(monkeypatch):
    class LeftError(Exception):
        pass

    def leave(*_):
        raise LeftError

    over = threading.Event()
    before = signal.signal(signal.SIGALRM, leave)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(LeftError):
            interruptible(over.wait)
        # A fit whose solver has not ended, and which leaves the estimator as it was.
        monkeypatch.setattr("sklearn.svm.SVC.fit", lambda *_: over.wait())
        model = DistanceSVC(metric="precomputed")
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(LeftError):
            model.fit(1.0 - np.eye(4), [0, 0, 1, 1])
        assert not hasattr(model, "support_")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        over.set()


@pytest.mark.parametrize("kind", ["euclidean", "angle"])
def test_vectors_are_compared_in_steps(monkeypatch, kind):
    vectors = np.random.default_rng(0).normal(size=(50, 3))
    costs = tm.VectorCosts(range(50), vectors, kind=kind)
    whole = costs.to_matrix()
    monkeypatch.setattr("treemetric.costs._vectors._STEP", 500)
    assert costs.to_matrix() == whole
    assert tm.EmbeddingCosts(range(50), vectors, np.ones(50)).matrix.shape == (51, 51)
