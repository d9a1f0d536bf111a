//! Many pairs: chunks of trees against chunks of trees, each pair of chunks as one table.
//!
//! The distinct subtrees of all trees of a chunk are the rows, or the columns, of one table, so a
//! subtree that many trees share is computed once per table. Trees are sorted by size, so that a
//! cutoff excludes whole tables.

use crate::error::{Error, Result};
use crate::memory;
use crate::pair::{Costs, LocalLabels, Operand, SetCosts, Side};
use crate::pairwise::{Computed, MatrixRequest, Results, must_meet_themselves};
use crate::parallel::{self, Cancel, Crew, Tasks};
use crate::tree::Copies;
use crate::unordered::dag::{Dag, Subtrees, of_trees};
use crate::unordered::pair::{Workspace, width_of, with_table};
use crate::unordered::quantum::{Quantum, Width};
use crate::unordered::table::table_bytes;
use std::cell::{Cell, RefCell};

/// Nodes of a chunk, unless one tree has more: the rows that are alive fit in a cache.
const CHUNK_NODES: usize = 512;
/// Most chunks of a side.
const MOST_CHUNKS: usize = 2000;
/// Below this number of cells the calling thread computes alone.
const SMALL_MATRIX: f64 = 4e6;
/// Below this number of nodes the calling thread prepares a side alone.
const SMALL_SIDE: usize = 50_000;
/// Bytes for each node: its place among the distinct subtrees, while they are found and after.
const NODE_BYTES: u64 = 128;

const NONE: u32 = u32::MAX;

/// Some trees of a side, and their distinct subtrees.
struct Chunk {
    trees: Vec<u32>,
    dag: Dag,
    codes: Vec<u32>,
    /// For every distinct subtree the tree of the chunk that it is all of.
    tree_of: Vec<u32>,
    /// The labels of the trees, if costs come from vectors.
    labels: Option<LocalLabels>,
}

impl Chunk {
    fn subtrees(&self) -> Subtrees<'_> {
        Subtrees { dag: &self.dag, codes: &self.codes }
    }
}

/// Computes all distances of the request and hands them to `store(i, j, distance)` on the calling
/// thread, in any order, each once. `poll` is as in [`crate::pairwise::compute`].
///
/// # Errors
/// [`Error::Memory`] before work starts if the scratch does not fit; [`Error::Cancelled`] if
/// `poll` asked to stop.
pub fn compute<S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool>(
    request: &MatrixRequest<'_>,
    threads: usize,
    cancel: &Cancel,
    store: S,
    poll: P,
) -> Result<Computed> {
    let MatrixRequest { x, y, triangle, .. } = *request;
    let nodes = |side: &Side<'_>| side.trees.iter().map(|tree| tree.nodes() + 1).sum::<usize>();
    let all = nodes(&x) + if triangle { 0 } else { nodes(&y) };
    memory::check("the distinct subtrees", NODE_BYTES * all as u64)?;
    let (done, poll) = (Cell::new(0), RefCell::new(poll));
    let mut ask = || poll.borrow_mut()(done.get());
    let mut crew = Crew::new(threads, cancel, &mut ask);
    let of_rows = copies(&x, &mut crew)?;
    let other = if triangle { None } else { Some(copies(&y, &mut crew)?) };
    let of_columns = other.as_ref().unwrap_or(&of_rows);
    let rows = chunks(&x, &of_rows, request.costs, &mut crew)?;
    let others =
        if triangle { None } else { Some(chunks(&y, of_columns, request.costs, &mut crew)?) };
    let columns = others.as_ref().unwrap_or(&rows);
    let mut results = Results::new(request, (&of_rows, of_columns), store, (&done, &poll), cancel);
    let diagonal = triangle && must_meet_themselves(request, &of_rows);
    if triangle && !diagonal {
        for &i in of_rows.distinct() {
            results.store_copies(i as usize, i as usize, 0.0);
        }
    }
    let matrix = Matrix::new(request, &rows, columns, diagonal);
    let threads = parallel::useful_threads(threads, matrix.tasks.len());
    memory::check("the tables of all threads", matrix.table_bytes() * threads as u64)?;
    let exact = matrix.run(threads, &mut results)?;
    cancel.check()?;
    let pairs = done.get();
    if poll.into_inner()(pairs) { Ok(Computed { pairs, exact }) } else { Err(Error::Cancelled) }
}

