"""What `help` and an editor show of a public name: a sentence that stands alone, readable types."""

import ast
import functools
import inspect
import re
from importlib import util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "docs" / "_ext").exists():
    pytest.skip("the documentation is not here", allow_module_level=True)


def extension(name):
    """Import a module of the site that does not need Sphinx."""
    spec = util.spec_from_file_location(f"site_{name}", ROOT / "docs" / "_ext" / f"{name}.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


complexity, public = extension("complexity"), extension("public")

NAMES = [name for parts in public.sections().values() for _, names in parts for name in names]
# Names of types that a reader of a signature should not need to know.
INTERNAL = re.compile(r"ndarray\[|NDArray\[|dtype\[|Union\[|Optional\[|_core\.|_ArrayLike")


@functools.cache
def parsed(path):
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def signatures(name):
    """Yield the definitions that an editor shows for a name: the function, or public methods."""
    item = public.resolved(name)
    for node in parsed(inspect.getsourcefile(item)).body:
        if isinstance(node, ast.FunctionDef) and node.name == item.__name__:
            yield node
        elif isinstance(node, ast.ClassDef) and node.name == item.__name__:
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            yield from (m for m in methods if m.name == "__init__" or m.name[0] != "_")


def methods(name):
    """Yield the public methods that a class of ours defines itself."""
    item = public.resolved(name)
    if inspect.isclass(item):
        for member, value in vars(item).items():
            if not member.startswith("_") and inspect.isfunction(value):
                yield f"{name}.{member}", value


@pytest.mark.parametrize("name", NAMES)
def test_help_starts_with_a_sentence(name):
    for full, item in [(name, public.resolved(name)), *methods(name)]:
        first = (inspect.getdoc(item) or "").split("\n\n")[0]
        assert "\n" not in first, f"{full}: the first sentence is one line"
        assert first.endswith("."), f"{full}: {first}"
        assert first[:1].isupper(), f"{full}: {first}"
        assert len(first.split()) >= 3, f"{full}: {first}"
        assert not re.match(r"(See|Same as|As|Like|Alias|This|It) ", first), f"{full}: {first}"


@pytest.mark.parametrize("name", NAMES)
def test_signatures_use_aliases(name):
    for node in signatures(name):
        arguments = node.args
        written = [
            argument.annotation
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        ]
        for annotation in [*written, node.returns]:
            text = "" if annotation is None else ast.unparse(annotation)
            assert not INTERNAL.search(text), f"{name}, {node.name}: {text}"


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_aliases(name):
    item = public.resolved(name)
    # Exceptions have the signatures of their built-in bases, which Python does not know.
    is_error = inspect.isclass(item) and issubclass(item, BaseException)
    shown = [] if is_error else [(name, item)]
    for full, value in [*shown, *methods(name)]:
        text = str(inspect.signature(value))
        assert not re.search(r"numpy\.|_typing|ndarray\[|dtype\[|Literal\['weight'", text), (
            f"{full}: {text}"
        )


def test_every_public_name_is_in_the_reference():
    listed = {id(public.resolved(name)) for name in NAMES}
    missing = [
        name
        for name in public.public_names()
        if callable(public.resolved(name)) and id(public.resolved(name)) not in listed
    ]
    assert missing == []
    assert len(NAMES) == len(set(NAMES)) > 130


def test_every_public_name_has_time_and_memory():
    missing = [name for name in NAMES if not complexity.rows_of(name)]
    assert missing == [], "add a row to docs/reference/complexity.md"


def test_time_and_memory_name_what_exists():
    modules = {"compat.zss", "compat.apted", "compat.edist"}
    unknown = {name for name in complexity.ROWS if f"treemetric.{name}" not in NAMES}
    assert unknown == modules
