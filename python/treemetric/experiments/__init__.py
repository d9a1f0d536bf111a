"""The experiments of the source, redone: the ablation and the counter-example to GESL."""

from treemetric.experiments._figure import plot_ablation
from treemetric.experiments._results import Error, summarise, to_markdown
from treemetric.experiments.ablation import run_ablation
from treemetric.experiments.counterexample import CounterExample, counterexample

__all__ = [
    "CounterExample",
    "Error",
    "counterexample",
    "plot_ablation",
    "run_ablation",
    "summarise",
    "to_markdown",
]
