"""Files of the repository as pages of the site: records of benchmarks, results, DESIGN, CHANGELOG.

They are copied to `_generated` before the build, and links between them and the pages are
translated.
"""

import re
import shutil
from os.path import relpath
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GENERATED = "docs/_generated"
# Each file or folder of the repository that has a page, and the page.
PAGES = {
    "CHANGELOG.md": f"{GENERATED}/changelog.md",
    "CONTRIBUTING.md": f"{GENERATED}/contributing.md",
    "DESIGN.md": f"{GENERATED}/design.md",
    "RELEASE.md": f"{GENERATED}/release.md",
    "benches/README.md": f"{GENERATED}/benches.md",
    "benches/record": "docs/benchmarks/index.md",
    "docs/results/ablation": f"{GENERATED}/results/ablation/table.md",
    "docs/results/sentiment": f"{GENERATED}/results/sentiment/table.md",
}
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)


def copied() -> dict[str, str]:
    """Return the files to copy, and where they go, as paths in the repository."""
    files = {name: page for name, page in PAGES.items() if (ROOT / name).is_file()}
    for folder, place in (("benches/record", "record"), ("docs/results", "results")):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".md", ".png", ".csv"}:
                inner = path.relative_to(ROOT / folder).as_posix()
                files[f"{folder}/{inner}"] = f"{GENERATED}/{place}/{inner}"
    return files


def translate(text: str, source: str, page: str, pages: dict[str, str]) -> str:
    """Return the text of `source` with links that are right where it becomes `page`."""

    def link(found: re.Match[str]) -> str:
        target = relpath(Path(source).parent / found[2], ".")
        if not (ROOT / target).exists():
            return found[0]  # Sphinx reports it
        return found[1] + relpath(pages.get(target, target), Path(page).parent) + found[3]

    parts = CODE.split(text)
    parts[::2] = (LINK.sub(link, part) for part in parts[::2])
    return "".join(parts)


def copy(_app: Sphinx, _config: Config) -> None:
    """Write the copies; only files that changed are written, so that repeated builds are quick."""
    files = copied()
    pages = PAGES | files
    for source, page in files.items():
        path = ROOT / page
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(ROOT / source, path)
            continue
        text = translate((ROOT / source).read_text(encoding="utf-8"), source, page, pages)
        if not re.search(r"^# ", text, re.MULTILINE):
            text = re.sub("^###", "##", text, flags=re.MULTILINE)
            head = "---\norphan: true\n---\n\n"  # only the page of the reproduction leads there
            text = f"{head}# Results: {path.parent.name}, {path.stem}\n\n{text}"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def other_pages(listed: str) -> list[str]:
    """Return the pages of the top folder that no table of contents lists."""
    elsewhere = {"index", "reproduction", "command-line"}
    names = sorted(path.stem for path in DOCS.glob("*.md"))
    # Entries, with or without a title; links in the text are not entries.
    entries = set(re.findall(r"^(?:.*<)?/([\w-]+)>?$", listed, re.MULTILINE))
    return [f"/{name}" for name in names if name not in elsewhere | entries]


def read(_app: Sphinx, name: str, source: list[str]) -> None:
    """Translate the links of a page that a person wrote, and complete the list of topics."""
    if name == "howto/index":
        source[0] = source[0].replace("OTHER-PAGES", "\n".join(other_pages(source[0])))
    page = f"docs/{name}.md"
    if (ROOT / page).exists() and not page.startswith(GENERATED):
        source[0] = translate(source[0], page, page, PAGES | copied())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the copies and the translation."""
    app.connect("config-inited", copy)
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
