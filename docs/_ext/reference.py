"""The pages of the reference, written before Sphinx looks for sources."""

from pathlib import Path

from public import PAGES, sections
from sphinx.application import Sphinx
from sphinx.config import Config

import treemetric

FOLDER = Path(__file__).parents[1] / "_generated" / "reference"


def write(_app: Sphinx, _config: Config) -> None:
    """Write the pages; Sphinx reads them like all others."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = sections()
    for page, (title, text, _) in PAGES.items():
        lines = [f"# {title}", "", text, ""]
        for heading, names in found[page]:
            lines += [f"## {heading}", ""] if heading else []
            lines += ["```{eval-rst}", ".. currentmodule:: treemetric", "", ".. autosummary::"]
            lines += ["   :toctree: ../api", ""]
            lines += [f"   {name.removeprefix('treemetric.')}" for name in names]
            lines += ["```", ""]
        _keep(FOLDER / f"{page}.md", "\n".join(lines))
    total = sum(len(names) for parts in found.values() for _, names in parts)
    lines = [
        "# Reference",
        "",
        f"treemetric {treemetric.__version__} has {total} public names. Each",
    ]
    lines += ["has a page with its parameters and an example that runs."]
    lines += ["[Time and memory](/reference/complexity.md) states what each call needs. The"]
    lines += ["{ref}`index <genindex>` lists all names in the order of the alphabet.", ""]
    lines += ["| page | content |", "|---|---|"]
    lines += [f"| [{title}]({page}.md) | {text} |" for page, (title, text, _) in PAGES.items()]
    lines += ["", "```{toctree}", ":hidden:", "", *PAGES, "/reference/complexity"]
    lines += ["/reference/types", "/command-line", "```", ""]
    _keep(FOLDER / "index.md", "\n".join(lines))


def _keep(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
