"""Links to other sites: all of them are known, and none is dead where there is a network."""

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Links in the text that people read. Add a new one after you opened it.
KNOWN = (
    "https://docs.python.org/3/license.html",
    "https://doi.org/10.4119/unibi/2900666",
    "https://doi.org/10.4119/unibi/2900684",
    "https://github.com/HammerLabML/adversarial-edit-attacks",
    "https://keepachangelog.com",
    "https://scikit-learn.org/stable/modules/generated/sklearn.utils.Bunch.html",
    "https://semver.org",
)
GONE = (404, 410)


def texts():
    if not (ROOT / "docs").exists():
        pytest.skip("the documentation is not here")
    yield from ROOT.glob("*.md")
    for path in (ROOT / "docs").rglob("*.md"):
        if not {"_build", "_generated"} & set(path.parts):
            yield path


def test_all_links_to_other_sites_are_known():
    found = {
        link.rstrip(".,;")
        for path in texts()
        for link in re.findall(r"https?://[^\s)>\"'`\]]+", path.read_text(encoding="utf-8"))
    }
    assert found == set(KNOWN)


@pytest.mark.parametrize("link", KNOWN)
def test_no_link_is_dead(link):
    request = urllib.request.Request(link, headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        # Some sites refuse programs, which says nothing about the page.
        status = error.code
    except OSError as error:
        pytest.skip(f"no network: {error}")
    assert status not in GONE
