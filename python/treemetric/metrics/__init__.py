"""Published metrics that are built on tree edit distances."""

from treemetric.metrics.code import tsed, tsed_scores
from treemetric.metrics.tables import TedsResult, teds, teds_scores

__all__ = ["TedsResult", "teds", "teds_scores", "tsed", "tsed_scores"]
