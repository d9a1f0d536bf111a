"""Memory that cannot be had raises MemoryError; the process goes on."""

import sys

import pytest

from children import run_script

# The limit is set in children of one process, because it would also hold for this one.
LIMITED = """
import ctypes, os, random, resource, sys
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
        except BaseException as error:
            print(repr(error), file=sys.stderr)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def run(calls, sizes):
    for name, call in calls.items():
        print(name, *(outcome(call, size << 20) for size in sizes))

rng = random.Random(0)
words = tm.Tree.from_sequence(range(10))
"""

LARGE = """
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
run(calls, (3, 8, 16, 30, 60, 90, 130))
"""

# Many small pieces. What the parent has freed is given back, so that its children do not find it.
SMALL = """
import tempfile
def tree(n):
    parents, path = [-1], [0]
    for i in range(1, n):
        for _ in range(rng.randrange(3)):
            if len(path) > 1:
                path.pop()
        parents.append(path[-1])
        path.append(i)
    return tm.Tree.from_parents([rng.choice("abcdefgh") for _ in range(n)], parents)

many = [tree(rng.randrange(5, 60)) for _ in range(8000)]
texts = tempfile.mkdtemp() + "/trees.txt"
with open(texts, "w") as file:
    for k in range(20000):
        file.write("{a" + "".join("{%d}" % (30 * k + i) for i in range(30)) + "}\\n")
calls = {
    "set": lambda: tm.TreeSet(many),
    "nearest": lambda: tm.nearest(many[:20], many, k=3),
    "within": lambda: tm.within(many, radius=1),
    "threads": lambda: tm.pairwise_distances(many[:1000], many[:100], n_jobs=2),
    "find": lambda: tm.find(many[0], many, k=3),
    "index": lambda: tm.TreeIndex(many).nearest(many[:20], k=2),
    "edits": lambda: tm.edit_counts(many[:40]),
    "bracket": lambda: tm.TreeSet.from_bracket(texts),
    "deep": lambda: tm.Tree.from_bracket("{a" * 300000 + "}" * 300000),
}
for call in (tm.edit_counts, lambda trees: tm.nearest(trees, k=1)):
    call(many[:3])  # imports SciPy, whose libraries may not fit in a child
trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
if trim is not None:
    trim(0)
run(calls, (1, 2, 4, 8, 16, 32))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_a_limit_of_the_address_space_raises_memory_error():
    lines = [line.split() for line in run_script(LIMITED + LARGE).splitlines()]
    assert len(lines) == 7
    for name, *codes in lines:
        # 0 is a result, 1 a MemoryError; a signal would be negative.
        assert set(codes) <= {"0", "1"}, (name, codes)
        assert "1" in codes or name == "distance", (name, codes)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_small_pieces_that_cannot_be_had_raise_memory_error():
    lines = [line.split() for line in run_script(LIMITED + SMALL).splitlines()]
    assert len(lines) == 9
    for name, *codes in lines:
        assert set(codes) <= {"0", "1"}, (name, codes)
    assert sum(codes[0] == "1" for _, *codes in lines) > 4
