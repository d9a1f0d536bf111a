"""A folder is a layer: each room of the package imports only from rooms above it in DESIGN.md."""

import ast
from pathlib import Path

import pytest

import treemetric as tm

PACKAGE = Path(tm.__file__).parent

# From the lowest layer to the highest. Rooms on one line may import each other.
LAYERS = (
    ("_core",),
    ("exceptions", "_base", "typing"),
    ("_pages",),
    ("formats",),
    ("tree", "treeset"),
    ("convert",),
    ("costs",),
    ("matrix",),
    ("distances", "paired"),
    ("alignment",),
    ("unordered",),
    ("neighbors", "distributed"),
    ("compat", "metrics"),
    ("_estimators", "transformers"),
    ("features",),
    ("kernels",),
    ("clustering",),
    ("classification",),
    ("regression",),
    ("learning",),
    ("inspection",),
    ("datasets", "plotting", "testing"),
    ("experiments",),
    ("report",),
    ("demo", "cli"),
    ("__init__", "__main__"),
)
LAYER_OF = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path):
    """Return the folder, or the module, directly in the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path):
    """Yield the rooms that a file imports when it runs; imports for types do not count."""
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        nodes += ast.iter_child_nodes(node)
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "treemetric" and rest:
                yield rest.partition(".")[0]


def test_every_room_has_a_layer():
    assert {room_of(path) for path in FILES} | {"_core"} == set(LAYER_OF)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_lower_layers(path):
    layer = LAYER_OF[room_of(path)]
    higher = {room for room in imported_rooms(path) if LAYER_OF.get(room, 0) > layer}
    assert not higher, f"{path.name} imports from {sorted(higher)}"
