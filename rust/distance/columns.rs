//! Column tables of the level-packed kernel.
//!
//! The lanes of the kernel are the nodes of the column trees in postorder. The subtree of a
//! key-root is an interval of lanes, a *segment*, and segments with equally many key-roots above
//! them are disjoint. So all segments of one such *level* can advance together, and a row of the
//! dynamic program is one pass over *blocks*: pairs of a level and a vector of lanes.
//!
//! ```text
//! tree   a(b(c,d),e(f,g))   lanes   c d b f g e a
//! level 0                            [-----------]   segment of a
//! level 1                                  [---]     segment of e(f,g); d has no branches
//! ```
//!
//! Deeper levels come first, because an outer segment uses the subtree values of the inner ones
//! in the same row. Key-roots whose subtrees have no branches need no segment: all that is paired
//! in such a subtree lies on one path, so a forest saves no more with it than its best tree, and the
//! row of a node begins with the final values; see `begin_tree_row` in `packed.rs`. They have one
//! where it costs nothing, because their blocks are needed by others, and roots have one in any case, so
//! that there is a pass over the rows. A level is cut into *isolated* blocks, whose segments lie
//! inside the vector, and *chained* blocks, whose segments go on in the next vector and hand over a
//! carry. Both are cut into runs, chains where no segment goes on, so that the blocks of a pass stay
//! in the L1 cache.
//!
//! Columns may come from one tree or from many: trees side by side are more segments.

use crate::error::Result;
use crate::memory;
use crate::parallel::Cancel;
use crate::simd::Simd;
use crate::tree::Oriented;
use std::ops::Range;

/// Blocks per pass over the rows of a key-root, so that their state stays in the L1 cache.
const BLOCKS_PER_CHUNK: usize = 64;
/// Blocks of one kind that runs of several levels are joined to.
const BLOCKS_PER_RUN: usize = 32;
/// Blocks from which on a run ends where no segment goes on: one that fills a chunk.
const LONG_RUN: usize = if cfg!(test) { 2 } else { BLOCKS_PER_CHUNK };
/// Most lanes of a vector.
const MOST_LANES: usize = 64;
const NONE: u32 = u32::MAX;

/// Control data of one level in one vector of lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<S: Simd> {
    pub(crate) scan: S::Scan,
    /// Lanes that are not the first of their segment.
    pub(crate) inside: S::Vector,
    /// Lanes on the left path of their segment.
    pub(crate) path: S::Vector,
    /// Lanes of a segment that comes from the previous vector.
    pub(crate) carry: S::Vector,
    /// All lanes if the last one belongs to a segment that comes from the previous vector.
    pub(crate) through: S::Vector,
    /// For each lane off the path, the lane before its subtree.
    pub(crate) pick: S::Pick,
}

/// Lanes that a chained block picks from one part of an earlier block of its chain. Blocks are
/// numbered from the first of their run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FarPick<S: Simd> {
    pub(crate) into: u32,
    pub(crate) from: u32,
    pub(crate) part: u32,
    pub(crate) control: S::Far,
}

/// Neighbouring blocks of one kind. Where a run passes from one level to the next, the masks of
/// the first block let nothing over.
#[derive(Debug, Clone)]
pub(crate) struct BlockRun {
    pub(crate) blocks: Range<usize>,
    pub(crate) chained: bool,
    /// Far picks of these blocks, those of a block together.
    pub(crate) far: Range<usize>,
}

impl BlockRun {
    /// Positions of the blocks among those of the chunk.
    pub(crate) fn within(&self, chunk: &Chunk) -> Range<usize> {
        self.blocks.start - chunk.blocks.start..self.blocks.end - chunk.blocks.start
    }
}

/// Runs that are computed in one pass.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) runs: Range<usize>,
    pub(crate) blocks: Range<usize>,
}

/// All column tables of one or several trees.
#[derive(Debug)]
pub(crate) struct Columns<S: Simd> {
    /// Number of vectors that hold them.
    pub(crate) vectors: usize,
    pub(crate) blocks: Vec<Block<S>>,
    /// Vector of each block.
    pub(crate) vector_of: Vec<u32>,
    /// Far picks of all runs, one after the other.
    pub(crate) far: Vec<FarPick<S>>,
    /// Sources of all lanes of each block, as elements of its run; only if lanes are gathered.
    pub(crate) gathers: Vec<S::Gather>,
    pub(crate) runs: Vec<BlockRun>,
    pub(crate) chunks: Vec<Chunk>,
    /// Blocks of key-roots of several nodes that need no segment, which no chunk contains.
    pub(crate) unbranched: Vec<BlockRun>,
}

