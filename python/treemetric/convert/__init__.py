"""Trees from other formats and libraries, and back.

Nothing is imported until it is used: readers of objects need no library but the one that
made the objects.
"""

from treemetric.convert.ast_nodes import from_ast
from treemetric.convert.dot import to_dot
from treemetric.convert.dotbracket import from_dotbracket
from treemetric.convert.etree import from_etree, from_html
from treemetric.convert.iupac import from_iupac
from treemetric.convert.json_values import from_json, to_json
from treemetric.convert.networkx_graphs import from_networkx, to_networkx
from treemetric.convert.newick import from_newick, to_newick
from treemetric.convert.nltk_trees import from_nltk
from treemetric.convert.sexpr import from_sexpr, to_sexpr
from treemetric.convert.tree_sitter_nodes import from_tree_sitter

__all__ = [
    "from_ast",
    "from_dotbracket",
    "from_etree",
    "from_html",
    "from_iupac",
    "from_json",
    "from_networkx",
    "from_newick",
    "from_nltk",
    "from_sexpr",
    "from_tree_sitter",
    "to_dot",
    "to_json",
    "to_networkx",
    "to_newick",
    "to_sexpr",
]
