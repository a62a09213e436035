"""Reads the labelled sets: one row a sample (``expected.tsv`` of a corpus), or one a block of a report."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from msgspec import Struct

DEFAULT_KINDS = (
    *("nccl-tests", "nccl-debug", "perftest", "mixed", "hang"),
    *("dcgm", "ib", "lspci", "nvidia-smi"),
)
_ALTERNATIVES = re.compile(r"verdict_alt=([a-z|]+)")
_ALLOWED = re.compile(r"cause_ok=([a-z0-9,|-]+)")


class Sample(Struct, frozen=True):
    """One labelled sample. ``path`` is relative to the corpus; a directory is one sample."""

    path: str
    decidable: str
    verdicts: tuple[str, ...]
    """The expected one first, then the others to accept."""
    first_causes: tuple[str, ...]
    """Alternatives for the first place; empty where no cause is labelled."""
    further_causes: tuple[str, ...]
    must_not: tuple[str, ...]
    cause_ok: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        return self.path.split("/", 1)[0]

    @property
    def healthy(self) -> bool:
        return self.verdicts[0] == "healthy"

    @property
    def cause_decidable(self) -> bool:
        return self.decidable in ("yes", "partly") and bool(self.first_causes)


class Block(Struct, frozen=True):
    """One labelled block of a field report: a table, a log quote, a command ..."""

    article: str
    lines: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    note: str


def read_samples(corpus: Path) -> list[Sample]:
    """All rows of ``corpus/expected.tsv``."""
    return [_sample(row) for row in _rows(corpus / "expected.tsv")]


def read_blocks(directory: Path) -> list[Block]:
    """All rows of ``directory/expected.tsv``."""
    return [
        Block(row["article"], row["lines"], row["kind"], pairs(row["facts"]), row["conclusion"])
        for row in _rows(directory / "expected.tsv")
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
        return [{name: (value or "").strip() for name, value in row.items() if name} for row in table]


def _sample(row: dict[str, str]) -> Sample:
    first, _, further = row["causes"].partition(",")
    note = row["note"]
    return Sample(
        path=row["path"],
        decidable=row["decidable"],
        verdicts=(row["verdict"], *noted(note, "verdict_alt")),
        first_causes=names(first),
        further_causes=names(further),
        must_not=names(row["must_not"]),
        cause_ok=noted(note, "cause_ok"),
        facts=pairs(row["facts"]),
    )


def noted(note: str, key: str) -> tuple[str, ...]:
    """What a note says under ``verdict_alt`` or ``cause_ok``."""
    match = (_ALTERNATIVES if key == "verdict_alt" else _ALLOWED).search(note)
    return names(match.group(1)) if match else ()


def names(text: str) -> tuple[str, ...]:
    """``a|b,c`` -> (a, b, c)."""
    return tuple(name.strip() for name in re.split(r"[|,]", text) if name.strip())


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """``key=value;key=value``; parts without ``=`` are words for the reader and are left out."""
    found = [part.partition("=") for part in text.split(";")]
    return tuple((key.strip(), value.strip()) for key, equals, value in found if equals)
