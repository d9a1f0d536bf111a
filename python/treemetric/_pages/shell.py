"""A page in one file: its frame, its data, and the styles and scripts that belong to it.

Labels of trees come from anywhere. They enter a page only through `escape` or through `embedded`,
and scripts write them as text. The content security policy of a page allows nothing from a network.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

__all__ = ["embedded", "page", "styles"]

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
# Characters that end a script, or that old scripts take for the end of a line.
_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def page(title: str, body: str, *parts: str, full: bool = False) -> str:
    """Return a page; `parts` name styles and scripts, in this order, besides the common style.

    With `full`, the body is one element that fills the window.
    """
    kind = ' class="tm-full"' if full else ""
    found = (_static(f"{part}.js") for part in parts)
    scripts = "".join(f"<script>\n{script}</script>\n" for script in found if script)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n{styles('page', *parts)}</head>\n<body{kind}>\n{body}\n"
        "<noscript><p>This page needs JavaScript. It loads nothing from a network.</p></noscript>\n"
        f"{scripts}</body>\n</html>\n"
    )


def styles(*parts: str) -> str:
    """Return the styles of parts of a page."""
    return "".join(f"<style>\n{_static(f'{part}.css')}</style>\n" for part in parts)


def embedded(kind: str, data: dict[str, Any]) -> str:
    """Return an element that a script fills, with its data inside."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Lone surrogates are valid in Python but not in UTF-8.
    text = text.translate(_UNSAFE).encode("utf-8", "replace").decode()
    return f'<div class="tm-{kind}"><script type="application/json">{text}</script></div>'


def _static(name: str) -> str:
    """Return a file of this folder; a part may have only a style, or only a script."""
    file = files("treemetric._pages") / "static" / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""
