//! All pairs of trees within a radius: by the join, in rows or in chunks.

use crate::error::Error;
use crate::features::Flat;
use crate::join::{Cursor, Input, Join as Core, Known, Rows as Found, Source, Way};
use crate::pair::{Costs, Norm};
use crate::parallel::Cancel;
use crate::python::cost::CostTable;
use crate::python::distance::norm_named;
use crate::python::neighbors::{self, SearchIndex};
use crate::python::run::{self, Work};
use crate::python::set::PreparedSet;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::Mutex;

/// Codes, parents and offsets of trees.
type Arrays = (Py<PyArray1<i32>>, Py<PyArray1<i32>>, Py<PyArray1<i64>>);
/// A set of trees: its arrays, the code of each of its labels, and the set if it was prepared.
type GivenTrees = (Arrays, Option<Py<PyArray1<u32>>>, Option<Py<PreparedSet>>);
/// Offsets of rows, indices and distances of neighbours, and how many distances were computed.
type Rows<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, u64);
/// Trees of x, trees of y, and their distances.
type Chunk<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// A join of two sets, or of a set with itself.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct Join {
    x: GivenTrees,
    y: Option<GivenTrees>,
    costs: Option<Py<CostTable>>,
    radius: f64,
    norm: Option<Norm>,
    core: Core,
    /// How far the chunks have come.
    cursor: Mutex<Cursor>,
}

/// The arrays of a set, as long as they are read.
struct Borrowed<'py> {
    codes: PyReadonlyArray1<'py, i32>,
    parents: PyReadonlyArray1<'py, i32>,
    offsets: PyReadonlyArray1<'py, i64>,
    translation: Option<PyReadonlyArray1<'py, u32>>,
    prepared: Option<Bound<'py, PreparedSet>>,
}

impl<'py> Borrowed<'py> {
    fn new(py: Python<'py>, (arrays, translation, prepared): &GivenTrees) -> PyResult<Self> {
        let busy = |_| Error::Invalid("the trees are written to by another call".to_owned());
        let (codes, parents, offsets) = arrays;
        let translation = match translation {
            Some(codes) => Some(codes.bind(py).try_readonly().map_err(busy)?),
            None => None,
        };
        Ok(Self {
            codes: codes.bind(py).try_readonly().map_err(busy)?,
            parents: parents.bind(py).try_readonly().map_err(busy)?,
            offsets: offsets.bind(py).try_readonly().map_err(busy)?,
            translation,
            prepared: prepared.as_ref().map(|set| set.bind(py).clone()),
        })
    }

    /// The trees of arrays that were looked at before.
    fn checked(&self) -> PyResult<Source<'_>> {
        let flat = Flat {
            codes: self.codes.as_slice()?,
            parents: self.parents.as_slice()?,
            offsets: self.offsets.as_slice()?,
        };
        let codes = self.translation.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let prepared = self.prepared.as_ref().map(|set| &set.get().trees[..]);
        Ok(Source { flat, codes, prepared })
    }

    fn source(&self) -> PyResult<Source<'_>> {
        let source = self.checked()?;
        let Source { flat, codes, .. } = source;
        let ends = (flat.offsets.first(), flat.offsets.last());
        let nodes = flat.codes.len();
        let fits = ends == (Some(&0), Some(&(nodes as i64))) && flat.offsets.is_sorted();
        let labels = flat.codes.iter().max().map_or(0, |&most| most as usize + 1);
        let named = codes.is_none_or(|codes| codes.len() >= labels);
        if !fits || !named || flat.parents.len() != nodes {
            return Err(Error::Invalid("the arrays do not describe trees".to_owned()).into());
        }
        Ok(source)
    }
}

#[pymethods]
impl Join {
    /// Looks at all trees; `None` if there is nothing to gain over all pairs in batches.
    #[staticmethod]
    fn prepare(
        py: Python<'_>,
        sets: (GivenTrees, Option<GivenTrees>),
        costs: Option<Py<CostTable>>,
        scale: (f64, Option<String>),
        how: String,
        threads: usize,
    ) -> PyResult<Option<Self>> {
        let (x, y) = sets;
        let (radius, norm) = scale;
        let norm = norm_named(norm.as_deref())?;
        let way = way_named(&how)?;
        let made = with_input(py, (&x, y.as_ref()), costs.as_ref(), (radius, norm), |input| {
            run::enter(py, None, 1, |cancel, poll| {
                Core::new(input, way, threads, cancel, || poll(0))
            })
        })?;
        let cursor = Mutex::new(Cursor::default());
        Ok(made.map(|core| Self { x, y, costs, radius, norm, core, cursor }))
    }

