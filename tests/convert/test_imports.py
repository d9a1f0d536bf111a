"""Nothing is imported before it is used, and a missing package names its extra."""

import sys

import pytest

from children import run_script
from treemetric import Tree, convert

CHECK = """
import sys
import treemetric
assert "treemetric.convert" not in sys.modules
treemetric.convert.from_newick("(a,b);")
for name in ("lxml", "networkx", "nltk", "tree_sitter", "bs4", "sklearn"):
    assert name not in sys.modules, name
print("checked")
"""


def test_nothing_is_imported_early():
    assert run_script(CHECK) == "checked\n"


@pytest.mark.parametrize(
    ("module", "extra", "call"),
    [
        ("lxml.etree", "html", lambda: convert.from_html("<p>")),
        ("networkx", "networkx", lambda: convert.to_networkx(Tree.from_bracket("{a}"))),
    ],
)
def test_a_missing_package_names_its_extra(monkeypatch, module, extra, call):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf'pip install "treemetric\[{extra}\]"'):
        call()
