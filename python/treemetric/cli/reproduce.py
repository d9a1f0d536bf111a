"""The command ``treemetric reproduce``: the experiments of the paper behind BEDL."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from treemetric.cli.help import add_command
from treemetric.costs.vector import KINDS


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    reproduce = add_command(
        commands,
        "reproduce",
        "EXPERIMENT",
        summary="repeat the experiments of the paper behind BEDL",
        description="Repeat the experiments in the supplement of 'Tree Edit Distance Learning via "
        "Adaptive Symbol Embeddings'.",
        examples=(
            "treemetric reproduce counterexample",
            "treemetric reproduce ablation --quick -o out",
            "treemetric reproduce ablation --help",
        ),
    )
    experiments = reproduce.add_subparsers(
        prog="treemetric reproduce", title="experiments", metavar="EXPERIMENT", required=True
    )
    _add_ablation(experiments)
    example = experiments.add_parser(
        "counterexample",
        help="print the counter-example to GESL, as published and corrected",
        description="Print the cost tables and losses of the counter-example to GESL, as "
        "published and corrected.",
    )
    example.add_argument(
        "--beta", type=float, default=0.1, help="weight of the squared costs (default: 0.1)"
    )
    example.add_argument(
        "--quick", action="store_true", help="no effect: the example is always quick"
    )
    example.set_defaults(command=_counterexample)
    _add_sentiment(experiments)


def _add_ablation(experiments: Any) -> None:
    ablation = experiments.add_parser(
        "ablation",
        help="compare five ways to learn costs by nested cross-validation",
        description="Compare five ways to learn costs by nested cross-validation. To resume a "
        "stopped run, start it again with the same arguments.",
    )
    ablation.add_argument(
        "--data",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="folders with a file trees.jsonl or with one JSON file per tree, or .jsonl files; the "
        "strings of the paper are generated and come first",
    )
    ablation.add_argument(
        "--classes",
        metavar="REGEX",
        help="regular expression that finds the class in the name of a JSON file (its first group, "
        "if it has one); by default the folder of the file, its name up to an underscore, or the "
        "class in a published name (AAA in ImplAAA1, Bubble in BubbleAlgolist)",
    )
    ablation.add_argument("--no-strings", action="store_true", help="leave out the strings")
    ablation.add_argument(
        "-o", "--output", required=True, type=Path, metavar="OUT", help="folder for the results"
    )
    ablation.add_argument(
        "--variants",
        nargs="+",
        default=None,
        metavar="V",
        help="variants to run: unit G1 G2 G3 L1 L2 (default: all of these), G1M G2M G3M",
    )
    ablation.add_argument(
        "--folds",
        nargs="+",
        default=[],
        metavar="N",
        help="number of outer folds, for all data sets (10) or per data set (sorting=8)",
    )
    ablation.add_argument(
        "--seed", type=int, default=0, help="seed of strings and folds (default: 0)"
    )
    ablation.add_argument(
        "--keep-cells",
        action="store_true",
        help="keep cells that another version of the code computed; run.json lists both versions",
    )
    ablation.add_argument(
        "--quick", action="store_true", help="two folds and small grids, to check that it runs"
    )
    ablation.add_argument(
        *("-j", "--jobs"),
        type=int,
        default=-1,
        metavar="N",
        help="number of processes (default: -1, all usable cores)",
    )
    ablation.add_argument("--no-progress", action="store_true", help="hide progress")
    ablation.set_defaults(command=_ablation)


def _add_sentiment(experiments: Any) -> None:
    sentiment = experiments.add_parser(
        "sentiment",
        help="learn a projection of word vectors from parse trees",
        description="Learn a projection of word vectors from the training split of parse trees, "
        "and print the test errors of classifiers before and after. To resume a stopped run with "
        "-o, start it again with the same arguments.",
    )
    sentiment.add_argument(
        "--data",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="folder with a file trees.jsonl, or a .jsonl file, with the fields label and split "
        "(train, dev or test), or folder with three files of the Stanford Sentiment Treebank whose "
        "names start with train, dev and test (plain or .gz)",
    )
    sentiment.add_argument(
        "--vectors",
        required=True,
        type=Path,
        metavar="V.npz",
        help="file with the arrays words (strings) and vectors (one row per word)",
    )
    sentiment.add_argument(
        "-o", "--output", type=Path, metavar="OUT", help="folder for the results (default: none)"
    )
    sentiment.add_argument(
        "--kind",
        choices=KINDS,
        default="cosine",
        help="cost of two vectors (default: cosine, as in the paper)",
    )
    sentiment.add_argument(
        "--seed", type=int, default=0, help="seed of all random choices (default: 0)"
    )
    sentiment.add_argument("--quick", action="store_true", help="use only a few hundred trees")
    sentiment.add_argument(
        *("-j", "--jobs"),
        type=int,
        default=-1,
        metavar="N",
        help="number of threads (default: -1, all usable cores)",
    )
    sentiment.add_argument("--no-progress", action="store_true", help="hide progress")
    sentiment.set_defaults(command=_sentiment)


def _folds(values: list[str]) -> int | dict[str, int] | None:
    """Read '10', or 'sorting=8 cystic=5'."""
    if not values:
        return None
    if len(values) == 1 and values[0].isdecimal():
        return int(values[0])
    found = {}
    for value in values:
        name, _, count = value.rpartition("=")
        if not name or not count.isdecimal():
            message = f"--folds must be a number or NAME=NUMBER for data sets. Got {value!r}."
            raise ValueError(message)
        found[name] = int(count)
    return found


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        message = f"--classes must be a regular expression. Got {text!r} ({error})."
        raise ValueError(message) from error


def _ablation(arguments: argparse.Namespace) -> None:
    # Imported here because it imports scikit-learn and SciPy.
    from treemetric.experiments import run_ablation
    from treemetric.experiments.ablation.plan import DEFAULT_VARIANTS

    try:
        run_ablation(
            [*([] if arguments.no_strings else ["strings"]), *arguments.data],
            arguments.output,
            variants=arguments.variants or DEFAULT_VARIANTS,
            folds=_folds(arguments.folds),
            quick=arguments.quick,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            progress=not arguments.no_progress,
            classes=_pattern(arguments.classes),
            keep_cells=arguments.keep_cells,
        )
    except RuntimeError as error:
        # A cell failed or a process was killed: report it in one line, like other errors.
        raise OSError(str(error)) from error
    sys.stdout.write((arguments.output / "table.md").read_text(encoding="utf-8"))
    for name in ("results.csv", "table.md", "claims.md", "figure.png", "run.json"):
        if (arguments.output / name).exists():
            sys.stdout.write(f"{arguments.output / name}\n")
        elif name == "figure.png":
            sys.stdout.write('The figure needs matplotlib: pip install "treemetric[plot]"\n')


def _counterexample(arguments: argparse.Namespace) -> None:
    from treemetric.experiments import counterexample

    sys.stdout.write(counterexample(arguments.beta).report() + "\n")


def _sentiment(arguments: argparse.Namespace) -> None:
    from treemetric.experiments import run_sentiment
    from treemetric.experiments.sentiment.experiment import QUICK_NOTE

    found = run_sentiment(
        arguments.data,
        arguments.vectors,
        arguments.output,
        kind=arguments.kind,
        quick=arguments.quick,
        seed=arguments.seed,
        n_jobs=arguments.jobs,
        verbose=0 if arguments.no_progress else 1,
    )
    head = f"{QUICK_NOTE}\n\n" if arguments.quick else ""
    sys.stdout.write(f"{head}{found.report()}\n\nLearned in {found.seconds:.0f} s\n")
