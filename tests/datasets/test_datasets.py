"""The functions of the standard library as trees."""

import ast
import inspect
import sys
import sysconfig
import textwrap

import numpy as np
import pytest

from treemetric import Tree, TreeSet
from treemetric.datasets import load_stdlib_functions

FEW = ["textwrap", "fractions", "statistics"]


def test_bunch_has_trees_classes_and_names_of_one_length():
    bunch = load_stdlib_functions(modules=FEW)
    n = len(bunch.data)
    assert isinstance(bunch.data, TreeSet)
    assert n > 30
    assert bunch.target.shape == (n,)
    assert bunch.target.dtype == np.int64
    assert len(bunch.names) == n
    assert bunch.target_names == sorted(FEW)
    assert set(bunch.target) == {0, 1, 2}
    assert "syntax" in bunch.DESCR


def test_names_are_unique_and_belong_to_their_module():
    bunch = load_stdlib_functions()
    assert len(set(bunch.names)) == len(bunch.names)
    for name, k in zip(bunch.names, bunch.target, strict=True):
        assert name.startswith(f"{bunch.target_names[k]}.")


def test_ids_and_classes_of_the_set_repeat_names_and_modules():
    bunch = load_stdlib_functions(modules=FEW)
    assert bunch.data.ids == tuple(bunch.names)
    assert bunch.data.classes == tuple(bunch.target_names[k] for k in bunch.target)


def test_default_is_large_and_the_same_each_time():
    first, second = load_stdlib_functions(), load_stdlib_functions()
    assert first.data == second.data
    assert first.names == second.names
    assert len(first.data) >= 1000
    assert len(first.target_names) >= 30


def test_order_is_by_module_and_name_whatever_order_is_asked_for():
    bunch = load_stdlib_functions(modules=FEW[::-1])
    assert bunch.names == load_stdlib_functions(modules=FEW).names
    assert list(bunch.target) == sorted(bunch.target)
    for k in range(len(FEW)):
        names = [bunch.names[i] for i in np.flatnonzero(bunch.target == k)]
        assert names == sorted(names)


def test_sizes_stay_within_the_limits():
    sizes = load_stdlib_functions(modules=FEW, min_nodes=30, max_nodes=60).data.sizes
    assert sizes.min() >= 30
    assert sizes.max() <= 60
    assert load_stdlib_functions(modules=FEW, max_nodes=None).data.sizes.max() > 200


def test_samples_are_drawn_without_replacement_and_by_seed():
    draw = {"modules": FEW, "n_samples": 20}
    first = load_stdlib_functions(**draw, random_state=0)
    assert len(set(first.names)) == 20
    assert first.names == load_stdlib_functions(**draw, random_state=0).names
    assert first.names != load_stdlib_functions(**draw, random_state=1).names
    whole = load_stdlib_functions(modules=FEW)
    for name, tree in zip(first.names, first.data, strict=True):
        assert tree == whole.data[whole.names.index(name)]


def nested(node):
    """Return a syntax tree as (label, children), the obvious recursive way."""
    return type(node).__name__, [nested(child) for child in ast.iter_child_nodes(node)]


def test_labels_are_node_classes_and_children_are_in_the_order_of_ast():
    bunch = load_stdlib_functions(modules=["textwrap"], min_nodes=1)
    module = ast.parse(inspect.getsource(textwrap))
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    assert len(functions) >= 4
    for node in functions:
        tree = bunch.data[bunch.names.index(f"textwrap.{node.name}")]
        assert tree == Tree.from_nested(nested(node))


def test_a_function_inside_a_function_is_no_tree_of_its_own():
    names = load_stdlib_functions(modules=["functools"], min_nodes=1).names
    assert "functools.lru_cache" in names
    assert not any("lru_cache." in name for name in names)


def test_methods_carry_the_name_of_their_class():
    names = load_stdlib_functions(modules=["textwrap"]).names
    assert "textwrap.TextWrapper._handle_long_word" in names


def test_deep_source_needs_no_recursion(tmp_path, monkeypatch):
    depth = sys.getrecursionlimit() + 100
    source = f"def deep():\n    return a{'.b' * depth}\n"
    (tmp_path / "textwrap.py").write_text(source)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    bunch = load_stdlib_functions(modules=["textwrap"], max_nodes=None)
    assert bunch.names == ["textwrap.deep"]
    # The function, its empty arguments, return, the name, and a context for each.
    assert bunch.data[0].size == 3 + 2 * (depth + 1)


def test_default_modules_that_are_not_installed_are_left_out(tmp_path, monkeypatch):
    source = "def f(x):\n    return [x + 1, x + 2, x + 3, x + 4]\n"
    (tmp_path / "textwrap.py").write_text(source)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    assert load_stdlib_functions().target_names == ["textwrap"]


def test_functions_of_one_name_are_numbered(tmp_path, monkeypatch):
    source = "def f(): pass\ndef f(): return\nasync def f(): pass\n"
    (tmp_path / "textwrap.py").write_text(source)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    bunch = load_stdlib_functions(modules=["textwrap"], min_nodes=1)
    assert bunch.names == ["textwrap.f", "textwrap.f#2", "textwrap.f#3"]
    roots = [tree.labels[0] for tree in bunch.data]
    assert roots == ["FunctionDef", "FunctionDef", "AsyncFunctionDef"]


def test_submodules_are_found_and_nothing_is_imported():
    sys.modules.pop("xmlrpc.client", None)
    bunch = load_stdlib_functions(modules=["xmlrpc.client"])
    assert bunch.target_names == ["xmlrpc.client"]
    assert "xmlrpc.client" not in sys.modules


def test_a_file_in_the_working_directory_does_not_hide_the_library(tmp_path, monkeypatch):
    (tmp_path / "textwrap.py").write_text("def dedent(): pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = load_stdlib_functions(modules=["textwrap"]).names
    assert "textwrap.TextWrapper._handle_long_word" in names


@pytest.mark.parametrize("module", ["numpy", "math", "sys", "urllib.nothing", ""])
def test_module_without_source_in_the_library_is_named(module):
    with pytest.raises(ValueError, match=f"'modules'.*Got '{module}' instead"):
        load_stdlib_functions(modules=[module])


@pytest.mark.parametrize("modules", ["textwrap", 3, [1], {"textwrap": 1}, []])
def test_modules_have_to_be_a_sequence_of_str(modules):
    with pytest.raises(ValueError, match="must be None or a sequence of at least one"):
        load_stdlib_functions(modules=modules)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("min_nodes", 0),
        ("min_nodes", 2.5),
        ("min_nodes", True),
        ("max_nodes", 19),
        ("max_nodes", "200"),
        ("n_samples", 0),
        ("n_samples", 1.0),
    ],
)
def test_numbers_out_of_range_are_named(parameter, value):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter.*Got .* instead"):
        load_stdlib_functions(modules=FEW, **{parameter: value})


def test_more_samples_than_functions_is_an_error():
    with pytest.raises(ValueError, match="at most the number of functions found"):
        load_stdlib_functions(modules=FEW, n_samples=10_000)


def test_limits_that_leave_nothing_are_an_error():
    with pytest.raises(ValueError, match="Found no function of 100000 to inf nodes"):
        load_stdlib_functions(modules=FEW, min_nodes=100_000, max_nodes=None)
