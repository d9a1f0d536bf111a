//! Trees in files: the texts are read and written by the core, labels are decoded in Python.

use crate::python::run;
use crate::tree::intern::Parsed;
use crate::tree::{bracket, jsonl};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Alphabet, codes, parents, offsets.
type Columns<'py> =
    (Vec<String>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>);
type Texts = Option<Vec<String>>;

fn columns(py: Python<'_>, parsed: Parsed) -> (Columns<'_>, Texts, Texts) {
    let codes = PyArray1::from_vec(py, parsed.codes);
    let parents = PyArray1::from_vec(py, parsed.parents);
    let offsets = PyArray1::from_vec(py, parsed.offsets);
    ((parsed.alphabet, codes, parents, offsets), parsed.ids, parsed.classes)
}

/// Trees of a bracket file, one per line; labels are texts.
#[pyfunction]
pub(super) fn read_bracket<'py>(py: Python<'py>, text: &str) -> PyResult<Columns<'py>> {
    let parsed = run::watched(py, |cancel| bracket::parse_lines(text, cancel))?;
    Ok(columns(py, parsed).0)
}

/// Trees of a JSON Lines file; labels, ids and classes are JSON texts.
#[pyfunction]
pub(super) fn read_jsonl<'py>(
    py: Python<'py>,
    text: &str,
) -> PyResult<(Columns<'py>, Texts, Texts)> {
    let parsed = run::watched(py, |cancel| jsonl::parse(text, cancel))?;
    Ok(columns(py, parsed))
}

/// One line per tree; `labels` are the texts of the alphabet.
#[pyfunction]
pub(super) fn write_bracket(
    py: Python<'_>,
    labels: Vec<String>,
    codes: PyReadonlyArray1<'_, i32>,
    parents: PyReadonlyArray1<'_, i32>,
    offsets: PyReadonlyArray1<'_, i64>,
) -> PyResult<String> {
    let (codes, parents) = (codes.as_slice()?, parents.as_slice()?);
    let offsets = offsets.as_slice()?;
    run::watched(py, |cancel| {
        let mut text = String::new();
        for bounds in offsets.windows(2) {
            cancel.check()?;
            let nodes = bounds[0] as usize..bounds[1] as usize;
            bracket::write(&labels, &codes[nodes.clone()], &parents[nodes], &mut text);
            text.push('\n');
        }
        Ok(text)
    })
}

/// One line per tree; `labels`, `ids` and `classes` are JSON texts.
#[pyfunction]
pub(super) fn write_jsonl(
    labels: Vec<String>,
    codes: PyReadonlyArray1<'_, i32>,
    parents: PyReadonlyArray1<'_, i32>,
    offsets: PyReadonlyArray1<'_, i64>,
    ids: Texts,
    classes: Texts,
) -> PyResult<String> {
    let py = codes.py();
    let (codes, parents) = (codes.as_slice()?, parents.as_slice()?);
    let offsets = offsets.as_slice()?;
    run::watched(py, |cancel| {
        let mut text = String::new();
        for (tree, bounds) in offsets.windows(2).enumerate() {
            cancel.check()?;
            let nodes = bounds[0] as usize..bounds[1] as usize;
            let of = |texts: &'_ Texts| texts.as_ref().and_then(|texts| texts.get(tree)).cloned();
            let (id, class) = (of(&ids), of(&classes));
            let (codes, parents) = (&codes[nodes.clone()], &parents[nodes]);
            jsonl::write_line(&labels, codes, parents, id.as_deref(), class.as_deref(), &mut text);
            text.push('\n');
        }
        Ok(text)
    })
}
