"""Progress of commands and experiments; that of functions and fits is tested with them."""

import sys

import pytest

from treemetric._base import progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the clock shows, one after the other."""

    def set_clock(*seconds):
        times = iter(seconds)
        monkeypatch.setattr("treemetric._base.progress.time.monotonic", lambda: next(times))

    return set_clock


def test_a_command_in_a_log_writes_a_line_a_minute(clock, capsys):
    clock(0.0, 0.1, 30.0, 61.0, 90.0, 130.0)
    report = progress.command_lines()
    for done in range(5):
        report(done, 4)
    assert capsys.readouterr().err == " 50% done, 61 s left\n100% done, 0 s left\n"


def test_a_command_on_a_terminal_writes_one_live_line(clock, capsys, monkeypatch):
    clock(0.0, 0.1, 60.0, 120.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    report = progress.command_lines()
    for done in range(3):
        report(done, 2)
    assert capsys.readouterr().err == "\r 50% done, 60 s left   \r100% done, 0 s left   \n"


def test_the_time_left_does_not_count_work_of_an_earlier_run(clock, capsys):
    clock(0.0, 1.0, 100.0)
    report = progress.command_lines()
    report(80, 100)
    report(90, 100)
    assert capsys.readouterr().err == " 90% done, 100 s left\n"


def test_no_progress_leaves_the_end_open(clock, capsys):
    clock(0.0, 61.0)
    progress.command_lines()(0, 3)
    assert capsys.readouterr().err == "  0% done, inf s left\n"


def test_work_of_nothing_is_done(clock, capsys):
    clock(0.0, 61.0)
    progress.command_lines()(0, 0)
    assert capsys.readouterr().err.startswith("100% done")


def test_measuring_writes_a_line_for_each_tenth(capsys):
    with progress.measuring(2, "{knn}", "dev trees", "pairs") as report:
        for done in range(0, 101, 3):
            report(done, 100)
        report(100, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"[{{knn}}, dev trees] {tenth}0% of 100 pairs" for tenth in range(1, 11)]


def test_measuring_is_silent_by_default(capsys):
    with progress.measuring(0, "knn", "dev trees", "pairs") as report:
        assert report is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("tqdm", [True, False])
@pytest.mark.parametrize("visible", [True, False])
def test_cells_count_and_share(capsys, monkeypatch, tqdm, visible):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with progress.progress_of_cells(3, visible=visible) as report:
        for done in (0.1, 0.3, 0.1 + 0.2 + 0.3):
            report(done, 0.6)
    err = capsys.readouterr().err
    assert ("3 of 3 cells" in err) == visible
    assert ("100%" in err) == visible
    assert "TqdmWarning" not in err
    if not tqdm:
        assert err.count("\n") == 3 * visible


def test_a_bar_for_true_needs_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    message = r'progress=True needs tqdm: pip install "treemetric\[progress\]"'
    with pytest.raises(ImportError, match=message), progress.reporter(True, "function", "pairs"):
        pass
