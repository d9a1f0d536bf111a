"""Odd HTML and odd elements: the scanner of the core against a walk over the elements of lxml."""

import random

import pytest

pytest.importorskip("lxml")

from lxml import etree

import html_samples as samples
import treemetric as tm
from treemetric import _core
from treemetric.formats.html_tables import PRESETS, VARIANTS, _parsed, markup
from treemetric.metrics import teds

ROW = "<table><tr><td{}>x</td><td{}>y</td></tr></table>"
MUTATIONS = 5000


@pytest.mark.parametrize("preset", PRESETS)
def test_mutated_pages_are_read_like_the_elements(preset):
    rng = random.Random(11)
    chosen = PRESETS[preset]
    rules = [chosen.rules(variant) for variant in VARIANTS]
    compared = 0
    for number in range(MUTATIONS):
        page = samples.mutated(rng, samples.random_table(rng))
        table = _parsed(page, chosen, etree)
        if table is None:
            assert markup(page, chosen, (), "teds") is None
            continue
        found = markup(page, chosen, (), "teds")
        headers, plain, content = given = rules[number % len(rules)]
        try:
            expected = samples.walked(table, headers=headers, plain=plain, content=content)
        except ValueError:
            with pytest.raises(ValueError, match="invalid literal for int"):
                _core.table_tree(found, given, None)
            continue
        data, elements = _core.table_tree(found, given, None)
        tree = tm.Tree._wrap(data)
        assert (list(tree.labels), tree.parents.tolist(), elements) == expected, page
        compared += 1
    assert compared > MUTATIONS // 2


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "attributes",
    [
        (' a"b', ' c"d'),
        (' style="a""', ""),
        (' ""', " '"),
        (" =x", ' ="'),
        (" a'b", " a<b"),
        (" a/b==c", " =="),
        ("", " \u00a0colspan=2"),
    ],
)
def test_odd_attributes_change_nothing(attributes, preset):
    page = f"<html><body>{ROW}</body></html>"
    assert teds(page.format(*attributes), page.format("", ""), preset=preset) == 1.0


def test_elements_of_xhtml_are_read_by_their_local_names():
    page = "<html{}><body>{}</body></html>"
    inner = "<table><tr><td colspan='2'>x<b>y</b><!--c--></td></tr></table>"
    prefixed = inner.replace("<", "<h:").replace("<h:/", "</h:").replace("<h:!", "<!")
    namespace = "http://www.w3.org/1999/xhtml"
    plain = page.format("", inner)
    for preset in PRESETS:
        for text in (
            page.format(f' xmlns="{namespace}"', inner),
            f'<h:html xmlns:h="{namespace}"><h:body>{prefixed}</h:body></h:html>',
        ):
            root = etree.fromstring(text)
            before = etree.tostring(root)
            for ignored in (None, ["B"]):
                options = {"preset": preset, "ignore_nodes": ignored}
                if preset != "docling":
                    assert teds(root, plain, **options) == 1.0
                table = next(root.iter(f"{{{namespace}}}table"))
                assert teds(table, etree.HTML(plain).find(".//table"), **options) == 1.0
            assert etree.tostring(root) == before


def test_references_that_are_not_resolved_are_refused():
    text = '<!DOCTYPE table [<!ENTITY e "x">]><table><tr><td>&e;</td></tr></table>'
    resolved = etree.fromstring(text, etree.XMLParser(resolve_entities=True))
    assert teds(resolved, "<table><tr><td>x</td></tr></table>") == 1.0
    kept = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
    with pytest.raises(ValueError, match=r"references that are not resolved; got &e;"):
        teds(kept, text)


def test_an_element_that_holds_no_table_is_a_missing_table():
    for node in (etree.Comment("x"), etree.fromstring("<p/>")):
        assert teds(node, ROW) == 0.0


def test_a_document_type_of_xhtml_changes_nothing():
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    page = "<html><body><table><tr><td nowrap>a<br>b</td><td></td></tr></table></body></html>"
    for preset in PRESETS:
        assert teds(doctype + page, page, preset=preset) == 1.0
