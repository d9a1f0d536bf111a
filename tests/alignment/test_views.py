"""An alignment as text."""

import pytest
from hypothesis import given

import treemetric as tm
from strategies import trees
from treemetric.alignment.layout import aligned_rows


@given(trees(), trees())
def test_every_node_is_a_line(x, y):
    alignment = tm.align(x, y)
    lines = alignment.to_text(max_rows=None).split("\n") if x.size + y.size else []
    assert len(lines) == len(alignment.pairs)
    signs = [line[0] for line in lines]
    ops = [edit.op for edit in alignment.edits()]
    for sign, op in (("-", "delete"), ("+", "insert"), ("~", "replace")):
        assert signs.count(sign) == ops.count(op)


@given(trees(), trees())
def test_nodes_are_indented_below_their_parents_in_both_trees(x, y):
    alignment = tm.align(x, y)
    lines = alignment.to_text(max_rows=None).split("\n")
    indents = [len(line[2:]) - len(line[2:].lstrip()) for line in lines]
    rows = aligned_rows(alignment)
    for tree, nodes in ((x, [row.i for row in rows]), (y, [row.j for row in rows])):
        place = {node: at for at, node in enumerate(nodes) if node is not None}
        for node, parent in enumerate(tree.parents.tolist()):
            if parent >= 0:
                assert indents[place[parent]] < indents[place[node]]


def test_inserted_nodes_are_near_their_siblings():
    x = tm.Tree.from_bracket("{f{p{q}}{if{v}{w}}{return}}")
    y = tm.Tree.from_bracket("{f{p{q}{new}}{return}}")
    lines = ["  f", "    p", "      q", "+     new", "-   if", "-     v", "-     w", "    return"]
    assert tm.align(x, y).to_text().split("\n") == lines


def test_what_is_wrapped_is_below_its_wrapper():
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{a{b}{w{v}{c}}}")
    assert tm.align(x, y).to_text().split("\n") == ["  a", "    b", "+   w", "+     v", "      c"]
    assert tm.align(y, x).to_text().split("\n") == ["  a", "    b", "-   w", "-     v", "      c"]


def test_long_texts_are_folded(capsys):
    x = tm.Tree.from_nested(("r", [f"c{i}" for i in range(500)]))
    y = tm.Tree.from_nested(("r", [f"c{i}" for i in range(500) if i != 250]))
    alignment = tm.align(x, y)
    alignment.show()
    out = capsys.readouterr().out.splitlines()
    assert "-   c250" in out
    assert "  … 245 unchanged nodes" in out
    assert len(out) < 20
    assert len(alignment.to_text(max_rows=None).split("\n")) == 501
    assert alignment.to_text(max_rows=2).split("\n")[-1].startswith("… ")
    with pytest.raises(ValueError, match="'max_rows' parameter of to_text"):
        alignment.to_text(max_rows=0)


def test_unordered_alignments_are_text_too():
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{a{c}{d}}")
    assert tm.unordered_align(x, y).to_text().split("\n") == ["  a", "~   b -> d", "    c"]
