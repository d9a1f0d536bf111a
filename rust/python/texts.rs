//! Costs of labels with texts, such as the cells of tables.

use crate::cost::texts::TextCosts;
use crate::error::Error;
use crate::python::cost::CostTable;
use crate::python::run;
use crate::tree::markup::FIRST_TAG;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::sync::Arc;

/// The labels of some tables: tag, spans and content.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct TextTable {
    pub(super) costs: TextCosts,
}

#[pymethods]
impl TextTable {
    /// Labels are tuples (tag, colspan, rowspan, content).
    #[new]
    fn new(labels: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let py = labels.py();
        let (known, tags) = (PyDict::new(py), PyDict::new(py));
        let (mut classes, mut tokens, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for label in labels.iter() {
            let (class, content) = parts(&label)?;
            let known_class = known.get_item(&class)?;
            classes.push(if let Some(number) = known_class {
                number.extract()?
            } else {
                let number = known.len() as u32;
                known.set_item(class, number)?;
                number
            });
            append(&label, &content, &tags, &mut tokens)?;
            starts.push(tokens.len());
        }
        Ok(Self { costs: TextCosts::new(classes, tokens, starts)? })
    }

    /// The costs from some labels to others.
    fn table(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray1<'_, u32>,
        y: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<CostTable> {
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        let labels = self.costs.labels();
        if let Some(code) = x.iter().chain(y).find(|&&code| code as usize >= labels) {
            return Err(Error::Invalid(format!("code {code} for {labels} labels")).into());
        }
        let gather = |codes: &[u32]| Arc::new(self.costs.gather(codes));
        let table = run::briefly(py, || Ok(self.costs.table(&gather(x), &gather(y))))?;
        Ok(CostTable::of_labels(table))
    }

    /// The costs of replacing any label by any, not rounded.
    fn replace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let labels = self.costs.labels();
        let costs = run::watched(py, |cancel| self.costs.replace(cancel))?;
        PyArray1::from_vec(py, costs).reshape([labels, labels])
    }

    #[allow(clippy::unused_self)] // as tables do
    fn is_symmetric(&self) -> bool {
        true
    }
}

/// The first three parts of a label, and the content.
fn parts<'py>(label: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    match label.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 4 => Ok((tuple.get_slice(0, 3).into_any(), tuple.get_item(3)?)),
        _ => Err(PyValueError::new_err(format!(
            "the labels of TableCosts must be tuples (tag, colspan, rowspan, content); got {}",
            label.repr()?
        ))),
    }
}

/// Appends the tokens of a content: those of a text are its characters.
fn append<'py>(
    label: &Bound<'py, PyAny>,
    content: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyDict>,
    tokens: &mut Vec<u32>,
) -> PyResult<()> {
    let characters = |text: &Bound<'py, PyString>| -> PyResult<Vec<u32>> {
        // Not all texts of Python are Unicode texts.
        let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    };
    let wrong = |what: &Bound<'py, PyAny>| -> PyErr {
        let kind = what.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        let shown = label.repr().map_or_else(|_| String::new(), |text| text.to_string());
        PyTypeError::new_err(format!(
            "the content of a label of TableCosts must be a str, a tuple of str or None; got {kind} \
             in {shown}"
        ))
    };
    if content.is_none() {
        return Ok(());
    }
    if let Ok(text) = content.cast::<PyString>() {
        tokens.extend(characters(text)?);
        return Ok(());
    }
    let Ok(list) = content.cast::<PyTuple>() else { return Err(wrong(content)) };
    for token in list.iter() {
        let Ok(text) = token.cast::<PyString>() else { return Err(wrong(&token)) };
        if let [character] = characters(text)?[..] {
            tokens.push(character);
        } else if let Some(number) = tags.get_item(text)? {
            tokens.push(number.extract()?);
        } else {
            let number = FIRST_TAG + tags.len() as u32;
            tags.set_item(text, number)?;
            tokens.push(number);
        }
    }
    Ok(())
}
