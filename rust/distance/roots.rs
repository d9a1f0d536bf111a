//! The savings of one whole tree with every subtree of another.

use crate::distance::engine::{Decomposition, Kernel, Route, estimate, with_savings};
use crate::distance::savings::{Read, Savings};
use crate::distance::strategy::best_route;
use crate::distance::workspace::Scratch;
use crate::error::Result;
use crate::pair::Pair;
use crate::simd::Element;
use crate::tree::{Orientation, Prepared};

/// How many times more a pair may cost with `x` along the columns: its column tables are kept, and
/// those of `y` would be built for one pair.
const KEPT_TABLES: f64 = 1.75;

/// Copies the savings of the whole of `x` with the subtrees of `y`, in preorder.
struct CopyRoot<'a> {
    y: &'a Prepared,
    route: Route,
    savings: &'a mut Vec<i128>,
}

impl Read for CopyRoot<'_> {
    fn read<E: Element>(&mut self, _: usize, savings: Savings<'_, E>) {
        let nodes = self.y.nodes();
        self.savings.clear();
        self.savings.resize(nodes, 0);
        let swapped = self.route.swapped;
        let saving = |i| if swapped { savings.of_row(i) } else { savings.of_column(i) };
        match self.route.orientation() {
            // The postorder of the right orientation is the preorder backwards.
            Orientation::Right => {
                for (i, out) in self.savings.iter_mut().rev().enumerate() {
                    *out = saving(i);
                }
            }
            Orientation::Left => {
                let left = Orientation::Left;
                for (i, place) in self.y.oriented(left).preorder(left).into_iter().enumerate() {
                    self.savings[place] = saving(i);
                }
            }
        }
    }
}

/// Puts the savings of the whole of `x` with every subtree of `y`, in preorder, into `savings`.
///
/// `x` lies along the columns unless that is a bad choice: it meets many trees, and its column
/// tables are kept.
///
/// # Errors
/// As [`distance`](super::distance).
pub(crate) fn root_savings(
    pair: &Pair<'_>,
    savings: &mut Vec<i128>,
    scratch: &mut Scratch<'_>,
) -> Result<()> {
    let (x, y) = (pair.x.tree, pair.y.tree);
    let (best, cells) = best_route(x, y, pair.costs);
    let own = Orientation::BOTH
        .map(|side| estimate(y.oriented(side).row_work, x.oriented(side).column_work));
    let side = Orientation::BOTH[usize::from(own[1] <= own[0])];
    let route = if own[side as usize] <= KEPT_TABLES * cells {
        Route { decomposition: Decomposition::Outer(side), swapped: true }
    } else {
        best
    };
    let mut read = CopyRoot { y, route, savings };
    with_savings(pair, Kernel::Auto, route, scratch, &mut read)
}
