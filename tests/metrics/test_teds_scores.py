"""Many pairs at once."""

import os
import random

import numpy as np
import pytest

pytest.importorskip("lxml")

import html_samples as samples
from children import interrupt_script
from treemetric.exceptions import CancelledError
from treemetric.metrics import teds, teds_scores

ROW = "<table><tr><td>{}</td></tr></table>"


def tables(count):
    rng = random.Random(7)
    trues = [samples.random_table(rng) for _ in range(count)]
    preds = [samples.altered(rng, page) for page in trues]
    preds[::10] = [None] * len(preds[::10])
    return preds, trues


def test_scores_do_not_depend_on_the_number_of_threads():
    preds, trues = tables(150)
    expected = [teds(pred, true) for pred, true in zip(preds, trues, strict=True)]
    for n_jobs in (None, 1, 3, -1):
        found = teds_scores(iter(preds), iter(trues), n_jobs=n_jobs)
        assert found.dtype == np.float64
        assert found.tolist() == expected
    assert teds_scores([], []).shape == (0,)


def test_errors_name_their_pair_or_become_nan():
    page = "<html><body><table><tr><td colspan='{}'>x</td></tr></table></body></html>"
    preds, trues = [page.format(1), page.format("x"), None], [page.format(1)] * 3
    with pytest.raises(ValueError, match="invalid literal for int") as caught:
        teds_scores(preds, trues, preset="pubtabnet")
    assert caught.value.__notes__ == ["in pair 1"]
    found = teds_scores(preds, trues, preset="pubtabnet", errors="nan")
    np.testing.assert_array_equal(found, [1.0, np.nan, 0.0])


def test_missing_values_of_pandas_are_missing_tables():
    pandas = pytest.importorskip("pandas")
    table = ROW.format("x")
    for values in (
        pandas.Series([table, None]),
        pandas.Series([table, None], dtype="string"),
        [table, np.nan],
        [table, np.float32("nan")],
        [table, pandas.NaT],
    ):
        assert teds_scores(values, [table, table]).tolist() == [1.0, 0.0]
        assert teds_scores([table, table], values, preset="parsebench").tolist() == [1.0, 0.0]


def test_progress_is_reported_and_can_stop_the_work():
    preds, trues = tables(100)
    seen = []
    teds_scores(preds, trues, n_jobs=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (100, 100)
    for n_jobs in (1, 2):
        with pytest.raises(CancelledError):
            teds_scores(preds, trues, n_jobs=n_jobs, progress=lambda *_: False)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([ROW], []), {}, "must be as many tables as preds, 1. Got 0"),
        ((ROW, [ROW]), {}, "'preds' parameter of teds_scores must be an iterable of tables"),
        (([ROW], [ROW]), {"errors": "skip"}, "must be 'raise' or 'nan'"),
        (([ROW], [ROW]), {"n_jobs": 0}, "'n_jobs' parameter"),
        (([ROW], [ROW]), {"preset": "x"}, "'preset' parameter of teds_scores"),
    ],
)
def test_bad_arguments_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        teds_scores(*arguments, **options)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_large_pair_can_be_interrupted(n_jobs):
    script = """
    import sys, time
    from treemetric.metrics import teds_scores

    def table(mark):
        cell = "<td>{} {} {}</td>".format
        rows = ("".join(cell(mark, r, c) for c in range(130)) for r in range(130))
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"

    pair = [table("one")], [table("two")]
    print("ready", flush=True)
    try:
        for _ in range(100):
            teds_scores(*pair, n_jobs=int(sys.argv[1]))
    except KeyboardInterrupt:
        print(time.monotonic())
    """
    seconds, _ = interrupt_script(script, n_jobs)
    assert 0 <= seconds < 5.0