/// Finds trees that are equal up to the order of children.
fn copies(side: &Side<'_>, crew: &mut Crew<'_>) -> Result<Copies> {
    let nodes: usize = side.trees.iter().map(|tree| tree.nodes() + 1).sum();
    let cancel = crew.cancel;
    let operands = (0..side.trees.len()).map(|index| side.operand(index));
    let (dag, _) = crew.one(nodes < SMALL_SIDE, || of_trees(operands.clone(), cancel))?;
    Ok(Copies::of_numbers(&dag.roots))
}

/// Cuts the trees of a side that differ into chunks of similar sizes.
fn chunks(
    side: &Side<'_>,
    copies: &Copies,
    costs: SetCosts<'_>,
    crew: &mut Crew<'_>,
) -> Result<Vec<Chunk>> {
    let nodes = |tree: u32| side.trees[tree as usize].nodes() + 1;
    let mut order = copies.distinct().to_vec();
    order.sort_by_key(|&tree| nodes(tree));
    let all: usize = order.iter().map(|&tree| nodes(tree)).sum();
    let most = CHUNK_NODES.max(all / MOST_CHUNKS);
    let (mut cuts, mut filled) = (vec![0], 0);
    for (position, &tree) in order.iter().enumerate() {
        if filled > 0 && filled + nodes(tree) > most {
            cuts.push(position);
            filled = 0;
        }
        filled += nodes(tree);
    }
    if !order.is_empty() {
        cuts.push(order.len());
    }
    let cancel = crew.cancel;
    crew.map(cuts.len() - 1, all < SMALL_SIDE, |part| {
        let trees = order[cuts[part]..cuts[part + 1]].to_vec();
        let prepared = || trees.iter().map(|&tree| &side.trees[tree as usize]);
        let labels = match costs {
            SetCosts::Meeting(meeting) => Some(LocalLabels::new(meeting, prepared(), side.codes)),
            SetCosts::Fixed(_) => None,
        };
        let codes = labels.as_ref().map_or(side.codes, |labels| Some(&labels.codes));
        let (dag, codes) = of_trees(prepared().map(|tree| Operand { tree, codes }), cancel)?;
        let mut tree_of = vec![NONE; dag.width()];
        for (tree, &root) in dag.roots.iter().enumerate() {
            tree_of[root as usize] = tree as u32;
        }
        Ok(Chunk { trees, dag, codes, tree_of, labels })
    })
}

/// All that the tasks of a matrix share.
struct Matrix<'a> {
    request: &'a MatrixRequest<'a>,
    rows: &'a [Chunk],
    columns: &'a [Chunk],
    diagonal: bool,
    /// What deleting all of a tree of x, inserting all of a tree of y costs.
    deletes: Vec<i128>,
    inserts: Vec<i128>,
    /// The most quanta within the cutoff.
    limit: Option<i128>,
    /// Pairs of chunks, the largest tables first.
    tasks: Vec<(u32, u32)>,
    cells: f64,
}

