"""Check that tag, CHANGELOG and version agree.

    python .ci/check_release.py [TAG]

Without a tag: the files are consistent. With a tag: this state can be released under it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+")
RELEASED = re.compile(r"(\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}")
UNRELEASED = "Unreleased"


def sections(changelog: str) -> list[tuple[str, str]]:
    """Return the titles and the texts of the sections of a changelog."""
    parts = re.split(r"^## +(.+?) *$", changelog, flags=re.MULTILINE)[1:]
    return [(title, text.strip()) for title, text in zip(parts[::2], parts[1::2], strict=True)]


def numbers(version: str) -> tuple[int, ...]:
    """Return a version in a form that can be compared."""
    return tuple(int(part) for part in version.split("."))


def problems(root: Path, tag: str | None = None) -> list[str]:
    """Return what does not agree, one sentence each."""
    cargo = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    lock = tomllib.loads((root / "Cargo.lock").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = cargo["package"]["version"]
    found = []
    if not VERSION.fullmatch(version):
        return [f"the version in Cargo.toml must have the form X.Y.Z, got {version!r}"]
    locked = [p["version"] for p in lock["package"] if p["name"] == cargo["package"]["name"]]
    if locked != [version]:
        found.append(f"Cargo.toml has version {version}, Cargo.lock has {', '.join(locked)}")
    if "version" in project or "version" not in project.get("dynamic", []):
        found.append("pyproject.toml must take its version from Cargo.toml")
    entries = sections((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    return (
        found + _changelog(entries, version) + (_tag(entries, version, tag, project) if tag else [])
    )


def _changelog(entries: list[tuple[str, str]], version: str) -> list[str]:
    """Check the order of the sections, and that what is not released has a version of its own."""
    found, released = [], []
    for place, (title, _) in enumerate(entries):
        match = RELEASED.fullmatch(title)
        if match:
            released.append(match[1])
        elif title != UNRELEASED or place > 0:
            found.append(
                f"CHANGELOG.md has the section {title!r} where 'X.Y.Z - YYYY-MM-DD' must be"
            )
    if not entries:
        found.append("CHANGELOG.md has no sections")
    if sorted(released, key=numbers, reverse=True) != released or len({*released}) < len(released):
        found.append("the versions in CHANGELOG.md must fall from top to bottom")
    if found or not released:
        return found
    changed = entries[0][0] == UNRELEASED and entries[0][1]
    if changed and numbers(version) <= numbers(released[0]):
        found.append(f"changes are unreleased, but version {version} is not above {released[0]}")
    if not changed and version != released[0]:
        found.append(f"Cargo.toml has version {version}, CHANGELOG.md has {released[0]}")
    return found


def _tag(
    entries: list[tuple[str, str]], version: str, tag: str, project: dict[str, object]
) -> list[str]:
    """Check what a release needs."""
    found = []
    if tag != f"v{version}":
        found.append(f"the tag must be 'v{version}', got {tag!r}")
    texts = {title.partition(" - ")[0]: text for title, text in entries}
    if texts.pop(UNRELEASED, ""):
        found.append("CHANGELOG.md has unreleased changes")
    if not texts.get(version):
        found.append(f"CHANGELOG.md does not describe version {version}")
    if not project.get("urls"):
        found.append("pyproject.toml needs [project.urls] with the address of the repository")
    return found


if __name__ == "__main__":
    disagreements = problems(ROOT, " ".join(sys.argv[1:]).strip() or None)
    if disagreements:
        sys.exit("\n".join(disagreements))
    print("tag, CHANGELOG and version agree")
