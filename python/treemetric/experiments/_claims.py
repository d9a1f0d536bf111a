"""The claims of the source about its ablation, each as a comparison that can come out otherwise.

A comparison is the difference of two errors in the same folds, averaged over the classifiers. It
is called clear if it exceeds two standard errors over the folds. Folds share training trees, so
that this is a rule of thumb and no test.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treemetric.experiments._results import Row, title

Side = tuple[str, str]  # a variant and a distance
LOWER, HIGHER, SAME = "lower", "higher", "no clear difference"


class Claim(NamedTuple):
    """The first error is said to be lower, higher or the same as the second, by data set."""

    text: str
    pairs: tuple[tuple[Side, Side], ...]
    expected: Mapping[str, str]
    otherwise: str


class Finding(NamedTuple):
    """What came out for one pair on one data set, in errors."""

    dataset: str
    pair: tuple[Side, Side]
    first: float
    second: float
    difference: float
    uncertainty: float
    expected: str

    @property
    def found(self) -> str:
        """What the difference says."""
        if abs(self.difference) <= max(2 * self.uncertainty, 1e-12):
            return SAME
        return LOWER if self.difference < 0 else HIGHER


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
        ((("G3", "pseudo"), ("G2", "pseudo")),),
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
            ((name, "pseudo"), (name, other)) for name in _GESL for other in ("actual", "programme")
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


def examine(claim: Claim, rows: Sequence[Row]) -> list[Finding]:
    """Give what the rows say to a claim, for every data set that has both sides."""
    errors: dict[tuple[str, Side], dict[int, list[float]]] = {}
    for row in rows:
        key = row["dataset"], (row["variant"], row["distance"])
        errors.setdefault(key, {}).setdefault(row["fold"], []).append(row["error"])
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
                    claim.expected.get(dataset.lower(), claim.otherwise),
                )
            )
    return findings


def to_text(rows: Sequence[Row]) -> str:
    """Give all claims with what was measured, in Markdown."""
    lines = [
        "Errors in per cent, averaged over classifiers; differences with their standard error",
        "over folds, clear if they exceed two of them.",
        "",
    ]
    for number, claim in enumerate(CLAIMS, 1):
        findings = examine(claim, rows)
        if not findings:
            continue
        agree = sum(one.found == one.expected for one in findings)
        lines += [f"### {number}. {claim.text}", ""]
        lines += [f"Agrees in {agree} of {len(findings)} comparisons.", ""]
        lines += ["| data | first | second | first | second | difference | claimed | found |"]
        lines += ["|---|---|---|---:|---:|---:|---|---|"]
        for one in findings:
            names = " | ".join(" ".join(side) for side in one.pair)
            apart = f"{100 * one.difference:+.1f} ± {100 * one.uncertainty:.1f}"
            lines.append(
                f"| {title(one.dataset)} | {names} | {100 * one.first:.1f} | "
                f"{100 * one.second:.1f} | {apart} | {one.expected} | {one.found} |"
            )
        lines.append("")
    return "\n".join(lines)
