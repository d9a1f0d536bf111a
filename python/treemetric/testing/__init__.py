"""Checks that estimators on trees keep the contract of scikit-learn.

``sklearn.utils.estimator_checks`` is made for tables of numbers and skips nearly all checks for
other estimators. These are the checks for trees. All estimators of this package pass them, and
they work for estimators of other packages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from sklearn.base import is_regressor

from treemetric._base.validation import check_seed
from treemetric.testing.checks import GENERAL_CHECKS
from treemetric.testing.class_checks import CLASS_CHECKS
from treemetric.testing.number_checks import NUMBER_CHECKS
from treemetric.testing.tools import make_data, with_numbers
from treemetric.testing.weight_checks import WEIGHT_CHECKS

__all__ = ["check_tree_estimator", "tree_estimator_checks"]


def check_tree_estimator(estimator: Any, *, seed: int = 0) -> None:
    """Check that an estimator on trees keeps the contract of scikit-learn.

    The estimator is a classifier or a regressor, a transformer or both, with ``fit(X, y)`` on
    trees. All checks work on clones.

    Parameters
    ----------
    estimator : estimator object
        The estimator; not a class.
    seed : int, default=0
        Seed of the trees of the checks, and `random_state` of estimators that have one.

    Raises
    ------
    AssertionError
        If a check fails; the message names the check and what is wrong.

    See Also
    --------
    tree_estimator_checks : The same, check by check.

    Notes
    -----
    The checks cover clones, parameters, that fit changes neither parameters nor data, errors before
    fit, pickling, that a second fit forgets the first one and changes nothing on the same data,
    threads, prediction in parts, sets, lists and arrays of trees, cross-validation, grid search,
    pipelines, results of transformers, classes that are strings, integers or booleans, one, two
    and three classes, one tree, empty trees, equal trees of different classes, unknown labels,
    targets and trees that must be refused, and tags. Regressors are checked with numbers as
    targets. If fit takes ``sample_weight``, so are weights and their routing.

    Examples
    --------
    >>> from treemetric.testing import check_tree_estimator
    >>> from treemetric.transformers import TreeDistances
    >>> check_tree_estimator(TreeDistances())
    """
    for check in tree_estimator_checks(estimator, seed=seed):
        check()


def tree_estimator_checks(estimator: Any, *, seed: int = 0) -> list[Callable[[], None]]:
    """List the checks of an estimator on trees, to run them one by one.

    Parameters
    ----------
    estimator : estimator object
        The estimator; not a class.
    seed : int, default=0
        Seed of the trees of the checks, and `random_state` of estimators that have one.

    Returns
    -------
    list of callable
        Each takes no argument, has the name of the check as its ``__name__``, and raises
        ``AssertionError`` if the check fails.

    See Also
    --------
    check_tree_estimator : Run them all.

    Examples
    --------
    >>> from treemetric.testing import tree_estimator_checks
    >>> from treemetric.transformers import TreeDistances
    >>> checks = tree_estimator_checks(TreeDistances())
    >>> checks[0].__name__
    'check_clone'
    """
    if isinstance(estimator, type):
        message = f"estimator must be an instance. Got the class {estimator.__name__} instead."
        raise TypeError(message)
    data = make_data(check_seed(seed, "tree_estimator_checks"))
    special = CLASS_CHECKS
    if is_regressor(estimator):
        data, special = with_numbers(data), NUMBER_CHECKS
    checks = (*GENERAL_CHECKS, *special, *WEIGHT_CHECKS)
    return [update_wrapper(partial(_run, check, estimator, data), check) for check in checks]


def _run(check: Callable[..., None], estimator: Any, data: Any) -> None:
    """Run a check; any error becomes an AssertionError that names it."""
    try:
        check(estimator, data)
    except Exception as error:
        reason = str(error) if isinstance(error, AssertionError) else repr(error)
        message = f"{type(estimator).__name__} fails {check.__name__}: {reason}"
        raise AssertionError(message) from error


def __dir__() -> list[str]:
    # Names for users only, not what this module imports.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
