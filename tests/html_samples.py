"""Random HTML tables, and a slow TEDS that shares nothing with the product but lxml."""

import random
from types import SimpleNamespace

from lxml import etree, html

import reference

WORDS = (
    "a",
    "ab",
    "abc",
    "b c",
    "  x ",
    "12",
    "1.5",
    "Äpfel",
    "苹果",
    "long text of a cell",
    "",
    "&amp;",
)
INLINE = ("b", "i", "sup", "br", "unk", "span")


def random_table(rng: random.Random, *, rich: bool = True) -> str:
    """Write a table: sections, headers, spans, tags inside cells, comments, text between cells."""

    def text():
        words = [rng.choice(WORDS) for _ in range(rng.randint(0, 2))]
        if rich and rng.random() < 0.2:
            tag = rng.choice(INLINE)
            words.append(f"<{tag}>" if tag == "br" else f"<{tag}>{rng.choice(WORDS)}</{tag}>")
        if rich and rng.random() < 0.05:
            words.append("<!-- note -->")
        return "".join(words)

    def cell():
        tag = "th" if rich and rng.random() < 0.1 else "td"
        spans = "".join(
            f' {name}="{rng.randint(1, 3)}"'
            for name in ("colspan", "rowspan")
            if rng.random() < 0.1
        )
        return f"<{tag}{spans}>{text()}</{tag}>" + ("\n" if rng.random() < 0.1 else "")

    def row(columns):
        return f"<tr>{''.join(cell() for _ in range(columns))}</tr>"

    columns = rng.randint(1, 4)
    rows = [row(max(1, columns + rng.randint(-1, 1))) for _ in range(rng.randint(0, 5))]
    if rich and rng.random() < 0.5:
        cut = rng.randint(0, len(rows))
        head, body = "".join(rows[:cut]), "".join(rows[cut:])
        inner = f"<thead>{head}</thead><tbody>{body}</tbody>"
    else:
        inner = "".join(rows)
    if rich and rng.random() < 0.1:
        inner = "<caption>c</caption><colgroup><col></colgroup>" + inner
    return f"<html><body><table>{inner}</table></body></html>"


def altered(rng: random.Random, page: str) -> str:
    """Change a page a little, by moving and removing whole pieces of it."""
    for old in rng.sample(WORDS, 3):
        if old and rng.random() < 0.6:
            page = page.replace(f">{old}<", f">{rng.choice(WORDS)}<", 1)
    if rng.random() < 0.3:
        start = page.find("<tr>")
        end = page.find("</tr>") + 5
        if 0 <= start < end:
            page = page[:start] + page[end:]
    return page


def levenshtein(a, b) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def cell_cost(x, y) -> float:
    """Return the cost of TEDS between two labels (tag, colspan, rowspan, content), or the gap."""
    if x is None or y is None:
        return 1.0
    if x[:3] != y[:3]:
        return 1.0
    a, b = tuple(x[3] or ()), tuple(y[3] or ())
    longer = max(len(a), len(b))
    return levenshtein(a, b) / longer if longer else 0.0


def tokens(element) -> list[str]:
    """Return the tokens of an element with its own tags, as PubTabNet's metric lists them."""
    found = [f"<{element.tag}>", *(element.text or "")]
    for child in element:
        found += tokens(child)
    if element.tag != "unk":
        found.append(f"</{element.tag}>")
    if element.tag != "td":
        found += element.tail or ""
    return found


def pubtabnet_nodes(page: str):
    """Return labels and parents of the table in a page, and the number of elements below it."""
    parser = html.HTMLParser(remove_comments=True, encoding="utf-8")
    table = html.fromstring(page, parser=parser).xpath("body/table")[0]
    labels, parents = [], []

    def walk(element, parent):
        node = len(labels)
        parents.append(parent)
        if element.tag == "td":
            spans = (int(element.get(name, "1")) for name in ("colspan", "rowspan"))
            labels.append(("td", *spans, tuple(tokens(element)[1:-1])))
            return
        labels.append((element.tag, None, None, None))
        for child in element:
            walk(child, node)

    walk(table, -1)
    return labels, parents, len(table.xpath(".//*"))


def slow_distance(x, y) -> float:
    """Return the distance of two lists of labels and parents by the twin of the product."""
    x, y = (SimpleNamespace(labels=side[0], parents=side[1]) for side in (x, y))
    return reference.table_distance(x, y, cell_cost)


MARKS = ('"', "'", "<", ">", "=", "/", " ", "&", '="', '"">', "<td ", "\u00a0", "\f", "\r", "&#34;")


def mutated(rng: random.Random, page: str) -> str:
    """Insert, remove and exchange marks of HTML, most of them inside of tags."""
    attributes = ("", " a", ' style="x"', " class='y'", ' colspan="2"', " rowspan=3", ' a="="')
    page = page.replace("<td", f"<td{rng.choice(attributes)}{rng.choice(attributes)}", 2)
    for _ in range(rng.randint(1, 4)):
        places = [i for i, letter in enumerate(page) if letter in "<>=\"' "]
        place = rng.choice(places) + rng.randint(0, 2)
        page = page[:place] + rng.choice(MARKS) + page[place + rng.randint(0, 1) :]
    return page


def walked(element, *, headers, plain, content):
    """Return labels, parents and the number of elements below an element of lxml."""
    labels, parents = [], []

    def name(element):
        return {etree.Comment: "!--", etree.ProcessingInstruction: "?"}.get(
            element.tag, element.tag
        )

    def tokens(element, *, outer):
        tag = name(element)
        found = ([f"<{tag}>"] if outer else []) + list(element.text or "")
        for child in element:
            found += tokens(child, outer=True)
            if child.tag != "td":
                found += child.tail or ""
        return found + ([f"</{tag}>"] if outer and tag != "unk" else [])

    def span(element, key):
        try:
            value = int(element.get(key, "1"))
        except ValueError:
            if not plain:
                raise
            return 1
        return max(1, value) if plain else value

    def cell(element):
        found = []
        for token in tokens(element, outer=False):
            if not plain or not token.isspace():
                found.append(token)
            elif found and found[-1] != " ":
                found.append(" ")
        if plain and found and found[-1] == " ":
            found.pop()
        text = "".join(found)
        written = {"characters": text, "dropped": "", "emptiness": "x" if found else ""}
        if content in written:
            return written[content]
        return text if all(len(token) == 1 for token in found) else tuple(found)

    def walk(element, parent):
        tag = name(element)
        node = len(labels)
        if tag == "td" or (tag == "th" and headers != "nodes"):
            kept = "td" if headers == "renamed" else tag
            spans = (span(element, key) for key in ("colspan", "rowspan"))
            labels.append((kept, *spans, cell(element) if kept == "td" else ""))
            parents.append(parent)
            return
        if plain and parent >= 0 and tag != "tr":
            if tag not in ("thead", "tbody", "tfoot"):
                return
            node = parent
        else:
            labels.append((tag, None, None, None))
            parents.append(parent)
        for child in element:
            walk(child, node)

    walk(element, -1)
    return labels, parents, len(element.xpath(".//*"))
