"""Systems that lack signals to block, figures of memory or numbers of cores, by substitution."""

import builtins
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from treemetric.experiments.ablation import schedule
from treemetric.experiments.common import effort


def test_without_masks_of_signals_processes_start_all_the_same(monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    with schedule._no_interrupt():
        entered = True
    assert entered


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs masks of signals")
def test_the_mask_of_signals_is_restored():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with schedule._no_interrupt():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


@pytest.mark.parametrize(("platform", "unit"), [("darwin", 1), ("freebsd14", 1024)])
def test_peak_memory_of_other_systems(monkeypatch, platform, unit):
    usage = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda _: SimpleNamespace(ru_maxrss=5))
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setitem(sys.modules, "resource", usage)
    assert effort.peak_memory() == 5 * unit


def test_peak_memory_is_not_known_on_windows(monkeypatch):
    whole = builtins.__import__

    def without_resource(name, *rest):
        if name == "resource":
            raise ImportError(name)
        return whole(name, *rest)

    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr(builtins, "__import__", without_resource)
    assert effort.peak_memory() is None


def test_cores_of_systems_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert effort.usable_cores() == 1
