"""Plots of distances, alignments, costs and learning curves; they need ``treemetric[plot]``."""

from treemetric.plotting.alignment import plot_alignment
from treemetric.plotting.costs import plot_costs
from treemetric.plotting.distances import plot_distances, plot_map
from treemetric.plotting.embedding import plot_embedding
from treemetric.plotting.loss import plot_loss

__all__ = [
    "plot_alignment",
    "plot_costs",
    "plot_distances",
    "plot_embedding",
    "plot_loss",
    "plot_map",
]
