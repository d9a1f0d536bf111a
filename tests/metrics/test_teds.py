"""TEDS against recorded scores of the original implementations, and against slow twins."""

import json
import math
import os
import random
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("lxml")

from lxml import etree, html

import html_samples as samples
import treemetric as tm
from treemetric.metrics import TedsResult, teds, teds_scores

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TREEMETRIC_DATA", HERE.resolve().parents[2] / "shared" / "data"))
RECORDS = json.loads((HERE / "teds.json").read_text(encoding="utf-8"))
# docling_metrics_table is another metric: it compares texts by equality.
VARIANTS = sorted(name for name in RECORDS[0]["scores"] if "metrics_table" not in name)
PARSEBENCH = {"teds": "content", "teds_struct": "structure", "teds_struct_bool": "emptiness"}
ROW = "<table><tr><td>{}</td></tr></table>"


def like_parsebench(text):
    text = re.sub(r"</?[bi]>", "", unicodedata.normalize("NFKC", text))
    return " ".join(text.split())


def options_of(variant):
    name, _, option = variant.partition("/")
    options = {"preset": "docling" if name == "docling_eval" else name}
    if option == "structure_only":
        options["structure_only"] = True
    elif option.startswith("ignore_nodes"):
        options["ignore_nodes"] = ["b", "i"]
    elif name == "parsebench":
        options |= {"variant": PARSEBENCH[option], "normalize": like_parsebench}
    return options


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("record", RECORDS, ids=[record["name"] for record in RECORDS])
def test_recorded_scores_and_errors_are_repeated(record, variant):
    expected, options = record["scores"][variant], options_of(variant)
    if isinstance(expected, dict):
        with pytest.raises(Exception, match=re.escape(expected["message"])) as caught:
            teds(record["pred"], record["true"], **options)
        assert type(caught.value).__name__ == expected["raises"]
    else:
        assert teds(record["pred"], record["true"], **options) == pytest.approx(expected, abs=1e-9)


def test_published_scores_of_pubtabnet_are_repeated():
    folder = DATA / "teds_pubtabnet"
    if not folder.is_dir():
        pytest.skip("no data set teds_pubtabnet; see TREEMETRIC_DATA")
    pages, pairs = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("html.jsonl", "pairs.jsonl")
    )
    expected = {pair["id"]: pair["teds_reference"] for pair in pairs}
    assert len(pages) == 21
    for page in pages:
        score = teds(page["pred_html"], page["gt_html"], preset="pubtabnet")
        assert score == pytest.approx(expected[page["id"]], abs=1e-9)


