from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, IntArray, OffsetArray

__version__: str

LARGE_WORK: float
PREPARED_NODE_BYTES: int
PREPARED_TREE_BYTES: int
RETURNED_BYTES: int

_Pair: TypeAlias = tuple[int | None, int | None]
_Codes: TypeAlias = npt.NDArray[np.uint32] | None
_Resolved: TypeAlias = tuple[tuple[_Codes, _Codes], CostTable | VectorTable | TextTable | None]
_Trees: TypeAlias = tuple[IntArray, IntArray, OffsetArray]
_JoinTrees: TypeAlias = tuple[_Trees, _Codes, PreparedSet | None]
_Kinds: TypeAlias = tuple[bool, int | None, tuple[int, int] | None, int | None]
_Rows: TypeAlias = tuple[OffsetArray, npt.NDArray[np.uint32], FloatArray]
_Kernel: TypeAlias = tuple[str, float, float, int]
_Work: TypeAlias = tuple[int, Callable[[int, int], object] | None]
# Values, columns and row starts of a matrix.
_Csr: TypeAlias = tuple[FloatArray, IntArray | OffsetArray, IntArray | OffsetArray]
# The cutoff and the norm of results.
_Limits: TypeAlias = tuple[float | None, str | None]

@final
class TreeData:
    def __new__(cls, labels: Iterable[Hashable], parents: IntArray) -> TreeData: ...
    @staticmethod
    def from_codes(
        alphabet: tuple[Hashable, ...], codes: IntArray, parents: IntArray
    ) -> TreeData: ...
    @staticmethod
    def from_bracket(text: str) -> TreeData: ...
    @staticmethod
    def from_adjacency(
        labels: Iterable[Hashable],
        adj: Iterable[Iterable[int]],
        roots: Iterable[int] | None = None,
    ) -> TreeData: ...
    @staticmethod
    def from_parents(labels: Iterable[Hashable] | None, parents: Iterable[int]) -> TreeData: ...
    @staticmethod
    def from_nested(nested: Any, refuse: Callable[[Any], None]) -> TreeData: ...
    @staticmethod
    def from_callable(
        root: Any,
        children: Callable[[Any], Iterable[Any] | None],
        label: Callable[[Any], Hashable] | None,
    ) -> TreeData: ...
    @staticmethod
    def from_ast(
        root: Any,
        base: type,
        without: frozenset[str],
        label: Callable[[Any], Hashable] | None,
    ) -> TreeData: ...
    @property
    def size(self) -> int: ...
    @property
    def alphabet(self) -> tuple[Hashable, ...]: ...
    def labels(self) -> tuple[Hashable, ...]: ...
    def codes(self) -> IntArray: ...
    def parents(self) -> IntArray: ...
    def to_bracket(self) -> str: ...
    def equals(self, other: TreeData) -> bool: ...
    def value_hash(self) -> int: ...

@final
class Shapes: ...

@final
class PreparedSet:
    def __new__(
        cls,
        codes: IntArray,
        parents: IntArray,
        offsets: OffsetArray,
        shapes: Shapes | None = None,
        threads: int = 1,
    ) -> PreparedSet: ...
    def __len__(self) -> int: ...

@final
class CostTable:
    def __new__(
        cls, replace: FloatArray, delete: FloatArray, insert: FloatArray, *, by_node: bool = False
    ) -> CostTable: ...
    @staticmethod
    def operations(delete: float, insert: float, replace: float) -> CostTable: ...
    def is_symmetric(self) -> bool: ...

@final
class VectorTable:
    def __new__(
        cls, vectors: npt.NDArray[np.floating[Any]], lengths: FloatArray, kind: str
    ) -> VectorTable: ...
    def table(self, x: npt.NDArray[np.uint32], y: npt.NDArray[np.uint32]) -> CostTable: ...
    def is_symmetric(self) -> bool: ...

@final
class TextTable:
    def __new__(cls, labels: tuple[Hashable, ...]) -> TextTable: ...
    def table(self, x: npt.NDArray[np.uint32], y: npt.NDArray[np.uint32]) -> CostTable: ...
    def replace(self) -> FloatArray: ...
    def is_symmetric(self) -> bool: ...

