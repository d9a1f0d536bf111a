//! HTML tables: trees from their markup, and the distance of two of them.

use crate::cost::MeetingCosts;
use crate::cost::texts::TextCosts;
use crate::distance::{PairPlan, Scratch, Workspace, planned_distance};
use crate::error::{Error, Result};
use crate::pair::{Costs, LocalLabels, Operand, Pair};
use crate::parallel::Cancel;
use crate::python::distance::{LONG_PAIR, WORKSPACE};
use crate::python::run;
use crate::python::tree::{Labels, TreeData};
use crate::tree::markup::{
    Content, FIRST_TAG, Headers, ScannedTable, TableHooks, TableLabel, TableLabels, TableRules,
};
use crate::tree::{Numbering, Prepared};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple};
use std::collections::HashMap;

/// Rules as they come from Python: what becomes of `th`; whether only rows and cells are nodes,
/// white space is collapsed, and bad spans are 1; what becomes of content.
type GivenRules<'a> = (&'a str, bool, &'a str);

/// The distance of two tables, the number of elements below each root, and the nodes of each tree.
type TedsParts = (f64, (usize, usize), (usize, usize));

fn rules((headers, plain, content): GivenRules<'_>) -> PyResult<TableRules> {
    let headers = match headers {
        "nodes" => Headers::Nodes,
        "cells" => Headers::Cells,
        "renamed" => Headers::Renamed,
        _ => return Err(Error::Invalid(format!("there are no headers {headers:?}")).into()),
    };
    let content = match content {
        "dropped" => Content::Dropped,
        "tokens" => Content::Tokens,
        "characters" => Content::Characters,
        "emptiness" => Content::Emptiness,
        _ => return Err(Error::Invalid(format!("there is no content {content:?}")).into()),
    };
    Ok(TableRules { headers, rows_only: plain, collapse: plain, content })
}

fn text(markup: &[u8]) -> Result<&str> {
    str::from_utf8(markup).map_err(|_| Error::Invalid("the markup must be UTF-8".to_owned()))
}

/// Python's own numbers, and a function of the user.
struct Hooks<'a, 'py> {
    py: Python<'py>,
    /// Whether a span that is no positive number is 1.
    lenient: bool,
    normalize: Option<&'a Bound<'py, PyAny>>,
    /// Spans that are too large for 64 bits: they count as different if their digits differ.
    huge: Vec<String>,
}

impl<'a, 'py> Hooks<'a, 'py> {
    fn new(py: Python<'py>, lenient: bool, normalize: Option<&'a Bound<'py, PyAny>>) -> Self {
        Self { py, lenient, normalize, huge: Vec::new() }
    }

    /// The number that stands for a span that is too large.
    fn huge(&mut self, value: &Bound<'_, PyAny>) -> PyResult<i64> {
        let digits = value.str()?.to_string();
        if digits.starts_with('-') && self.lenient {
            return Ok(1);
        }
        let known = self.huge.iter().position(|known| *known == digits);
        let place = known.unwrap_or_else(|| {
            self.huge.push(digits);
            self.huge.len() - 1
        });
        Ok(i64::MAX - place as i64)
    }
}

impl TableHooks for Hooks<'_, '_> {
    type Failure = PyErr;

    fn span(&mut self, text: &str) -> PyResult<i64> {
        let digits = text.as_bytes();
        let plain = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
        let value = if plain {
            text.parse().unwrap_or(0)
        } else {
            match self.py.get_type::<PyInt>().call1((text,)) {
                Err(_) if self.lenient => 1,
                Err(error) => return Err(error),
                Ok(value) => value.extract().or_else(|_| self.huge(&value))?,
            }
        };
        Ok(if self.lenient { value.max(1) } else { value })
    }

    fn normalize(&mut self, text: &str) -> PyResult<Option<String>> {
        let Some(normalize) = self.normalize else { return Ok(None) };
        let found = normalize.call1((text,))?;
        let Ok(found) = found.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "normalize must return a str; got {} for {text:?}",
                found.get_type().name()?
            )));
        };
        Ok(Some(found.to_str()?.to_owned()))
    }
}

/// Costs between the labels of tables.
fn costs_of(labels: Vec<TableLabel>) -> Result<TextCosts> {
    let (mut known, mut classes) = (HashMap::new(), Vec::with_capacity(labels.len()));
    let (mut tokens, mut starts) = (Vec::new(), vec![0]);
    for label in labels {
        let next = known.len() as u32;
        classes.push(*known.entry((label.tag, label.spans)).or_insert(next));
        tokens.extend(label.content);
        starts.push(tokens.len());
    }
    TextCosts::new(classes, tokens, starts)
}

