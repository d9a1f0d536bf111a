"""Sentiment: a projection of word vectors, learned from parse trees with the class of a text."""

import csv
import io
import json
import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from treemetric._typing import Path as PathLike
from treemetric._validation import check_n_jobs, refuse, shown
from treemetric.classification._median import Squash
from treemetric.costs import VectorCosts
from treemetric.datasets import load_jsonl
from treemetric.distances import pairwise_distances
from treemetric.experiments._effort import Meter, summed
from treemetric.experiments._files import code_digest, versions
from treemetric.learning import BEDL
from treemetric.learning._omega_prototypes import draw_candidates, select_among
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]
Row = dict[str, Any]

SPLITS = ("train", "dev", "test")
# Most sentences are near the border, so those are what the loss looks at. Learned from 1,500 trees,
# prototypes had a lower error on the development split than with the identity (neighbours did not).
SQUASH = Squash("logistic", 10.0)
QUICK_NOTE = "**Quick run: some hundred trees. It shows that all works; its numbers mean nothing.**"
COLUMNS = ("classifier", "costs", "parameter", "value", "dev_error", "test_error", "n_test")


class Plan(NamedTuple):
    """Sizes and grids of a run. All choices among them are made on the development split."""

    trees: tuple[int | None, int | None, int | None]  # at most so many trees of each split
    n_candidates: int  # trees of each class among which prototypes are chosen
    max_iter: int
    max_inner_iter: int
    learn: tuple[dict[str, Any], ...]  # how to learn
    n_prototypes: tuple[int, ...]  # of median GLVQ
    n_neighbors: tuple[int, ...]


FULL = Plan(
    trees=(None, None, None),
    n_candidates=100,
    max_iter=8,
    max_inner_iter=20,
    learn=({"n_prototypes": 5}, {"n_prototypes": 15}),
    n_prototypes=(1, 2, 5, 10, 15),
    n_neighbors=(1, 3, 5, 9, 15, 25, 41, 61, 101),
)
QUICK = Plan(
    trees=(600, 200, 300),
    n_candidates=30,
    max_iter=5,
    max_inner_iter=20,
    learn=({"n_prototypes": 5},),
    n_prototypes=(1, 2, 5),
    n_neighbors=(5, 15, 25, 41),
)


class Sentiment(NamedTuple):
    """Errors before and after learning a projection of word vectors; made by `run_sentiment`.

    Attributes
    ----------
    rows : list of dict
        An error per classifier (``'knn'``, ``'median GLVQ'``) and costs (``'before'``,
        ``'after'``): the chosen parameter, the error on the development split by which it was
        chosen, and the error on the test split.
    costs : VectorCosts
        The learned costs.
    learned : list of dict
        The ways of learning that were tried, with their errors on the development split.
    seconds : float
        How long learning took, all ways together.

    Examples
    --------
    >>> from treemetric.experiments import Sentiment
    >>> row = {"classifier": "knn", "costs": "before", "parameter": "n_neighbors", "value": 5}
    >>> row |= {"dev_error": 0.4, "test_error": 0.375, "n_test": 400}
    >>> print(Sentiment([row], None, [], 0.0).report())
    | classifier | before | after |
    |---|---:|---:|
    | knn | 37.5 ± 2.4 | |
    """

    rows: list[Row]
    costs: Any
    learned: list[Row]
    seconds: float

    def report(self) -> str:
        """Give the test errors as a table in Markdown, in per cent with the standard error.

        Returns
        -------
        str
            Classifiers down, before and after learning across.

        Examples
        --------
        >>> from treemetric.experiments import Sentiment
        >>> print(Sentiment([], None, [], 0.0).report())
        | classifier | before | after |
        |---|---:|---:|
        """
        lines = ["| classifier | before | after |", "|---|---:|---:|"]
        for name in dict.fromkeys(row["classifier"] for row in self.rows):
            cells = []
            for when in ("before", "after"):
                some = [r for r in self.rows if (r["classifier"], r["costs"]) == (name, when)]
                cells.append(" ".join(["", *map(_percent, some)]))
            lines.append(f"| {name} |{cells[0]} |{cells[1]} |")
        return "\n".join(lines)


def _percent(row: Row) -> str:
    error = row["test_error"]
    spread = np.sqrt(error * (1 - error) / row["n_test"])
    return f"{100 * error:.1f} ± {100 * spread:.1f}"


