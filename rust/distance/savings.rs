//! Reading what a kernel has found: the savings of all pairs of subtrees.

use crate::distance::engine::{small_pair_kernel, with_savings};
use crate::distance::strategy::best_route;
use crate::distance::workspace::Scratch;
use crate::error::Result;
use crate::memory;
use crate::pair::Pair;
use crate::parallel::Cancel;
use crate::simd::Element;
use crate::tree::{Orientation, Oriented};

/// The savings of all subtrees of a row tree with those of one column tree, where the kernel
/// left them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Savings<'a, E> {
    pub(crate) table: Table<'a, E>,
    /// Where the column tree begins in a row of the table.
    pub(crate) start: usize,
    pub(crate) rows: &'a Oriented,
    /// The row of the table of each row node.
    pub(crate) row_of: &'a [u32],
    pub(crate) columns: &'a Oriented,
    /// How many quanta one of the table is; see [`Costs::unit`](crate::pair::Costs::unit).
    pub(crate) unit: i128,
}

/// The rows of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Table<'a, E> {
    /// One after the other, with that many entries each.
    Whole(&'a [E], usize),
    /// Each on its own.
    Rows(&'a [&'a [E]]),
}

impl<'a, E> Table<'a, E> {
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &'a [E] {
        match *self {
            Self::Whole(cells, stride) => &cells[row * stride..][..stride],
            Self::Rows(rows) => rows[row],
        }
    }
}

impl<'a, E: Element> Savings<'a, E> {
    /// Savings of one row node with all column nodes, the virtual root included, in units.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> &'a [E] {
        &self.table.row(self.row_of[i] as usize)[self.start..][..self.columns.len()]
    }

    /// The saving of the whole trees, in quanta.
    pub(crate) fn whole(&self) -> i128 {
        self.of_row(self.rows.len() - 1)
    }

    /// The saving of the subtree of a row node with the whole column tree, in quanta.
    pub(crate) fn of_row(&self, i: usize) -> i128 {
        self.row(i)[self.columns.len() - 1].to_whole() * self.unit
    }

    /// The saving of the whole row tree with the subtree of a column node, in quanta.
    pub(crate) fn of_column(&self, j: usize) -> i128 {
        self.row(self.rows.len() - 1)[j].to_whole() * self.unit
    }
}

/// Takes the savings of the members of a group as they are found, in whatever the kernel counts.
pub(crate) trait Read {
    fn read<E: Element>(&mut self, member: usize, savings: Savings<'_, E>);
}

/// Reads the saving of the whole trees only.
#[derive(Debug)]
pub(crate) struct Whole<F>(pub(crate) F);

impl<F: FnMut(usize, i128)> Read for Whole<F> {
    fn read<E: Element>(&mut self, member: usize, savings: Savings<'_, E>) {
        (self.0)(member, savings.whole());
    }
}

/// Whole numbers of quanta that alignments are computed in.
pub(crate) trait Quanta:
    Copy
    + Ord
    + std::fmt::Debug
    + Send
    + Sync
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
{
    const ZERO: Self;
    /// Below every saving, and far from overflow.
    const NEVER: Self;
    /// So many units of some quanta each.
    fn from_element(element: impl Element, unit: Self) -> Self;
    /// From a number that is known to fit.
    fn from_wide(quanta: i128) -> Self;
    fn to_wide(self) -> i128;
}

/// All but wide tables.
impl Quanta for i64 {
    const ZERO: Self = 0;
    const NEVER: Self = Self::MIN / 4;
    #[inline(always)]
    fn from_element(element: impl Element, unit: Self) -> Self {
        element.to_narrow() * unit
    }
    fn from_wide(quanta: i128) -> Self {
        quanta as Self
    }
    fn to_wide(self) -> i128 {
        self.into()
    }
}

impl Quanta for i128 {
    const ZERO: Self = 0;
    const NEVER: Self = Self::MIN / 4;
    fn from_element(element: impl Element, unit: Self) -> Self {
        element.to_whole() * unit
    }
    fn from_wide(quanta: i128) -> Self {
        quanta
    }
    fn to_wide(self) -> i128 {
        self
    }
}

/// Copies all savings, in the postorder of a wanted orientation.
struct CopyAll<'a, Q> {
    wanted: Orientation,
    found: Orientation,
    /// Whether the rows of the table are those of the target.
    swapped: bool,
    /// Real nodes of source and target.
    nodes: (usize, usize),
    savings: &'a mut [Q],
    whole: i128,
    cancel: &'a Cancel,
}

