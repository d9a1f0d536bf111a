"""Vectors of words in files, and the commands that take them as costs."""

import warnings
import zipfile
from random import Random

import numpy as np
import pytest

import treemetric as tm
from treemetric.cli import main
from treemetric.costs.vector_files import read_vectors

WORDS = ("a", "b", "é")
VECTORS = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])


def saved(folder, **arrays):
    path = folder / "v.npz"
    np.savez(path, **{"words": np.array(WORDS), "vectors": VECTORS, **arrays})
    return path


@pytest.mark.parametrize(
    "words", [np.array(WORDS), np.array([word.encode("utf-8") for word in WORDS])]
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_words_and_vectors_are_read(tmp_path, words, dtype):
    found, vectors = read_vectors(
        saved(tmp_path, words=words, vectors=VECTORS.astype(dtype)), "", ""
    )
    assert found == list(WORDS)
    assert vectors.dtype == dtype
    np.testing.assert_array_equal(vectors, VECTORS)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.array("a")}, r"an array 'words' of 1 dimension\. Got shape \(\) in"),
        (
            {"words": np.array([["a"], ["b"], ["c"]])},
            r"'words' of 1 dimension\. Got shape \(3, 1\)",
        ),
        ({"words": np.arange(3)}, r"texts in the array 'words'\. Got type int64"),
        (
            {"words": np.array([b"a", b"\xff", b"c"])},
            r"UTF-8 in the array 'words'\. Got b'\\xff' in r",
        ),
        ({"words": np.array(["a", None, 3], dtype=object)}, "without other objects, in 'words'"),
        ({"words": np.array(["a"])}, r"a word for each row .*\. Got 1 words and an .* \(3, 2\)"),
        ({"vectors": np.ones(3)}, "a word for each row"),
        ({"vectors": np.array([["x"]] * 3)}, "a word for each row .* type <U1"),
        ({"vectors": np.ones((3, 0))}, r"at least one column .*\. Got shape \(3, 0\)"),
        (
            {"vectors": [[0, 1], [2, np.nan], [0, 0]]},
            "finite numbers .* Got nan in row 1, column 1 i",
        ),
        (
            {"vectors": [[0, 1], [np.inf, 0], [0, 0]]},
            "finite numbers .* Got inf in row 1, column 0 i",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, arrays, message):
    path = saved(tmp_path, **arrays)
    with pytest.raises(ValueError, match=f"The 'v' parameter of f must be a file with .*{message}"):
        read_vectors(path, "v", "f")


def test_files_that_are_none_are_refused(tmp_path):
    must = "The 'v' parameter of f must be an .npz file with the arrays 'words' and 'vectors'. Got "
    text, single, torn = tmp_path / "v.txt", tmp_path / "v.npy", tmp_path / "torn.npz"
    text.write_text("good 1.0 2.0\n", encoding="utf-8")
    np.save(single, VECTORS)
    torn.write_bytes(saved(tmp_path).read_bytes()[:-60])
    other, empty = tmp_path / "other.npz", tmp_path / "empty.npz"
    np.savez(other, words=np.array(WORDS), rows=VECTORS)
    empty.write_bytes(b"")
    for path, got in (
        (text, "v.txt, which is none"),
        (single, "v.npy, which is a single array"),
        (torn, "torn.npz, which is none"),
        (empty, "empty.npz, which is none"),
        (other, "other.npz with ['rows', 'words']"),
    ):
        with pytest.raises(ValueError, match="must be") as error:
            read_vectors(path, "v", "f")
        assert str(error.value).startswith(must + got)
        assert "pickle" not in str(error.value)
    with pytest.raises(FileNotFoundError):
        read_vectors(tmp_path / "none.npz", "v", "f")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_damaged_files_raise_one_error_that_names_the_file(tmp_path, save):
    path, rng = tmp_path / "v.npz", Random(0)
    save(path, words=np.array(WORDS), vectors=VECTORS)
    whole = path.read_bytes()
    kinds, intact = set(), 0
    for _ in range(1500):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.choice((rng.randrange(256), 0, 255))
        path.write_bytes(content if rng.random() < 0.8 else content[: rng.randrange(len(content))])
        try:
            words, _ = read_vectors(path, "v", "f")
        except ValueError as error:
            message = str(error)
            kinds.add(type(error.__cause__ or error.__context__))
        else:
            message = "The 'v' parameter of f is read from v.npz"
            intact += len(words) == 3
        assert message.startswith("The 'v' parameter of f ")
        assert "v.npz" in message
    assert {zipfile.BadZipFile, NotImplementedError, OSError} <= kinds
    assert intact > 50  # bytes that do not matter