/// A segment: first and last lane, and the number of key-roots above it.
struct Segment {
    first: u32,
    last: u32,
    level: u32,
}

impl<S: Simd> Columns<S> {
    /// Tables for the trees side by side, in this order.
    ///
    /// Badly shaped trees have as many blocks as cells in a row, which can be quadratic in their
    /// size; so the memory is counted first and building can be cancelled.
    pub(crate) fn new(trees: &[&Oriented], cancel: &Cancel) -> Result<Self> {
        let lanes = trees.iter().map(|tree| tree.len()).sum::<usize>();
        let vectors = lanes.div_ceil(S::LANES);
        let mut first_of = Vec::with_capacity(vectors * S::LANES);
        let (mut segments, mut unbranched) = (Vec::new(), Vec::new());
        for tree in trees {
            let offset = first_of.len();
            first_of.extend((0..tree.len()).map(|i| (offset + tree.first(i)) as u32));
            for (k, needs_segment) in tree.column_roots() {
                let (first, last) = ((offset + tree.first(k)) as u32, (offset + k) as u32);
                let segment = Segment { first, last, level: tree.depth[k] };
                match (needs_segment, tree.size[k]) {
                    (true, _) => segments.push(segment),
                    // The row of a node begins with the final value.
                    (false, 1) => {}
                    (false, _) => unbranched.push(segment),
                }
            }
        }
        first_of.extend(lanes as u32..(vectors * S::LANES) as u32);
        keep_where_blocks_are::<S>(vectors, &mut segments, &mut unbranched);
        let widths = segments.iter().chain(&unbranched).map(|segment| {
            u64::from(segment.last) / S::LANES as u64 - u64::from(segment.first) / S::LANES as u64
        });
        let most_blocks = widths.map(|width| width + 1).sum::<u64>();
        // A chained block has far picks too, as many as it has parts to pick from.
        let bytes = size_of::<Block<S>>() + 2 * size_of::<FarPick<S>>();
        memory::check("the column tables", most_blocks * bytes as u64)?;
        segments.sort_unstable_by_key(|segment| (std::cmp::Reverse(segment.level), segment.first));
        let levels = segments.first().map_or(0, |segment| segment.level as usize + 1);
        let levels = levels.saturating_add(usize::from(!unbranched.is_empty()));
        let blocks = levels.saturating_mul(vectors).min(most_blocks as usize);
        let mut builder = Builder {
            columns: Self {
                vectors,
                blocks: Vec::with_capacity(blocks.min(BLOCKS_PER_CHUNK)),
                vector_of: Vec::with_capacity(blocks.min(BLOCKS_PER_CHUNK)),
                far: Vec::new(),
                gathers: Vec::new(),
                runs: Vec::new(),
                chunks: Vec::new(),
                unbranched: Vec::new(),
            },
            first_of,
            start_of: vec![NONE; vectors * S::LANES],
            block_of: vec![NONE; vectors],
            touched: Vec::new(),
        };
        for level in segments.chunk_by(|a, b| a.level == b.level) {
            cancel.check()?;
            builder.add_level(level);
        }
        let runs = std::mem::take(&mut builder.columns.runs);
        builder.add_level(&unbranched);
        let mut columns = builder.columns;
        columns.unbranched = std::mem::replace(&mut columns.runs, runs);
        columns.cut_into_chunks();
        Ok(columns)
    }

    /// Size of the tables.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Block<S>>()
            + self.far.len() * size_of::<FarPick<S>>()
            + self.gathers.len() * size_of::<S::Gather>()
    }

    /// Whether the rows of only children are left out. A row of one vector takes less time than to find
    /// out that it is not needed.
    #[inline(always)]
    pub(crate) fn skip_only_children(&self) -> bool {
        self.vectors > 1
    }

    /// Vectors of scratch for rows of this tree: a row, the stack of rows.
    pub(crate) fn scratch_vectors(&self, rows: &Oriented) -> (usize, usize) {
        let widest = self.chunks.iter().map(|chunk| chunk.blocks.len()).max().unwrap_or(0);
        (widest, widest * rows.max_depth as usize)
    }

    fn cut_into_chunks(&mut self) {
        let mut from = 0;
        while from < self.runs.len() {
            let start = self.runs[from].blocks.start;
            let mut to = from + 1;
            while to < self.runs.len() && self.runs[to].blocks.end - start <= BLOCKS_PER_CHUNK {
                to += 1;
            }
            let blocks = start..self.runs[to - 1].blocks.end;
            self.chunks.push(Chunk { runs: from..to, blocks });
            from = to;
        }
    }
}

