"""No message that a parser knows breaks a rule, alone or among all others."""

from __future__ import annotations

from importlib import import_module

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers import unit_names
from slowlink.parsers.forms.message_table import EventPattern
from slowlink.parsers.nccl.nccl_log.registry import warnings
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import run


def _samples() -> list[str]:
    nccl = [
        f"node{number % 3}:{number}:1 [0] {name}.cc:1 NCCL {level} {sample.text}"
        for number, message in enumerate(warnings())
        for name, level in (("init", message.levels[0]),)
        for sample in message.samples
    ]
    tables = (import_module(name) for name in unit_names())
    entries = (entry for table in tables for entry in getattr(table, "MESSAGES", ()))
    return nccl + [sample for entry in entries if isinstance(entry, EventPattern) for sample in entry.samples]


def _broken(text: str) -> list[str]:
    checked = run(assemble(read([Input("job.log", None, [text.encode()])], workers=1)), None)
    return [f"{outcome.rule}: {outcome.reason}" for outcome in checked.outcomes if outcome.outcome == "broken"]


@pytest.mark.parametrize("part", range(8))
def test_each_message_alone(part: int) -> None:
    samples = _samples()[part::8]
    assert len(samples) > 20
    assert [(sample, broken) for sample in samples if (broken := _broken(sample + "\n"))] == []


def test_all_messages_at_once() -> None:
    samples = _samples()
    assert _broken("\n".join(samples)) == []
    assert _broken("\n".join(reversed(samples))) == []
