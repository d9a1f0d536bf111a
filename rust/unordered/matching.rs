//! The best pairing of the children of two nodes: a transport between multisets.
//!
//! Equal children are one source (or sink) with a supply (or demand), so a star of many equal
//! leaves is a small problem. The method is that of successive shortest paths with potentials
//! (Jonker and Volgenant 1987, for supplies). Pairing never loses, so the side with fewer children
//! ships all of them.

use crate::error::Result;
use crate::parallel::Cancel;
use crate::unordered::dag::{Kid, are_neighbours};
use crate::unordered::quantum::Quantum;

const NONE: u32 = u32::MAX;

/// Scratch of the matchings of a thread.
#[derive(Debug, Default)]
pub(super) struct Matching<Q> {
    /// What one unit saves, source by source.
    savings: Vec<Q>,
    /// Units that are shipped, in the same order.
    flow: Vec<u32>,
    supply: Vec<u32>,
    demand: Vec<u32>,
    /// Potentials of sources and sinks: `of_source + of_sink >= saving`, equal where units are
    /// shipped. Sinks with a rest of demand have the potential 0.
    of_source: Vec<Q>,
    of_sink: Vec<Q>,
    search: Search<Q>,
    /// Whether sources are the second side.
    swapped: bool,
    sorted: Vec<(Q, u32)>,
}

/// A tree of shortest paths from one source.
#[derive(Debug, Default)]
struct Search<Q> {
    /// For sinks: the length of the shortest path, its last source, and whether it is final.
    length: Vec<Q>,
    from: Vec<u32>,
    reached: Vec<u32>,
    is_reached: Vec<bool>,
    /// For sources in the tree: where they are, and the sink that leads to them.
    sources: Vec<(u32, Q)>,
    via: Vec<u32>,
    is_in: Vec<bool>,
}

