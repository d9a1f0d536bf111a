"""The interface of apted 1.0.3: ``import treemetric.compat.apted as apted``.

Examples
--------
>>> import treemetric.compat.apted as apted
>>> from treemetric.compat.apted.helpers import Tree
>>> pair = apted.APTED(Tree.from_text("{a{b}{c}}"), Tree.from_text("{a{b{d}}}"))
>>> pair.compute_edit_distance()
2
>>> pair.compute_edit_mapping()
[({a{b}{c}}, {a{b{d}}}), ({c}, None), ({b}, {b{d}}), (None, {d})]
"""

from treemetric.compat.apted import config, helpers, single_path_functions
from treemetric.compat.apted.apted import APTED
from treemetric.compat.apted.config import Config, PerEditOperationConfig, meta_chained_config

__all__ = [
    "APTED",
    "Config",
    "PerEditOperationConfig",
    "config",
    "helpers",
    "meta_chained_config",
    "single_path_functions",
]