/// Moves subtrees without branches to the segments where these have blocks anyway, at their level in
/// all of their vectors: there, they cost nothing. In columns of one vector, the levels of a row do not
/// wait for each other (`tree_row_of_one` in `packed.rs`), and segments take less time than their
/// absence.
fn keep_where_blocks_are<S: Simd>(
    vectors: usize,
    segments: &mut Vec<Segment>,
    unbranched: &mut Vec<Segment>,
) {
    if unbranched.is_empty() {
        return;
    }
    if vectors == 1 {
        segments.append(unbranched);
        return;
    }
    let span =
        |segment: &Segment| segment.first as usize / S::LANES..=segment.last as usize / S::LANES;
    // Above a segment there are others, so blocks are those of all levels down to the deepest one.
    let mut levels = vec![0; vectors];
    for segment in &*segments {
        for level in &mut levels[span(segment)] {
            *level = segment.level.saturating_add(1).max(*level);
        }
    }
    let costs_nothing =
        |segment: &mut Segment| levels[span(segment)].iter().all(|&level| level > segment.level);
    segments.extend(unbranched.extract_if(.., costs_nothing));
}

/// What the lanes of a vector are at a level.
struct LaneRoles<S: Simd> {
    /// The first lane of the segment of each lane, from the first lane of the vector; idle lanes
    /// are segments of their own.
    starts: [i32; MOST_LANES],
    /// Not the first lane of its segment.
    inside: [bool; MOST_LANES],
    /// On the left path of its segment.
    path: [bool; MOST_LANES],
    /// Off this path.
    apart: [bool; MOST_LANES],
    /// In a segment that comes from the previous vector.
    incoming: [bool; MOST_LANES],
    simd: std::marker::PhantomData<S>,
}

impl<S: Simd> LaneRoles<S> {
    /// From the first lanes of the segment and of the subtree of each lane. A loop without
    /// branches, which the compiler makes vector instructions of.
    fn new(start_of: &[u32], first_of: &[u32], base: usize) -> Self {
        let none = [false; MOST_LANES];
        let (mut inside, mut path, mut apart, mut incoming) = (none, none, none, none);
        let mut starts = [0; MOST_LANES];
        let (start_of, first_of) = (&start_of[..S::LANES], &first_of[..S::LANES]);
        for q in 0..S::LANES {
            let (start, first, lane) = (start_of[q], first_of[q], (base + q) as u32);
            let active = start != NONE;
            starts[q] = if active { start as i32 - base as i32 } else { q as i32 };
            inside[q] = active && (start < lane);
            path[q] = active && (first == start);
            apart[q] = active && (first != start);
            incoming[q] = active && (start < base as u32);
        }
        Self { starts, inside, path, apart, incoming, simd: std::marker::PhantomData }
    }
}

struct Builder<S: Simd> {
    columns: Columns<S>,
    /// First lane of the subtree of each lane; of lanes without a node, themselves.
    first_of: Vec<u32>,
    /// First lane of the segment of each lane at the current level.
    start_of: Vec<u32>,
    /// Block of each vector at the current level.
    block_of: Vec<u32>,
    /// Vectors of the current level, and whether they are chained.
    touched: Vec<(u32, bool)>,
}

