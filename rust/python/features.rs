//! Features of trees, and matrices of similarities by features.

use crate::error::Error;
use crate::features::{self as core, Flat, Hashing, Kinds, LabelHashes, PqGrams, Rows, Trie};
use crate::gram::{Extent, explicit, fragments};
use crate::python::run::{self, Work};
use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray2};
use pyo3::prelude::*;

/// Codes, parents and offsets of trees.
type Arrays<'py> =
    (PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i64>);
/// Labels, ancestors of paths, p and q of pq-grams, height of subtrees.
type GivenKinds = (bool, Option<usize>, Option<(usize, usize)>, Option<usize>);
/// Offsets, columns and values.
type Matrix<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);
/// Prefixes, symbols and families of the entries of a trie.
type Entries<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>);

fn kinds((labels, paths, pqgrams, subtrees): GivenKinds) -> Kinds {
    let pqgrams = pqgrams.map(|(p, q)| PqGrams { p: p.max(1), q: q.max(1) });
    Kinds { labels, paths, pqgrams, subtrees }
}

/// Arrays that were checked when their set was made; only their lengths are checked here.
fn flat<'a>((codes, parents, offsets): &'a Arrays<'_>) -> PyResult<Flat<'a>> {
    let trees = Flat {
        codes: codes.as_slice()?,
        parents: parents.as_slice()?,
        offsets: offsets.as_slice()?,
    };
    let ends = (trees.offsets.first(), trees.offsets.last());
    let nodes = trees.codes.len();
    let fits = ends == (Some(&0), Some(&(nodes as i64))) && trees.offsets.is_sorted();
    if !fits || trees.parents.len() != nodes {
        return Err(Error::Invalid("the arrays do not describe trees".to_owned()).into());
    }
    Ok(trees)
}

fn matrix(py: Python<'_>, rows: Rows) -> Matrix<'_> {
    (
        PyArray1::from_vec(py, rows.offsets),
        PyArray1::from_vec(py, rows.columns),
        PyArray1::from_vec(py, rows.values),
    )
}

/// The strings of features, complete.
#[pyclass(frozen, module = "treemetric._core")]
pub(super) struct FeatureTrie {
    trie: Trie,
}

#[pymethods]
impl FeatureTrie {
    #[new]
    fn new(prefix: PyReadonlyArray1<'_, u32>, symbol: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let trie = Trie::from_entries(prefix.as_slice()?, symbol.as_slice()?);
        let fail = || Error::Invalid("the entries are not those of a vocabulary".to_owned());
        Ok(Self { trie: trie.ok_or_else(fail)? })
    }

    /// Counts of the features that are in the trie; a code of -1 is an unknown label.
    fn count<'py>(
        &self,
        py: Python<'py>,
        arrays: Arrays<'py>,
        kinds: GivenKinds,
        work: Work,
    ) -> PyResult<Matrix<'py>> {
        let trees = flat(&arrays)?;
        let (threads, progress) = work;
        let rows = run::enter(py, progress, 1, |cancel, poll| {
            let poll = &mut || poll(0);
            core::count_known(trees, self::kinds(kinds), &self.trie, threads, cancel, poll)
        })?;
        Ok(matrix(py, rows))
    }
}

/// Counts of all features, and their strings.
#[pyfunction]
pub(super) fn count_features<'py>(
    py: Python<'py>,
    arrays: Arrays<'py>,
    kinds: GivenKinds,
    work: Work,
) -> PyResult<(Matrix<'py>, Entries<'py>)> {
    let trees = flat(&arrays)?;
    let (threads, progress) = work;
    let counted = run::enter(py, progress, 1, |cancel, poll| {
        core::count(trees, self::kinds(kinds), threads, cancel, &mut || poll(0))
    })?;
    let (prefix, symbol, family) = counted.trie.entries();
    let entries = (
        PyArray1::from_slice(py, prefix),
        PyArray1::from_slice(py, symbol),
        PyArray1::from_slice(py, family),
    );
    Ok((matrix(py, counted.rows), entries))
}

