"""Means, tables and the figure of the ablation, and the counter-example."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from treemetric.cli import main
from treemetric.experiments import counterexample, plot_ablation, summarise, to_markdown
from treemetric.experiments.ablation.claims import (
    CLAIMS,
    HIGHER,
    LOWER,
    SAME,
    UNKNOWN,
    against_unit,
    examine,
)
from treemetric.experiments.ablation.claims import to_text as claims_text
from treemetric.experiments.ablation.figure import save
from treemetric.experiments.ablation.plan import CLASSIFIERS

L = math.log(2)


def row(error, variant="L2", distance="actual", classifier="knn", dataset="strings"):
    return {
        "dataset": dataset,
        "variant": variant,
        "distance": distance,
        "classifier": classifier,
        "error": error,
    }


def many():
    return [
        row((k + fold) / 20, variant, distance, classifier, dataset)
        for dataset in ("strings", "other")
        for k, variant in enumerate(("unit", "G1", "G2", "L2"))
        for distance in ("pseudo", "actual", "programme")
        for classifier in CLASSIFIERS
        for fold in range(3)
        if distance != "programme" or variant.startswith("G")
    ]


def test_means_and_standard_deviations_are_over_folds():
    found = summarise([row(0.0), row(0.5), row(0.25, "L1")])
    assert found[0][:5] == ("strings", "L2", "actual", "knn", 0.25)
    assert (found[0].std, found[0].folds) == (0.25, 2)
    assert found[1].variant == "L1"


def test_the_table_has_a_part_for_each_distance():
    text = to_markdown(many())
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert len(heads) == 3
    assert "| Strings | knn | 5.0 ± 4.1 | 10.0 ± 4.1 | 15.0 ± 4.1 | 20.0 ± 4.1 |" in text
    assert "| other | goodness | 10.0 ± 4.1 | 15.0 ± 4.1 |" in text


def test_the_figure_has_a_row_for_each_data_set():
    pytest.importorskip("matplotlib")
    figure = plot_ablation(many())
    left, right = figure.axes[:2]
    assert len(figure.axes) == 4
    assert left.get_ylabel().startswith("Strings")
    assert [one.get_title() for one in (left, right)] == ["Pseudo-edit distance", "Edit distance"]
    names = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert names == ["unit", "G1", "G2", "L2"]
    # Four classifiers, and on the right the dynamic program for each of them.
    assert (len(left.containers), len(right.containers)) == (4, 8)
    points = left.containers[0].lines[0].get_ydata()
    np.testing.assert_allclose(np.asarray(points, dtype=float), [0.05, 0.1, 0.15, 0.2])
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[:4] == ["kNN", "median GLVQ", "SVM", "goodness"]
    assert labels[4].startswith("hollow")


def in_folds(errors, variant, distance, dataset="strings"):
    return [
        {**row(error, variant, distance, classifier, dataset), "fold": fold}
        for fold, error in enumerate(errors)
        for classifier in CLASSIFIERS
    ]


@pytest.mark.parametrize(
    ("errors", "found"),
    [
        ([0.1, 0.2, 0.1, 0.2], LOWER),
        ([0.4, 0.5, 0.4, 0.5], HIGHER),
        ([0.1, 0.5, 0.4, 0.2], SAME),
        ([0.3, 0.3, 0.3, 0.3], SAME),
    ],
)
def test_a_claim_can_fail(errors, found):
    rows = in_folds(errors, "G2", "pseudo") + in_folds([0.3] * 4, "G1", "pseudo")
    (finding,) = examine(CLAIMS[0], rows)
    assert finding.found == found
    assert finding.expected == HIGHER  # so the source says for strings
    assert finding.difference == pytest.approx(np.mean(errors) - 0.3)
    text = claims_text(rows)
    assert text.count("###") == 1
    counts = int(found == HIGHER), int(found == LOWER), int(found == SAME)
    said = "of 1 claimed differences {} found, {} found the other way round, {} not clear"
    assert f"- pseudo against pseudo: {said.format(*counts)}." in text


def test_a_claim_of_no_difference_has_an_interval_and_no_agreement():
    rows = in_folds([0.1, 0.5, 0.4, 0.2], "G2", "pseudo", "cystic")
    rows += in_folds([0.3] * 4, "G1", "pseudo", "cystic")
    (finding,) = examine(CLAIMS[0], rows)
    assert finding.expected == SAME
    spread = np.std([0.1, 0.5, 0.4, 0.2], ddof=1) / 2
    assert finding.interval == pytest.approx((-2 * spread, 2 * spread))
    text = claims_text(rows)
    assert "of 1 claims of no difference 1 not refuted, with intervals that reach to" in text
    assert f"| {-200 * spread:+.1f} to {200 * spread:+.1f} | no difference |" in text
    assert "claimed differences" not in text


def test_the_source_claims_nothing_of_other_data():
    rows = in_folds([0.1, 0.2], "L2", "actual", "mine") + in_folds(
        [0.3] * 2, "L1", "actual", "mine"
    )
    (finding,) = examine(CLAIMS[3], rows)
    assert (finding.expected, finding.found) == (UNKNOWN, LOWER)
    text = claims_text(rows)
    assert "1 on data that the source does not have" in text
    assert f"| {UNKNOWN} | lower |" in text
    assert "claimed differences" not in text


def test_zero_closures_are_reported_and_both_edit_distances_counted_separately():
    rows = in_folds([0.1, 0.2], "G1", "pseudo")
    rows += [{**one, "zero_closure": True} for one in in_folds([0.5, 0.5], "G1", "actual")]
    rows += [{**one, "zero_closure": True} for one in in_folds([0.0, 0.0], "G1", "programme")]
    text = claims_text(rows)
    assert "- pseudo against actual: of 1 claimed differences 1 found" in text
    assert "closures of learned costs that are 0 everywhere: 100 % of all folds." in text
    assert "- pseudo against programme: of 1 claimed differences 0 found, 1 found the other" in text
    table = to_markdown(rows)
    assert "| Strings | knn | 50.0 ± 0.0 ∅ 100 % |" in table
    assert table.count("∅ n %:") == 1  # below the table of the edit distance alone
    assert "| Strings | knn | 0.0 ± 0.0 |" in table
    assert summarise(rows)[-1].zero_closure == 1.0


def test_zero_closures_are_counted_by_folds():
    rows = []
    for dataset, folds, zero in (("strings", 6, False), ("cystic", 2, True)):
        errors = [fold / 10 for fold in range(folds)]
        rows += in_folds(errors, "G1", "pseudo", dataset)
        some = in_folds(errors, "G1", "actual", dataset)
        rows += [{**one, "zero_closure": zero} for one in some]
    text = claims_text(rows)
    assert "that are 0 everywhere: 25 % of all folds." in text  # 2 of 8
    # What GESL learned is under the edit distance in this claim only.
    assert text.count("0 everywhere") == 1


def test_every_variant_is_compared_with_unit_costs():
    rows = in_folds([0.2, 0.3], "unit", "pseudo") + in_folds([0.2, 0.3], "unit", "actual")
    rows += in_folds([0.1, 0.2], "G1", "pseudo") + in_folds([0.3, 0.4], "G1", "programme")
    rows += [{**one, "zero_closure": True} for one in in_folds([0.5, 0.6], "G1", "actual")]
    rows += in_folds([0.1, 0.4], "L1", "pseudo")
    findings = examine(against_unit(rows), rows)
    assert [(*one.pair, one.found) for one in findings] == [
        (("G1", "pseudo"), ("unit", "pseudo"), LOWER),
        (("L1", "pseudo"), ("unit", "pseudo"), SAME),
        (("G1", "actual"), ("unit", "actual"), HIGHER),
        (("G1", "programme"), ("unit", "actual"), HIGHER),
    ]
    assert [one.difference for one in findings] == pytest.approx([-0.1, 0.0, 0.3, 0.1])
    text = claims_text(rows).partition("### Each variant against unit costs")[2]
    said = "of {} errors {} clearly lower than with unit costs, {} clearly higher, {} not clear"
    assert f"- pseudo against pseudo: {said.format(2, 1, 0, 1)}." in text
    assert f"- actual against actual: {said.format(1, 0, 1, 0)}; closures of learned" in text
    assert f"- programme against actual: {said.format(1, 0, 1, 0)}." in text
    line = "| Strings | G1 programme | unit actual | 35.0 | 25.0 | +10.0 | +10.0 to +10.0 |"
    assert f"{line} {UNKNOWN} | higher |  |" in text


def test_the_published_claims_are_those_of_the_published_rows():
    folder = Path(__file__).parents[2] / "docs" / "results" / "ablation"
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for one in rows:
        one.update(fold=int(one["fold"]), error=float(one["error"]))
        one["zero_closure"] = one["zero_closure"] == "True"
    assert (folder / "claims.md").read_text(encoding="utf-8") == claims_text(rows)


def test_zero_closures_are_crossed_in_the_figure():
    pytest.importorskip("matplotlib")
    rows = [{**row(0.5, "G1", classifier="knn"), "zero_closure": k < 2} for k in range(3)]
    rows += [{**row(0.4, "G2", classifier="knn"), "zero_closure": k < 1} for k in range(3)]
    figure = plot_ablation(rows)
    crosses = [line for line in figure.axes[1].lines if line.get_marker() == "x"]
    assert [line.get_ydata().tolist() for line in crosses] == [[0.5]]
    assert figure.legends[0].get_texts()[-1].get_text().startswith("cross")
    caption = figure.legends[0].get_title().get_text()
    assert "standard deviation over folds" in caption
    assert "unit: all edits cost 1" in caption


def test_a_quick_figure_says_so(tmp_path, monkeypatch):
    figures = pytest.importorskip("matplotlib.figure")
    captions = []

    def keep(figure, *_, **__):
        captions.append(figure.legends[0].get_title().get_text())

    monkeypatch.setattr(figures.Figure, "savefig", keep)
    save([row(0.1)], tmp_path / "a.png", quick=True)
    save([row(0.1)], tmp_path / "b.png", quick=False)
    assert [text.startswith("Quick run") for text in captions] == [True, False]


def test_all_claims_are_examined():
    rows = [
        one
        for k, variant in enumerate(("G1", "G2", "G3", "L1", "L2"))
        for distance in ("pseudo", "actual", "programme")
        for one in in_folds([k / 10, k / 10], variant, distance, "minipalindrome")
        if distance != "programme" or variant.startswith("G")
    ]
    assert [len(examine(claim, rows)) for claim in CLAIMS] == [1, 2, 1, 1, 6, 2]
    assert CLAIMS[0].expected["minipalindrome"] == LOWER
    assert claims_text(rows).count("| MiniPalindrome |") == 13


def test_a_figure_without_unit_costs_or_dynamic_program():
    pytest.importorskip("matplotlib")
    figure = plot_ablation([row(0.1), row(0.3)])
    assert [len(one.containers) for one in figure.axes] == [0, 1]
    assert len(figure.legends[0].get_texts()) == 4


@pytest.mark.parametrize("beta", [0.01, 0.1, 0.28])
def test_the_counterexample_has_the_losses_of_the_text(beta):
    found = counterexample(beta)
    square = beta * L**2
    assert found.loss_one == pytest.approx(2 * square, rel=1e-6)
    assert found.true_loss_one == pytest.approx(2 * square + 4 * L, rel=1e-6)
    assert found.printed_metric_loss == pytest.approx(3.5 * square, rel=1e-12)
    assert found.metric_loss == pytest.approx(4 * square, rel=1e-6)
    assert found.printed_metric_true_loss == pytest.approx(3.5 * square + 2 * L, rel=1e-12)
    assert found.metric_true_loss == pytest.approx(4 * square, rel=1e-5)
    assert found.start_loss == pytest.approx(12 * square + 2 * L, rel=1e-12)
    # What the theorem says: worse than before learning.
    assert found.true_loss_one > found.start_loss
    np.testing.assert_allclose(found.learned_one.matrix, found.printed_one.matrix, atol=1e-6)
    change = found.learned_metric.matrix - found.printed_metric.matrix
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = L / 2
    np.testing.assert_allclose(change, expected, atol=1e-6)


@pytest.mark.parametrize("beta", [0.0, -1.0, 0.3, float("nan"), "much"])
def test_the_counterexample_refuses_other_weights(beta):
    with pytest.raises(ValueError, match="'beta' parameter of counterexample must be a float"):
        counterexample(beta)


def test_the_command_prints_the_counterexample(capsys):
    assert main(["reproduce", "counterexample"]) == 0
    text = capsys.readouterr().out
    assert "-0.00" not in text
    for number in (2 * 0.1 * L**2, 2 * 0.1 * L**2 + 4 * L, 0.35 * L**2, 0.4 * L**2):
        assert f"{number:.6f}" in text
    assert "c(2,3) = 1.00 L > c(2,1) + c(1,3) = 0.50 L" in text
    for number in (1.2 * L**2 + 2 * L, 0.35 * L**2 + 2 * L):
        assert f"{number:.6f}" in text
    assert "The source says that the loss is the same under both distances." in text
    # It takes no time, but the option is that of all experiments.
    assert main(["reproduce", "counterexample", "--quick"]) == 0
    assert capsys.readouterr().out == text
    assert main(["reproduce", "counterexample", "--beta", "1"]) == 2
    assert "--beta must be" in capsys.readouterr().err
