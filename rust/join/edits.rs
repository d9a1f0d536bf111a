//! How many edits a distance within the radius leaves, whatever edits cost.
//!
//! Let c be the smallest price of a deletion, of an insertion, and of a replacement of a label by
//! one of another class. An alignment that costs at most q makes at most q / c such edits. If
//! labels of one class count as equal, its edits turn one label string into the other, in preorder
//! and in postorder. So the bounds of unit costs hold for q / c edits and the strings of classes.
//!
//! Any classes will do. Labels that replace each other for nothing must share one, or c is 0; so do
//! labels that are cheap to replace, if the larger c is worth more than the labels that can no
//! longer be distinguished.

use crate::cost::{CostTable, NEVER};
use crate::pair::{Costs, Measure, Measures, Norm, Pair, SetCosts};

/// Most pairs of labels that are looked at.
const MOST_PAIRS: usize = 1 << 24;
/// Labels that cost less than these shares of the cheapest deletion or insertion to replace may be
/// of one class.
const SHARES: [i128; 5] = [1, 2, 4, 8, 16];

/// The least prices of edits, and the classes of labels.
#[derive(Debug)]
pub(super) struct Prices {
    edit: i128,
    delete: i128,
    insert: i128,
    /// The class of every code of x and of y; codes themselves without.
    pub(super) classes: Option<[Vec<u32>; 2]>,
}

/// Which codes occur, and how often, on both sides.
pub(super) type Occurring<'a> = [&'a [u64]; 2];

impl Prices {
    /// The prices of costs; `None` if some edits that change the strings are free, or if there are
    /// too many labels to find out. `quanta` are the most that a distance may have. In one set (`one`) a
    /// label has one class on both sides.
    pub(super) fn new(
        costs: Costs<'_>,
        occurring: Occurring<'_>,
        quanta: i128,
        one: bool,
    ) -> Option<Self> {
        let delete = smallest(occurring[0], |code| costs.delete(code))?;
        let insert = smallest(occurring[1], |code| costs.insert(code))?;
        let gap = delete.min(insert);
        if gap <= 0 {
            return None;
        }
        match costs {
            Costs::Unit => Some(Self { edit: 1, delete, insert, classes: None }),
            Costs::Operations(by_kind) => {
                let saving = by_kind.raw_saving(false);
                let replace = if saving == NEVER { gap } else { delete + insert - saving };
                (replace > 0).then(|| Self {
                    edit: gap.min(replace),
                    delete,
                    insert,
                    classes: None,
                })
            }
            Costs::Table(table) => {
                let [x, y] = occurring.map(used);
                if table.is_by_rows() || x.len().saturating_mul(y.len()) > MOST_PAIRS {
                    return None;
                }
                let found = SHARES.iter().map(|share| (gap / share).max(1));
                let tried = found.chain([1]).map(|least| {
                    let classes = Classes::new(table, (&x, &y), occurring, least, one);
                    let edit = gap.min(classes.least_between(table, (&x, &y)).unwrap_or(gap));
                    let letters = classes.entropy(occurring) / ((quanta / edit) as f64 + 1.0);
                    (letters, edit, classes)
                });
                let better =
                    |best: Option<(f64, i128, Classes)>, next: (f64, i128, Classes)| match best {
                        Some(best) if best.0 >= next.0 => Some(best),
                        _ => Some(next),
                    };
                let (_, edit, classes) = tried.fold(None, better)?;
                Some(Self { edit, delete, insert, classes: Some(classes.of) })
            }
        }
    }
}

/// The codes that occur.
fn used(counts: &[u64]) -> Vec<u32> {
    (0u32..).zip(counts).filter(|&(_, &count)| count > 0).map(|(code, _)| code).collect()
}

/// The smallest price of the codes that occur; 1 if there are none.
fn smallest(counts: &[u64], price: impl Fn(u32) -> i128) -> Option<i128> {
    let prices = used(counts).into_iter().map(price);
    Some(prices.min().unwrap_or(1)).filter(|&price| price > 0)
}

/// Labels of both sides in classes.
#[derive(Debug)]
struct Classes {
    of: [Vec<u32>; 2],
    count: usize,
}

