"""The ablation of the source: the public function, from data to figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sklearn.utils import Bunch

from treemetric._base.files import read_json, write_text
from treemetric._base.progress import progress_of_cells
from treemetric._base.validation import check_n_jobs, check_seed, refuse, shown
from treemetric.experiments.ablation import claims, results
from treemetric.experiments.ablation.data import DataSet, check_data, folds_of, load
from treemetric.experiments.ablation.plan import DEFAULT_VARIANTS, FULL, QUICK, VARIANTS
from treemetric.experiments.ablation.results import Row
from treemetric.experiments.ablation.schedule import ordered, run_all, weight
from treemetric.experiments.ablation.store import CellKey, CellStore
from treemetric.experiments.common.effort import Meter


def run_ablation(
    data: Iterable[str | Path | Bunch],
    folder: str | Path,
    *,
    variants: Sequence[str] = DEFAULT_VARIANTS,
    folds: int | dict[str, int] | None = None,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    classes: re.Pattern[str] | None = None,
    keep_cells: bool = False,
) -> list[Row]:
    """Compare ways to learn edit costs, by nested cross-validation.

    Every variant learns costs on the training part of every fold, and four classifiers use them
    through the pseudo-edit distance and through the edit distance. For each distance and
    classifier, an inner cross-validation of the training part chooses the hyper-parameters of the
    learner and of the classifier together, by their mean error.

    Parameters
    ----------
    data : iterable of str, Path or Bunch
        The data sets: ``'strings'`` for the strings of the source, a folder with a file
        ``trees.jsonl``, such a file, a folder with one JSON file per tree, or a Bunch with
        ``name``, ``data`` and ``target``.
    folder : str or Path
        Folder of the results. Finished cells of the same run in it are kept.
    variants : sequence of str, default=('unit', 'G1', 'G2', 'G3', 'L1', 'L2')
        What to compare: unit costs, GESL with one script, with the average of all, and with
        prototypes, LVQ of the costs and of an embedding. ``'G1M'``, ``'G2M'`` and ``'G3M'`` are
        GESL among pseudo-metrics.
    folds : int or dict of str to int, optional
        Number of outer folds, for all data sets or by name. The default is the number in the
        source, and 10 for other data sets.
    quick : bool, default=False
        Two folds, two inner folds and tiny grids: a check that everything works, not a result.
    seed : int, default=0
        Seed of the strings and of all folds.
    n_jobs : int, optional
        Number of processes, each with one thread; None means 1, -1 all CPUs.
    progress : bool, default=False
        Whether to report progress on standard error, as a bar if tqdm is installed.
    classes : pattern, optional
        For folders with one JSON file per tree: the pattern whose match in the name of a file is
        the class; see `treemetric.datasets.load_json_folder`. By default the class is the folder
        of a file, its name up to an underscore, or the class in a published name.
    keep_cells : bool, default=False
        Whether to keep finished cells of another state of this package, for instance after fixing
        an error that made some cells fail. ``run.json`` records their number and their state.

    Returns
    -------
    list of dict
        One row for each data set, fold, variant, distance and classifier. The folder holds the
        same as ``results.csv``, with means in ``table.md`` and ``figure.png`` (where matplotlib is
        installed), the claims of the source in ``claims.md`` and all settings in ``run.json``.
        Seconds are the CPU time of the whole cell, a variant on a fold. In a row with
        ``zero_closure``, the closure of the learned costs is 0 everywhere, so that all trees are
        equal under the edit distance. If all distances are equal, the prediction is the most
        frequent class of the training trees.

    Raises
    ------
    ValueError
        If the data cannot be split into the folds, or if the folder holds results of other
        settings, versions, code or data, or damaged files.
    RuntimeError
        If cells failed; all others are finished and kept.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.experiments import run_ablation, summarise
    >>> strings = make_strings(24, random_state=0)
    >>> strings.name = "few strings"
    >>> with TemporaryDirectory() as folder:
    ...     rows = run_ablation([strings], folder, variants=["unit"], quick=True)
    >>> rows[0]["dataset"], rows[0]["variant"], rows[0]["distance"]
    ('few strings', 'unit', 'pseudo')
    """
    plan = QUICK if quick else FULL
    jobs = check_n_jobs(n_jobs, "run_ablation")
    _check_variants(variants)
    check_seed(seed, "run_ablation")
    if classes is not None and not isinstance(classes, re.Pattern):
        must = "None or a pattern made by re.compile"
        refuse("classes", "run_ablation", must, shown(classes))
    sets = _load(data, folds, classes, quick=quick, seed=seed)
    store = CellStore(Path(folder))
    store.open(plan, seed, sets, keep_cells=keep_cells)
    done = store.done()
    cells = [
        (one.name, fold, variant)
        for one in sets
        for fold in range(one.folds)
        for variant in variants
        if (one.name, fold, variant) not in done
    ]
    failed: list[tuple[CellKey, Exception]] = []
    by_name = {one.name: one for one in sets}
    weights = {key: weight(by_name[key[0]], key[2]) for key in cells}
    weight_done = 0.0
    meter = Meter(store.runs, max(1, min(jobs, len(cells))), threads=1)
    try:
        with progress_of_cells(len(cells), visible=progress) as report:
            for key, cell in run_all(ordered(cells, sets), sets, plan, seed, jobs):
                if isinstance(cell, Exception):
                    failed.append((key, cell))
                else:
                    store.add(cell)
                    meter.add(cell["process"])
                    meter.write()
                weight_done += weights[key]
                report(weight_done, sum(weights.values()))
    finally:
        if cells:
            meter.write()
    rows = write_results(store)
    if failed:
        (name, fold, variant), error = failed[0]
        message = (
            f"{len(failed)} of {len(cells)} cells failed, first {variant} in fold {fold} of "
            f"{name}: {error!r}. All others are kept."
        )
        raise RuntimeError(message) from error
    return rows


def write_results(store: CellStore) -> list[Row]:
    """Write all files that are made from finished cells; return the rows."""
    settings, cells = store.settings(), store.read()
    runs = read_json(store.runs) if store.runs.exists() else []
    rows = results.to_rows(cells, settings["datasets"])
    head = f"{results.QUICK_NOTE}\n\n" if settings["quick"] else ""
    write_text(store.folder / "results.csv", results.to_csv(rows))
    write_text(store.folder / "table.md", head + results.to_markdown(rows))
    write_text(store.folder / "claims.md", head + claims.to_text(rows))
    write_text(store.folder / "run.json", results.to_record(settings, cells, runs))
    if rows:
        try:
            from treemetric.experiments.ablation.figure import save

            save(rows, store.folder / "figure.png", quick=settings["quick"])
        except ImportError:
            # Optional: the figure can be drawn later from the rows.
            pass
    return rows


def _check_variants(variants: Sequence[str]) -> None:
    unknown = [name for name in variants if name not in VARIANTS]
    if unknown or not variants or isinstance(variants, str):
        must = f"a sequence of {', '.join(map(repr, VARIANTS))}"
        refuse("variants", "run_ablation", must, shown(list(variants)))


def _load(
    data: Iterable[str | Path | Bunch],
    folds: int | dict[str, int] | None,
    classes: re.Pattern[str] | None,
    *,
    quick: bool,
    seed: int,
) -> list[DataSet]:
    plan = QUICK if quick else FULL
    sets: dict[str, DataSet] = {}
    for source in data:
        name, bunch = load(source, seed, classes)
        if name in sets:
            message = f"Two data sets have the name {name!r}."
            raise ValueError(message)
        count = folds_of(name, folds, quick=quick)
        sets[name] = check_data(name, bunch, count, plan.inner_folds)
    if not sets:
        refuse("data", "run_ablation", "at least one data set", "none")
    if isinstance(folds, dict) and set(folds) - set(sets):
        must = f"a dict with data sets of {sorted(sets)} as keys"
        refuse("folds", "run_ablation", must, shown(folds))
    return list(sets.values())
