"""What the Sentiment experiment reads: trees in two forms, vectors, seeds, and what it refuses."""

import hashlib
import json

import numpy as np
import pytest

import treemetric as tm
from sentences import WORDS, write_data, write_treebank
from treemetric.cli import main
from treemetric.experiments import Sentiment, run_ablation, run_sentiment
from treemetric.experiments.sentiment.data import QUICK, coverage, load_splits


@pytest.mark.parametrize("ending", [".txt", ".ptb.txt.gz"])
def test_treebank_files_and_json_lines_give_the_same_results(data, tmp_path, ending):
    write_treebank(tmp_path, data[0], ending)
    one, two = (load_splits(path, QUICK, 0) for path in (data[0], tmp_path))
    assert list(one) == list(two) == ["train", "dev", "test"]
    for split, (trees, target) in one.items():
        assert [tree.to_bracket() for tree in trees] == [
            tree.to_bracket() for tree in two[split][0]
        ]
        np.testing.assert_array_equal(target, two[split][1])
    output = tmp_path / "results"
    found, expected = (
        run_sentiment(tmp_path, data[1], output, quick=True),
        run_sentiment(*data, quick=True),
    )
    assert found.rows == expected.rows
    assert found.coverage == expected.coverage
    record = json.loads((output / "run.json").read_text(encoding="utf-8"))
    train = tmp_path / f"train{ending}"
    assert list(record["data"]) == ["train", "dev", "test"]
    assert record["data"]["train"] == {
        "name": train.name,
        "sha256": hashlib.sha256(train.read_bytes()).hexdigest(),
    }


def test_a_file_of_all_trees_comes_first(data, tmp_path):
    path = write_data(tmp_path)[0]
    (tmp_path / "train.txt").write_text("(no tree", encoding="utf-8")
    assert len(load_splits(tmp_path, QUICK, 0)["train"][0]) == len(
        load_splits(path, QUICK, 0)["train"][0]
    )


def test_folders_without_all_splits_are_refused(data, tmp_path):
    message = r"neither a file trees\.jsonl nor a treebank file for each split: no name begins with"
    with pytest.raises(FileNotFoundError, match=f"{message} 'train' or 'dev' or 'test'"):
        run_sentiment(tmp_path, data[1])
    write_treebank(tmp_path, data[0])
    (tmp_path / "dev.txt").rename(tmp_path / "valid.txt")
    with pytest.raises(FileNotFoundError, match=f"{message} 'dev'$"):
        run_sentiment(tmp_path, data[1])
    for name in ("dev.txt", "dev2.txt"):
        (tmp_path / name).write_text("(2 (2 so) (2 what))", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"one file that begins with 'dev'. Got \['dev.txt', 'dev2.txt'\]"
    ):
        run_sentiment(tmp_path, data[1])
    (tmp_path / "dev2.txt").unlink()
    with pytest.raises(ValueError, match=r"No tree of .*dev\.txt has a class: all are neutral"):
        run_sentiment(tmp_path, data[1])


def test_classes_are_the_same_in_all_files(tmp_path):
    good, bad = "(4 (2 so) (3 good))", "(0 (2 so) (1 bad))"
    for split, text in (("train", f"{good}\n{bad}"), ("dev", good), ("test", bad)):
        (tmp_path / f"{split}.txt").write_text(text, encoding="utf-8")
    splits = load_splits(tmp_path, QUICK, 0)
    assert [target.tolist() for _, target in splits.values()] == [[1, 0], [1], [0]]
    (tmp_path / "train.txt").write_text(good, encoding="utf-8")
    with pytest.raises(ValueError, match=r"The training trees of .* lack a class"):
        load_splits(tmp_path, QUICK, 0)


# --- vectors -----------------------------------------------------------------------


