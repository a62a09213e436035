"""Messages whose meaning the catalogue holds."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import said

from slowlink.catalog.vocabulary import Meaning
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.source import Ref
from slowlink.rules.job import program_said

JAM = Meaning(
    "grinder-jam",
    "grinder",
    "cause",
    "the mill is jammed",
    "nccl-error-unexplained",
    "critical",
    "likely",
    (),
    (("Take the stone out.", "ls"),),
    secondary=False,
    texts=(),
)


def event(kind: str, host: str, secondary: bool = False) -> JobEvent:
    return JobEvent(kind, "grinder", "jam", {"hca": "mlx5_3"}, Ref("log", 3, "jam"), host, secondary=secondary)


def test_one_finding_for_a_meaning_with_parts_and_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_said, "meaning_of", lambda _, kind: JAM if kind == "grinder-jam" else None)
    events = (
        event("grinder-jam", "node07"),
        event("grinder-jam", "node08"),
        event("grinder-jam", "n9", secondary=True),
    )
    found = list(program_said.check(Events((*events, event("other", "node09"))), None, None))
    assert [(f.cause, f.severity, f.message, [s.name for s in f.suspects]) for f in found] == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "node07 and node08: the mill is jammed (mlx5_3), 2 times",
                ["mlx5_3", "node07", "node08"],
            )
        ]
    )


def test_silent_on_what_no_vocabulary_knows() -> None:
    assert said("program-said", "node07:1:2 [0] NCCL WARN the unheard of happened\n") == []