@pytest.mark.parametrize("name", ["words", "vectors"])
def test_an_array_with_a_wrong_size_in_its_header_is_refused(tmp_path, capsys, name):
    path, trees = saved(tmp_path), tmp_path / "trees.txt"
    trees.write_text("{a{b}}\n")
    with zipfile.ZipFile(path) as file:
        members = {member: file.read(member) for member in file.namelist()}
    for shape in ("(2, 1000000000000)", "(2, 1)"):
        data = members[f"{name}.npy"]
        start, end = data.index(b"("), data.index(b"}")
        changed = shape.encode().ljust(end - start)
        with zipfile.ZipFile(path, "w") as file:
            for member, content in members.items():
                new = content[:start] + changed + content[end:]
                file.writestr(member, new if member == f"{name}.npy" else content)
        with pytest.raises(ValueError, match=r"Got ValueError from v\.npz"):
            read_vectors(path, "v", "f")
        assert main(["pairwise", str(trees), "--costs", str(path)]) == 2
        assert "v.npz" in capsys.readouterr().err


def test_arrays_that_do_not_fit_in_memory_name_the_file(tmp_path, monkeypatch):
    path = saved(tmp_path)

    def full(*args, **options):
        raise MemoryError

    monkeypatch.setattr(np, "load", full)
    with pytest.raises(MemoryError, match=r"the arrays of v\.npz do not fit in memory"):
        read_vectors(path, "v", "f")


# --- the command line --------------------------------------------------------------


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text("{S{a}{b}}\n{S{é}}\n{S{S{b}}{a}}\n{x}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", [None, "chord", "euclidean"])
def test_commands_take_vectors_as_costs(tmp_path, trees, kind):
    given = ["--costs", str(saved(tmp_path)), "--jobs", "1"]
    given += [] if kind is None else ["--kind", kind]
    costs = tm.VectorCosts(WORDS, VECTORS, kind=kind or "cosine")
    data = tm.TreeSet.from_bracket(trees)
    full = tm.pairwise_distances(data, costs=costs)
    assert full[0, 1] > 0
    target = tmp_path / "D.npy"
    assert main(["pairwise", str(trees), "-o", str(target), *given]) == 0
    np.testing.assert_array_equal(np.load(target), full)
    for command, found in (
        (["nearest", "-k", "2"], tm.nearest(data, k=2, costs=costs)),
        (["within", "-r", "0.6"], tm.within(data, radius=0.6, costs=costs)),
    ):
        result = tmp_path / f"{command[0]}.npz"
        assert main([*command, str(trees), "-o", str(result), *given]) == 0
        with np.load(result) as arrays:
            np.testing.assert_array_equal(arrays["indices"], found.indices)
            np.testing.assert_array_equal(arrays["distances"], found.distances)


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"vectors": np.ones((3, 0))}, [], "--costs must be a file"),
        ({"words": np.array(["a", "b", "a"])}, [], "a list of different labels. Got 'a' twice"),
        (
            {"words": np.array(["A", "B", "C"])},
            [],
            "vectors for labels of the trees. Got words ['A'",
        ),
        ({}, ["--kind", "chord", "--costs", "costs.csv"], "--kind says how vectors become costs"),
    ],
)
@pytest.mark.parametrize("command", [["pairwise"], ["nearest"], ["within", "-r", "1"]])
def test_vectors_that_do_not_fit_are_told(
    tmp_path, trees, capsys, monkeypatch, arrays, options, message, command
):
    monkeypatch.chdir(tmp_path)
    target = tmp_path / ("D.npy" if command[0] == "pairwise" else "near.npz")
    given = ["--costs", str(saved(tmp_path, **arrays)), *options]
    assert main([*command, str(trees), "-o", str(target), *given]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not target.exists()


def test_a_kind_needs_vectors(tmp_path, trees, capsys):
    given = ["-o", str(tmp_path / "D.npy"), "--kind", "chord"]
    assert main(["pairwise", str(trees), *given]) == 2
    assert "--kind needs --costs with an .npz file" in capsys.readouterr().err


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_the_scale_of_vectors_makes_no_difference_for_sentiment(tmp_path, scale):
    from treemetric.experiments.sentiment.data import load_costs

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load_costs(saved(tmp_path, vectors=scale * VECTORS), "cosine")
    assert found.vectors.dtype == np.float32
    expected = VECTORS / np.sqrt(np.mean(np.sum(VECTORS**2, axis=1)))
    np.testing.assert_allclose(found.vectors, expected, rtol=1e-6)
