"""Published metrics that are built on tree edit distances."""

from treemetric.metrics.code import tsed, tsed_scores

__all__ = ["tsed", "tsed_scores"]
