"""Pictures of trees, distances, alignments, costs and learning; plots need ``treemetric[plot]``."""

from treemetric.alignment.tables import tables_html
from treemetric.plotting.alignment import plot_alignment
from treemetric.plotting.changed_pair import plot_changed_pair
from treemetric.plotting.costs import plot_costs
from treemetric.plotting.curve import plot_learning_curve
from treemetric.plotting.dendrogram import plot_dendrogram
from treemetric.plotting.distances import plot_distances
from treemetric.plotting.edits import plot_telling_edits
from treemetric.plotting.embedding import plot_embedding
from treemetric.plotting.loss import plot_loss
from treemetric.plotting.map import map_html, plot_map
from treemetric.plotting.tables import plot_tables
from treemetric.plotting.tree import plot_tree
from treemetric.plotting.weights import plot_label_weights

__all__ = [
    "map_html",
    "plot_alignment",
    "plot_changed_pair",
    "plot_costs",
    "plot_dendrogram",
    "plot_distances",
    "plot_embedding",
    "plot_label_weights",
    "plot_learning_curve",
    "plot_loss",
    "plot_map",
    "plot_tables",
    "plot_telling_edits",
    "plot_tree",
    "tables_html",
]
