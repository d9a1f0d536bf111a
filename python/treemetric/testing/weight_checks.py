"""The checks of `treemetric.testing` for estimators whose ``fit`` takes ``sample_weight``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

from treemetric.testing.tools import Data, ensure, ensure_equal, fresh, outputs, refusing


def _takes_weights(estimator: Any) -> bool:
    return bool(has_fit_parameter(estimator, "sample_weight"))


def check_equal_weights(estimator: Any, data: Data) -> None:
    """Check that weights of 1 change nothing."""
    if not _takes_weights(estimator):
        return
    ones = np.ones(len(data.trees))
    plain = fresh(estimator, data).fit(data.trees, data.y)
    weighted = fresh(estimator, data).fit(data.trees, data.y, sample_weight=ones)
    for name, result in outputs(plain, data.queries).items():
        found = outputs(weighted, data.queries)[name]
        same = np.array_equal(found, result)
        if result.dtype.kind == "f":
            same = np.allclose(found, result, rtol=1e-6, atol=1e-9)
        ensure(same, f"{name} differs with weights of 1")


def check_wrong_weights(estimator: Any, data: Data) -> None:
    """Check that weights that are too few, NaN, negative or all 0 are refused."""
    if not _takes_weights(estimator):
        return
    ones = np.ones(len(data.trees))
    wrong: dict[str, Any] = {
        "weights that are too few": ones[:-1],
        "weights with NaN": np.where(np.arange(len(ones)) == 3, np.nan, ones),
        "negative weights": -ones,
        "weights of 0": 0 * ones,
        "weights with two columns": np.column_stack([ones, ones]),
    }
    for what, weights in wrong.items():
        with refusing(what, ValueError):
            fresh(estimator, data).fit(data.trees, data.y, sample_weight=weights)


def check_routed_weights(estimator: Any, data: Data) -> None:
    """Check that weights reach fit through pipelines and searches, by metadata routing."""
    if not _takes_weights(estimator):
        return
    weights = 1.0 + np.arange(len(data.trees)) % 3
    alone = fresh(estimator, data).fit(data.trees, data.y, sample_weight=weights)
    found = outputs(alone, data.queries)
    with config_context(enable_metadata_routing=True):
        asking = fresh(estimator, data).set_fit_request(sample_weight=True)
        pipe = make_pipeline(asking).fit(data.trees, data.y, sample_weight=weights)
        ensure_equal(found, outputs(pipe, data.queries), "if a pipeline routes the weights")
        if hasattr(asking, "set_score_request"):
            asking.set_score_request(sample_weight=False)
        if hasattr(asking, "predict") and hasattr(asking, "score"):
            name = "n_jobs" if "n_jobs" in asking.get_params() else "verbose"
            search = GridSearchCV(asking, {name: [1]}, cv=2, error_score="raise")
            search.fit(data.trees, data.y, sample_weight=weights)
            same = np.array_equal(search.predict(data.queries), found["predict"])
            ensure(same, "a search does not route the weights")


WEIGHT_CHECKS: tuple[Callable[[Any, Data], None], ...] = (
    check_equal_weights,
    check_wrong_weights,
    check_routed_weights,
)