/// The distance of two tables, the number of elements below each root, and the nodes of each tree.
#[pyfunction]
#[pyo3(name = "teds_pair", signature = (pred, true_, given, normalize, go_on))]
pub(super) fn pair(
    py: Python<'_>,
    pred: &[u8],
    true_: &[u8],
    given: GivenRules<'_>,
    normalize: Option<&Bound<'_, PyAny>>,
    go_on: Option<Py<PyAny>>,
) -> PyResult<TedsParts> {
    let rules = rules(given)?;
    let mut hooks = Hooks::new(py, given.1, normalize);
    let mut labels = TableLabels::default();
    let x = labels.scan(text(pred)?, rules, &mut hooks)?;
    let y = labels.scan(text(true_)?, rules, &mut hooks)?;
    let (elements, nodes) = ((x.elements, y.elements), (x.codes.len(), y.codes.len()));
    let cells = 3.0 * nodes.0 as f64 * nodes.1 as f64;
    let found = labels.labels;
    let distance = if cells < LONG_PAIR {
        run::briefly(py, || {
            let cancel = Cancel::default();
            WORKSPACE.with_borrow_mut(|space| table_distance(&x, &y, found, space, &cancel))
        })
    } else {
        run::watched_while(py, go_on, |cancel| {
            table_distance(&x, &y, found, &mut Workspace::default(), cancel)
        })
    }?;
    Ok((distance, elements, nodes))
}

fn table_distance(
    x: &ScannedTable,
    y: &ScannedTable,
    labels: Vec<TableLabel>,
    workspace: &mut Workspace,
    cancel: &Cancel,
) -> Result<f64> {
    if x.codes == y.codes && x.parents == y.parents {
        return Ok(0.0);
    }
    let costs = costs_of(labels)?;
    let mut numbering = Numbering::default();
    let mut prepare =
        |table: &ScannedTable| Prepared::new(&table.codes, &table.parents, &mut numbering);
    let (x, y) = (prepare(x), prepare(y));
    let meeting = MeetingCosts::Texts(&costs);
    let local = |tree| LocalLabels::new(meeting, std::iter::once(tree), None);
    let (of_x, of_y) = (local(&x), local(&y));
    let table = of_x.table_for_one(meeting, &of_y);
    let pair = Pair {
        x: Operand { tree: &x, codes: Some(&of_x.codes) },
        y: Operand { tree: &y, codes: Some(&of_y.codes) },
        costs: Costs::Table(&table),
    };
    let plan = PairPlan::new(&pair);
    planned_distance(&pair, &plan, &mut Scratch { workspace, cancel })
}

/// The tree of a table, with labels (tag, colspan, rowspan, content), and the elements below its
/// root.
#[pyfunction]
#[pyo3(name = "table_tree", signature = (markup, given, normalize))]
pub(super) fn tree(
    py: Python<'_>,
    markup: &[u8],
    given: GivenRules<'_>,
    normalize: Option<&Bound<'_, PyAny>>,
) -> PyResult<(TreeData, usize)> {
    let mut hooks = Hooks::new(py, given.1, normalize);
    let mut labels = TableLabels::default();
    let table = labels.scan(text(markup)?, rules(given)?, &mut hooks)?;
    let mut known = Labels::new(py);
    for label in &labels.labels {
        known.code(&python_label(py, &labels, label, &hooks.huge)?)?;
    }
    Ok((TreeData::build(known, table.codes, table.parents)?, table.elements))
}

fn python_label<'py>(
    py: Python<'py>,
    labels: &TableLabels,
    label: &TableLabel,
    huge: &[String],
) -> PyResult<Bound<'py, PyAny>> {
    let tag = labels.name(label.tag);
    let Some((columns, rows)) = label.spans else {
        return Ok((tag, py.None(), py.None(), py.None()).into_pyobject(py)?.into_any());
    };
    let number = |span: i64| match huge.get(usize::try_from(i64::MAX - span).unwrap_or(usize::MAX))
    {
        Some(digits) => py.get_type::<PyInt>().call1((digits,)),
        None => Ok(span.into_pyobject(py)?.into_any()),
    };
    let content = if label.content.iter().all(|&token| token < FIRST_TAG) {
        PyString::new(py, &labels.text(&label.content)).into_any()
    } else {
        let tokens = label.content.iter().map(|&token| labels.text(&[token]));
        PyTuple::new(py, tokens.collect::<Vec<_>>())?.into_any()
    };
    Ok((tag, number(columns)?, number(rows)?, content).into_pyobject(py)?.into_any())
}