impl<Q: Quanta> Read for CopyAll<'_, Q> {
    fn read<E: Element>(&mut self, _: usize, savings: Savings<'_, E>) {
        let (n, m) = self.nodes;
        self.whole = savings.whole();
        let unit = Q::from_wide(savings.unit);
        let order = |tree: &Oriented, nodes| reordered(tree, nodes, self.found, self.wanted);
        if self.swapped {
            let (of_y, of_x) = (order(savings.rows, m), order(savings.columns, n));
            for (j, &row) in of_y.iter().enumerate() {
                if self.cancel.check().is_err() {
                    return;
                }
                let row = savings.row(row);
                for (out, &i) in self.savings[j..].iter_mut().step_by(m).zip(&of_x) {
                    *out = Q::from_element(row[i], unit);
                }
            }
            return;
        }
        let (of_x, of_y) = (order(savings.rows, n), order(savings.columns, m));
        for (out, &row) in self.savings.chunks_exact_mut(m.max(1)).zip(&of_x) {
            if self.cancel.check().is_err() {
                return;
            }
            let row = savings.row(row);
            if self.found == self.wanted {
                for (out, &saving) in out.iter_mut().zip(row) {
                    *out = Q::from_element(saving, unit);
                }
            } else {
                for (out, &j) in out.iter_mut().zip(&of_y) {
                    *out = Q::from_element(row[j], unit);
                }
            }
        }
    }
}

/// For the nodes of a tree in one postorder, where they are in another.
fn reordered(tree: &Oriented, nodes: usize, found: Orientation, wanted: Orientation) -> Vec<usize> {
    if found == wanted {
        return (0..nodes).collect();
    }
    let preorder = tree.preorder(found);
    let mut places = vec![0; nodes];
    // The postorder of the right orientation is the preorder backwards.
    match found {
        Orientation::Left => {
            (0..nodes).for_each(|i| places[nodes - 1 - preorder[i]] = i);
        }
        Orientation::Right => {
            // Left postorder index: nodes that end before it, i.e. preorder + size - 1 - depth.
            let mut depth = vec![0; nodes];
            for i in (0..nodes).rev() {
                for child in tree.children(i) {
                    depth[child] = depth[i] + 1;
                }
            }
            for i in 0..nodes {
                places[preorder[i] + tree.size[i] as usize - 1 - depth[i]] = i;
            }
        }
    }
    places
}

/// Copies the savings of a source along the rows and a target along the columns, which were found
/// in one orientation, as [`subtree_savings`] does, and returns that of the whole trees.
///
/// # Errors
/// [`crate::Error::Memory`] if they do not fit, [`crate::Error::Cancelled`] if asked to stop.
pub(crate) fn copy_savings<Q: Quanta, E: Element>(
    found: Savings<'_, E>,
    (found_in, wanted): (Orientation, Orientation),
    nodes: (usize, usize),
    savings: &mut Vec<Q>,
    cancel: &Cancel,
) -> Result<i128> {
    make_room(savings, nodes)?;
    let mut copy =
        CopyAll { wanted, found: found_in, swapped: false, nodes, savings, whole: 0, cancel };
    copy.read(0, found);
    let whole = copy.whole;
    // The copy stops early if asked to.
    cancel.check()?;
    Ok(whole)
}

fn make_room<Q: Quanta>(savings: &mut Vec<Q>, nodes: (usize, usize)) -> Result<()> {
    savings.clear();
    memory::reserve("the distances of all subtrees", savings, nodes.0 * nodes.1)?;
    savings.resize(nodes.0 * nodes.1, Q::ZERO);
    Ok(())
}

/// Puts the savings of all pairs of subtrees into `savings`, row by row, both trees in the
/// postorder of the wanted orientation, and returns that of the whole trees or forests.
///
/// # Errors
/// As [`distance`](super::distance).
pub(crate) fn subtree_savings<Q: Quanta>(
    pair: &Pair<'_>,
    wanted: Orientation,
    savings: &mut Vec<Q>,
    scratch: &mut Scratch<'_>,
) -> Result<i128> {
    let Pair { x, y, costs } = *pair;
    let cancel = scratch.cancel;
    let nodes = (x.tree.nodes(), y.tree.nodes());
    make_room(savings, nodes)?;
    let (route, work) = best_route(x.tree, y.tree, costs);
    let kernel = small_pair_kernel(pair, route, work);
    let mut copy = CopyAll {
        wanted,
        found: route.orientation(),
        swapped: route.swapped,
        nodes,
        savings,
        whole: 0,
        cancel,
    };
    with_savings(pair, kernel, route, scratch, &mut copy)?;
    let whole = copy.whole;
    // The copy stops early if asked to.
    cancel.check()?;
    Ok(whole)
}
