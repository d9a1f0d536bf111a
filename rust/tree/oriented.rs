//! One decomposition of a tree: postorder arrays for left paths, of the tree or of its mirror.
//!
//! Zhang–Shasha decomposes a tree along its left paths. The right decomposition is the left one
//! of the mirror image, and the postorder of the mirror image is the reversed preorder, so both
//! orientations are the same arrays filled in a different order.

/// Which paths decompose the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Left paths: the first child continues its parent's path.
    Left,
    /// Right paths: the last child does (left paths of the mirror image).
    Right,
}

impl Orientation {
    /// Left, then right: `orientation as usize` is an index of arrays in this order.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// Scratch of [`Oriented::build`], kept from tree to tree: small trees are built faster than memory
/// for them is allocated.
#[derive(Debug, Default)]
pub(crate) struct BuildScratch {
    is_keyroot: Vec<bool>,
    canonical: Vec<u32>,
    table: Vec<u32>,
    computed: Vec<u32>,
}

/// A tree in postorder with all that a kernel needs, for one orientation.
///
/// The subtree of node `i` is the interval `first(i)..=i`. Forests and the empty tree carry one
/// more node at the end, a virtual root that saves nothing with any partner, so kernels
/// only ever see a single root.
#[derive(Debug, Clone)]
pub struct Oriented {
    /// Whether the last node stands for the roots of a forest.
    pub(crate) has_virtual_root: bool,
    /// Subtree sizes.
    pub(crate) size: Vec<u32>,
    /// Labels as indices into the tree's distinct labels.
    pub(crate) label: Vec<u32>,
    /// Key-roots in ascending order: the top nodes of the paths.
    pub(crate) keyroots: Vec<u32>,
    /// Key-roots whose subtree is not a copy of an earlier one.
    pub(crate) fresh: Vec<u32>,
    /// Row of the subtree table that holds node `i`: its own, or that of an equal earlier subtree.
    pub(crate) row: Vec<u32>,
    /// Number of these rows.
    pub(crate) distinct_rows: usize,
    /// Number of key-roots strictly above the path of node `i`.
    pub(crate) depth: Vec<u32>,
    /// Largest entry of `depth`.
    pub(crate) max_depth: u32,
    /// Rows computed when this tree lies along the rows: sizes of the fresh key-roots, summed.
    pub(crate) row_work: u64,
    /// Cells per row when this tree lies along the columns: sizes of the key-roots that need segments,
    /// summed.
    pub(crate) column_work: u64,
}

impl Oriented {
    /// Number of nodes, the virtual root included.
    pub(crate) fn len(&self) -> usize {
        self.size.len()
    }

    /// First node, in postorder, of the subtree of `i`: its left-most leaf.
    #[inline(always)]
    pub(crate) fn first(&self, i: usize) -> usize {
        i + 1 - self.size[i] as usize
    }

    /// Whether `i`, which must not be the root, is the only child of its parent.
    #[inline(always)]
    pub(crate) fn is_only_child(&self, i: usize) -> bool {
        self.size[i + 1] == self.size[i] + 1
    }

    /// The children of `i`, last one first.
    #[inline(always)]
    pub(crate) fn children(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.first(i);
        let mut next = i;
        std::iter::from_fn(move || {
            if next == first {
                return None;
            }
            let child = next - 1;
            next = self.first(child);
            Some(child)
        })
    }

    /// The nodes of the left path of a key-root, from the leaf upwards.
    #[inline(always)]
    pub(crate) fn left_path(&self, keyroot: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.first(keyroot);
        (first..=keyroot).filter(move |&i| self.first(i) == first)
    }

    /// The same from the key-root downwards, or from any other node.
    #[inline(always)]
    pub(crate) fn left_path_down(&self, top: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(top), |&i| self.children(i).last())
    }

    /// The preorder index of every real node.
    pub(crate) fn preorder(&self, orientation: Orientation) -> Vec<usize> {
        let n = self.len();
        // A virtual root comes before all others and is dropped at the end.
        let mut index = vec![0; n];
        for i in (0..n).rev() {
            match orientation {
                // The last child ends where its parent does, the one before it where that begins.
                Orientation::Left => {
                    let mut end = index[i] + self.size[i] as usize;
                    for child in self.children(i) {
                        end -= self.size[child] as usize;
                        index[child] = end;
                    }
                }
                Orientation::Right => index[i] = n - 1 - i,
            }
        }
        if self.has_virtual_root {
            index.pop();
            for index in &mut index {
                *index -= 1;
            }
        }
        index
    }

    /// Builds the arrays from a preorder tree whose labels and subtree sizes are known.
    ///
    /// `depth_of` is the number of ancestors of each node; `virtual_label` is set for forests.
    pub(crate) fn build(
        orientation: Orientation,
        labels: &[u32],
        sizes: &[u32],
        depth_of: &[u32],
        virtual_label: Option<u32>,
        scratch: &mut BuildScratch,
    ) -> Self {
        let real = labels.len();
        let n = real + usize::from(virtual_label.is_some());
        let mut size = vec![0; n];
        let mut label = vec![0; n];
        for i in 0..real {
            let post = match orientation {
                Orientation::Left => i + sizes[i] as usize - 1 - depth_of[i] as usize,
                Orientation::Right => real - 1 - i,
            };
            size[post] = sizes[i];
            label[post] = labels[i];
        }
        if let Some(code) = virtual_label {
            size[real] = n as u32;
            label[real] = code;
        }
        let mut tree = Self {
            has_virtual_root: virtual_label.is_some(),
            size,
            label,
            keyroots: Vec::new(),
            fresh: Vec::new(),
            row: Vec::new(),
            distinct_rows: 0,
            depth: Vec::new(),
            max_depth: 0,
            row_work: 0,
            column_work: 0,
        };
        tree.find_keyroots(&mut scratch.is_keyroot);
        tree.find_copies(scratch);
        tree
    }

