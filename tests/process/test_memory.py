"""Memory that cannot be had raises MemoryError; the process goes on."""

import sys

import pytest

from children import run_script

# The limit is set in children of one process, because it would also hold for this one.
SCRIPT = """
import os, random, resource, sys
import numpy as np
import treemetric as tm

def limited(call, extra):
    for line in open("/proc/self/status"):
        if line.startswith("VmSize"):
            used = int(line.split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, -1))
    try:
        call()
        return 0
    except MemoryError:
        return 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

def outcome(call, extra):
    child = os.fork()
    if not child:
        code = 2
        try:
            code = limited(call, extra)
            if code and tm.distance(words, words) != 0:
                code = 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

rng = random.Random(0)
words = tm.Tree.from_sequence(range(10))
x, y = (tm.Tree.from_sequence([rng.choice("ab") for _ in range(2500)]) for _ in range(2))
far = tm.Tree.from_sequence(range(2500))
text = "{a" + "{b}" * 2_000_000 + "}"
tm.cooptimal(words, words).expectation
calls = {
    "distance": lambda: tm.distance(x, y),
    "align": lambda: tm.align(x, y),
    "labels": lambda: tm.align(x, far),
    "cooptimal": lambda: tm.cooptimal(x, y).count,
    "subtrees": lambda: tm.subtree_distances(x, y),
    "soft": lambda: tm.soft_alignment(x, y, temperature=1.0),
    "text": lambda: tm.Tree.from_bracket(text),
}
for name, call in calls.items():
    print(name, *(outcome(call, extra << 20) for extra in (3, 8, 16, 30, 60, 90, 130)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_a_limit_of_the_address_space_raises_memory_error():
    lines = [line.split() for line in run_script(SCRIPT).splitlines()]
    assert len(lines) == 7
    for name, *codes in lines:
        # 0 is a result, 1 a MemoryError; a signal would be negative.
        assert set(codes) <= {"0", "1"}, (name, codes)
        assert "1" in codes or name == "distance", (name, codes)
