"""Better edit distance learning: an embedding of the symbols."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from treemetric._typing import FloatArray
from treemetric._validation import refuse, shown
from treemetric.classification._median import Squash
from treemetric.costs import CostMatrix, EmbeddingCosts, UnitCosts
from treemetric.learning._base import check_int
from treemetric.learning._embedding import EmbeddingLoss, low_simplex, merged, simplex
from treemetric.learning._lvq import PrototypeLearner
from treemetric.learning._symbols import SymbolCounts
from treemetric.treeset import TreeSet

__all__ = ["BEDL"]


class BEDL(PrototypeLearner):
    def __init__(
        self,
        n_prototypes: Any = 1,
        *,
        n_components: int | None = None,
        init: Any = "simplex",
        squashing: str = "identity",
        slope: float = 1.0,
        regularisation: float = 0.0,
        max_iter: int = 20,
        max_inner_iter: int = 50,
        tol: float = 1e-6,
        patience: int = 2,
        temperature: float | None = None,
        distance: str = "actual",
        unseen: str = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.n_components = n_components
        self.init = init
        self.squashing = squashing
        self.slope = slope
        self.regularisation = regularisation
        self.max_iter = max_iter
        self.max_inner_iter = max_inner_iter
        self.tol = tol
        self.patience = patience
        self.temperature = temperature
        self.distance = distance
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _start(self, trees: TreeSet, random: np.random.RandomState) -> FloatArray:
        given = isinstance(self.init, EmbeddingCosts)
        if not given and self.init != "simplex":
            must = "'simplex' or an instance of 'treemetric.EmbeddingCosts'"
            refuse("init", "BEDL", must, shown(self.init))
        if given:
            self.init.to_matrix(trees.alphabet)  # raises if a label is missing
            self._alphabet, start = self.init.alphabet, self.init.vectors
            self.initial_costs_ = self.init
        else:
            self._alphabet = trees.alphabet
            count = len(trees.alphabet)
            few = self.n_components is not None and self.n_components < count
            start = low_simplex(count, self.n_components, random) if few else simplex(count)
            self.initial_costs_ = EmbeddingCosts(self._alphabet, start) if few else UnitCosts()
        self._first = np.array(start)
        return self._first

    def _costs_of(self, parameters: FloatArray) -> CostMatrix:
        return EmbeddingCosts(self._alphabet, merged(parameters))

    def _penalty(self, parameters: FloatArray) -> float:
        return self.regularisation * float(np.sum((parameters - self._first) ** 2))

    def _improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        loss = EmbeddingLoss(counts, squash, self._first, self.regularisation)
        found = minimize(loss, parameters.ravel(), jac=True, method="L-BFGS-B",
            options={"maxiter": self.max_inner_iter})
        vectors = found.x.reshape(parameters.shape)
        if not self.regularisation:
            vectors *= np.linalg.norm(self._first) / np.linalg.norm(vectors)
        return vectors
