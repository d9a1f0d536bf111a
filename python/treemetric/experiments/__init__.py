"""The experiments of the source, redone: the ablation and the counter-example to GESL."""

from treemetric.experiments._ablation import run_ablation
from treemetric.experiments._counterexample import CounterExample, counterexample
from treemetric.experiments._figure import plot_ablation
from treemetric.experiments._results import MeanError, summarise, to_markdown

__all__ = [
    "CounterExample",
    "MeanError",
    "counterexample",
    "plot_ablation",
    "run_ablation",
    "summarise",
    "to_markdown",
]
