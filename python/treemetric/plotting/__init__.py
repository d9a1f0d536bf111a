"""Pictures of trees, distances, alignments, costs and learning; plots need ``treemetric[plot]``."""

from treemetric.alignment.tables import tables_html
from treemetric.plotting.alignment import plot_alignment
from treemetric.plotting.costs import plot_costs
from treemetric.plotting.dendrogram import plot_dendrogram
from treemetric.plotting.distances import plot_distances
from treemetric.plotting.embedding import plot_embedding
from treemetric.plotting.loss import plot_loss
from treemetric.plotting.map import map_html, plot_map
from treemetric.plotting.tables import plot_tables
from treemetric.plotting.tree import plot_tree

__all__ = [
    "map_html",
    "plot_alignment",
    "plot_costs",
    "plot_dendrogram",
    "plot_distances",
    "plot_embedding",
    "plot_loss",
    "plot_map",
    "plot_tables",
    "plot_tree",
    "tables_html",
]
