from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, IntArray, OffsetArray

__version__: str

_Pair: TypeAlias = tuple[int | None, int | None]

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
        labels: tuple[Hashable, ...],
        starts: OffsetArray,
        children: OffsetArray,
        roots: OffsetArray | None,
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
class PreparedSet:
    def __new__(cls, codes: IntArray, parents: IntArray, offsets: OffsetArray) -> PreparedSet: ...
    def __len__(self) -> int: ...

@final
class CostTable:
    def __new__(cls, replace: FloatArray, delete: FloatArray, insert: FloatArray) -> CostTable: ...
    def is_symmetric(self) -> bool: ...

@final
class VectorTable:
    def __new__(
        cls, vectors: npt.NDArray[np.floating[Any]], lengths: FloatArray, kind: str
    ) -> VectorTable: ...
    def table(self, x: npt.NDArray[np.uint32], y: npt.NDArray[np.uint32]) -> CostTable: ...
    def is_symmetric(self) -> bool: ...

@final
class SearchIndex:
    def __new__(
        cls,
        y: PreparedSet,
        codes: npt.NDArray[np.uint32] | None,
        costs: CostTable | VectorTable | None,
        threads: int,
    ) -> SearchIndex: ...

@final
class Alignments:
    def __new__(
        cls,
        x: TreeData,
        y: TreeData,
        table: CostTable | None,
        index: dict[Hashable, int] | None,
        tolerance: float,
    ) -> Alignments: ...
    def __iter__(self) -> Alignments: ...
    def __next__(self) -> bytes: ...

def align_pair(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
) -> tuple[float, bytes]: ...
def all_pairs(pairs: bytes, x: TreeData, y: TreeData) -> tuple[_Pair, ...]: ...
def alignment_cost(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    pairs: bytes,
) -> float: ...
def cooptimal_count(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    tolerance: float,
) -> bytes: ...
def cooptimal_expectation(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    tolerance: float,
) -> FloatArray: ...
def cooptimal_sample(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    tolerance: float,
    count: int,
    seed: int,
) -> list[bytes]: ...
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
) -> FloatArray: ...
def edit_counts(
    sets: tuple[PreparedSet, PreparedSet],
    codes: tuple[npt.NDArray[np.uint32] | None, npt.NDArray[np.uint32] | None],
    symbols: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], int],
    costs: CostTable | VectorTable | None,
    pairs: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]],
    script: tuple[bool, float | None],
    tolerance: float,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[FloatArray, OffsetArray, OffsetArray]: ...
def pack(
    trees: list[TreeData],
) -> tuple[tuple[Hashable, ...], tuple[IntArray, IntArray, OffsetArray]]: ...
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
def unit_distance(x: TreeData, y: TreeData, cutoff: float | None = None) -> float: ...
def table_distance(
    x: TreeData,
    y: TreeData,
    table: CostTable,
    index: dict[Hashable, int] | None,
    cutoff: float | None = None,
) -> float: ...
def distance_by(
    x: TreeData,
    y: TreeData,
    table: CostTable | None,
    index: dict[Hashable, int] | None,
    packed: bool,
    paths: Literal["left", "right", "inner", "mixed"],
    swapped: bool,
) -> float: ...
def pairwise(
    x: PreparedSet,
    y: PreparedSet | None,
    codes: tuple[npt.NDArray[np.uint32] | None, npt.NDArray[np.uint32] | None],
    costs: CostTable | VectorTable | None,
    out: npt.NDArray[np.floating[Any]],
    cutoff: float | None,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> int: ...
def matrix_bytes(
    nodes: tuple[int, int],
    work: int,
    trees: tuple[int, int],
    labels: tuple[int, int],
    cutoff: bool,
    costs: CostTable | VectorTable | None,
    threads: int,
) -> tuple[int, int, int, int, tuple[int, int], int]: ...
def inner_shares(trees: PreparedSet) -> FloatArray: ...
def neighbors(
    x: PreparedSet,
    y: PreparedSet | None,
    codes: tuple[npt.NDArray[np.uint32] | None, npt.NDArray[np.uint32] | None],
    costs: CostTable | VectorTable | None,
    k: int | None,
    radius: float | None,
    pivots: tuple[npt.NDArray[np.uint32], FloatArray, float] | None,
    index: SearchIndex | None,
    method: str,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[OffsetArray, OffsetArray, FloatArray, int]: ...
