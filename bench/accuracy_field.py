"""Scores the field reports: the conclusion of each, and the facts of its labelled blocks."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_labels import Block, names, noted
from accuracy_score import ReportLike, score_facts
from msgspec import Struct, field

MEASUREMENTS = frozenset(
    {"table", "ib_write_bw", "env", "env-table", "command", "nccl-lines", "script", "kubernetes", "threshold"}
)
"""Blocks that a log of a job can hold; the others are the state of nodes."""


class FieldScore(Struct):
    """What became of one field report."""

    article: str
    verdict: str
    verdict_right: bool
    first_cause: bool | None
    causes: tuple[str, ...]
    must_not: tuple[str, ...]
    symptoms_found: tuple[str, ...]
    symptoms_total: int
    facts_right: int = 0
    facts_total: int = 0
    state_right: int = 0
    state_total: int = 0
    missed: list[str] = field(default_factory=list)


def score_article(article: str, blocks: Sequence[Block], report: ReportLike) -> FieldScore:
    """One report against all blocks of its article."""
    ends = [block for block in blocks if block.kind == "conclusion"]
    labels = {key: value for block in ends for key, value in block.facts}
    verdicts = (labels.get("verdict", ""), *(v for block in ends for v in noted(block.note, "verdict_alt")))
    causes = tuple(found.cause for found in report.diagnoses)
    explained = {name for found in report.diagnoses for name in getattr(found, "explains", ())}
    expected = names(labels.get("causes", "").partition(",")[0])
    symptoms = names(labels.get("symptoms", ""))
    result = FieldScore(
        article=article,
        verdict=report.verdict,
        verdict_right=report.verdict in verdicts,
        first_cause=(bool(causes) and causes[0] in expected) if expected else None,
        causes=causes,
        must_not=tuple(cause for cause in causes if cause in names(labels.get("must_not", ""))),
        symptoms_found=tuple(name for name in symptoms if name in causes or name in explained),
        symptoms_total=len(symptoms),
    )
    for block in blocks:
        if block.kind != "conclusion":
            _add_block(result, block, report)
    return result


def _add_block(result: FieldScore, block: Block, report: ReportLike) -> None:
    right, missed = score_facts(block.facts, report.facts, anywhere=True)
    if block.kind in MEASUREMENTS:
        result.facts_right += right
        result.facts_total += right + len(missed)
    else:
        result.state_right += right
        result.state_total += right + len(missed)
    result.missed += [f"{block.kind} at {block.lines}: {line}" for line in missed]