def run_sentiment(
    data: PathLike,
    vectors: PathLike,
    output: PathLike | None = None,
    *,
    kind: str = "cosine",
    quick: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Sentiment:
    r"""Learn a projection of word vectors, and compare classifiers before and after.

    Parameters
    ----------
    data : str or path
        A JSON Lines file of trees, or a folder with a file ``trees.jsonl``. The field ``label``
        is the class of a tree, and ``split`` says whether it is for ``train``, ``dev`` or
        ``test``. Labels of nodes are words, or have no vector.
    vectors : str or path
        A file ``.npz`` with the arrays ``words`` of shape (U,) and ``vectors`` of shape (U, V).
    output : str or path, optional
        Folder for the results: ``results.csv``, ``table.md``, ``run.json`` and the learned
        ``projection.npy``.
    kind : {'cosine', 'chord', 'angle', 'euclidean'}, default='cosine'
        How two vectors become a cost; see `VectorCosts`.
    quick : bool, default=False
        Take some hundred trees only.
    seed : int, default=0
        Draws candidates for prototypes, and the trees if `quick`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        As in `BEDL`.

    Returns
    -------
    Sentiment
        The errors, and the learned costs.

    Notes
    -----
    The projection is learned from the training split by `BEDL`, with each number of prototypes
    in turn, and the one with the least error on the development split counts. On it, too, the
    number of neighbours and of prototypes of the classifiers is chosen, before and after. The
    test split serves for the errors in the end only.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import numpy as np
    >>> from treemetric.experiments import run_sentiment
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     lines = [
    ...         {"bracket": "{*{%s}{film}}" % word, "label": label, "split": split}
    ...         for split in ("train", "dev", "test")
    ...         for word, label in [("good", 1), ("fine", 1), ("bad", 0), ("poor", 0)] * 2
    ...     ]
    ...     text = "\n".join(map(json.dumps, lines))
    ...     _ = (folder / "trees.jsonl").write_text(text)
    ...     words = ["good", "fine", "bad", "poor", "film"]
    ...     points = [[1, 2], [1, -2], [-1, 2], [-1, -2], [0, 1]]
    ...     np.savez(folder / "v.npz", words=words, vectors=np.array(points, dtype=float))
    ...     found = run_sentiment(folder, folder / "v.npz", quick=True)
    >>> [row["test_error"] for row in found.rows if row["costs"] == "after"]
    [0.0, 0.0]
    """
    jobs = check_n_jobs(n_jobs, "run_sentiment")
    plan = QUICK if quick else FULL
    splits = _splits(data, plan, seed)
    initial = _costs(vectors, kind)
    if output is not None:
        Path(output).mkdir(parents=True, exist_ok=True)  # told before the work, not after it
    meter = Meter(None, 1, jobs)
    run = _Run(splits, plan, seed, n_jobs, verbose)
    started = time.perf_counter()
    costs, learned = run.learn(initial)
    seconds = time.perf_counter() - started
    rows = [row for when in (("before", initial), ("after", costs)) for row in run.errors(*when)]
    rows.sort(key=lambda row: row["classifier"])
    found = Sentiment(rows, costs, learned, seconds)
    if output is not None:
        settings = {"kind": kind, "quick": quick, "seed": seed, "plan": plan._asdict()}
        settings["trees"] = {name: len(split[1]) for name, split in splits.items()}
        settings["effort"] = summed(meter.write())
        _write(found, Path(output), settings)
    return found


class _Run:
    """What all steps of a run share."""

    def __init__(
        self,
        splits: dict[str, tuple[TreeSet, Indices]],
        plan: Plan,
        seed: int,
        n_jobs: int | None,
        verbose: int,
    ) -> None:
        self.splits, self.plan = splits, plan
        self.seed, self.n_jobs, self.verbose = seed, n_jobs, verbose

    def learn(self, initial: VectorCosts) -> tuple[VectorCosts, list[Row]]:
        """Learn in every way of the plan; give the best costs for the development split."""
        (trees, classes), (dev, truth) = self.splits["train"], self.splits["dev"]
        tried: list[Row] = []
        best: tuple[float, VectorCosts] | None = None
        for options in self.plan.learn:
            learner = BEDL(
                init=initial,
                n_candidates=self.plan.n_candidates,
                max_iter=self.plan.max_iter,
                max_inner_iter=self.plan.max_inner_iter,
                squashing=SQUASH.kind,
                slope=SQUASH.slope,
                random_state=self.seed,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                **options,
            )
            started = time.perf_counter()
            learner.fit(trees, classes)
            spent = time.perf_counter() - started
            error = 1.0 - float(learner.score(dev, truth))
            curve = [round(float(loss), 3) for loss in learner.loss_curve_]
            tried.append({**options, "dev_error": error, "seconds": spent, "loss": curve})
            found: Any = learner.costs_
            if best is None or error < best[0]:
                best = error, found
        assert best is not None
        return best[1], tried

    def errors(self, when: str, costs: VectorCosts) -> list[Row]:
        """Give the errors of all classifiers under some costs."""
        return [self._glvq(when, costs), self._knn(when, costs)]

    def _measure(self, split: str, targets: TreeSet, costs: VectorCosts) -> Any:
        trees = self.splits[split][0]
        return pairwise_distances(trees, targets, costs=costs, n_jobs=self.n_jobs, dtype="float32")

    def _knn(self, when: str, costs: VectorCosts) -> Row:
        trees, classes = self.splits["train"]
        counts = [k for k in self.plan.n_neighbors if k <= len(trees)]
        found = {}
        for split in ("dev", "test"):
            near = np.argsort(self._measure(split, trees, costs), axis=1, kind="stable")
            found[split] = votes(classes[near[:, : counts[-1]]], counts)
        return self._chosen("knn", when, "n_neighbors", counts, found)

    def _glvq(self, when: str, costs: VectorCosts) -> Row:
        trees, classes = self.splits["train"]
        candidates = draw_candidates(classes, self.plan.n_candidates, check_random_state(self.seed))
        kept = trees[candidates]
        distances = self._measure("train", kept, costs).astype(np.float64)
        apart = {split: self._measure(split, kept, costs) for split in ("dev", "test")}
        found: dict[str, list[Indices]] = {split: [] for split in apart}
        for count in self.plan.n_prototypes:
            wanted = np.full(int(classes.max()) + 1, count)
            chosen = select_among(distances, classes, candidates, wanted, SQUASH)
            places = np.searchsorted(candidates, chosen.indices)
            for split, measured in apart.items():
                found[split].append(chosen.labels[measured[:, places].argmin(axis=1)])
        return self._chosen("median GLVQ", when, "n_prototypes", self.plan.n_prototypes, found)

    def _chosen(
        self,
        classifier: str,
        when: str,
        parameter: str,
        values: Sequence[int],
        found: dict[str, list[Indices]],
    ) -> Row:
        """Choose a parameter by the development split; only then look at the test split."""
        errors = [float(np.mean(labels != self.splits["dev"][1])) for labels in found["dev"]]
        best = int(np.argmin(errors))
        truth = self.splits["test"][1]
        return {
            "classifier": classifier,
            "costs": when,
            "parameter": parameter,
            "value": values[best],
            "dev_error": errors[best],
            "test_error": float(np.mean(found["test"][best] != truth)),
            "n_test": len(truth),
        }


def votes(neighbours: Indices, counts: Sequence[int]) -> list[Indices]:
    """Give the most frequent class among the first k of each row, for several k.

    Of equally frequent classes the first counts.
    """
    classes = np.arange(int(neighbours.max(initial=0)) + 1)
    seen = (neighbours[:, :, None] == classes).cumsum(axis=1)
    return [seen[:, k - 1].argmax(axis=1).astype(np.int64) for k in counts]


def _splits(data: PathLike, plan: Plan, seed: int) -> dict[str, tuple[TreeSet, Indices]]:
    path = Path(data)
    bunch = load_jsonl(path / "trees.jsonl" if path.is_dir() else path, fields=["split"])
    if bunch.target is None:
        message = f"The trees of {path} have no classes."
        raise ValueError(message)
    where = np.array(bunch.fields["split"], dtype=object)
    random = np.random.RandomState(seed)
    found = {}
    for name, most in zip(SPLITS, plan.trees, strict=True):
        places = np.flatnonzero(where == name)
        if not len(places):
            message = f"No tree of {path} has {name!r} in its field 'split'."
            raise ValueError(message)
        if most is not None and len(places) > most:
            places = np.sort(random.permutation(places)[:most])
        found[name] = bunch.data[places], bunch.target[places]
    if len(np.unique(found["train"][1])) < len(bunch.target_names):
        message = f"The training trees of {path} lack a class."
        raise ValueError(message)
    return found


def _costs(vectors: PathLike, kind: str) -> VectorCosts:
    with np.load(vectors, allow_pickle=False) as arrays:
        missing = {"words", "vectors"} - set(arrays.files)
        if missing:
            got = f"the arrays {shown(arrays.files)}"
            refuse("vectors", "run_sentiment", "a file with 'words' and 'vectors'", got)
        words, points = arrays["words"], arrays["vectors"]
    if points.ndim != 2 or points.dtype.kind != "f" or len(points) != len(words):
        must = "a file with a word for each row of the matrix 'vectors'"
        got = f"{len(words)} words and an array of shape {points.shape} and type {points.dtype}"
        refuse("vectors", "run_sentiment", must, got)
    scaled = points.astype(np.float32)
    # Proportions matter, not lengths; with a mean square of 1 the regularisation has a meaning.
    scale = float(np.sqrt(np.mean(np.einsum("uv,uv->u", scaled, scaled, dtype=np.float64))))
    scaled /= scale or 1.0
    return VectorCosts(map(str, words), scaled, kind=kind)


def _write(found: Sentiment, folder: Path, settings: dict[str, Any]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found.rows)
    (folder / "results.csv").write_text(text.getvalue(), encoding="utf-8")
    head = f"{QUICK_NOTE}\n\n" if settings["quick"] else ""
    (folder / "table.md").write_text(f"{head}{found.report()}\n", encoding="utf-8")
    record = {
        **settings,
        "versions": versions(),
        "code": code_digest(),
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
        "learned": found.learned,
        "seconds_of_learning": round(found.seconds, 1),
    }
    (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    np.save(folder / "projection.npy", found.costs.projection)
