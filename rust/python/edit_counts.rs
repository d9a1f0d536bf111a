//! Counts of edits: of many pairs, and of one pair without sets around its trees.

use crate::error::{Error, Result};
use crate::pair::{SetCosts, Side};
use crate::pairwise::edits::{self, CountRequest, Counts, Script};
use crate::python::align::on_pair_with;
use crate::python::cost::{CostTable, ResolvedCosts, with_set_costs};
use crate::python::distance::match_labels;
use crate::python::run::{self, Work};
use crate::python::set::PreparedSet;
use crate::python::tree::TreeData;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Edit counts of pairs as the arrays of a CSR matrix: values, columns, row starts. The last two are
/// of 32 bits if all numbers and both sides of the matrix fit, as SciPy has it.
type Csr<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Whether to average, the temperature, and the tolerance of ties.
type GivenScript = (bool, Option<f64>, Option<f64>);

/// For each label of the second set its symbol, if it is not its code, as it is for the first; the number
/// of symbols; the pairs of trees; what is added to the second tree of a pair.
type SymbolsAndPairs<'py> =
    (Option<PyReadonlyArray1<'py, u32>>, u32, PyReadonlyArray2<'py, i64>, usize);

/// Counts how often each symbol is edited into each other one, for pairs of trees.
#[pyfunction]
pub(super) fn edit_counts<'py>(
    py: Python<'py>,
    sets: (Bound<'py, PreparedSet>, Bound<'py, PreparedSet>),
    resolved: ResolvedCosts<'py>,
    counted: SymbolsAndPairs<'py>,
    script: GivenScript,
    work: Work,
) -> PyResult<Csr<'py>> {
    let ((codes_x, codes_y), costs) = resolved;
    let (of_y, symbols, pairs, shift) = counted;
    let (script, tolerance) = script_of(script);
    let (threads, progress) = work;
    let codes_x = codes_x.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let codes_y = codes_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let x = Side { trees: &sets.0.get().trees, codes: codes_x };
    let y = Side { trees: &sets.1.get().trees, codes: codes_y };
    let own: Vec<_> = (0..symbols).collect();
    let of_y = of_y.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let symbol_of = (&own[..], of_y.unwrap_or(&own));
    let (n, m) = (x.trees.len(), y.trees.len());
    let index = |given: i64, shift: usize, count: usize| {
        let found = usize::try_from(given).ok()?.checked_add(shift)?;
        (found < count).then_some(found as u32)
    };
    let pairs = pairs.as_slice()?.chunks_exact(2).map(|pair| {
        let found = (index(pair[0], 0, n), index(pair[1], shift, m));
        let (Some(i), Some(j)) = found else {
            return Err(Error::Invalid(format!(
                "pairs must be in the range [0, {n}) x [0, {m}); got {pair:?}"
            )));
        };
        Ok((i, j))
    });
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    let mut rows = vec![Vec::new(); pairs.len()];
    with_set_costs(py, costs.as_ref(), |costs| {
        let request = CountRequest { x, y, symbol_of, symbols, costs, script, tolerance };
        run::enter(py, progress, pairs.len() as u64, |cancel, poll| {
            let store = |position: usize, counts| rows[position] = counts;
            edits::edit_counts(&request, &pairs, threads, cancel, store, poll)
        })
    })?;
    Ok(csr(py, &rows, symbols))
}

/// Counts the edits of one pair as the only row of a matrix; with the symbols: the labels of `x`, then those
/// that only `y` has. Without a table, by unit costs; without an index, as for a distance. `how` is the
/// script and the number of threads.
#[pyfunction]
pub(super) fn pair_edit_counts<'py>(
    py: Python<'py>,
    x: &Bound<'py, TreeData>,
    y: &Bound<'py, TreeData>,
    table: Option<&Bound<'py, CostTable>>,
    index: Option<&Bound<'py, PyDict>>,
    how: (GivenScript, usize),
) -> PyResult<(Bound<'py, PyTuple>, Csr<'py>)> {
    let (script, threads) = how;
    let (script, tolerance) = script_of(script);
    let known = x.get().alphabet.bind(py);
    let mut of_y = Vec::new();
    match_labels(py, x.get(), y.get(), &mut of_y)?;
    let of_x: Vec<_> = (0..known.len() as u32).collect();
    let new: Vec<_> = (0..of_y.len()).filter(|&label| of_y[label] >= known.len() as u32).collect();
    let alphabet = if new.is_empty() {
        known.clone()
    } else {
        let others = y.get().alphabet.bind(py);
        let new = new.into_iter().map(|label| others.get_item(label));
        PyTuple::new(py, known.iter().map(Ok).chain(new).collect::<PyResult<Vec<_>>>()?)?
    };
    let symbols = alphabet.len() as u32;
    let trees = (x.get().prepared(), y.get().prepared());
    let more = edits::extra_work(trees.0, trees.1, script);
    let counts = on_pair_with(py, (x, y, table, index), (threads, more), |mut solver| {
        let (x, y) = (&solver.pair.x, &solver.pair.y);
        let request = CountRequest {
            x: Side { trees: std::slice::from_ref(x.tree), codes: x.codes },
            y: Side { trees: std::slice::from_ref(y.tree), codes: y.codes },
            symbol_of: (&of_x, &of_y),
            symbols,
            costs: SetCosts::Fixed(solver.pair.costs),
            script,
            tolerance,
        };
        edits::count_pair(&request, solver.pair.costs, &mut solver.scratch)
    })?;
    Ok((alphabet, csr(py, &[counts], symbols)))
}

fn script_of((average, temperature, tolerance): GivenScript) -> (Script, Option<f64>) {
    let script = match (average, temperature) {
        (_, Some(temperature)) => Script::Soft(temperature),
        (true, None) => Script::Average,
        (false, None) => Script::One,
    };
    (script, tolerance)
}

/// The matrix of one row per pair and one column per pair of symbols, the gap last.
fn csr<'py>(py: Python<'py>, rows: &[Counts], symbols: u32) -> Csr<'py> {
    let total: usize = rows.iter().map(Vec::len).sum();
    let side = u64::from(symbols) + 1;
    let largest = (side * side).max(rows.len() as u64).max(total as u64);
    let values = rows.iter().flatten().map(|entry| entry.1);
    let values = PyArray1::from_iter(py, values);
    let columns = rows.iter().flatten().map(|entry| entry.0);
    let starts = std::iter::once(0).chain(rows.iter().scan(0u64, |end, row| {
        *end += row.len() as u64;
        Some(*end)
    }));
    if i32::try_from(largest).is_ok() {
        let array = |numbers: Vec<i32>| PyArray1::from_vec(py, numbers).into_any();
        let small = |number| number as i32;
        return (values, array(columns.map(small).collect()), array(starts.map(small).collect()));
    }
    let array = |numbers: Vec<i64>| PyArray1::from_vec(py, numbers).into_any();
    let wide = |number| number as i64;
    (values, array(columns.map(wide).collect()), array(starts.map(wide).collect()))
}
