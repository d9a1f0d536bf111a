"""Interpreters other than the main one, and interpreters without a lock."""

import sys
import sysconfig

import pytest

from children import run


def test_a_subinterpreter_is_refused_by_an_import_error():
    # NumPy and PyO3 support one interpreter per process.
    code = "try:\n    import treemetric\nexcept ImportError as error:\n    print('ImportError')"
    if sys.version_info >= (3, 14):
        lines = ["from concurrent import interpreters", "one = interpreters.create()"]
        lines += [f"one.exec({code!r})"]
    elif sys.version_info >= (3, 13):
        lines = ["import _interpreters as all", "one = all.create()"]
        lines += [f"print(all.exec(one, {code!r}) or '')"]
    else:
        lines = ["import _xxsubinterpreters as all", "one = all.create()"]
        lines += [f"all.run_string(one, {code!r})"]
    done = run("-c", "\n".join(["import treemetric", *lines]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "ImportError"


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs free-threaded Python"
)
def test_importing_leaves_the_lock_disabled():
    script = "import sys, treemetric; print(sys._is_gil_enabled())"
    done = run("-W", "error", "-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "False\n"
