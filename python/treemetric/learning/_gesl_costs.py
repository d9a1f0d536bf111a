"""GESL for given pairs: costs from counts of edits."""

from __future__ import annotations

import warnings
from math import log
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.exceptions import ConvergenceWarning

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric._base.validation import as_float, check_bool, check_int, refuse, shown
from treemetric.alignment.edit_counts import EditCounts
from treemetric.costs import CostMatrix
from treemetric.learning._gesl_metric import solve_metric
from treemetric.learning._gesl_problem import Outcome, Point, Problem, swept
from treemetric.learning._gesl_solver import Report, nothing, solve

LOG2 = log(2.0)
_BETAS = 1e-20, 1e20


class GoodCosts(NamedTuple):
    """Costs that make some pairs close and others far; made by `learn_costs`.

    Attributes
    ----------
    costs : CostMatrix
        The learned costs.
    margin : float
        The η of the loss: pairs with a distance up to η are close, from η + log 2 on far.
    loss : float
        The loss of these costs and this margin.
    duality_gap : float
        Upper bound of the difference between the loss and the smallest possible loss.
    n_iter : int
        Number of steps of the solver.

    Examples
    --------
    >>> from treemetric import Tree, edit_counts
    >>> from treemetric.learning import learn_costs
    >>> trees = [Tree.from_sequence(s) for s in ("a", "b", "c")]
    >>> close, far = (edit_counts(trees, pairs=[p]) for p in ((0, 1), (0, 2)))
    >>> found = learn_costs(close, far, beta=0.1)
    >>> found.duality_gap <= 1e-8 * found.loss
    True
    """

    costs: CostMatrix
    margin: float
    loss: float
    duality_gap: float
    n_iter: int


def learn_costs(
    positive: EditCounts,
    negative: EditCounts,
    *,
    beta: float = 1.0,
    metric: bool = False,
    tol: float = 1e-8,
    max_iter: int = 200,
) -> GoodCosts:
    """Learn costs under which given pairs of trees are close and others are far.

    This is `GESL` for given pairs and counts of edits. With the edits N_p counted in pair p it
    minimises, over costs c ≥ 0 and a margin 0 ≤ η ≤ log 2,

        β ‖c‖² + Σ_positive [⟨N_p, c⟩ - η]₊ + Σ_negative [log 2 + η - ⟨N_p, c⟩]₊,

    where ‖c‖² sums the squares of all (U + 1)² costs of U labels and the gap (the missing
    counterpart of a deleted or inserted node).

    Parameters
    ----------
    positive : EditCounts
        The edits of the pairs that should be close.
    negative : EditCounts
        The edits of the pairs that should be far, over the same alphabet.
    beta : float, default=1.0
        The weight β of the squared costs. The other terms are sums over pairs, so twice as many
        pairs of the same kind need twice the weight.
    metric : bool, default=False
        Whether the costs must be a pseudo-metric: symmetric, 0 from a label to itself, and
        triangular. The time grows with the sixth power of the number of labels; see `GESL`.
    tol : float, default=1e-8
        The largest duality gap, as a share of the loss.
    max_iter : int, default=200
        Maximum number of steps of the solver; about 20 to 60 are usual.

    Returns
    -------
    GoodCosts
        The costs, the margin, the loss and its duality gap.

    Warns
    -----
    ConvergenceWarning
        If the duality gap exceeds `tol` by more than rounding errors.

    See Also
    --------
    GESL : Chooses the pairs from the classes of trees.

    Examples
    --------
    >>> from treemetric import Tree, edit_counts
    >>> from treemetric.learning import learn_costs
    >>> trees = [Tree.from_sequence(s) for s in ("a", "b", "c")]
    >>> close = edit_counts(trees, pairs=[(0, 1), (1, 0)])
    >>> far = edit_counts(trees, pairs=[(0, 2), (1, 2)])
    >>> found = learn_costs(close, far, beta=0.1)
    >>> found.costs.matrix.round(3)
    array([[0.   , 0.   , 0.693, 0.   ],
           [0.   , 0.   , 0.693, 0.   ],
           [0.   , 0.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   , 0.   ]])
    >>> learn_costs(close, far, beta=0.1, metric=True).costs.is_pseudo_metric()
    True
    """
    name = "learn_costs"
    for parameter, counts in (("positive", positive), ("negative", negative)):
        _check_counts(counts, parameter)
    if positive.alphabet != negative.alphabet:
        must = "counts over the alphabet of 'positive' (count both in one set of trees)"
        refuse("negative", name, must, f"{shown(negative.alphabet)}")
    check_solver(beta, metric, tol, max_iter, name)
    return good_costs(
        positive, negative, beta=float(beta), metric=metric, tol=float(tol), max_iter=max_iter
    )


