"""`treemetric.compat.apted`: records, documented behaviour, and apted where it is installed."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given

import treemetric.compat.apted as ours
from compat_records import RECORDS, exact, operation_functions
from strategies import trees
from treemetric.compat.apted import APTED, Config, PerEditOperationConfig, meta_chained_config
from treemetric.compat.apted.helpers import ChainedValue, Tree
from treemetric.compat.apted.single_path_functions import SinglePathFunction, UseOnlySPFA


class Overridden(Config):
    """Costs by node."""

    def __init__(self, delete, insert, rename):
        self._costs = delete, insert, rename

    def delete(self, node):
        return self._costs[0](node)

    def insert(self, node):
        return self._costs[1](node)

    def rename(self, node1, node2):
        return self._costs[2](node1, node2)


def preorder(root):
    nodes, stack = [], [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(reversed(node.children))
    return nodes


def indexed(mapping, x, y):
    first, second = ({id(node): i for i, node in enumerate(preorder(root))} for root in (x, y))
    return [[first.get(id(a)), second.get(id(b))] for a, b in mapping]


@pytest.mark.parametrize("name", ["unit", "per-op", "cheap rename", "dear rename"])
def test_the_records(name):
    for record in RECORDS:
        x, y = (Tree.from_text(record[side]) for side in "xy")
        case = record["cases"][name]
        costs = PerEditOperationConfig(case["delete"], case["insert"], case["replace"])
        for config in (costs, Overridden(*operation_functions(case, "name"))):
            pair = APTED(x, y, config)
            found = pair.compute_edit_distance()
            # apted itself is above the optimum for some fractional costs.
            assert found == pytest.approx(case["zss_distance"], abs=1e-9)
            mapping = pair.compute_edit_mapping()
            assert pair.mapping_cost(mapping) == pytest.approx(found, abs=1e-9)
            if exact(case):
                assert indexed(mapping, x, y) == case["apted_mapping"]
                assert type(found) is int
            if name == "unit":
                assert mapping == APTED(x, y).compute_edit_mapping()
                assert found == APTED(x, y).compute_edit_distance()


@given(trees(min_size=1, forests=False, labels="ab"), trees(min_size=1, forests=False, labels="ab"))
def test_apted_itself(x, y):
    apted = pytest.importorskip("apted", reason="apted is not installed")
    texts = x.to_bracket(), y.to_bracket()
    theirs = [apted.helpers.Tree.from_text(text) for text in texts]
    mine = [Tree.from_text(text) for text in texts]
    assert list(map(repr, theirs)) == list(map(repr, mine)) == list(texts)
    old, new = apted.APTED(*theirs), APTED(*mine)
    expected, found = old.compute_edit_distance(), new.compute_edit_distance()
    assert (found, type(found)) == (expected, type(expected))
    assert (new.result, new.mapping) == (old.result, old.mapping)
    assert indexed(new.compute_edit_mapping(), *mine) == indexed(
        old.compute_edit_mapping(), *theirs
    )
    for costs in ((1, 2, 5), (2, 1, 1)):
        old = apted.APTED(*theirs, apted.PerEditOperationConfig(*costs))
        new = APTED(*mine, PerEditOperationConfig(*costs))
        assert indexed(new.compute_edit_mapping(), *mine) == indexed(
            old.compute_edit_mapping(), *theirs
        )


def test_where_apted_is_above_the_optimum():
    recorded = json.loads((Path(__file__).parent / "apted_wrong.json").read_text("utf-8"))
    example = recorded["examples"]["rename in [0,1], gaps 1 (TEDS, routes)"]

    class Fractional(Config):
        def rename(self, node1, node2):
            return recorded["rename"][int(node1.name)][int(node2.name)]

    pair = APTED(Tree.from_text(example["t1"]), Tree.from_text(example["t2"]), Fractional())
    assert pair.compute_edit_distance() == pytest.approx(example["zss"], abs=1e-9)
    assert pair.mapping_cost(pair.compute_edit_mapping()) == pytest.approx(example["zss"], abs=1e-9)
    assert example["apted"] > example["zss"] + 0.1


def test_results_are_kept():
    pair = APTED(Tree("a"), Tree("b"))
    assert (pair.result, pair.mapping) == (None, None)
    mapping = pair.compute_edit_mapping()
    assert (pair.result, pair.mapping) == (1, mapping)


def test_children_are_asked_once_in_preorder_and_nodes_are_priced_once():
    asked, priced = [], []

    class Watched(Config):
        def children(self, node):
            asked.append(node.name)
            return node.children

        def rename(self, node1, node2):
            priced.append((node1.name, node2.name))
            return super().rename(node1, node2)

    pair = APTED(Tree.from_text("{a{b{c}}{d}}"), Tree.from_text("{e{f}}"), Watched())
    assert asked == list("abcdef")
    assert pair.compute_edit_distance() == 4
    pair.compute_edit_mapping()
    assert sorted(priced) == sorted((a, b) for a in "abcd" for b in "ef")


def test_types_of_distances():
    x, y = Tree.from_text("{a{b}}"), Tree("c")

    def run(config):
        found = APTED(x, y, config).compute_edit_distance()
        return found, type(found)

    class Floats(Config):
        valuecls = float

    class Bools(Config):
        def rename(self, node1, node2):
            return node1.name != node2.name

    assert run(None) == run(Bools()) == run(PerEditOperationConfig(1, 1, 1)) == (2, int)
    assert run(Floats()) == run(PerEditOperationConfig(1.0, 1, 1)) == (2.0, float)
    assert run(PerEditOperationConfig(Fraction(1, 4), 1, 1)) == (1.25, float)
    value, kind = run(meta_chained_config(Config)())
    assert (value.value, kind) == (2, ChainedValue)


def test_chained_configurations():
    pair = APTED(
        Tree.from_text("{a{b}{c}}"),
        Tree.from_text("{a{c}}"),
        meta_chained_config(PerEditOperationConfig)(0.4, 0.4, 0.6),
    )
    assert pair.compute_edit_distance().value == 0.4
    assert pair.mapping_cost(pair.compute_edit_mapping()) == pytest.approx(0.4)


def test_chained_values():
    three, two = ChainedValue(3, ["a"]), ChainedValue(2, ["b"])
    assert list((three + two).chain) == ["a", "b"]
    assert (three - two).value == 1
    assert list((-two).chain) == [("R", ["b"])]
    assert two < three
    assert three >= 3
    assert three == 3 == int(three) == float(three)
    assert (str(two), repr(two), bool(ChainedValue()), hash(two)) == ("2", "2", False, hash(2))


def test_names_that_cannot_be_labels():
    assert APTED(Tree(["a"]), Tree(["a"])).compute_edit_distance() == 0
    assert APTED(Tree(["a"]), Tree(["b"])).compute_edit_distance() == 1
    nan = float("nan")
    assert APTED(Tree(nan), Tree(nan)).compute_edit_distance() == 1
    assert (
        APTED(Tree(["a"]), Tree("b"), PerEditOperationConfig(1, 1, 3)).compute_edit_distance() == 2
    )


def test_costs_of_an_instance():
    config = Config()
    config.rename = lambda a, b: 0
    assert APTED(Tree("a"), Tree("b"), config).compute_edit_distance() == 0


def test_configurations_of_their_own_class():
    class Own:
        valuecls = int
        children = staticmethod(lambda node: node[1:])
        delete = insert = staticmethod(lambda node: 2)
        rename = staticmethod(lambda a, b: int(a[0] != b[0]))

    assert APTED(("a", ("b",)), ("c",), Own()).compute_edit_distance() == 3


def test_paths_have_no_effect():
    x, y = Tree.from_text("{a{b}{c}}"), Tree.from_text("{a{b{d}}}")
    for spf in (None, SinglePathFunction, UseOnlySPFA):
        assert APTED(x, y, spf=spf).compute_edit_distance() == 2
    for kind in (0, 1, 2):
        assert APTED(x, y).compute_edit_distance_spf_test(kind) == 2


def test_wrong_costs():
    for config in (PerEditOperationConfig(-1, 1, 1), Overridden(*[lambda *nodes: -1] * 3)):
        with pytest.raises(ValueError, match="must be"):
            APTED(Tree("a"), Tree("b"), config).compute_edit_distance()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("{a{b}c}", "{ac{b}}"), ("{a}{b}", "{a}"), ("{}", "{}"), ("{a b}", "{a b}")],
)
def test_reading_text(text, expected):
    assert repr(Tree.from_text(text)) == expected


@pytest.mark.parametrize("text", ["", "a", "{", "{a{b}", "{a}}", "x{a}", " {a}"])
def test_wrong_text(text):
    with pytest.raises(ValueError, match="text must be"):
        Tree.from_text(text)


def test_any_depth():
    depth = 2000
    text = "{a" * depth + "}" * depth
    deep = Tree.from_text(text)
    assert deep.bracket() == text
    pair = APTED(deep, Tree("a"))
    assert pair.compute_edit_distance() == depth - 1
    assert len(pair.compute_edit_mapping()) == depth


def test_the_names_of_the_package():
    assert ours.config.Config is Config
    assert ours.helpers.Tree is Tree
    assert ours.apted.APTED is APTED
