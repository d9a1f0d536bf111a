"""The page about a collection: what it counts, what it samples, and how it looks in a browser."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from browser import all_of, one, opened, texts, wait
from strategies import trees as tree_strategy
from treemetric.report import report_html
from treemetric.report.facts import count_facts, shared_folder
from treemetric.report.pairs import near_pairs
from treemetric.report.parts import histogram
from treemetric.report.sample import choose_sample, cluster_sample, measure, outliers

EVIL = "</script><script>alert(1)</script>"


def words(count, seed=0, letters="abcd", longest=12):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, count)
    return tm.TreeSet(
        [tm.Tree.from_sequence(rng.choice(list(letters), n).tolist()) for n in lengths],
        ids=[f"word {k}" for k in range(count)],
    )


def sampled(trees, most=100, costs=None):
    facts = count_facts(trees)
    chosen = choose_sample(facts.sizes, facts.distinct, most, 0)
    return facts, measure(trees, chosen.positions, costs)


@given(st.lists(tree_strategy(), max_size=8))
def test_facts_are_those_of_a_plain_count(found):
    facts = count_facts(tm.TreeSet(found))
    assert facts.sizes.tolist() == [tree.size for tree in found]
    assert facts.depths.tolist() == [tree.depth for tree in found]
    nodes = Counter(label for tree in found for label in tree.labels)
    holders = Counter(label for tree in found for label in set(tree.labels))
    assert {count.label: (count.nodes, count.trees) for count in facts.labels} == {
        label: (nodes[label], holders[label]) for label in nodes
    }
    first = {}
    for position, tree in enumerate(found):
        first.setdefault(tree, []).append(position)
    assert facts.distinct.tolist() == sorted(group[0] for group in first.values())
    assert sorted(facts.groups) == sorted(group for group in first.values() if len(group) > 1)


@pytest.mark.parametrize(
    ("names", "folder"),
    [
        (None, ""),
        ([], ""),
        ([1, 2], ""),
        (["a", "ab"], ""),
        (["src/app/one.py", "src/app/old/two.py"], "src/app/"),
        (["src/app", "src/application"], "src/"),
        (["/a/b.py", "c.py"], ""),
    ],
)
def test_names_share_whole_folders(names, folder):
    assert shared_folder(names) == folder


def test_shared_folders_are_left_out_of_names_and_stated_once():
    trees = tm.TreeSet(words(5), ids=[f"home/src/{k}.py" for k in range(5)])
    page = report_html(trees)
    assert page.count("home/src/") == 1
    assert "All names begin with home/src/, which is left out." in page
    assert "All names begin" not in report_html(words(5))


def test_counts_of_one_are_singular():
    tree = tm.Tree.from_bracket("{a}")
    page = report_html([tree])
    for text in ("<b>1</b><span>tree</span>", "1 node: 1 tree", "<p>1 label occurs once.</p>"):
        assert text in page
    assert not re.search(r">1 (trees|nodes|labels|levels|groups)\b", page)
    assert "<p>No two trees are equal.</p>" in page
    assert "<p>1 tree is a copy of another one, in 1 group.</p>" in report_html([tree, tree])


def test_a_sample_is_bounded_by_number_and_by_work():
    sizes = np.full(5000, 10)
    everything = choose_sample(sizes[:100], np.arange(100), 1000, 0)
    assert everything.positions.tolist() == list(range(100))
    some = choose_sample(sizes, np.arange(5000), 300, 0)
    assert len(some.positions) == len(set(some.positions.tolist())) == 300
    assert (
        choose_sample(sizes, np.arange(5000), 300, 0).positions.tolist() == some.positions.tolist()
    )
    assert (
        choose_sample(sizes, np.arange(5000), 300, 1).positions.tolist() != some.positions.tolist()
    )
    large = choose_sample(np.full(5000, 2000), np.arange(5000), 1000, 0)
    assert 10 < len(large.positions) < 100
    giant = choose_sample(np.array([10, 10**6, 10]), np.arange(3), 1000, 0)
    assert giant.positions.tolist() == [0, 2]
    assert giant.too_large == 1


@pytest.mark.parametrize("costs", [None, tm.OperationCosts(delete=1, insert=2, replace=1.5)])
def test_relative_distances_are_shares(costs):
    trees = words(30)
    _, sample = sampled(trees, costs=costs)
    i, j = 3, 9
    x, y = sample.trees[i], sample.trees[j]
    one_way = tm.normalized_distance(x, y, costs=costs, norm="weight")
    other_way = tm.normalized_distance(y, x, costs=costs, norm="weight")
    assert sample.relative[i, j] == pytest.approx(min(one_way, other_way))
    assert sample.relative.max() <= 1


def test_the_nearest_pairs_are_those_of_all_pairs():
    trees = words(40)
    facts, sample = sampled(trees)
    found = near_pairs(trees, facts.distinct, sample, None, None, 10)
    D = tm.pairwise_distances(trees)
    sizes = trees.sizes
    share = D / (sizes[:, None] + sizes[None, :])
    pairs = [(share[i, j], i, j) for i in range(40) for j in range(i) if D[i, j] > 0]
    assert found[0].relative == min(pairs)[0]
    assert len(found) == 10
    for pair in found:
        assert D[pair.i, pair.j] == pair.distance > 0
    used = Counter(position for pair in found for position in pair[:2])
    assert max(used.values()) <= 2


def test_near_pairs_outside_of_the_sample_are_found():
    trees = list(words(400, longest=40, letters="abcdefgh"))
    base = tm.Tree.from_sequence("q" * 60)
    twin = tm.Tree.from_sequence("q" * 59 + "r")
    trees = tm.TreeSet([base, *trees, twin])
    facts, sample = sampled(trees, most=20)
    best = near_pairs(trees, facts.distinct, sample, None, None, 3)[0]
    assert best[:3] == (0, 401, 1.0)


def test_clusters_and_outliers_of_two_groups():
    near = [tm.Tree.from_sequence("aaaaaaaa" + c) for c in "bcdefg"]
    far = [tm.Tree.from_sequence("zzzzzzzz" + c) for c in "bcdefg"]
    odd = tm.Tree.from_nested(("r", ["s", "t", "u", "v", "w", "x", "y"]))
    trees = tm.TreeSet([*near, *far, odd])
    _, sample = sampled(trees)
    clusters = cluster_sample(sample)
    members = sorted(sorted(cluster.members) for cluster in clusters)
    assert list(range(6)) in members or [*range(6), 12] in members
    assert sum(map(len, members)) == 13
    for cluster in clusters:
        assert cluster.members[0] == cluster.medoid
    assert outliers(sample, 1)[0][0] == 12


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 60])
def test_collections_of_any_size_have_a_page(count):
    page = report_html(words(count), title="Some words")
    assert "<h1>Some words</h1>" in page
    assert "random sample" not in page
    for tag in ("div", "details", "section", "table", "script", "svg"):
        assert page.count(f"<{tag}") == page.count(f"</{tag}>")


def test_odd_trees_have_a_page():
    empty = tm.Tree.from_nested([])
    forest = tm.Tree.from_nested(["a", "b"])
    for trees in ([empty], [empty, empty], [empty, forest, forest], [forest] * 5):
        assert "<h1>Trees</h1>" in report_html(trees)


def test_sampling_is_stated():
    page = report_html(words(120), max_trees=20)
    assert "From a random sample of 20 of the" in page
    assert "(seed 0)" in page


def test_the_page_is_the_same_for_any_number_of_threads():
    trees = words(80)
    assert report_html(trees, n_jobs=1) == report_html(trees, n_jobs=2)


def test_names_labels_and_titles_are_escaped():
    trees = [tm.Tree.from_sequence([EVIL, *word]) for word in ("a", "b", "c", "a", "xy")]
    page = report_html(tm.TreeSet(trees, ids=[f"{EVIL}{k}" for k in range(5)]), title=EVIL)
    assert "<script>alert" not in page
    assert page.count("<script") == page.count("</script>")


@pytest.mark.parametrize(
    ("options", "match"),
    [({"max_trees": 1}, "max_trees"), ({"seed": -1}, "seed"), ({"n_jobs": 0}, "n_jobs")],
)
def test_arguments_are_checked(options, match):
    with pytest.raises(ValueError, match=match):
        report_html(words(3), **options)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_every_value_is_in_one_bar(values):
    chart = histogram(np.array(values), "nodes")
    found = re.findall(r": ([\d,]+) trees?</title>", chart)
    counts = [int(count.replace(",", "")) for count in found]
    assert sum(counts) == len(values)


def test_a_report_in_a_browser(tmp_path):
    path = tmp_path / "report.html"
    trees = words(60, longest=30)
    path.write_text(report_html(trees, title="Words"), encoding="utf-8")
    for dark in (False, True):
        with opened(path, dark=dark, width=900) as page:
            assert one(page, ".card b").text == "60"
            # Alignments are drawn when they are opened.
            assert not all_of(page, "details .tm-row")
            summary = one(page, "#pairs summary")
            page.execute_script("arguments[0].scrollIntoView()", summary)
            summary.click()
            wait(page, lambda: texts(page, "#pairs .tm-row"))
            assert one(page, "#clusters canvas").is_displayed()
            one(page, "#clusters input").send_keys("word 1")
            assert one(page, "#clusters .tm-found").text.endswith("found")


def test_a_narrow_page_with_long_names_does_not_scroll_sideways(tmp_path):
    folder = "/".join(["folder"] * 20)
    trees = tm.TreeSet(words(12), ids=[f"{folder}/{'name' * 30}{k}" for k in range(12)])
    path = tmp_path / "report.html"
    path.write_text(report_html(trees), encoding="utf-8")
    with opened(path, width=500) as page:
        script = (
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert page.execute_script(script) == 0
