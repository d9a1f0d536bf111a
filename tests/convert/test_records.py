"""Sources with the labels and parents that other packages find in them."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from treemetric import Tree, convert

RECORDS = json.loads((Path(__file__).parent / "records.json").read_text())


def hashable(label):
    return tuple(map(hashable, label)) if isinstance(label, list) else label


def element(text):
    # By default xml.etree drops comments.
    builder = ET.TreeBuilder(insert_comments=True, insert_pis=True)
    return ET.fromstring(text, ET.XMLParser(target=builder))


def names(record):
    return f"{record['from']}-{record['input']!r}-{record['options']}"[:60]


@pytest.mark.parametrize("record", RECORDS, ids=names)
def test_record(record):
    options = dict(record["options"])
    source = record["input"]
    if record["from"] == "ast":
        # The records without options keep Load and Store; here that is an option.
        options.setdefault("context", True)
    if record["from"] == "etree":
        source = element(source)
    found = getattr(convert, f"from_{record['from']}")(source, **options)
    labels = [hashable(label) for label in record["labels"]]
    assert found == Tree.from_parents(labels, record["parents"])
    assert list(map(type, found.labels)) == list(map(type, labels))


@pytest.mark.parametrize("record", [r for r in RECORDS if r["from"] == "etree"], ids=names)
def test_lxml_agrees(record):
    etree = pytest.importorskip("lxml.etree")
    theirs = convert.from_etree(etree.fromstring(record["input"]), **record["options"])
    assert theirs == convert.from_etree(element(record["input"]), **record["options"])