    /// The k nearest trees under unit costs; `None` if there is nothing to gain over other searches.
    #[staticmethod]
    fn nearest(
        py: Python<'_>,
        sets: (GivenTrees, Option<GivenTrees>),
        k: usize,
        work: Work,
    ) -> PyResult<Option<Rows<'_>>> {
        let (x, y) = &sets;
        let (threads, progress) = work;
        let found = with_input(py, (x, y.as_ref()), None, (f64::INFINITY, None), |input| {
            let total = input.x.flat.len() as u64;
            run::enter(py, progress, total, |cancel, poll| {
                let Some(join) = Core::for_nearest(input, threads, cancel, || poll(0))? else {
                    return Ok(None);
                };
                join.nearest(input, (k, None), (threads, cancel), poll)
            })
        })?;
        Ok(found.map(|found| neighbors::in_arrays(py, &found)))
    }

    /// How candidates are found: "scan" or "index".
    #[getter]
    fn method(&self) -> &'static str {
        method_of(&self.core)
    }

    /// All pairs, row by row.
    fn rows<'py>(&self, py: Python<'py>, work: Work) -> PyResult<Rows<'py>> {
        let (threads, progress) = work;
        let found = self.run(py, progress, |input, cancel, poll| {
            self.core.rows(input, threads, cancel, poll)
        })?;
        Ok(in_arrays(py, &found))
    }

    /// The next pairs, at most `most`; empty arrays after the last ones.
    fn chunk<'py>(&self, py: Python<'py>, most: usize, work: Work) -> PyResult<Chunk<'py>> {
        let (threads, progress) = work;
        // A second reader would wait for the lock while it holds the interpreter.
        let Ok(mut guard) = self.cursor.try_lock() else {
            return Err(Error::Invalid("the join is read by another call".to_owned()).into());
        };
        let cursor = &mut *guard;
        let found = self.run(py, progress, |input, cancel, poll| {
            self.core.chunk(input, cursor, most, (threads, cancel), poll)
        })?;
        let wide = |trees: &[u32]| trees.iter().map(|&tree| i64::from(tree)).collect();
        Ok((
            PyArray1::from_vec(py, wide(&found.queries)),
            PyArray1::from_vec(py, wide(&found.others)),
            PyArray1::from_vec(py, found.results),
        ))
    }
}

impl Join {
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&Input<'_>, &Cancel, &mut dyn FnMut(u64) -> bool) -> crate::error::Result<T>
        + Send,
    ) -> PyResult<T> {
        let scale = (self.radius, self.norm);
        with_input(py, (&self.x, self.y.as_ref()), self.costs.as_ref(), scale, |input| {
            let total = input.x.flat.len() as u64;
            run::enter(py, progress, total, |cancel, poll| work(input, cancel, poll))
        })
    }
}

/// Does something with the trees and the costs, while nobody may write to them.
fn with_input<T>(
    py: Python<'_>,
    (x, y): (&GivenTrees, Option<&GivenTrees>),
    costs: Option<&Py<CostTable>>,
    (radius, norm): (f64, Option<Norm>),
    work: impl FnOnce(&Input<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let of_x = Borrowed::new(py, x)?;
    let of_y = y.map(|y| Borrowed::new(py, y)).transpose()?;
    let x = of_x.source()?;
    let y = of_y.as_ref().map_or(Ok(x), Borrowed::source)?;
    let (symmetric, costs) = match costs {
        Some(table) => (table.get().is_symmetric(), table.get().costs()),
        None => (true, Costs::Unit),
    };
    work(&Input { x, y, costs, norm, radius, inside: of_y.is_none(), symmetric })
}

fn way_named(how: &str) -> PyResult<Way> {
    match how {
        "auto" => Ok(Way::Auto),
        "scan" => Ok(Way::Scan),
        "index" => Ok(Way::Index),
        _ => Err(Error::Invalid(format!("there is no method {how:?}")).into()),
    }
}

fn method_of(join: &Core) -> &'static str {
    if join.uses_index() { "index" } else { "scan" }
}

