"""Whatever a log puts into the names that rules work with, no remedy runs it: people paste these commands as root."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

import pytest
from docstring_samples import sample_in
from msgspec import Struct
from msgspec.structs import replace

from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.model.report import Finding
from slowlink.model.source import Ref, SourceStats
from slowlink.parsers import unit_names
from slowlink.parsers.forms.message_table import EventPattern
from slowlink.parsers.nccl.nccl_log.registry import warnings
from slowlink.parsers.reading.read import read
from slowlink.quoting import quote
from slowlink.rules.engine import run
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

MARK = "xyzzy"
HOSTILE = {
    "semicolon": f";{MARK}",
    "substitution": f"$({MARK})",
    "backticks": f"`{MARK}`",
    "option": f" -oProxyCommand={MARK}",
    "quote": f"'\"; {MARK} #",
    "line": f"\n{MARK}\n",
    "variable": f"${{IFS}}{MARK}|sh",
}
NUMBERS = re.compile(r"(?:-?[0-9.]*[0-9](?:[/:][0-9]+)?)?")
WORDS_OF_OURS = frozenset(
    {"kind", "attribute", "origin", "message", "level", "collector", "outcome", "tool", "library", "engine"}
    | {"collective", "collective_basis", "datatype", "redop", "placement", "state", "transport", "network", "side"}
)
"""Fields that parsers fill from a fixed list of words."""


def texts() -> list[str]:
    """Everything that any parser knows: messages of tables, of NCCL, samples of formats; and a whole sick job."""
    modules = [import_module(name) for name in unit_names()]
    tables = [entry for module in modules for entry in getattr(module, "MESSAGES", ())]
    known = [sample for entry in tables if isinstance(entry, EventPattern) for sample in entry.samples]
    known += [f"gpu01:1:2 [0] NCCL {m.levels[0]} {sample.text}" for m in warnings() for sample in m.samples]
    known += [sample for module in modules if (sample := sample_in(module.__doc__ or "")).strip()]
    cluster = LoggedCluster(hosts=("node06", "node07"), gpus=2, hosts_without_gdr=frozenset({"node07"}))
    settings = "NCCL_IB_DISABLE=1\nNCCL_P2P_DISABLE=1\nNCCL_ALGO=Tree\nNCCL_IB_HCA=mlx5_1\nNCCL_TOPO_FILE=/x\n"
    return [*known, settings, job_log(SimulatedJob(cluster, plateau_gbs=9.4))]


@cache
def batches(size: int = 12) -> list[Records]:
    """Their records, a few texts at a time: some rules need several of them, some must not see too many."""
    waiting = iter(texts())
    found = []
    while batch := list(islice(waiting, size)):
        found.append(read([Input(f"{n}.log", None, [text.encode()]) for n, text in enumerate(batch)], workers=1))
    return found


def spoiled(value: Any, hostile: str, only: Sequence[str] = (), name: str = "") -> Any:
    """A copy in which ``hostile`` follows every text that may come from an input; of ``only`` these fields."""
    if isinstance(value, (Ref, SourceStats)) or name in WORDS_OF_OURS:
        return value
    if isinstance(value, str):
        return with_hostile(value, hostile) if not only or name in only else value
    if isinstance(value, tuple):
        return tuple(spoiled(item, hostile, only, name) for item in value)
    if isinstance(value, dict):
        return {key: spoiled(item, hostile, only, name) for key, item in value.items()}
    if isinstance(value, Struct):
        parts = {each: spoiled(getattr(value, each), hostile, only, each) for each in value.__struct_fields__}
        return replace(value, **parts)
    return value


def with_hostile(value: str, hostile: str) -> str:
    """``mlx5_0/1`` to ``mlx5_0;xyzzy/1``: what a pattern of digits read stays one, whatever a log says."""
    if NUMBERS.fullmatch(value):
        return value
    name, slash, numbers = value.partition("/")
    return f"{name}{hostile}{slash}{numbers}" if NUMBERS.fullmatch(numbers) else value + hostile


def findings(records: Records) -> Iterator[Finding]:
    facts = assemble(records)
    expected = assemble_expectations(facts)
    checked = run(facts, expected or None)
    assert [(o.rule, o.reason) for o in checked.outcomes if o.outcome == "broken"] == []
    yield from checked.findings


@pytest.mark.parametrize(
    "only", [(), ("host",), ("groups",), ("name",), ("value", "name")], ids=lambda only: "-".join(only) or "all"
)
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_no_command_runs_what_a_log_says(hostile: str, only: Sequence[str]) -> None:
    found = [each for batch in batches() for each in findings(spoiled(batch, hostile, only))]
    commands = {(each.rule, step.command) for each in found for step in each.remedy}
    assert len({each.rule for each in found}) > 30, "the rules must be at work"
    assert [(rule, text) for rule, text in commands if MARK in text and not is_one_word(text)] == []


def is_one_word(command: str) -> bool:
    """Is what the log says quoted, as a whole, and no option of the program?"""
    words = [word for word in shlex.split(command) if MARK in word]
    return all(quote([word]) in command and not word.lstrip().startswith("-") for word in words)


def test_what_would_run_is_noticed() -> None:
    assert not is_one_word(f"ssh node;{MARK}")
    assert not is_one_word(f"nc -vz $({MARK})")
    assert not is_one_word(f"ssh -oProxyCommand={MARK} true")
    assert is_one_word(f"grep -F -- 'leaf;{MARK}'")
