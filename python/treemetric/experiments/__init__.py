"""The experiments of the source, redone: ablation, counter-example to GESL, and Sentiment."""

from treemetric.experiments._ablation import run_ablation
from treemetric.experiments._counterexample import CounterExample, counterexample
from treemetric.experiments._figure import plot_ablation
from treemetric.experiments._results import MeanError, summarise, to_markdown
from treemetric.experiments._sentiment import Sentiment, run_sentiment

__all__ = [
    "CounterExample",
    "MeanError",
    "Sentiment",
    "counterexample",
    "plot_ablation",
    "run_ablation",
    "run_sentiment",
    "summarise",
    "to_markdown",
]