    fn find_keyroots(&mut self, is_keyroot: &mut Vec<bool>) {
        let n = self.len();
        self.depth = vec![0; n];
        refill(is_keyroot, n, true);
        for i in (0..n).rev() {
            let (first, mut next) = (self.first(i), i);
            while next != first {
                let child = next - 1;
                next = self.first(child);
                // Only the first child continues the path of its parent.
                is_keyroot[child] = next != first;
                self.depth[child] = self.depth[i] + u32::from(next != first);
            }
        }
        self.max_depth = self.depth.iter().copied().max().unwrap_or(0);
        // Counted first, so that memory is allocated once.
        self.keyroots = Vec::with_capacity(is_keyroot.iter().filter(|&&is| is).count());
        self.keyroots.extend((0..n as u32).filter(|&i| is_keyroot[i as usize]));
        let in_segments = self.column_roots().filter(|&(_, needs_segment)| needs_segment);
        self.column_work = in_segments.map(|(k, _)| u64::from(self.size[k])).sum();
    }

    /// All key-roots in ascending order, and whether they need a segment of the columns: those whose
    /// subtrees have branches, and the root, unless it is a leaf.
    pub(crate) fn column_roots(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let root = self.len() - 1;
        // If there are branches, the last child that is not the first one is a key-root.
        let mut before = None;
        self.keyroots.iter().map(move |&k| {
            let k = k as usize;
            let has_branches = before.replace(k).is_some_and(|before| before >= self.first(k));
            (k, has_branches || k == root && root > 0)
        })
    }

    /// Finds key-roots whose subtree equals one that is computed anyway; their rows are shared.
    fn find_copies(&mut self, scratch: &mut BuildScratch) {
        let n = self.len();
        let BuildScratch { canonical, table, computed, .. } = scratch;
        self.find_canonical(canonical, table);
        // A node of each kind of subtree whose row is computed, as far as known.
        refill(computed, n, u32::MAX);
        self.fresh = Vec::with_capacity(self.keyroots.len());
        self.row = (0..n as u32).collect();
        for &k in &self.keyroots {
            let k = k as usize;
            let original = computed[canonical[k] as usize];
            // Walk down the path of `k`: the node itself, then the first child again and again.
            let mut node = Some(k);
            while let Some(i) = node {
                if original != u32::MAX {
                    // Equal subtrees have equal postorder intervals.
                    self.row[i] = original - (k - i) as u32;
                } else if computed[canonical[i] as usize] == u32::MAX {
                    computed[canonical[i] as usize] = i as u32;
                }
                node = self.children(i).last();
            }
            if original == u32::MAX {
                self.fresh.push(k as u32);
                self.row_work += u64::from(self.size[k]);
            }
        }
        // Until here rows were named by the first nodes that they hold, which come before the others.
        for i in 0..n {
            let first = self.row[i] as usize;
            self.row[i] = if first == i { self.distinct_rows as u32 } else { self.row[first] };
            self.distinct_rows += usize::from(first == i);
        }
    }

    /// For every node the first node with an equal subtree (hash consing, exact).
    pub(crate) fn canonical(&self) -> Vec<u32> {
        let (mut canonical, mut table) = (Vec::new(), Vec::new());
        self.find_canonical(&mut canonical, &mut table);
        canonical
    }

    /// Two nodes are equal if their labels and the canonical nodes of their children are, so each
    /// comparison costs as much as the node has children and the whole pass is linear.
    fn find_canonical(&self, canonical: &mut Vec<u32>, table: &mut Vec<u32>) {
        let n = self.len();
        refill(canonical, n, 0);
        let slots = (2 * n).next_power_of_two();
        refill(table, slots, u32::MAX);
        for i in 0..n {
            let seed = mix(0x9e37_79b9_7f4a_7c15, u64::from(self.label[i]));
            let hash = self.children(i).fold(seed, |h, c| mix(h, u64::from(canonical[c])));
            let mut slot = hash as usize & (slots - 1);
            canonical[i] = loop {
                let candidate = table[slot];
                if candidate == u32::MAX {
                    table[slot] = i as u32;
                    break i as u32;
                }
                let same = self.size[candidate as usize] == self.size[i]
                    && self.label[candidate as usize] == self.label[i]
                    && self
                        .children(candidate as usize)
                        .map(|c| canonical[c])
                        .eq(self.children(i).map(|c| canonical[c]));
                if same {
                    break candidate;
                }
                slot = (slot + 1) & (slots - 1);
            };
        }
    }
}

/// Makes a vector hold `n` times the same value, in the memory that it has.
pub(super) fn refill<T: Copy>(values: &mut Vec<T>, n: usize, value: T) {
    values.clear();
    values.resize(n, value);
}

/// One step of a multiplicative hash (the finaliser of `SplitMix64`).
pub(crate) fn mix(state: u64, value: u64) -> u64 {
    let mut z = state.rotate_left(23).wrapping_add(value.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    z = (z ^ (z >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 29)
}
