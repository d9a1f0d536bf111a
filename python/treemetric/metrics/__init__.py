"""Published metrics that are built on tree edit distances."""

from treemetric.metrics.tables import TedsResult, teds, teds_scores

__all__ = ["TedsResult", "teds", "teds_scores"]