@final
class SearchIndex:
    def __new__(
        cls,
        y: PreparedSet,
        codes: npt.NDArray[np.uint32] | None,
        costs: CostTable | VectorTable | TextTable | None,
        threads: int,
    ) -> SearchIndex: ...

@final
class Join:
    @staticmethod
    def prepare(
        sets: tuple[_JoinTrees, _JoinTrees | None],
        costs: CostTable | None,
        scale: tuple[float, str | None],
        how: str,
        threads: int,
    ) -> Join | None: ...
    @staticmethod
    def nearest(
        sets: tuple[_JoinTrees, _JoinTrees | None], k: int, work: _Work
    ) -> tuple[OffsetArray, OffsetArray, FloatArray, int] | None: ...
    @property
    def method(self) -> str: ...
    def rows(self, work: _Work) -> tuple[OffsetArray, OffsetArray, FloatArray, int]: ...
    def chunk(self, most: int, work: _Work) -> tuple[OffsetArray, OffsetArray, FloatArray]: ...

@final
class KnownTrees:
    def __new__(cls, arrays: _Trees, threads: int) -> KnownTrees: ...
    def within(
        self,
        x: _JoinTrees,
        costs: CostTable | None,
        wanted: tuple[float, str | None, str],
        work: _Work,
    ) -> tuple[tuple[OffsetArray, OffsetArray, FloatArray, int], str] | None: ...
    def nearest(
        self, x: _JoinTrees, prepared: tuple[PreparedSet, SearchIndex], k: int, work: _Work
    ) -> tuple[OffsetArray, OffsetArray, FloatArray, int] | None: ...

@final
class FeatureTrie:
    def __new__(
        cls, prefix: npt.NDArray[np.uint32], symbol: npt.NDArray[np.uint32]
    ) -> FeatureTrie: ...
    def count(self, arrays: _Trees, kinds: _Kinds, work: _Work) -> _Rows: ...

@final
class Alignments:
    def __iter__(self) -> Alignments: ...
    def __next__(self) -> bytes: ...

@final
class CoOptimalPair:
    def __new__(
        cls,
        x: TreeData,
        y: TreeData,
        table: CostTable | None,
        index: dict[Hashable, int] | None,
        tolerance: float | None,
    ) -> CoOptimalPair: ...
    def count(self) -> bytes: ...
    def expectation(self) -> FloatArray: ...
    def sample(self, count: int, seed: int) -> list[bytes]: ...
    def __iter__(self) -> Alignments: ...

