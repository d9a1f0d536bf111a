"""Reproduced experiments of the source: ablation, counter-example to GESL, and Sentiment."""

from treemetric.experiments.ablation.experiment import run_ablation
from treemetric.experiments.ablation.figure import plot_ablation
from treemetric.experiments.ablation.results import MeanError, summarise, to_markdown
from treemetric.experiments.counterexample import CounterExample, counterexample
from treemetric.experiments.sentiment.experiment import Sentiment, run_sentiment

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
