//! Small tables, each with what becomes of it.

use super::*;

const ORIGINAL: TableRules = TableRules {
    headers: Headers::Nodes,
    rows_only: false,
    collapse: false,
    content: Content::Tokens,
};

/// Numbers as spans; texts get a mark, and are counted.
#[derive(Default)]
struct Hooks {
    mark: Option<&'static str>,
    calls: usize,
}

impl TableHooks for Hooks {
    type Failure = Error;

    fn span(&mut self, text: &str) -> Result<i64> {
        text.trim().parse().map_err(|_| Error::Invalid(format!("bad span {text:?}")))
    }

    fn normalize(&mut self, text: &str) -> Result<Option<String>> {
        self.calls += 1;
        Ok(self.mark.map(|mark| format!("{text}{mark}")))
    }
}

/// The nodes as text: tag, parent, spans, content.
fn shown(markup: &str, rules: TableRules, hooks: &mut Hooks) -> Result<(Vec<String>, usize)> {
    let mut labels = TableLabels::default();
    let table = labels.scan(markup, rules, hooks)?;
    let nodes = table.codes.iter().zip(&table.parents).map(|(&code, parent)| {
        let label = &labels.labels[code as usize];
        let tag = labels.name(label.tag);
        let cell = label.spans.map(|(columns, rows)| {
            let tokens = label.content.iter().map(|&token| labels.text(&[token]));
            format!(" {columns}x{rows} {}", tokens.collect::<Vec<_>>().join("|"))
        });
        format!("{tag} {parent}{}", cell.unwrap_or_default())
    });
    Ok((nodes.collect(), table.elements))
}

fn nodes(markup: &str, rules: TableRules) -> Vec<String> {
    shown(markup, rules, &mut Hooks::default()).unwrap().0
}

#[test]
fn cells_are_leaves_with_tokens() {
    let markup = "<table><tr><td colspan=\"2\">a&amp;<b>c<i/></b>d</td>tail<td/></tr></table>";
    let (found, elements) = shown(markup, ORIGINAL, &mut Hooks::default()).unwrap();
    let cell = "td 1 2x1 a|&|<b>|c|<i>|</i>|</b>|d";
    assert_eq!(found, ["table -1", "tr 0", cell, "td 1 1x1 "]);
    assert_eq!(elements, 5);
}

#[test]
fn headers_are_as_the_rules_say() {
    let markup = "<table><tr><th rowspan=\"3\">a<b>c</b></th></tr></table>";
    assert_eq!(nodes(markup, ORIGINAL), ["table -1", "tr 0", "th 1", "b 2"]);
    let cells = TableRules { headers: Headers::Cells, ..ORIGINAL };
    assert_eq!(nodes(markup, cells), ["table -1", "tr 0", "th 1 1x3 "]);
    let renamed = TableRules { headers: Headers::Renamed, ..ORIGINAL };
    assert_eq!(nodes(markup, renamed)[2], "td 1 1x3 a|<b>|c|</b>");
}

#[test]
fn rows_and_cells_alone_can_be_kept() {
    let markup = "<table><caption>x<td>y</td></caption><colgroup><col/></colgroup><tbody><tr><td> a \
                  \u{a0}b </td></tr></tbody><tr/><!--c--><tfoot/></table>";
    let rules = TableRules { rows_only: true, collapse: true, ..ORIGINAL };
    assert_eq!(nodes(markup, rules), ["table -1", "tr 0", "td 1 1x1 a| |b", "tr 0"]);
}

#[test]
fn names_of_attributes_may_contain_quotes() {
    for (attributes, cell) in [
        ("a\"b=\"\"", "td 0 1x1 x"),
        ("a=\"1\" \"=\"\" colspan=\"2\"", "td 0 2x1 x"),
        ("=x=\"\" =\"=\"\" ==\"\" rowspan=\"3\" ", "td 0 1x3 x"),
        ("a<'b=\"colspan='2'\"", "td 0 1x1 x"),
        ("\u{a0}colspan=\"2\" \u{b}rowspan=\"2\"", "td 0 1x1 x"),
        ("xmlns:a='u\"v' colspan=\"4\"", "td 0 4x1 x"),
    ] {
        let markup = format!("<t><td {attributes}>x</td><td {attributes} /></t>");
        let found = nodes(&markup, ORIGINAL);
        assert_eq!(found, ["t -1", cell, &cell[..cell.len() - 1]], "{attributes}");
    }
}

#[test]
fn special_content_is_read_as_lxml_has_it() {
    for (inside, tokens) in [
        ("<unk>b</unk>c", "<unk>|b|c"),
        ("<unk/>", "<unk>"),
        ("a<!--b&-->c", "a|<!-->|b|&|</!-->|c"),
        ("<?php x?>y", "<?>|x|</?>|y"),
        ("<![CDATA[<&]]>", "<|&"),
        ("&#13;&#x41;&quot;&apos;&lt;&gt;", "\r|A|\"|'|<|>"),
        ("<td>x</td>y<b/>z", "<td>|x|</td>|<b>|</b>|z"),
        ("<a title=\"&gt; &lt;\" b=\"\">x</a>", "<a>|x|</a>"),
    ] {
        let found = nodes(&format!("<t><td>{inside}</td></t>"), ORIGINAL);
        assert_eq!(found[1], format!("td 0 1x1 {tokens}"), "{inside}");
    }
    assert_eq!(nodes("<t><!--x--><?y z?></t>", ORIGINAL), ["t -1", "!-- 0", "? 0"]);
}

#[test]
fn texts_are_normalized_once_each() {
    let markup = "<t><td>a</td><td>a</td><td>b<i>c</i></td></t>";
    let mut hooks = Hooks { mark: Some("!"), calls: 0 };
    let found = shown(markup, ORIGINAL, &mut hooks).unwrap().0;
    assert_eq!(found[1..], ["td 0 1x1 a|!", "td 0 1x1 a|!", "td 0 1x1 b|<|i|>|c|<|/|i|>|!"]);
    assert_eq!(hooks.calls, 2);
    let content = |content| nodes(markup, TableRules { content, ..ORIGINAL });
    assert_eq!(content(Content::Dropped)[3], "td 0 1x1 ");
    assert_eq!(content(Content::Emptiness)[3], "td 0 1x1 x");
    assert_eq!(content(Content::Characters)[3], "td 0 1x1 b|<|i|>|c|<|/|i|>");
}

#[test]
fn markup_that_is_not_well_formed_is_refused() {
    for bad in [
        "",
        "text",
        "<t>",
        "<t><td>",
        "<t",
        "</t>",
        "<t/></t>",
        "<t/><t/>",
        "<t><!--</t>",
        "<t>&x;</t>",
        "<t>&#xD800;</t>",
        "<t>&</t>",
        "<td colspan=\"1></td>",
        "<td colspan></td>",
        "<td colspan=1></td>",
        "<td a b=\"\"></td>",
        "<t><td colspan=\"x\"/></t>",
        "<t><caption>",
        "<tr></tr></tr>",
    ] {
        let rules = TableRules { rows_only: true, ..ORIGINAL };
        for rules in [ORIGINAL, rules] {
            assert!(shown(bad, rules, &mut Hooks::default()).is_err(), "{bad}");
        }
    }
}
