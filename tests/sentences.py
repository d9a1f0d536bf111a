"""Small made-up sentences with classes, and vectors of their words."""

import gzip
import json

import numpy as np

import treemetric as tm

WORDS = [f"w{number}" for number in range(30)]


def sentences(count, seed):
    """Trees of words, most of them of the kind of the class."""
    random = np.random.RandomState(seed)
    for number in range(count):
        code = number % 2
        flips = random.random_sample(random.randint(2, 6)) < 0.15
        chosen = [WORDS[2 * random.randint(15) + int(code ^ flip)] for flip in flips]
        yield tm.Tree.from_nested(("*", [chosen[0], ("*", chosen[1:])])), "pn"[code]


def write_data(folder, sizes=(60, 40, 40), flip_test=False):
    """Write trees and vectors; the first number of a vector separates the classes."""
    lines = []
    for seed, (split, count) in enumerate(zip(("train", "dev", "test"), sizes, strict=True)):
        for tree, label in sentences(count, seed):
            flipped = "np"["pn".index(label)] if flip_test and split == "test" else label
            lines.append({"bracket": tree.to_bracket(), "label": flipped, "split": split})
    path = folder / "trees.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    vectors = 20.0 * np.random.RandomState(7).standard_normal((30, 5))
    vectors[:, 0] = np.where(np.arange(30) % 2, 10.0, -10.0)
    np.savez(folder / "v.npz", words=np.array(WORDS), vectors=vectors.astype("float16"))
    return path, folder / "v.npz"


def write_treebank(folder, path, ending=".txt"):
    """Write the trees of `write_data` as files of a treebank, with neutral ones in between."""
    lines = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        grade = "1" if one["label"] == "n" else "4"
        text = one["bracket"].replace("{*", f"({grade} ").replace("}", ")")
        text = text.replace("{", "(2 ")
        lines.setdefault(one["split"], []).extend([text, "(2 (2 so) (2 what))"])
    for split, some in lines.items():
        data = "\n".join(some).encode("utf-8")
        packed = gzip.compress(data) if ending.endswith(".gz") else data
        (folder / f"{split}{ending}").write_bytes(packed)