def check_solver(beta: object, metric: object, tol: object, max_iter: object, owner: str) -> None:
    """Check the parameters that the learner and the function share."""
    # Costs can be as large as counts / β, and their squares must not overflow.
    if not _BETAS[0] <= as_float(beta) <= _BETAS[1]:
        must = f"a float in the range [{_BETAS[0]:g}, {_BETAS[1]:g}]"
        refuse("beta", owner, must, shown(beta))
    check_bool(metric, "metric", owner)
    if not 0 <= as_float(tol) < float("inf"):
        refuse("tol", owner, "a float in the range [0.0, inf)", shown(tol))
    check_int(max_iter, "max_iter", owner)


def good_costs(
    positive: EditCounts,
    negative: EditCounts,
    *,
    beta: float,
    metric: bool,
    tol: float,
    max_iter: int,
    importance: FloatArray | None = None,
    report: Report = nothing,
) -> GoodCosts:
    """Learn costs from checked counts; ``importance`` are weights of all pairs, positive first."""
    rows = csr_array(vstack([positive.matrix, negative.matrix], format="csr"), dtype=np.float64)
    far = np.arange(rows.shape[0]) >= positive.matrix.shape[0]

    def tell(done: int, loss: float) -> None:
        report(done, LOG2 * loss)

    # In units of log 2, see `_gesl_problem`.
    solver = solve_metric if metric else _solve_any
    # More threads mostly wait, and the result must not depend on their number.
    with one_blas_thread():
        outcome = solver(
            rows,
            far,
            beta * LOG2,
            tol=tol,
            max_iter=max_iter,
            importance=importance,
            report=tell,
        )
    point = outcome.point
    if not outcome.converged:
        message = (
            f"The duality gap is {point.gap / point.loss:.1e} of the loss after {outcome.n_iter} "
            f"steps, more than tol={tol:g}. Increase max_iter or tol."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    side = len(positive.alphabet) + 1
    costs = CostMatrix(positive.alphabet, LOG2 * point.costs.reshape(side, side))
    margin, loss, gap = (LOG2 * value for value in (point.margin, point.loss, point.gap))
    return GoodCosts(costs, margin, loss, gap, outcome.n_iter)


def _solve_any(
    rows: csr_array,
    far: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    beta: float,
    *,
    tol: float,
    max_iter: int,
    importance: FloatArray | None,
    report: Report,
) -> Outcome:
    """Solve without triangle inequalities: edits that no negative pair has cost 0."""
    distant = rows[far]
    used = np.unique(distant.indices[distant.data > 0])
    weights = np.full(len(used), beta)
    problem = Problem(csr_array(rows[:, used]), far, weights, importance=importance)
    found = solve(problem, tol=tol, max_iter=max_iter, report=report)
    clean = swept(found.point.costs)
    loss, margin = problem.loss(clean)
    point = Point(clean, margin, loss, found.point.bound)
    if not problem.converged(point, tol):
        # Small costs matter if counts are of very different size.
        point = found.point
    costs = np.zeros(rows.shape[1])
    costs[used] = point.costs
    return Outcome(point._replace(costs=costs), found.n_iter, problem.converged(point, tol))


def _check_counts(counts: object, parameter: str) -> None:
    """Check that a value holds counts of edits that are finite and not negative."""
    name = "learn_costs"
    if not isinstance(counts, EditCounts):
        refuse(parameter, name, "an instance of 'treemetric.EditCounts'", shown(counts))
    columns = (len(counts.alphabet) + 1) ** 2
    if counts.matrix.shape[1] != columns:
        got = f"{counts.matrix.shape[1]} columns"
        refuse(parameter, name, f"counts of {columns} edits for its alphabet", got)
    values = counts.matrix.data
    if not (np.isfinite(values) & (values >= 0)).all():
        refuse(parameter, name, "counts that are finite and not negative", "other counts")
    last = counts.matrix[:, [columns - 1]]
    if last.nnz and last.max() > 0:
        refuse(parameter, name, "counts of edits of labels", "counts of the gap replaced by itself")