def align_pair(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    how: tuple[bool, int],
) -> tuple[float, bytes]: ...
def all_pairs(pairs: bytes, x: TreeData, y: TreeData) -> tuple[_Pair, ...]: ...
def alignment_cost(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    pairs: bytes,
) -> float: ...
def soft_pair(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    temperature: float,
) -> tuple[float, FloatArray]: ...
def subtree_distances(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    threads: int,
) -> FloatArray: ...
def edit_counts(
    sets: tuple[PreparedSet, PreparedSet],
    resolved: _Resolved,
    counted: tuple[npt.NDArray[np.uint32] | None, int, npt.NDArray[np.int64], int],
    script: tuple[bool, float | None, float | None],
    work: _Work,
) -> _Csr: ...
def pair_edit_counts(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    how: tuple[tuple[bool, float | None, float | None], int],
) -> tuple[tuple[Hashable, ...], _Csr]: ...
def pack(
    trees: list[TreeData],
) -> tuple[tuple[Hashable, ...], tuple[IntArray, IntArray, OffsetArray], Shapes | None]: ...
def check_arrays(labels: int, codes: IntArray, parents: IntArray, offsets: OffsetArray) -> None: ...
def read_bracket(text: str) -> tuple[list[str], IntArray, IntArray, OffsetArray]: ...
def read_jsonl(
    text: str,
) -> tuple[
    tuple[list[str], IntArray, IntArray, OffsetArray],
    list[str] | None,
    list[str] | None,
]: ...
def write_bracket(
    labels: list[Any], codes: IntArray, parents: IntArray, offsets: OffsetArray
) -> str: ...
def write_jsonl(
    labels: list[str],
    codes: IntArray,
    parents: IntArray,
    offsets: OffsetArray,
    ids: list[str] | None,
    classes: list[str] | None,
) -> str: ...
def encode(
    alphabet: tuple[Hashable, ...], index: dict[Hashable, int]
) -> npt.NDArray[np.uint32]: ...
def closure(matrix: FloatArray) -> FloatArray: ...
def violations(matrix: FloatArray, tolerance: float) -> list[tuple[str, list[int], float]]: ...
def threads(n_jobs: int) -> int: ...
def available_memory() -> int: ...
def processor_features() -> list[str]: ...
def instructions() -> tuple[list[str], list[str]]: ...
def unit_distance(
    x: TreeData, y: TreeData, cutoff: float | None = None, threads: int = 1
) -> float: ...
def pair_result(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    limits: _Limits,
) -> float: ...
def table_distance(
    x: TreeData,
    y: TreeData,
    table: CostTable,
    index: dict[Hashable, int] | None,
    how: tuple[float | None, int] = ...,
) -> float: ...
def distance_by(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    way: tuple[bool, Literal["left", "right", "inner", "mixed"], bool],
) -> float: ...
def unordered_distance(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    cutoff: float | None = None,
) -> float: ...
def unordered_align_pair(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
) -> tuple[float, bytes]: ...
def unordered_subtree_distances(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
) -> FloatArray: ...
def unordered_pairwise(
    sets: tuple[PreparedSet, PreparedSet | None],
    resolved: _Resolved,
    out: npt.NDArray[Any],
    limits: _Limits,
    work: _Work,
) -> int: ...
def pairwise(
    sets: tuple[PreparedSet, PreparedSet | None],
    resolved: _Resolved,
    out: npt.NDArray[Any],
    limits: _Limits,
    work: _Work,
) -> int: ...
def paired(
    sets: tuple[PreparedSet, PreparedSet],
    resolved: _Resolved,
    out: npt.NDArray[Any],
    limits: _Limits,
    work: _Work,
) -> None: ...
def is_whole(costs: CostTable | VectorTable | None) -> bool: ...
def matrix_bytes(
    sizes: tuple[tuple[int, int], int, tuple[int, int], tuple[int, int]],
    cutoff: bool,
    costs: CostTable | VectorTable | TextTable | None,
    threads: int,
) -> tuple[int, int, int, int, tuple[int, int], int]: ...
def inner_shares(trees: PreparedSet) -> FloatArray: ...
def neighbors(
    sets: tuple[PreparedSet, PreparedSet | None],
    resolved: _Resolved,
    wanted: tuple[int | None, float | None, str | None],
    how: tuple[tuple[npt.NDArray[np.uint32], FloatArray, float] | None, SearchIndex | None, str],
    work: _Work,
) -> tuple[OffsetArray, OffsetArray, FloatArray, int]: ...
def find(
    query: TreeData,
    trees: tuple[TreeData | _Trees, int],
    resolved: _Resolved,
    wanted: tuple[int | None, float],
    work: _Work,
) -> tuple[OffsetArray, OffsetArray, OffsetArray, FloatArray, int]: ...
def table_tree(
    markup: bytes,
    given: tuple[str, bool, str],
    normalize: Callable[[str], str] | None,
) -> tuple[TreeData, int]: ...
def teds_pair(
    pred: bytes,
    true_: bytes,
    given: tuple[str, bool, str],
    normalize: Callable[[str], str] | None,
    go_on: Callable[[int, int], bool] | None,
) -> tuple[float, tuple[int, int], tuple[int, int]]: ...
def count_features(
    arrays: _Trees, kinds: _Kinds, work: _Work
) -> tuple[_Rows, tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint8]]]: ...
def hash_features(
    arrays: _Trees,
    labels: npt.NDArray[np.uint64],
    kinds: _Kinds,
    hashing: tuple[int, bool, bool],
    work: _Work,
) -> _Rows: ...
def tree_kernels(
    arrays: _Trees, rows: int | None, kernel: _Kernel, out: FloatArray, work: _Work
) -> None: ...
def self_kernels(arrays: _Trees, kernel: _Kernel, work: _Work) -> FloatArray: ...
def shared_pqgrams(
    arrays: _Trees, rows: int | None, grams: tuple[int, int], out: FloatArray, work: _Work
) -> FloatArray: ...