def test_words_with_a_vector_are_counted(tmp_path):
    trees = [tm.Tree.from_bracket(text) for text in ("{*{a}{b}}", "{c{a}{x}}", "{a}")]
    nothing = np.zeros(3, dtype=np.int64)
    splits = {"train": (tm.TreeSet(trees), nothing), "dev": (tm.TreeSet(trees[:1]), nothing[:1])}
    # That of b is zero, and c is at no leaf.
    costs = tm.VectorCosts("abc", [[1.0], [0.0], [2.0]])
    found = coverage(splits, costs)
    assert found == {
        "distinct_words": 3,
        "distinct_words_with_vector": 1,
        "share_of_distinct_words": pytest.approx(1 / 3),
        "tokens": 7,
        "tokens_with_vector": 4,
        "share_of_tokens": pytest.approx(4 / 7),
    }
    said = Sentiment([], None, [], 0.0, (), found).report().splitlines()[-1]
    assert said == "With a vector: 33.3% of 3 distinct words, 57.1% of 7 tokens."


def test_the_record_and_the_report_show_the_coverage(data, tmp_path):
    path = tmp_path / "v.npz"
    some = np.random.RandomState(0).standard_normal((15, 3))
    np.savez(path, words=np.array(WORDS[:15]), vectors=some)
    found = run_sentiment(data[0], path, tmp_path / "results", quick=True)
    record = json.loads((tmp_path / "results" / "run.json").read_text(encoding="utf-8"))
    assert record["coverage"] == found.coverage
    assert found.coverage["distinct_words"] == 30
    assert found.coverage["distinct_words_with_vector"] == 15
    assert 0.3 < found.coverage["share_of_tokens"] < 0.7
    table = (tmp_path / "results" / "table.md").read_text(encoding="utf-8")
    assert "With a vector: 50.0% of 30 distinct words, " in table


@pytest.mark.parametrize(
    ("words", "vectors"),
    [(np.array([word.upper() for word in WORDS]), np.ones((30, 2))), (WORDS, np.zeros((30, 2)))],
    ids=["other words", "zeros"],
)
def test_vectors_of_no_word_are_refused(data, tmp_path, words, vectors):
    path = tmp_path / "v.npz"
    np.savez(path, words=words, vectors=vectors)
    message = (
        r"'vectors' .* vectors for words of the trees\. Got words \['.*\] for labels \['.*\] of"
    )
    with pytest.raises(ValueError, match=message):
        run_sentiment(data[0], path, tmp_path / "results", quick=True)
    assert not (tmp_path / "results").exists()


def test_words_in_bytes_are_words(data, tmp_path):
    with np.load(data[1]) as arrays:
        words, vectors = arrays["words"], arrays["vectors"]
    path = tmp_path / "v.npz"
    np.savez(path, words=words.astype("S"), vectors=vectors)
    found, expected = (run_sentiment(data[0], file, quick=True) for file in (path, data[1]))
    assert found.rows == expected.rows
    assert found.coverage["share_of_tokens"] == 1.0


def test_the_command_reports_errors_in_vectors(data, tmp_path, capsys):
    np.save(tmp_path / "v.npy", np.ones((3, 2)))
    given = ["--data", str(data[0]), "--vectors", str(tmp_path / "v.npy")]
    assert main(["reproduce", "sentiment", *given]) == 2
    printed = capsys.readouterr().err
    assert "--vectors must be an .npz file" in printed
    assert printed.count("\n") == 1


# --- seeds -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, None])
def test_invalid_seeds_are_refused(data, tmp_path, seed):
    must = r"must be an int in the range \[0, 4294967295\]\. Got "
    with pytest.raises(ValueError, match=f"'seed' parameter of run_sentiment {must}{seed} instead"):
        run_sentiment(*data, tmp_path / "results", seed=seed)
    with pytest.raises(ValueError, match=f"'seed' parameter of run_ablation {must}{seed} instead"):
        run_ablation(["strings"], tmp_path / "results", seed=seed)
    assert not (tmp_path / "results").exists()


def test_the_largest_seed_is_valid(data):
    assert len(load_splits(data[0], QUICK, 2**32 - 1)) == 3
