"""Small pictures for the start page and the gallery, drawn before Sphinx looks for sources."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from sphinx.application import Sphinx
from sphinx.config import Config

import treemetric as tm
from treemetric import plotting
from treemetric.convert import from_ast
from treemetric.datasets import load_stdlib_functions, make_glycans
from treemetric.inspection import label_weights
from treemetric.learning import NCACosts

FOLDER = Path(__file__).parents[1] / "_generated" / "pictures"
SIZE = (3.6, 2.6)
OLD = "def mean(x):\n    return sum(x) / len(x)"
NEW = "def mean(x):\n    if x:\n        return sum(x) / size(x)"
PRED = "<table><tr><td>Rome</td><td>1,240</td></tr><tr><td>Oslo</td><td>733</td></tr></table>"
TRUE = PRED.replace("1,240", "1,248").replace(
    "<table>", "<table><tr><td colspan=2>Visitors</td></tr>"
)


def drawings() -> dict[str, Callable[[Axes], object]]:
    """Return a function of axes for each picture."""
    functions = load_stdlib_functions(
        modules=("calendar", "fractions", "pickle"), min_nodes=25, max_nodes=90
    )
    names = np.asarray(functions.target_names)[functions.target]
    D = tm.pairwise_distances(functions.data)
    few = functions.data[::14]
    glycans = make_glycans(80, random_state=0)
    learner = NCACosts(random_state=0).fit(glycans.data, glycans.target)
    alignment = tm.align(from_ast(OLD).subtree(1), from_ast(NEW, values=False).subtree(1))
    return {
        "tree": lambda ax: plotting.plot_tree(from_ast(OLD), ax=ax),
        "alignment": lambda ax: plotting.plot_alignment(alignment, ax=ax),
        "tables": lambda ax: plotting.plot_tables((PRED, TRUE), ax=ax),
        "distances": lambda ax: plotting.plot_distances(D, names, ax=ax),
        "map": lambda ax: plotting.plot_map(D, names, ax=ax),
        "dendrogram": lambda ax: plotting.plot_dendrogram(
            tm.pairwise_distances(few, norm="weight"), few, ax=ax
        ),
        "costs": lambda ax: plotting.plot_costs(learner.costs_, ax=ax),
        "weights": lambda ax: plotting.plot_label_weights(label_weights(learner), ax=ax),
    }


def write(_app: Sphinx, _config: Config) -> None:
    """Draw the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "treemetric", "font.size": 8}):
        for name, draw in drawings().items():
            figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
            draw(ax)
            ax.set_title("")
            figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
            plt.close(figure)


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw the pictures before Sphinx looks for sources."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
