"""Regression on trees, or on any matrix of distances."""

from treemetric.regression.k_neighbors import KNeighborsTreeRegressor
from treemetric.regression.kernel_ridge import DistanceKernelRidge

__all__ = ["DistanceKernelRidge", "KNeighborsTreeRegressor"]
