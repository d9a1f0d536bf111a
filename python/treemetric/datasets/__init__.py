"""Data sets of trees: generators, and loaders for local files and for Python's library."""

from treemetric.datasets.functions import load_functions
from treemetric.datasets.glycans import make_glycans
from treemetric.datasets.json_files import load_json_folder, load_jsonl
from treemetric.datasets.programs import make_programs
from treemetric.datasets.ptb import load_ptb
from treemetric.datasets.random_trees import make_random_trees
from treemetric.datasets.stdlib import load_stdlib_functions
from treemetric.datasets.strings import make_strings

__all__ = [
    "load_functions",
    "load_json_folder",
    "load_jsonl",
    "load_ptb",
    "load_stdlib_functions",
    "make_glycans",
    "make_programs",
    "make_random_trees",
    "make_strings",
]
