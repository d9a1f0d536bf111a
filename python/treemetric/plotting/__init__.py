"""Plots of distances, alignments, costs and learning curves; they need ``treemetric[plot]``."""

from treemetric.alignment.tables import tables_html
from treemetric.plotting.alignment import plot_alignment
from treemetric.plotting.costs import plot_costs
from treemetric.plotting.distances import plot_distances, plot_map
from treemetric.plotting.embedding import plot_embedding
from treemetric.plotting.loss import plot_loss
from treemetric.plotting.tables import plot_tables

__all__ = [
    "plot_alignment",
    "plot_costs",
    "plot_distances",
    "plot_embedding",
    "plot_loss",
    "plot_map",
    "plot_tables",
    "tables_html",
]
