"""What learned costs say: weights of labels, telling edits, changed pairs, learning curves."""

from treemetric.inspection.changed_pairs import ChangedPairs, PairChange, changed_pairs
from treemetric.inspection.label_weights import LabelWeights, label_weights
from treemetric.inspection.learning_curve import LearningCurve, learning_curve
from treemetric.inspection.telling_edits import TellingEdits, telling_edits

__all__ = [
    "ChangedPairs",
    "LabelWeights",
    "LearningCurve",
    "PairChange",
    "TellingEdits",
    "changed_pairs",
    "label_weights",
    "learning_curve",
    "telling_edits",
]
