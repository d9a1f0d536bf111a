"""Threads of the linear algebra underneath."""

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


@cache
def _blas() -> ThreadpoolController:
    """Look once which BLAS there is; that takes as long as a small fit."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread: for short vectors the others only get in the way.

    The solver of SciPy calls BLAS many times per step. On a busy machine with two cores a fit
    was ten times slower with two threads of BLAS than with one.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited
