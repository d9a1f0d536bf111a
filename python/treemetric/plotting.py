"""Pictures of distances, alignments, costs and learning; they need ``treemetric[plot]``."""

from treemetric._plot_alignment import plot_alignment
from treemetric._plot_costs import plot_costs
from treemetric._plot_distances import plot_distances, plot_map
from treemetric._plot_embedding import plot_embedding
from treemetric._plot_loss import plot_loss

__all__ = [
    "plot_alignment",
    "plot_costs",
    "plot_distances",
    "plot_embedding",
    "plot_loss",
    "plot_map",
]
