"""Python processes started by tests.

A process that ignores SIGINT hands that on to its children, and a shell makes background jobs
ignore it (``nohup make test &``). Children started here always take Ctrl-C. They find the helpers
of the tests, and the same treemetric as the tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT, CalledProcessError, TimeoutExpired
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "PIPE",
    "STDOUT",
    "CalledProcessError",
    "TimeoutExpired",
    "interrupt_script",
    "run",
    "run_command",
    "run_script",
    "start",
]

TESTS = Path(__file__).parent


def start(
    *arguments: object, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Start Python with these arguments; `env` is added to the environment."""
    command, options = _call(arguments, env, options)
    with _default_sigint():
        return subprocess.Popen(command, **options)


def run(
    *arguments: object, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments to its end; `env` is added to the environment."""
    command, options = _call(arguments, env, options)
    with _default_sigint():
        return subprocess.run(command, check=False, capture_output=True, **options)


def run_command(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run another program to its end, which must succeed."""
    with _default_sigint():
        return subprocess.run(
            list(map(str, command)), check=True, capture_output=True, text=True, **options
        )


def run_script(script: str, *arguments: object, **options: Any) -> str:
    """Return what a script prints, which must succeed."""
    done = run("-c", textwrap.dedent(script), *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Seconds after Ctrl-C that tests allow: the promise is one, the rest is for loaded machines.
PROMPT = 3.0


class Interrupted(NamedTuple):
    """How a script reacted to Ctrl-C: after how many seconds, and what it printed then."""

    seconds: float
    lines: list[str]


def interrupt_script(script: str, *arguments: object) -> Interrupted:
    """Run a script and send it SIGINT while it computes.

    The script prints "ready" before its long call, and ``time.monotonic()`` as soon as the call
    was interrupted. Systems without signals skip the test.
    """
    if os.name != "posix":
        pytest.skip("sends POSIX signals")
    child = start("-c", textwrap.dedent(script), *arguments, stdout=PIPE)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.4)
        assert child.poll() is None
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    assert child.returncode == 0
    stopped, *lines = out.splitlines()
    # All processes of a machine share the monotonic clock.
    return Interrupted(float(stopped) - sent, lines)


def _call(
    arguments: tuple[object, ...], env: Mapping[str, str] | None, options: dict[str, Any]
) -> tuple[list[str], dict[str, Any]]:
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(env or {})}
    command = [sys.executable, *map(str, arguments)]
    return command, {"env": environment, "text": True, **options}


@contextmanager
def _default_sigint() -> Iterator[None]:
    """Handle SIGINT in the body; a child gets the system's default action for a handled signal."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    # Not by `preexec_fn`, which may deadlock in a process with threads.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