def random_pairs(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        true = samples.random_table(rng)
        yield samples.altered(rng, true) if rng.random() < 0.7 else samples.random_table(rng), true


def test_random_tables_agree_with_the_slow_twin():
    for pred, true in random_pairs(1, 60):
        x, y = samples.pubtabnet_nodes(pred), samples.pubtabnet_nodes(true)
        distance = samples.slow_distance(x, y)
        if x[2] or y[2]:
            found = teds(pred, true, preset="pubtabnet", details=True)
            assert found == pytest.approx((1 - distance / max(x[2], y[2]), distance, x[2], y[2]))
        sizes = len(x[0]), len(y[0])
        found = teds(pred, true, preset="table_recognition_metric", details=True)
        assert found == pytest.approx((1 - distance / max(sizes), distance, *sizes))


@pytest.mark.parametrize("structure_only", [False, True])
def test_a_thousand_random_tables_agree_with_the_original(structure_only):
    original = pytest.importorskip("table_recognition_metric").TEDS(structure_only=structure_only)
    options = {"preset": "table_recognition_metric", "structure_only": structure_only}
    pairs = list(random_pairs(2 + structure_only, 1000))
    found = teds_scores(*zip(*pairs, strict=True), **options)
    expected = [original(true, pred) for pred, true in pairs]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def rewritten(page):
    """Rewrite a page by the rules of the default preset, for the original metric."""
    table = html.fromstring(page, parser=html.HTMLParser(remove_comments=True)).find(".//table")
    for part in table.xpath("thead|tbody|tfoot"):
        for row in part:
            part.addprevious(row)
        table.remove(part)
    rows = []
    for row in table:
        if row.tag != "tr":
            continue
        cells = []
        for cell in row:
            spans = "".join(
                f' {name}="{cell.get(name)}"' for name in ("colspan", "rowspan") if cell.get(name)
            )
            inner = etree.tostring(cell, encoding="unicode", method="html", with_tail=False)
            inner = re.sub(r"\s+", " ", inner[inner.index(">") + 1 : inner.rindex("<")]).strip()
            cells.append(f"<td{spans}>{inner}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<html><body><table>{''.join(rows)}</table></body></html>"


def test_the_default_is_the_original_after_rewriting():
    for pred, true in random_pairs(4, 150):
        found = teds(pred, true, details=True)
        same = teds(
            rewritten(pred), rewritten(true), preset="table_recognition_metric", details=True
        )
        assert found == pytest.approx(same._replace(score=max(0.0, same.score)), abs=1e-9)


def test_the_default_ignores_what_cannot_be_seen():
    plain = "<table><tr><td>a b</td><td>c</td></tr></table>"
    fancy = """<?xml version="1.0" encoding="utf-8"?><p>text</p><table><caption>d</caption>
      <colgroup><col><thead><tr><th colspan="x" rowspan="0">\n a&nbsp; b<td colspan="">c </table>"""
    assert teds(fancy, plain) == 1.0
    assert teds(None, "") == teds("<p>no table", "  ") == 1.0
    assert teds(None, plain) == teds(plain, b"") == teds("<p>", plain) == 0.0
    assert teds("<table></table>", "<table></table>") == 1.0


def test_missing_tables_have_no_distance():
    page = f"<html><body>{ROW.format('a')}</body></html>"
    for preset in ("pubtabnet", "table_recognition_metric", "parsebench", "default"):
        result = teds(None, page, preset=preset, details=True)
        assert (result.score, result[2:]) == (0.0, (0, 0))
        assert math.isnan(result.distance)
    assert teds("", None, details=True) == TedsResult(1.0, 0.0, 0, 0)
    with pytest.raises(etree.ParserError):
        teds(None, page, preset="docling")


def test_scores_are_symmetric_and_1_for_equal_tables():
    for preset in ("default", "pubtabnet", "docling", "parsebench"):
        for pred, true in random_pairs(5, 40):
            try:
                forth = teds(pred, true, preset=preset, details=True)
            except ZeroDivisionError:
                continue
            back = teds(true, pred, preset=preset, details=True)
            assert (forth.score, forth.distance) == (back.score, back.distance)
            assert teds(true, true, preset=preset) == 1.0


def test_elements_and_bytes_are_read_like_text():
    for pred, true in random_pairs(6, 20):
        expected = teds(pred, true, ignore_nodes=["b"])
        table = html.fromstring(true)
        before = etree.tostring(table)
        assert teds(pred.encode(), table, ignore_nodes=["b"]) == expected
        assert teds(pred, etree.ElementTree(table), ignore_nodes=["b"]) == expected
        assert etree.tostring(table) == before
        assert teds(html.fromstring(pred).find(".//table"), table, ignore_nodes=["b"]) == expected


def test_normalize_is_called_once_per_distinct_content():
    calls = []

    def lower(text):
        calls.append(text)
        return text.lower()

    rows = "".join(f"<tr><td>{text}</td></tr>" for text in ("A", "B", "A", "<b>C</b>"))
    pred, true = f"<table>{rows}</table>", f"<table>{rows.lower()}</table>"
    assert teds(pred, true, normalize=lower) == 1.0
    assert sorted(calls) == ["<b>C</b>", "<b>c</b>", "A", "B", "a", "b"]
    calls.clear()
    assert teds(pred, true, normalize=lower, structure_only=True) == 1.0
    assert not calls
    with pytest.raises(TypeError, match=r"normalize must return a str; got NoneType for \"A\""):
        teds(pred, true, normalize=lambda _: None)
    with pytest.raises(ZeroDivisionError):
        teds(pred, true, normalize=lambda _: 1 / 0)


def test_huge_spans_are_compared_by_their_digits():
    big = "<html><body><table><tr><td colspan='{}'>a</td></tr></table></body></html>"
    a, b = big.format("9" * 30), big.format("9" * 31)
    assert teds(a, b, preset="pubtabnet", details=True).distance == 1.0
    assert teds(a, a.replace("'9", "' +9"), preset="pubtabnet", details=True).distance == 0.0
    assert tm.Tree.from_html_table(a, preset="pubtabnet").labels[2][1] == int("9" * 30)


def test_large_tables_are_computed_row_by_row():
    cells = [[f"cell {r}-{c}" for c in range(60)] for r in range(60)]

    def page():
        rows = ("".join(f"<td>{text}</td>" for text in row) for row in cells)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    true = page()
    expected = 0.0
    for r, c in ((0, 0), (3, 59), (30, 30), (59, 1)):
        cells[r][c] += "!"
        expected += 1 / len(cells[r][c])
    result = teds(page(), true, details=True)
    assert result == pytest.approx((1 - expected / 3661, expected, 3661, 3661), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"preset": "own"},
            ValueError,
            "'preset' parameter of teds must be 'default', 'pubtabnet'",
        ),
        ({"variant": "text"}, ValueError, "must be 'content', 'structure' or 'emptiness'"),
        ({"structure_only": 1}, TypeError, "must be an instance of 'bool'"),
        ({"structure_only": True, "variant": "emptiness"}, ValueError, "'variant' parameter"),
        ({"ignore_nodes": "bi"}, ValueError, "a list of tags, .* Got 'bi'"),
        ({"ignore_nodes": 5}, ValueError, r"a list of tags, such as \['b', 'i'\]. Got 5"),
        ({"ignore_nodes": ["<b>"]}, ValueError, "Got '<b>' in it"),
        ({"ignore_nodes": [None]}, ValueError, "Got None in it"),
        ({"normalize": "lower"}, ValueError, "must be None or a callable. Got 'lower'"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        teds("", "", **options)


def test_tags_to_ignore_may_be_in_upper_case():
    assert teds(ROW.format("<b>x</b>"), ROW.format("x"), ignore_nodes=["B"]) == 1.0


def test_bad_tables_are_refused():
    with pytest.raises(
        TypeError, match="must be a str, bytes, a path, None or an element of lxml; got int"
    ):
        teds(3, ROW)
    with pytest.raises(ValueError, match="must hold a table that the preset 'pubtabnet' finds"):
        tm.Tree.from_html_table(ROW, preset="pubtabnet")


def test_files_are_read_by_their_paths_but_not_by_their_names(tmp_path):
    path = tmp_path / "true.html"
    table = ROW.format("a")
    path.write_text(f"<html><body>{table}</body></html>", encoding="utf-8")
    assert teds(path, path) == teds(path, path.read_text(encoding="utf-8")) == 1.0
    # Two names would be two empty tables, which are equal.
    with pytest.raises(ValueError, match=r"teds takes the content of a file, or a pathlib.Path"):
        teds("pred.html", "true.html")
    with pytest.raises(TypeError, match=r"got list. Use teds_scores for many tables"):
        teds([table], [table])
    assert np.isnan(teds_scores(["pred.html"], [table], errors="nan")).all()
