"""Children of the tests take Ctrl-C, also when the tests run with SIGINT ignored."""

import ast
import os
import signal
from pathlib import Path

import pytest

import children
import treemetric as tm

LOOP = """
    import time
    print("ready", flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        print(time.monotonic())
    print("after", flush=True)
"""


@pytest.fixture
def ignored_sigint():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    # Ignored outside of the helper, whatever the helper did in between.
    assert signal.signal(signal.SIGINT, before) is signal.SIG_IGN


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.usefixtures("ignored_sigint")
def test_a_child_takes_ctrl_c_where_the_tests_ignore_it():
    seconds, lines = children.interrupt_script(LOOP)
    assert 0 <= seconds < children.PROMPT
    assert lines == ["after"]


@pytest.mark.usefixtures("ignored_sigint")
def test_run_sets_the_signal_too():
    script = "import signal; print(signal.getsignal(signal.SIGINT).__name__)"
    assert children.run_script(script) == "default_int_handler\n"


def test_children_import_the_same_library():
    script = "import treemetric, shapes; print(treemetric.__file__)"
    printed = children.run_script(script).strip()
    assert Path(printed).resolve() == Path(tm.__file__).resolve()


def test_no_test_starts_processes_by_itself():
    for path in children.TESTS.rglob("*.py"):
        if path != Path(children.__file__):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = [
                alias.name
                for node in ast.walk(tree)
                if isinstance(node, (ast.Import, ast.ImportFrom))
                for alias in (*node.names, ast.alias(getattr(node, "module", None) or ""))
            ]
            assert "subprocess" not in names, f"{path.name} must use tests/children.py"
