//! Tables, round trips and the obvious twin of the JSON Lines reader.

use super::*;
use crate::tree::intern::testing::{Plain, buffers, forest, label, nodes, plain};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Parsed> {
    super::parse(text, &Cancel::default())
}

fn written(tree: &Plain, id: Option<&str>, class: Option<&str>) -> String {
    let (labels, codes, parents) = buffers(tree);
    let mut out = String::new();
    write_line(&labels, &codes, &parents, id, class, &mut out);
    out
}

fn json(label: &str) -> String {
    let mut out = String::new();
    push_json(label, &mut out);
    out
}

#[test]
fn reads_and_writes_trees() {
    // Each line with its labels and parents in preorder, and the way it is written again.
    type Case = (&'static str, &'static [(&'static str, i32)], &'static str);
    let table: &[Case] = &[
        (r#"{"nodes": [], "adj": []}"#, &[], r#"{"nodes":[],"adj":[]}"#),
        (r#"{"bracket": " "}"#, &[], r#"{"nodes":[],"adj":[]}"#),
        (r#"{"adj":[[]],"nodes":[1]}"#, &[("1", -1)], r#"{"nodes":[1],"adj":[[]]}"#),
        (
            r#" {"nodes": ["c", null, [1, "{"], true], "adj": [[], [2, 0], [], [1]], "x": {}} "#,
            &[("true", -1), ("null", 0), (r#"[1, "{"]"#, 1), (r#""c""#, 1)],
            r#"{"nodes":[true,null,[1, "{"],"c"],"adj":[[1],[2,3],[],[]]}"#,
        ),
        (
            r#"{"nodes": ["a", "b", -2.5e3], "adj": [[], [2], []], "roots": [1, 0]}"#,
            &[(r#""b""#, -1), ("-2.5e3", 0), (r#""a""#, -1)],
            r#"{"nodes":["b",-2.5e3,"a"],"adj":[[1],[],[]],"roots":[0,2]}"#,
        ),
        (
            r#"{"bracket": "{a{}{\\n\"}}{b}", "nodes": null, "roots": null}"#,
            &[(r#""a""#, -1), (r#""""#, 0), (r#""\n\"""#, 0), (r#""b""#, -1)],
            r#"{"nodes":["a","","\n\"","b"],"adj":[[1,2],[],[],[]],"roots":[0,3]}"#,
        ),
    ];
    for &(line, expected, again) in table {
        let tree = plain(&parse(line).unwrap(), 0);
        let expected = nodes(expected);
        assert_eq!(tree, expected, "{line}");
        assert_eq!(written(&tree, None, None), again, "{line}");
        assert_eq!(plain(&parse(again).unwrap(), 0), expected, "{line}");
    }
}

#[test]
fn one_alphabet_for_both_forms_and_all_spellings() {
    let text = r#"
        {"nodes": ["b", "a\u00e9", "\/"], "adj": [[], [2, 0], []]}
        {"bracket": "{b{aé}{/}}"}

        {"nodes": ["a\u00E9", "\ud800", "\u001f", 1, 1.0], "adj": [[1, 2, 3, 4], [], [], [], []]}
    "#;
    let parsed = parse(text).unwrap();
    let expected = [r#""aé""#, r#""/""#, r#""b""#, r#""\ud800""#, r#""\u001f""#, "1", "1.0"];
    assert_eq!(parsed.alphabet, expected);
    assert_eq!(parsed.codes, [0, 1, 2, 2, 0, 1, 0, 3, 4, 5, 6]);
    assert_eq!(parsed.offsets, [0, 3, 6, 11]);
}

#[test]
fn ids_and_classes_are_there_if_any_line_has_one() {
    let tree = vec![];
    let lines = [
        written(&tree, None, None),
        written(&tree, Some("7"), None),
        written(&tree, None, Some(r#"["x", 1]"#)),
    ];
    assert_eq!(lines[1], r#"{"id":7,"nodes":[],"adj":[]}"#);
    assert_eq!(lines[2], r#"{"label":["x", 1],"nodes":[],"adj":[]}"#);
    assert_eq!(written(&tree, Some("1"), Some("2")), r#"{"id":1,"label":2,"nodes":[],"adj":[]}"#);
    let some = |texts: [&str; 3]| Some(texts.map(str::to_owned).to_vec());
    let parsed = parse(&lines.join("\r\n")).unwrap();
    assert_eq!(parsed.ids, some(["null", "7", "null"]));
    assert_eq!(parsed.classes, some(["null", "null", r#"["x", 1]"#]));
    let parsed = parse(&format!("\u{feff}\n{}\n", lines[0])).unwrap();
    assert_eq!((parsed.ids, parsed.classes), (None, None));
    assert_eq!(parsed.offsets, [0, 0]);
    assert_eq!(parse("").unwrap(), Parsed::new());
}

#[test]
fn faults_name_line_and_place() {
    let table = [
        ("[[],[]]", "line 2, position 0: expected a JSON object"),
        (" 3", "line 2, position 1: expected a JSON object"),
        (r#"{"é": nil}"#, "line 2, position 7: expected ident"),
        (r#"{"nodes": ["#, "line 2, position 10: EOF while parsing a list"),
        (r"{} x", "line 2, position 3: trailing characters"),
        (
            r#"{"nodes": [], "adj": [1]}"#,
            "line 2, position 22: invalid type: integer `1`, expected an array of node numbers",
        ),
        (
            r#"{"nodes": [], "adj": [[0.5]]}"#,
            "line 2, position 25: invalid type: floating point `0.5`, expected i64",
        ),
        (r#"{"id": 1, "id": 2}"#, "line 2, position 13: duplicate field `id`"),
        (
            r#"{"bracket": "{a"}"#,
            "line 2, position 2: in the text of \"bracket\", the text ends here, but 1 opening \
             brace is not closed",
        ),
        ("{}", r#"line 2: expected "nodes" and "adj", or "bracket""#),
        (r#"{"nodes": []}"#, r#"line 2: there is "nodes" but no "adj""#),
        (r#"{"adj": []}"#, r#"line 2: there is "adj" but no "nodes""#),
        (
            r#"{"bracket": "", "roots": []}"#,
            r#"line 2: "bracket" excludes "nodes", "adj" and "roots""#,
        ),
        (
            r#"{"nodes": [1, 2], "adj": [[1]]}"#,
            "line 2: there are 2 nodes, but lists of children for 1",
        ),
        (
            r#"{"nodes": [1, 2], "adj": [[1], [2]]}"#,
            "line 2: node 1 has the child 2, but the nodes are 0 to 1",
        ),
        (r#"{"nodes": [1, 2], "adj": [[1], [0]]}"#, "line 2: node 0 is on a cycle"),
    ];
    for (line, message) in table {
        let text = format!("{{\"bracket\": \"\"}}\n{line}\n");
        assert_eq!(parse(&text).unwrap_err().to_string(), message, "{line}");
    }
    for label in [r#"{"a": 1}"#, "[[1], {}]", r#"["\"", {}]"#] {
        let text = format!(r#"{{"nodes": [0, {label}], "adj": [[1], []]}}"#);
        let message = parse(&text).unwrap_err().to_string();
        assert!(
            message.starts_with("line 1: the label of node 1 is or holds a JSON object"),
            "{message}"
        );
    }
}

#[test]
fn a_long_chain_needs_no_recursion() {
    let n = if cfg!(miri) { 1_000 } else { 1_000_000 };
    let parents: Vec<i32> = (-1..n - 1).collect();
    let mut line = String::new();
    write_line(&["[]"], &vec![0; n as usize], &parents, None, None, &mut line);
    assert!(parse(&line).unwrap().parents == parents);
    // A label as deep as that is text like any other.
    let label = "[".repeat(n as usize) + &"]".repeat(n as usize);
    let parsed = parse(&format!(r#"{{"nodes": [{label}], "adj": [[]]}}"#)).unwrap();
    assert!(parsed.alphabet[0] == label);
}

/// Strings and numbers as JSON.
fn json_label() -> impl Strategy<Value = String> {
    prop_oneof![label().prop_map(|label| json(&label)), any::<i64>().prop_map(|i| i.to_string())]
}

/// The obvious twin: the whole line as a value, one call per node.
fn naive(line: &str) -> Plain {
    fn visit(value: &Value, node: &Value, parent: i32, out: &mut Plain) {
        let node = node.as_u64().unwrap() as usize;
        let place = out.len() as i32;
        out.push((value["nodes"][node].to_string(), parent));
        for child in value["adj"][node].as_array().unwrap() {
            visit(value, child, place, out);
        }
    }
    let value: Value = serde_json::from_str(line).unwrap();
    let size = value["nodes"].as_array().unwrap().len();
    let roots = value.get("roots").cloned();
    let roots = roots.unwrap_or_else(|| (0..size.min(1)).collect());
    let mut out = vec![];
    for root in roots.as_array().unwrap() {
        visit(&value, root, -1, &mut out);
    }
    out
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(trees in prop::collection::vec(forest(json_label()), 0..4)) {
        let line = |tree| written(tree, Some("1"), None) + "\n";
        let parsed = parse(&trees.iter().map(line).collect::<String>()).unwrap();
        prop_assert_eq!(parsed.offsets.len(), trees.len() + 1);
        for (i, tree) in trees.iter().enumerate() {
            prop_assert_eq!(&plain(&parsed, i), tree);
            prop_assert_eq!(&naive(&line(tree)), tree);
        }
    }

    #[test]
    fn both_forms_say_the_same(tree in forest(label())) {
        let (labels, codes, parents) = buffers(&tree);
        let mut bracket = String::new();
        crate::tree::bracket::write(&labels, &codes, &parents, &mut bracket);
        let line = format!(r#"{{"bracket": {}}}"#, json(&bracket));
        let as_json = tree.iter().map(|(label, parent)| (json(label), *parent)).collect();
        prop_assert_eq!(parse(&line).unwrap(), parse(&written(&as_json, None, None)).unwrap());
    }

    #[test]
    fn no_text_makes_it_panic(text in r#"([{}\[\],:0-3" \n-]|"(nodes|adj|roots|bracket)":){0,30}"#) {
        let _ = parse(&text);
    }
}
