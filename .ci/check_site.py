"""Check a built site: links inside it lead somewhere, and no page loads files from elsewhere.

usage: check_site.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that load a file when a page is opened; links of <a> are only followed on a click.
LOADING = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("source", "src"),
    ("iframe", "src"),
}


class Page(HTMLParser):
    """The links, the loaded files, the anchors and the run cells of one page."""

    def __init__(self, path: Path) -> None:
        """Read and parse a file."""
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.cells = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what one tag contributes."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADING and not (
                tag == "link" and dict(attrs).get("rel") == "canonical"
            ):
                self.loaded.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif name == "class" and tag == "div" and "cell" in value.split():
                self.cells += 1


def problems(folder: Path, pages: dict[Path, Page]) -> list[str]:
    """Return one line per link that leads nowhere and per file that is loaded from elsewhere."""
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    found.append(f"{name} loads {link}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                found.append(f"{name} links to {link}, which does not exist")
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors:
                    found.append(f"{name} links to {link}, but there is no such heading")
    return found


def main(folder: Path) -> int:
    """Print the problems and a summary; return the exit code."""
    folder = folder.resolve()
    pages = {
        path: Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts
    }
    found = problems(folder, pages)
    print("\n".join(found), end="\n" if found else "")
    links = sum(len(page.links) + len(page.loaded) for page in pages.values())
    cells = sum(page.cells for page in pages.values())
    print(f"{len(pages)} pages, {cells} executed cells, {links} links, {len(found)} problems")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
