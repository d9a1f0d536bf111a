"""Microseconds per node of every converter, beside parsing and beside one distance.

    python benches/convert.py [--smoke]

Converters whose packages are not installed are left out. "parse" is what the library of the
format takes to read the text (none where our reader reads the text itself), "convert" is our
reader, "distance" is one unit-cost distance between the tree and one with a node less.
"""

import argparse
import ast
import contextlib
import inspect
import json
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from xml.etree import ElementTree as ET

from measure import race

import treemetric as tm
from treemetric import convert
from treemetric.datasets import make_random_trees

Case = tuple[str, Callable[[], object] | None, Callable[[], tm.Tree]]
# A function of the size that people compare.
SOURCE = inspect.getsource(contextlib.ExitStack)


def text_cases(tree: tm.Tree) -> Iterator[Case]:
    newick, lengths = convert.to_newick(tree), convert.to_newick(with_lengths(tree), lengths=True)
    sexpr = convert.to_sexpr(tree)
    dots = "((((..((..))..((....))..))..((..)))).." * (tree.size // 25 + 1)
    glycan = "Neu5Ac(a2-3)Gal(b1-4)[Fuc(a1-3)]GlcNAc(b1-2)Man(a1-3)[Man(a1-6)]" * (tree.size // 7)
    bracket = tree.to_bracket()
    yield "Tree.from_bracket", None, lambda: tm.Tree.from_bracket(bracket)
    yield "from_newick", None, lambda: convert.from_newick(newick)
    yield "from_newick, lengths", None, lambda: convert.from_newick(lengths, lengths=True)
    yield "from_sexpr", None, lambda: convert.from_sexpr(sexpr)
    yield "from_dotbracket", None, lambda: convert.from_dotbracket(dots)
    yield "from_iupac", None, lambda: convert.from_iupac(glycan + "Man")


def object_cases(tree: tm.Tree) -> Iterator[Case]:
    nested = tree.to_nested()
    nodes, adj = tree.to_adjacency()
    value = convert_json(tree)
    text = json.dumps(value)
    xml = markup(tree)
    element, module = ET.fromstring(xml), ast.parse(SOURCE)
    yield "Tree.from_nested", None, lambda: tm.Tree.from_nested(nested)
    yield "Tree.from_adjacency", None, lambda: tm.Tree.from_adjacency(nodes, adj)
    call = adj.__getitem__, nodes.__getitem__
    yield "Tree.from_callable", None, lambda: tm.Tree.from_callable(0, *call)
    yield "from_ast", lambda: ast.parse(SOURCE), lambda: convert.from_ast(module)
    valued = partial(convert.from_ast, module, context=True, values=True)
    yield "from_ast, context, values", None, valued
    yield "from_etree", lambda: ET.fromstring(xml), lambda: convert.from_etree(element)
    yield "from_etree, text", None, lambda: convert.from_etree(element, text=True)
    yield "from_json", lambda: json.loads(text), lambda: convert.from_json(value)


def package_cases(tree: tm.Tree) -> Iterator[Case]:
    sexpr, xml = convert.to_sexpr(tree), markup(tree)
    with contextlib.suppress(ImportError):
        import nltk

        parsed = nltk.Tree.fromstring(sexpr)
        yield "from_nltk", lambda: nltk.Tree.fromstring(sexpr), lambda: convert.from_nltk(parsed)
    with contextlib.suppress(ImportError):
        graph = convert.to_networkx(tree)
        yield "from_networkx", None, lambda: convert.from_networkx(graph)
    with contextlib.suppress(ImportError):
        from lxml import etree

        page = etree.fromstring(xml)
        yield "from_etree of lxml", lambda: etree.fromstring(xml), lambda: convert.from_etree(page)
        yield "from_html (with parsing)", None, lambda: convert.from_html(xml)
    with contextlib.suppress(ImportError):
        import tree_sitter
        import tree_sitter_python

        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
        code = SOURCE.encode()
        syntax = parser.parse(code)
        yield (
            "from_tree_sitter",
            lambda: parser.parse(code),
            lambda: convert.from_tree_sitter(syntax),
        )


def with_lengths(tree: tm.Tree) -> tm.Tree:
    rng = random.Random(0)
    labels = [(label, round(rng.random(), 4)) for label in tree.labels]
    return tm.Tree.from_parents(labels, tree.parents)


def convert_json(tree: tm.Tree) -> object:
    made: list[object] = [[] for _ in tree.labels]
    for node in tree.postorder():
        below = [made[child] for child in tree.children(node)]
        made[node] = {str(i): item for i, item in enumerate(below)} if below else node
    return made[0]


def markup(tree: tm.Tree) -> str:
    made = [""] * tree.size
    for node in tree.postorder():
        tag = tree.labels[node]
        made[node] = f"<{tag}>t{''.join(made[c] for c in tree.children(node))}</{tag}>"
    return made[0]


def one_less(tree: tm.Tree) -> tm.Tree:
    return tm.Tree.from_parents(tree.labels[:-1], tree.parents[:-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    smoke = parser.parse_args().smoke
    budget = 0.001 if smoke else 0.3
    for size in (30,) if smoke else (62, 1000, 20_000):
        names = [f"n{i}" for i in range(20)]
        made = make_random_trees(1, n_nodes=size, alphabet=names, shape="growth", random_state=0)
        tree = made.data[0]
        print(f"\n{size} nodes, microseconds per node\n")
        print("| reader | nodes | parse | convert | distance |\n|---|---|---|---|---|")
        for name, parse, run in (*text_cases(tree), *object_cases(tree), *package_cases(tree)):
            found = run()
            calls = {"convert": run}
            if parse is not None:
                calls["parse"] = parse
            if found.size <= 2000:
                calls["distance"] = partial(tm.distance, found, one_less(found))
            times = race(calls, budget, timer=time.process_time)
            cells = (
                f"{times[key] / found.size * 1e6:.2f}" if key in times else ""
                for key in ("parse", "convert", "distance")
            )
            print(f"| {name} | {found.size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
