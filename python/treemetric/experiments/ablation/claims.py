"""The claims of the source about its ablation, as comparisons that can refute them.

A comparison is the difference of two errors in the same folds, averaged over the classifiers. It
is called clear if it exceeds two standard errors over the folds. Folds share training trees, so
this is a rule of thumb and not a test. An unclear difference does not prove that there is none:
where the source claims none, the interval shows how large it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treemetric.experiments.ablation.plan import DISTANCES
from treemetric.experiments.ablation.results import TITLES, Row, title

Side = tuple[str, str]  # a variant and a distance
LOWER, HIGHER, SAME = "lower", "higher", "no clear difference"
UNKNOWN = "\N{EN DASH}"  # the source does not use the data set
_NONE = "no difference"  # how a claim of SAME is shown


class Claim(NamedTuple):
    """The claim that the first error is lower, higher or the same as the second, by data set."""

    text: str
    pairs: tuple[tuple[Side, Side], ...]
    expected: Mapping[str, str]
    otherwise: str

    def expects(self, dataset: str) -> str:
        """Return what the source claims for a data set."""
        name = dataset.lower()
        return self.expected.get(name, self.otherwise) if name in TITLES else UNKNOWN


class Finding(NamedTuple):
    """The measured errors of one pair on one data set."""

    dataset: str
    pair: tuple[Side, Side]
    first: float
    second: float
    difference: float
    uncertainty: float
    expected: str
    zero_closure: float  # share of the errors under the edit distance of equal trees
    folds: int

    @property
    def found(self) -> str:
        """The direction of the difference."""
        if abs(self.difference) <= max(2 * self.uncertainty, 1e-12):
            return SAME
        return LOWER if self.difference < 0 else HIGHER

    @property
    def interval(self) -> tuple[float, float]:
        """Two standard errors around the difference."""
        around = 2 * self.uncertainty
        return self.difference - around, self.difference + around


_PALINDROME = {"minipalindrome": LOWER, "strings": HIGHER}
_GESL, _LVQ = ("G1", "G2", "G3"), ("L1", "L2")

CLAIMS = (
    Claim(
        "The average over all co-optimal scripts improves GESL on MiniPalindrome, worsens it on "
        "Strings, and makes no remarkable difference on the others.",
        ((("G2", "pseudo"), ("G1", "pseudo")),),
        _PALINDROME,
        SAME,
    ),
    Claim(
        "Prototypes instead of nearest neighbours improve GESL on MiniPalindrome, worsen it on "
        "Strings, and make no remarkable difference on the others.",
        ((("G3", "pseudo"), ("G2", "pseudo")), (("G3", "pseudo"), ("G1", "pseudo"))),
        _PALINDROME,
        SAME,
    ),
    Claim(
        "With embeddings the pseudo-edit distance is worse than without.",
        ((("L2", "pseudo"), ("L1", "pseudo")),),
        {},
        HIGHER,
    ),
    Claim(
        "With embeddings the edit distance is better than without.",
        ((("L2", "actual"), ("L1", "actual")),),
        {},
        LOWER,
    ),
    Claim(
        "GESL is better with the pseudo-edit distance than with the edit distance.",
        tuple(
            ((name, "pseudo"), (name, other)) for other in ("actual", "programme") for name in _GESL
        ),
        {},
        LOWER,
    ),
    Claim(
        "LVQ is better with the edit distance than with the pseudo-edit distance.",
        tuple(((name, "actual"), (name, "pseudo")) for name in _LVQ),
        {},
        LOWER,
    ),
)


def against_unit(rows: Sequence[Row]) -> Claim:
    """Return the comparison of all learned costs with unit costs, which the source lacks.

    Under unit costs the dynamic program computes the edit distance.
    """
    sides = dict.fromkeys((row["variant"], row["distance"]) for row in rows)
    pairs = tuple(
        ((variant, distance), ("unit", "pseudo" if distance == "pseudo" else "actual"))
        for wanted in DISTANCES
        for variant, distance in sides
        if variant != "unit" and distance == wanted
    )
    return Claim("Each variant against unit costs", pairs, {}, UNKNOWN)


def examine(claim: Claim, rows: Sequence[Row]) -> list[Finding]:
    """Return the findings on a claim, for every data set that has both sides."""
    errors: dict[tuple[str, Side], dict[int, list[float]]] = {}
    zeros: dict[tuple[str, Side], list[bool]] = {}
    for row in rows:
        key = row["dataset"], (row["variant"], row["distance"])
        errors.setdefault(key, {}).setdefault(row["fold"], []).append(row["error"])
        zero = row["distance"] == "actual" and bool(row.get("zero_closure", False))
        zeros.setdefault(key, []).append(zero)
    means = {
        key: np.array([np.mean(folds[fold]) for fold in sorted(folds)])
        for key, folds in errors.items()
    }
    findings = []
    for pair in claim.pairs:
        for dataset in dict.fromkeys(row["dataset"] for row in rows):
            sides = [means.get((dataset, side)) for side in pair]
            if sides[0] is None or sides[1] is None:
                continue
            apart = sides[0] - sides[1]
            findings.append(
                Finding(
                    dataset,
                    pair,
                    float(sides[0].mean()),
                    float(sides[1].mean()),
                    float(apart.mean()),
                    float(apart.std(ddof=1) / len(apart) ** 0.5),
                    claim.expects(dataset),
                    max(float(np.mean(zeros[dataset, side])) for side in pair),
                    len(apart),
                )
            )
    return findings


def to_text(rows: Sequence[Row]) -> str:
    """Return all claims with the measured errors, in Markdown."""
    lines = [
        "Errors in per cent, averaged over classifiers. Differences are taken in the same folds;",
        "the interval is two standard errors over folds to both sides, and a difference is clear",
        "if 0 is outside. Folds share training trees: a rule of thumb, no test. Where the source",
        "claims no difference, an interval with 0 inside does not show that there is none.",
        "",
    ]
    for number, claim in enumerate(CLAIMS, 1):
        findings = examine(claim, rows)
        if not findings:
            continue
        lines += [f"### {number}. {claim.text}", ""]
        lines += _block(findings, _counted)
    unit = against_unit(rows)
    findings = examine(unit, rows)
    if findings:
        lines += [f"### {unit.text}", "", "The source does not ask this.", ""]
        lines += _block(findings, _clear)
    return "\n".join(lines)


def _block(findings: Sequence[Finding], summary: Callable[[Sequence[Finding]], str]) -> list[str]:
    """Return counts for each reading of the edit distance, and the table."""
    lines = []
    for kinds in dict.fromkeys(map(_kinds, findings)):
        some = [one for one in findings if _kinds(one) == kinds]
        parts = [summary(some)]
        closed = [one for one in some if _closed(one)]
        if closed:
            weights = [one.folds for one in closed]
            share = float(np.average([one.zero_closure for one in closed], weights=weights))
            parts.append(
                f"closures of learned costs that are 0 everywhere: {100 * share:.0f} % of all folds"
            )
        lines.append(f"- {kinds[0]} against {kinds[1]}: {'; '.join(parts)}.")
    head = "| data | first | second | first | second | difference | interval | claimed | found |"
    lines += ["", f"{head} zero closure |", "|---|---|---|---:|---:|---:|---|---|---|---:|"]
    return [*lines, *map(_line, findings), ""]


def _kinds(finding: Finding) -> tuple[str, str]:
    return finding.pair[0][1], finding.pair[1][1]


def _closed(finding: Finding) -> bool:
    """Return whether a closure of learned costs takes part."""
    return any(variant != "unit" and distance == "actual" for variant, distance in finding.pair)


def _counted(findings: Sequence[Finding]) -> str:
    """Count how often the claim held."""
    parts = []
    claimed = [one for one in findings if one.expected in (LOWER, HIGHER)]
    if claimed:
        agree = sum(one.found == one.expected for one in claimed)
        unclear = sum(one.found == SAME for one in claimed)
        parts.append(
            f"of {len(claimed)} claimed differences {agree} found, "
            f"{len(claimed) - agree - unclear} found the other way round, {unclear} not clear"
        )
    same = [one for one in findings if one.expected == SAME]
    if same:
        inside = sum(one.found == SAME for one in same)
        widest = max(max(map(abs, one.interval)) for one in same)
        parts.append(
            f"of {len(same)} claims of no difference {inside} not refuted, "
            f"with intervals that reach to {100 * widest:.1f} per cent"
        )
    strange = sum(one.expected == UNKNOWN for one in findings)
    if strange:
        parts.append(f"{strange} on data that the source does not have")
    return "; ".join(parts)


def _clear(findings: Sequence[Finding]) -> str:
    """Count how often learned costs are clearly better or worse."""
    better, worse, unclear = (
        sum(one.found == found for one in findings) for found in (LOWER, HIGHER, SAME)
    )
    return (
        f"of {len(findings)} errors {better} clearly lower than with unit costs, {worse} clearly "
        f"higher, {unclear} not clear"
    )


def _line(one: Finding) -> str:
    names = " | ".join(" ".join(side) for side in one.pair)
    low, high = one.interval
    expected = _NONE if one.expected == SAME else one.expected
    zero = f"{100 * one.zero_closure:.0f} %" if _closed(one) else ""
    return (
        f"| {title(one.dataset)} | {names} | {100 * one.first:.1f} | {100 * one.second:.1f} | "
        f"{100 * one.difference:+.1f} | {100 * low:+.1f} to {100 * high:+.1f} | {expected} | "
        f"{one.found} | {zero} |"
    )