/// Counts of all features in columns by hashes: number of columns, signed, binary.
#[pyfunction]
pub(super) fn hash_features<'py>(
    py: Python<'py>,
    arrays: Arrays<'py>,
    labels: PyReadonlyArray1<'py, u64>,
    kinds: GivenKinds,
    hashing: (u32, bool, bool),
    work: Work,
) -> PyResult<Matrix<'py>> {
    let trees = flat(&arrays)?;
    let (columns, signed, binary) = hashing;
    let how = (LabelHashes(labels.as_slice()?), Hashing { columns, signed, binary });
    let (threads, progress) = work;
    let rows = run::enter(py, progress, 1, |cancel, poll| {
        core::count_hashed(trees, self::kinds(kinds), how, threads, cancel, &mut || poll(0))
    })?;
    Ok(matrix(py, rows))
}

/// A kind of kernel: its name, the decay, the decay by depth, the ancestors of paths.
type GivenKernel = (String, f64, f64, usize);

fn fragments_of((kind, decay, depth_decay, _): &GivenKernel) -> Option<fragments::Fragments> {
    let (decay, depth_decay) = (*decay, *depth_decay);
    match kind.as_str() {
        "subset-tree" => Some(fragments::Fragments::Subset { decay }),
        "partial-tree" => Some(fragments::Fragments::Partial { decay, depth_decay }),
        _ => None,
    }
}

fn extent(trees: Flat<'_>, rows: Option<usize>) -> PyResult<Extent> {
    if rows.is_some_and(|rows| rows > trees.len()) || trees.codes.iter().any(|&code| code < 0) {
        return Err(Error::Invalid("the arrays do not describe two sets".to_owned()).into());
    }
    Ok(Extent { trees: trees.len(), rows })
}

/// Fills a matrix with kernels of the first `rows` trees and the others, or of all trees.
#[pyfunction]
pub(super) fn tree_kernels<'py>(
    py: Python<'py>,
    arrays: Arrays<'py>,
    rows: Option<usize>,
    kernel: GivenKernel,
    mut out: PyReadwriteArray2<'py, f64>,
    work: Work,
) -> PyResult<()> {
    let trees = flat(&arrays)?;
    let extent = extent(trees, rows)?;
    let out = out.as_slice_mut()?;
    let (threads, progress) = work;
    let sets = (trees, extent);
    run::enter(py, progress, extent.pairs(), |cancel, poll| {
        let how = (threads, cancel);
        match fragments_of(&kernel) {
            Some(fragments) => fragments::matrix(sets, fragments, out, how, poll),
            None if kernel.0 == "path" => explicit::paths(sets, kernel.3, out, how, poll),
            None => explicit::subtrees(sets, kernel.1, out, how, poll),
        }
    })
}

/// The kernel of each tree with itself.
#[pyfunction]
pub(super) fn self_kernels<'py>(
    py: Python<'py>,
    arrays: Arrays<'py>,
    kernel: GivenKernel,
    work: Work,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let trees = flat(&arrays)?;
    extent(trees, None)?;
    let (threads, progress) = work;
    let found = run::enter(py, progress, 1, |cancel, poll| {
        let (how, poll) = ((threads, cancel), &mut || poll(0));
        match fragments_of(&kernel) {
            Some(fragments) => fragments::diagonal(trees, fragments, how, poll),
            None if kernel.0 == "path" => explicit::path_norms(trees, kernel.3, how, poll),
            None => explicit::subtree_norms(trees, kernel.1, how, poll),
        }
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// Fills a matrix with the numbers of shared pq-grams; returns the number of each tree.
#[pyfunction]
pub(super) fn shared_pqgrams<'py>(
    py: Python<'py>,
    arrays: Arrays<'py>,
    rows: Option<usize>,
    grams: (usize, usize),
    mut out: PyReadwriteArray2<'py, f64>,
    work: Work,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let trees = flat(&arrays)?;
    let extent = extent(trees, rows)?;
    let out = out.as_slice_mut()?;
    let grams = PqGrams { p: grams.0.max(1), q: grams.1.max(1) };
    let (threads, progress) = work;
    let counts = run::enter(py, progress, extent.pairs(), |cancel, poll| {
        explicit::shared_pqgrams((trees, extent), grams, out, (threads, cancel), poll)
    })?;
    Ok(PyArray1::from_vec(py, counts))
}