impl Classes {
    /// Labels that cost less than `least` to replace are of one class.
    fn new(
        table: &CostTable,
        (x, y): (&[u32], &[u32]),
        occurring: Occurring<'_>,
        least: i128,
        one: bool,
    ) -> Self {
        let sizes = occurring.map(<[u64]>::len);
        // Codes of y follow those of x.
        let mut above: Vec<u32> = (0..(sizes[0] + sizes[1]) as u32).collect();
        let mut unite = |a: u32, b: u32| {
            let (a, b) = (root(&mut above, a), root(&mut above, b));
            above[a.max(b) as usize] = a.min(b);
        };
        let of_y = sizes[0] as u32;
        if one {
            (0..of_y.min(sizes[1] as u32)).for_each(|code| unite(code, of_y + code));
        }
        for &a in x {
            for &b in y {
                if replace(table, a, b).is_some_and(|price| price < least) {
                    unite(a, of_y + b);
                }
            }
        }
        let mut of = [Vec::new(), Vec::new()];
        for code in 0..(sizes[0] + sizes[1]) as u32 {
            of[usize::from(code >= of_y)].push(root(&mut above, code));
        }
        Self { of, count: sizes[0] + sizes[1] }
    }

    /// The smallest price of a replacement between two classes.
    fn least_between(&self, table: &CostTable, (x, y): (&[u32], &[u32])) -> Option<i128> {
        let differ = |a: u32, b: u32| self.of[0][a as usize] != self.of[1][b as usize];
        let prices = x.iter().flat_map(|&a| {
            let others = y.iter().filter(move |&&b| differ(a, b));
            others.filter_map(move |&b| replace(table, a, b))
        });
        prices.min()
    }

    /// Bits of a label.
    fn entropy(&self, occurring: Occurring<'_>) -> f64 {
        let mut counts = vec![0u64; self.count];
        for (classes, occurring) in self.of.iter().zip(occurring) {
            for (&class, &count) in classes.iter().zip(occurring) {
                counts[class as usize] += count;
            }
        }
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let bits = |&count: &u64| {
            let share = count as f64 / all;
            if count == 0 { 0.0 } else { -share * share.log2() }
        };
        counts.iter().map(bits).sum()
    }
}

/// What replacing a label costs, if it is ever done.
fn replace(table: &CostTable, a: u32, b: u32) -> Option<i128> {
    let saving = table.raw_saving(a, b);
    (saving != NEVER).then(|| table.delete(a) + table.insert(b) - saving)
}

/// The first label of a class; paths become shorter on the way.
fn root(above: &mut [u32], mut label: u32) -> u32 {
    while above[label as usize] != label {
        let next = above[above[label as usize] as usize];
        above[label as usize] = next;
        label = next;
    }
    label
}

/// Limits of the pairs of a join, by their numbers of nodes.
#[derive(Debug)]
pub(super) struct Limits<'a> {
    costs: SetCosts<'a>,
    measures: Measures<'a>,
    radius: f64,
    prices: &'a Prices,
    /// The most quanta without a norm.
    plain: i128,
}

impl<'a> Limits<'a> {
    pub(super) fn new(
        costs: Costs<'a>,
        norm: Option<Norm>,
        radius: f64,
        prices: &'a Prices,
    ) -> Self {
        let costs = SetCosts::Fixed(costs);
        let measures = Measures::new(costs, norm);
        Self { costs, measures, radius, prices, plain: costs.most_quanta(radius) }
    }

    /// Whether all pairs have one limit.
    pub(super) fn are_one(&self) -> bool {
        self.measures.is_plain()
    }

    /// The most edits, whatever the sizes, if there is no norm.
    pub(super) fn most_edits(&self) -> usize {
        usize::try_from(self.plain / self.prices.edit).unwrap_or(usize::MAX)
    }

    /// The most edits of a pair with these numbers of nodes; `None` if the sizes ask for more.
    pub(super) fn edits(&self, n: usize, m: usize) -> Option<usize> {
        let quanta = if self.measures.is_plain() {
            self.plain
        } else {
            // No pair of these sizes costs more than all of it at the largest price.
            let all = || self.costs.largest_gap().saturating_mul((n + m) as i128);
            self.measures.of_pair((n, m), all).most_quanta(self.costs, self.radius)
        };
        let gap = if n > m { self.prices.delete } else { self.prices.insert };
        if gap.saturating_mul(n.abs_diff(m) as i128) > quanta {
            return None;
        }
        let edits = usize::try_from(quanta / self.prices.edit).unwrap_or(usize::MAX);
        // No pair needs more.
        Some(edits.min(n + m))
    }

    /// How the result of a pair is made from its distance; `all` returns the quanta for deleting one
    /// tree and inserting the other.
    pub(super) fn measure(&self, nodes: (usize, usize), all: impl FnOnce() -> i128) -> Measure {
        self.measures.of_pair(nodes, all)
    }

    /// The same, and the most quanta of a distance whose result is within the radius.
    pub(super) fn of_pair(&self, pair: &Pair<'_>) -> (Measure, i128) {
        let nodes = (pair.x.tree.nodes(), pair.y.tree.nodes());
        let measure = self.measure(nodes, || pair.nothing_saved());
        let most = match measure {
            Measure::Plain => self.plain,
            _ => measure.most_quanta(self.costs, self.radius),
        };
        (measure, most)
    }
}