impl<S: Simd> Builder<S> {
    fn add_level(&mut self, segments: &[Segment]) {
        self.touched.clear();
        for segment in segments {
            let (first, last) = (segment.first as usize, segment.last as usize);
            self.start_of[first..=last].fill(segment.first);
            let (from, to) = (first / S::LANES, last / S::LANES);
            for vector in from..=to {
                match self.touched.last_mut() {
                    Some((last, chained)) if *last == vector as u32 => *chained |= from != to,
                    _ => self.touched.push((vector as u32, from != to)),
                }
            }
        }
        // The order of the two kinds is free: begin with that of the last run and prolong it.
        let last_kind = self.columns.runs.last().is_some_and(|run| run.chained);
        for kind in [last_kind, !last_kind] {
            let count = self.touched.iter().filter(|&&(_, chained)| chained == kind).count();
            if count == 0 {
                continue;
            }
            let joins =
                |run: &BlockRun| run.chained == kind && run.blocks.len() + count <= BLOCKS_PER_RUN;
            let mut begins = !self.columns.runs.last().is_some_and(joins);
            for index in 0..self.touched.len() {
                let (vector, chained) = self.touched[index];
                if chained != kind {
                    continue;
                }
                if begins || self.may_cut_run(vector as usize) {
                    let (next, far) = (self.columns.blocks.len(), self.columns.far.len());
                    self.columns.runs.push(BlockRun { blocks: next..next, chained, far: far..far });
                    begins = false;
                }
                self.block_of[vector as usize] = self.columns.blocks.len() as u32;
                self.add_block(vector as usize, chained);
                if S::GATHERS {
                    self.add_gather(vector as usize, chained);
                }
                if let Some(run) = self.columns.runs.last_mut() {
                    run.blocks.end = self.columns.blocks.len();
                    run.far.end = self.columns.far.len();
                }
            }
        }
        for &(vector, _) in &self.touched {
            self.start_of[vector as usize * S::LANES..][..S::LANES].fill(NONE);
        }
    }

    /// Whether the last run is long and no segment goes on in this vector.
    fn may_cut_run(&self, vector: usize) -> bool {
        let start = self.start_of[vector * S::LANES];
        let goes_on = start != NONE && (start as usize) < vector * S::LANES;
        let blocks = self.columns.runs.last().map_or(0, |run| run.blocks.len());
        blocks >= LONG_RUN && !goes_on
    }

    /// Lanes on a path take the first lane of their segment, which is 0 once shifted; idle lanes
    /// take themselves, which are 0 as well.
    fn add_gather(&mut self, vector: usize, chained: bool) {
        let run_start = self.run_start();
        let base = vector * S::LANES;
        let mut sources = [0u32; MOST_LANES];
        for (q, source) in sources.iter_mut().enumerate().take(S::LANES) {
            let active = chained && self.start_of[base + q] != NONE;
            let lane = if active { self.first_of[base + q] as usize } else { base + q };
            let block = self.block_of[lane / S::LANES] as usize;
            *source = ((block - run_start) * S::LANES + lane % S::LANES) as u32;
        }
        self.columns.gathers.push(S::gather_control(&sources[..S::LANES]));
    }

    /// The first block of the run that is being made.
    fn run_start(&self) -> usize {
        self.columns.runs.last().map_or(0, |run| run.blocks.start)
    }

    fn add_block(&mut self, vector: usize, chained: bool) {
        let base = vector * S::LANES;
        let lanes = LaneRoles::<S>::new(&self.start_of[base..], &self.first_of[base..], base);
        let mut near = [None; MOST_LANES];
        // (lane, lane to take from) for lanes that need another vector of the chain.
        let mut far = Vec::new();
        let apart = lanes.apart.iter().enumerate().filter(|(_, apart)| **apart);
        for (q, _) in apart {
            let source = self.first_of[base + q] as usize;
            if !chained {
                // Isolated blocks pick before they shift: one lane further left.
                near[q] = Some((source - 1 - base) as u8);
            } else if source >= base {
                near[q] = Some((source - base) as u8);
            } else if !S::GATHERS {
                far.push((q, source));
            }
        }
        let through = lanes.incoming[S::LANES - 1];
        self.columns.blocks.push(Block {
            scan: S::scan_control(&lanes.starts[..S::LANES]),
            inside: S::mask(|q| lanes.inside[q]),
            path: S::mask(|q| lanes.path[q]),
            carry: if chained { S::mask(|q| lanes.incoming[q]) } else { S::zero() },
            through: if through { S::mask(|_| true) } else { S::zero() },
            pick: S::pick_control(&near[..S::LANES]),
        });
        self.columns.vector_of.push(vector as u32);
        let part = S::LANES / S::PARTS;
        let run_start = self.run_start();
        while let Some(&(_, source)) = far.first() {
            let group = source / part;
            let mut sources = [None; MOST_LANES];
            far.retain(|&(q, source)| {
                let here = source / part == group;
                if here {
                    sources[q] = Some((source % part) as u8);
                }
                !here
            });
            self.columns.far.push(FarPick {
                into: (self.columns.blocks.len() - 1 - run_start) as u32,
                from: self.block_of[source / S::LANES] - run_start as u32,
                part: (group % S::PARTS) as u32,
                control: S::far_control(&sources[..S::LANES]),
            });
        }
    }
}
