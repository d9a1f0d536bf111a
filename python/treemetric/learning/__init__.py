"""Edit costs learned from classified trees."""

from treemetric.learning._metric import LearnedMetric

__all__ = ["LearnedMetric"]
