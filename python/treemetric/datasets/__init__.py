"""Sets of trees to try things on: loaders that need no download."""

from treemetric.datasets.stdlib import load_stdlib_functions

__all__ = ["load_stdlib_functions"]