impl<Q: Quantum> Matching<Q> {
    /// The largest saving of a pairing of two multisets. `row(a)` holds the savings of a member of
    /// the first with all that can be members of the second, at least 0. With `known`, that is
    /// returned if no pairing saves more, and there may be no [`Matching::pairs`].
    pub(super) fn solve<'r>(
        &mut self,
        (x, y): (&[Kid], &[Kid]),
        row: impl Fn(u32) -> &'r [Q],
        known: Option<Q>,
        cancel: &Cancel,
    ) -> Result<Q>
    where
        Q: 'r,
    {
        let count = |kids: &[Kid]| kids.iter().map(|kid| u64::from(kid.1)).sum::<u64>();
        self.swapped = count(x) > count(y);
        let (sources, sinks) = if self.swapped { (y, x) } else { (x, y) };
        self.gather((x, y), row);
        let zero = Q::default();
        self.of_source.clear();
        let rows = self.savings.chunks_exact(sinks.len());
        self.of_source.extend(rows.map(|row| row.iter().copied().fold(zero, Q::max)));
        // Several sources may have the same best sink, so this sum may not fit.
        let most = self.of_source.iter().zip(sources);
        let most: i128 = most.map(|(most, kid)| most.wide() * i128::from(kid.1)).sum();
        if let Some(known) = known
            && most <= known.wide()
        {
            return Ok(known);
        }
        self.supply.clear();
        self.supply.extend(sources.iter().map(|kid| kid.1));
        self.demand.clear();
        self.demand.extend(sinks.iter().map(|kid| kid.1));
        self.flow.clear();
        self.flow.resize(self.savings.len(), 0);
        if sources.len() == 1 {
            self.ship_from_one();
        } else {
            self.of_sink.clear();
            self.of_sink.resize(sinks.len(), zero);
            if self.ship_at_once() {
                return Ok(Q::from_wide(most));
            }
            for source in 0..sources.len() {
                while self.supply[source] > 0 {
                    cancel.check()?;
                    self.ship_along_path(source);
                }
            }
        }
        let shipped = self.savings.iter().zip(&self.flow).filter(|(_, flow)| **flow > 0);
        Ok(shipped.fold(zero, |sum, (saving, &flow)| sum + saving.times(flow)))
    }

    /// Writes the savings, source by source.
    fn gather<'r>(&mut self, (x, y): (&[Kid], &[Kid]), row: impl Fn(u32) -> &'r [Q])
    where
        Q: 'r,
    {
        self.savings.clear();
        if self.swapped {
            self.savings.resize(x.len() * y.len(), Q::default());
            for (at, &(kid, _)) in x.iter().enumerate() {
                let row = row(kid);
                let places = self.savings[at..].iter_mut().step_by(x.len());
                for (place, &(other, _)) in places.zip(y) {
                    *place = row[other as usize];
                }
            }
            return;
        }
        let neighbours = are_neighbours(y);
        for &(kid, _) in x {
            match &neighbours {
                Some(others) => self.savings.extend_from_slice(&row(kid)[others.clone()]),
                None => self.savings.extend(y.iter().map(|other| row(kid)[other.0 as usize])),
            }
        }
    }

    /// The pairs of the last solution: positions on both sides, and how many.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
        let demands = self.demand.len();
        let pairs = self.flow.iter().enumerate().filter(|(_, flow)| **flow > 0);
        pairs.map(move |(cell, &flow)| {
            let (source, sink) = (cell / demands, cell % demands);
            if self.swapped { (sink, source, flow) } else { (source, sink, flow) }
        })
    }

    /// A single source ships to the best sinks.
    fn ship_from_one(&mut self) {
        self.sorted.clear();
        self.sorted.extend(self.savings.iter().copied().zip(0..));
        self.sorted.sort_unstable_by_key(|&(saving, sink)| (std::cmp::Reverse(saving), sink));
        for &(_, sink) in &self.sorted {
            let amount = self.supply[0].min(self.demand[sink as usize]);
            self.flow[sink as usize] = amount;
            self.supply[0] -= amount;
        }
    }

    /// Ships what can go to the best sink of its source, and returns whether that is all.
    fn ship_at_once(&mut self) -> bool {
        let demands = self.demand.len();
        let mut all = true;
        for (source, row) in self.savings.chunks_exact(demands).enumerate() {
            let (most, left) = (self.of_source[source], &mut self.supply[source]);
            for (sink, &saving) in row.iter().enumerate() {
                if saving != most || self.demand[sink] == 0 {
                    continue;
                }
                let amount = (*left).min(self.demand[sink]);
                self.flow[source * demands + sink] = amount;
                *left -= amount;
                self.demand[sink] -= amount;
                if *left == 0 {
                    break;
                }
            }
            all &= *left == 0;
        }
        all
    }

    /// Ships along the shortest path from a source to a sink with a rest of demand; other units
    /// on the path are sent elsewhere.
    fn ship_along_path(&mut self, source: usize) {
        let demands = self.demand.len();
        let end = self.find_path(source);
        let search = &self.search;
        let most = search.length[end];
        for &(source, length) in &search.sources {
            self.of_source[source as usize] -= most - length;
        }
        for &sink in &search.reached {
            self.of_sink[sink as usize] += most - search.length[sink as usize];
        }
        let mut amount = self.supply[source].min(self.demand[end]);
        let mut sink = end;
        loop {
            let from = search.from[sink] as usize;
            if from == source {
                break;
            }
            sink = search.via[from] as usize;
            amount = amount.min(self.flow[from * demands + sink]);
        }
        sink = end;
        loop {
            let from = search.from[sink] as usize;
            self.flow[from * demands + sink] += amount;
            if from == source {
                break;
            }
            sink = search.via[from] as usize;
            self.flow[from * demands + sink] -= amount;
        }
        self.supply[source] -= amount;
        self.demand[end] -= amount;
    }

    /// Finds the closest sink with a rest of demand (Dijkstra); there is one, because all demands
    /// together are at least all supplies.
    fn find_path(&mut self, source: usize) -> usize {
        let demands = self.demand.len();
        let search = &mut self.search;
        search.length.clear();
        search.from.clear();
        search.from.resize(demands, source as u32);
        search.reached.clear();
        search.is_reached.clear();
        search.is_reached.resize(demands, false);
        search.sources.clear();
        search.sources.push((source as u32, Q::default()));
        search.via.clear();
        search.via.resize(self.supply.len(), NONE);
        search.is_in.clear();
        search.is_in.resize(self.supply.len(), false);
        search.is_in[source] = true;
        let row = &self.savings[source * demands..][..demands];
        let own = self.of_source[source];
        search.length.extend(row.iter().zip(&self.of_sink).map(|(&s, &sink)| own + sink - s));
        loop {
            let mut next = usize::MAX;
            for sink in 0..demands {
                if search.is_reached[sink] {
                    continue;
                }
                let closer = next == usize::MAX || search.length[sink] < search.length[next];
                // Among the closest, one that ends the search.
                let ends = || {
                    search.length[sink] == search.length[next]
                        && self.demand[next] == 0
                        && self.demand[sink] > 0
                };
                if closer || ends() {
                    next = sink;
                }
            }
            if self.demand[next] > 0 {
                return next;
            }
            search.is_reached[next] = true;
            search.reached.push(next as u32);
            let length = search.length[next];
            for other in 0..self.supply.len() {
                if search.is_in[other] || self.flow[other * demands + next] == 0 {
                    continue;
                }
                search.is_in[other] = true;
                search.via[other] = next as u32;
                search.sources.push((other as u32, length));
                let row = &self.savings[other * demands..][..demands];
                let start = length + self.of_source[other];
                for (sink, &saving) in row.iter().enumerate() {
                    let through = start + self.of_sink[sink] - saving;
                    if !search.is_reached[sink] && through < search.length[sink] {
                        search.length[sink] = through;
                        search.from[sink] = other as u32;
                    }
                }
            }
        }
    }
}