impl<'a> Matrix<'a> {
    fn new(
        request: &'a MatrixRequest<'a>,
        rows: &'a [Chunk],
        columns: &'a [Chunk],
        diagonal: bool,
    ) -> Self {
        let MatrixRequest { x, y, costs, .. } = *request;
        let mut tasks = Vec::new();
        for a in 0..rows.len() as u32 {
            let first = if request.triangle { a } else { 0 };
            tasks.extend((first..columns.len() as u32).map(|b| (a, b)));
        }
        let cells = |&(a, b): &(u32, u32)| {
            rows[a as usize].dag.width() as u64 * columns[b as usize].dag.width() as u64
        };
        tasks.sort_by_key(|task| std::cmp::Reverse(cells(task)));
        let all = tasks.iter().map(|task| cells(task) as f64).sum();
        let totals = |side: &Side<'_>, of: &dyn Fn(&Operand<'_>) -> i128| {
            (0..side.trees.len()).map(|tree| of(&side.operand(tree))).collect()
        };
        Self {
            request,
            rows,
            columns,
            diagonal,
            deletes: totals(&x, &|tree| costs.delete_all(tree)),
            inserts: totals(&y, &|tree| costs.insert_all(tree)),
            limit: request.cutoff.map(|cutoff| costs.most_quanta(cutoff)),
            tasks,
            cells: all,
        }
    }

    /// Bytes of the largest table, at most.
    fn table_bytes(&self) -> u64 {
        let value = match self.request.costs {
            SetCosts::Fixed(costs) => {
                let widths = self.tasks.iter().map(|&(a, b)| {
                    let dags = (&self.rows[a as usize].dag, &self.columns[b as usize].dag);
                    width_of(dags.0, dags.1, costs).bytes()
                });
                widths.max().unwrap_or(0)
            }
            SetCosts::Meeting(_) => Width::Wide.bytes(),
        };
        let bytes = self.tasks.iter().map(|&(a, b)| {
            let (x, y) = (&self.rows[a as usize].dag, &self.columns[b as usize].dag);
            table_bytes(x, y, x.slots, value)
        });
        bytes.max().unwrap_or(0)
    }

    fn run<S: FnMut(usize, usize, f64), P: FnMut(u64) -> bool>(
        &self,
        threads: usize,
        results: &mut Results<'_, S, P>,
    ) -> Result<u64> {
        let (done, poll, cancel) = (results.done, results.poll, results.cancel);
        let mut exact = 0;
        let work = |workspace: &mut Workspace, index: usize| {
            Ok((self.tasks[index], self.task(self.tasks[index], workspace, cancel)?))
        };
        let mut receive = |((a, b), (distances, computed)): ((u32, u32), (Vec<f64>, u64))| {
            let columns = &self.columns[b as usize].trees;
            for (row, &i) in self.rows[a as usize].trees.iter().enumerate() {
                for (column, &j) in columns.iter().enumerate() {
                    if self.wants((a, b), row, column) {
                        let distance = distances[row * columns.len() + column];
                        results.store_copies(i as usize, j as usize, distance);
                    }
                }
            }
            exact += computed;
        };
        if self.cells < SMALL_MATRIX {
            let mut workspace = Workspace::default();
            for index in 0..self.tasks.len() {
                receive(work(&mut workspace, index)?);
            }
        } else {
            let tasks = Tasks { threads, count: self.tasks.len(), cancel };
            let poll = || poll.borrow_mut()(done.get());
            parallel::for_each(tasks, Workspace::default, work, receive, poll)?;
        }
        Ok(exact)
    }

    /// Whether a pair is asked for: a chunk of a triangle meets itself in both orders.
    fn wants(&self, (a, b): (u32, u32), row: usize, column: usize) -> bool {
        !self.request.triangle || a != b || row < column || (row == column && self.diagonal)
    }

    /// The distances of the trees of two chunks, row by row, those above the cutoff infinite, and
    /// the number of those that were computed and are wanted.
    fn task(
        &self,
        (a, b): (u32, u32),
        workspace: &mut Workspace,
        cancel: &Cancel,
    ) -> Result<(Vec<f64>, u64)> {
        let (rows, columns) = (&self.rows[a as usize], &self.columns[b as usize]);
        let mut distances = vec![f64::INFINITY; rows.trees.len() * columns.trees.len()];
        if self.all_above(rows, columns) {
            return Ok((distances, 0));
        }
        let table;
        let costs = match (self.request.costs, &rows.labels, &columns.labels) {
            (SetCosts::Meeting(meeting), Some(of_rows), Some(of_columns)) => {
                table = of_rows.table(meeting, of_columns);
                Costs::Table(&table)
            }
            (SetCosts::Fixed(costs), ..) => costs,
            _ => return Err(Error::Cancelled),
        };
        let mut computed = 0;
        let (x, y) = (&rows.dag, &columns.dag);
        with_table!(workspace, width_of(x, y, costs), table => {
            table.fill((rows.subtrees(), columns.subtrees()), costs, false, cancel, |id, saved| {
                let row = rows.tree_of[id as usize];
                if row == NONE {
                    return;
                }
                let deleted = self.deletes[rows.trees[row as usize] as usize];
                let row = row as usize;
                for (column, (&root, &j)) in y.roots.iter().zip(&columns.trees).enumerate() {
                    if !self.wants((a, b), row, column) {
                        continue;
                    }
                    computed += 1;
                    let saved = saved[root as usize].wide() * costs.unit();
                    let quanta = deleted + self.inserts[j as usize] - saved;
                    if self.limit.is_none_or(|limit| quanta <= limit) {
                        distances[row * columns.trees.len() + column] = costs.total(quanta);
                    }
                }
            })?;
        });
        Ok((distances, computed))
    }

    /// Whether all pairs of two chunks are above the cutoff even if every node of the smaller tree
    /// had the largest saving.
    fn all_above(&self, rows: &Chunk, columns: &Chunk) -> bool {
        let (Some(limit), SetCosts::Fixed(costs)) = (self.limit, self.request.costs) else {
            return false;
        };
        let MatrixRequest { x, y, .. } = *self.request;
        rows.trees.iter().all(|&i| {
            columns.trees.iter().all(|&j| {
                let (i, j) = (i as usize, j as usize);
                let smaller = x.trees[i].nodes().min(y.trees[j].nodes()) as i128;
                let most = costs.largest_saving().saturating_mul(smaller * costs.unit());
                self.deletes[i] + self.inserts[j] - most > limit
            })
        })
    }
}
