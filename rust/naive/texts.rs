//! Slow readers: trees by recursion.

/// Label and parent of each node, in preorder.
type Labelled = Vec<(String, i32)>;

/// The forest in bracket notation; `None` for what is none.
pub(crate) fn read_bracket(text: &str) -> Option<Labelled> {
    let mut nodes = Labelled::new();
    below(&text.chars().collect::<Vec<_>>(), &mut 0, -1, &mut nodes)?;
    Some(nodes)
}

/// One call per node, on characters.
fn below(text: &[char], at: &mut usize, parent: i32, out: &mut Labelled) -> Option<()> {
    while let Some(&c) = text.get(*at) {
        if c == '{' {
            *at += 1;
            let mut label = String::new();
            while !matches!(text.get(*at)?, '{' | '}') {
                label.push(match (text[*at], text.get(*at + 1)) {
                    ('\\', Some('n')) => '\n',
                    ('\\', Some('r')) => '\r',
                    ('\\', Some(&c @ ('{' | '}' | '\\'))) => c,
                    ('\\', _) => return None,
                    (c, _) => c,
                });
                *at += if text[*at] == '\\' { 2 } else { 1 };
            }
            out.push((label, parent));
            below(text, at, out.len() as i32 - 1, out)?;
            (text.get(*at) == Some(&'}')).then_some(())?;
            *at += 1;
        } else if c.is_whitespace() {
            *at += 1;
        } else {
            return (c == '}' && parent >= 0).then_some(());
        }
    }
    Some(())
}

/// Nodes in the order of a walk and the places of their parents, if the lists of children are a
/// forest with these roots; without roots, if they are one tree, or none.
pub(crate) fn preorder(
    children: &[Vec<i64>],
    roots: Option<&[i64]>,
) -> Option<(Vec<u32>, Vec<i32>)> {
    fn walk(children: &[Vec<i64>], node: usize, parent: i32, out: &mut (Vec<u32>, Vec<i32>)) {
        let place = out.0.len() as i32;
        out.0.push(node as u32);
        out.1.push(parent);
        for &child in &children[node] {
            walk(children, child as usize, place, out);
        }
    }
    let n = children.len();
    let mut mentions = vec![0; n];
    for &child in children.iter().flatten() {
        *mentions.get_mut(usize::try_from(child).ok()?)? += 1;
    }
    let found: Vec<i64> = (0..n as i64).filter(|&node| mentions[node as usize] == 0).collect();
    if let Some(listed) = roots {
        let mut sorted = listed.to_vec();
        sorted.sort_unstable();
        if sorted != found {
            return None;
        }
    } else if found.len() != n.min(1) {
        return None;
    }
    if mentions.iter().any(|&times| times > 1) {
        return None;
    }
    let mut out = (Vec::new(), Vec::new());
    for &root in roots.unwrap_or(&found) {
        walk(children, root as usize, -1, &mut out);
    }
    // What no root reaches hangs below a cycle.
    (out.0.len() == n).then_some(out)
}