fn in_arrays<'py>(py: Python<'py>, found: &Found) -> Rows<'py> {
    let offsets = found.offsets.iter().map(|&end| end as i64).collect();
    let indices = found.neighbors.iter().map(|near| i64::from(near.index)).collect();
    let distances = found.neighbors.iter().map(|near| near.distance).collect();
    (
        PyArray1::from_vec(py, offsets),
        PyArray1::from_vec(py, indices),
        PyArray1::from_vec(py, distances),
        found.computed,
    )
}

/// The trees of an index, looked at once for many searches.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct KnownTrees {
    trees: GivenTrees,
    known: Known,
}

#[pymethods]
impl KnownTrees {
    #[new]
    fn new(py: Python<'_>, arrays: Arrays, threads: usize) -> PyResult<Self> {
        let trees = (arrays, None, None);
        let known = {
            let borrowed = Borrowed::new(py, &trees)?;
            let source = borrowed.source()?;
            run::enter(py, None, 1, |cancel, poll| {
                Known::new(&source, threads, cancel, || poll(0))
            })?
        };
        Ok(Self { trees, known })
    }

    /// The trees near those of `x`, row by row, and how candidates were found; `None` if there is
    /// nothing to gain over all pairs in batches. Labels of `x` have the codes of these trees.
    fn within<'py>(
        &self,
        py: Python<'py>,
        x: GivenTrees,
        costs: Option<Py<CostTable>>,
        wanted: (f64, Option<String>, String),
        work: Work,
    ) -> PyResult<Option<(Rows<'py>, &'static str)>> {
        let (radius, norm, how) = wanted;
        let (norm, way) = (norm_named(norm.as_deref())?, way_named(&how)?);
        let (threads, progress) = work;
        let (of_x, of_y) = (Borrowed::new(py, &x)?, Borrowed::new(py, &self.trees)?);
        let (x, y) = (of_x.source()?, of_y.checked()?);
        let (symmetric, costs) = match &costs {
            Some(table) => (table.get().is_symmetric(), table.get().costs()),
            None => (true, Costs::Unit),
        };
        let input = Input { x, y, costs, norm, radius, inside: false, symmetric };
        let total = x.flat.len() as u64;
        let found = run::enter(py, progress, total, |cancel, poll| {
            let known = &self.known;
            let Some(join) = Core::among(&input, known, way, threads, cancel, || poll(0))? else {
                return Ok(None);
            };
            let rows = join.rows(&input, threads, cancel, poll)?;
            Ok(Some((rows, method_of(&join))))
        })?;
        Ok(found.map(|(rows, method)| (in_arrays(py, &rows), method)))
    }

    /// The k nearest trees under unit costs, by these trees as they were prepared, and by an index of
    /// them; `None` if there is nothing to gain over other searches.
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        x: GivenTrees,
        prepared: (Py<PreparedSet>, Py<SearchIndex>),
        k: usize,
        work: Work,
    ) -> PyResult<Option<Rows<'py>>> {
        let (threads, progress) = work;
        let (set, index) = (prepared.0.get(), prepared.1.get());
        let (of_x, of_y) = (Borrowed::new(py, &x)?, Borrowed::new(py, &self.trees)?);
        let (x, y) = (of_x.source()?, Source { prepared: Some(&set.trees), ..of_y.checked()? });
        if set.trees.len() != y.flat.len() {
            return Err(Error::Invalid("the sets are not those of one index".to_owned()).into());
        }
        let (costs, radius) = (Costs::Unit, f64::INFINITY);
        let input = Input { x, y, costs, norm: None, radius, inside: false, symmetric: true };
        let total = x.flat.len() as u64;
        let found = run::enter(py, progress, total, |cancel, poll| {
            let known = &self.known;
            let join = Core::for_nearest_among(&input, known, threads, cancel, || poll(0))?;
            let Some(join) = join else { return Ok(None) };
            join.nearest(&input, (k, Some(&index.index)), (threads, cancel), poll)
        })?;
        Ok(found.map(|found| neighbors::in_arrays(py, &found)))
    }
}
