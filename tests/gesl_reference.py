"""Slow and obvious twins of GESL, which use nothing of the library.

The loss follows its formula, and the quadratic program goes to other solvers. Edit counts are
arrays of shape (pairs, u + 1, u + 1) for u labels, with the gap last.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

L = math.log(2)


def loss(positive, negative, matrix, eta, beta) -> float:
    """The loss of GESL as its formula says, pair by pair."""
    total = beta * float((matrix**2).sum())
    for one in positive:
        total += max(0.0, float((one * matrix).sum()) - eta)
    for one in negative:
        total += max(0.0, L + eta - float((one * matrix).sum()))
    return total


def program(positive, negative, beta, *, metric=False):
    """The quadratic program over (c, η, ξ): P and q of ½ xᵀPx + qᵀx, and G and h of G x ≤ h."""
    side = positive.shape[1]
    entries = side * side
    hinges = len(positive) + len(negative)
    size = entries + 1 + hinges
    P = np.zeros((size, size))
    P[np.arange(entries), np.arange(entries)] = 2 * beta
    q = np.concatenate([np.zeros(entries + 1), np.ones(hinges)])
    G, h = [], []

    def require(right, **parts):
        row = np.zeros(size)
        row[:entries] = parts.get("c", 0.0)
        row[entries] = parts.get("eta", 0.0)
        if "hinge" in parts:
            row[entries + 1 + parts["hinge"]] = -1.0
        G.append(row)
        h.append(right)

    far = len(positive)
    for k, one in enumerate(positive.reshape(-1, entries)):
        require(0.0, c=one, eta=-1.0, hinge=k)
    for k, one in enumerate(negative.reshape(-1, entries)):
        require(-L, c=-one, eta=1.0, hinge=far + k)
    for k in range(hinges):
        require(0.0, hinge=k)
    for entry in np.eye(entries):
        require(0.0, c=-entry)
    require(0.0, eta=-1.0)
    require(L, eta=1.0)
    if metric:
        unit = np.eye(entries).reshape(side, side, entries)
        for u in range(side):
            require(0.0, c=unit[u, u])
            for v in range(side):
                require(0.0, c=unit[u, v] - unit[v, u])
                for z in range(side):
                    require(0.0, c=unit[u, v] - unit[u, z] - unit[z, v])
    return P, q, np.array(G), np.array(h)


def by_slsqp(positive, negative, beta, *, metric=False):
    """The smallest loss and its costs by SciPy's sequential least squares, for small problems."""
    P, q, G, h = program(positive, negative, beta, metric=metric)
    side = positive.shape[1]
    start = np.full(len(q), 0.1)
    found = minimize(
        lambda x: 0.5 * x @ P @ x + q @ x,
        start,
        jac=lambda x: P @ x + q,
        constraints={"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    # It may give up on redundant inequalities; then it has found nothing.
    least = float(found.fun) if (G @ found.x <= h + 1e-9).all() else math.inf
    return least, found.x[: side * side].reshape(side, side)


def by_clarabel(positive, negative, beta, *, metric=False):
    """The smallest loss and its costs by clarabel."""
    import clarabel

    P, q, G, h = program(positive, negative, beta, metric=metric)
    side = positive.shape[1]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(h))]
    upper, left = sp.csc_matrix(np.triu(P)), sp.csc_matrix(G)
    found = clarabel.DefaultSolver(upper, q, left, h, cones, settings).solve()
    return float(found.obj_val), np.array(found.x)[: side * side].reshape(side, side)
