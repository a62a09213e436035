"""Twice as many records are at most twice as much work for all that stands behind the parsers: facts, rules, report.

The records are those of the samples that parsers show. What differs between their copies is what differs in a cluster:
another node each, other partners of a node, other devices of one node. Work is counted for each function: the lines
that it runs, and how often it compares or hashes a text, since ``x in names`` is one line however many names there are.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from docstring_samples import sample_in
from msgspec import Struct
from msgspec.structs import asdict

import slowlink
from slowlink import nodes
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.parsers import unit_names
from slowlink.parsers.forms.message_table import EventPattern
from slowlink.parsers.nccl.nccl_log.registry import warnings
from slowlink.parsers.reading.read import read
from slowlink.patterns import regex
from slowlink.report import folding
from slowlink.report.full import render_text
from slowlink.rules.links import port_kinds
from slowlink.rules.rdma import completions_slow
from slowlink.workflows.analyze import report_of

FEW = 4
"""Copies of each record; then twice, and four times as many."""
GROWTH = 2.4
"""The second doubling may add so many times what the first one added: of a straight line it adds twice as much, of a
square four times."""
SLACK = 40
"""Steps, for what begins only where there are more than a few."""


_ROOT = str(Path(slowlink.__file__).parent) + "/"


class Function:
    """The steps of one function; of slowlink's own alone, lines are counted."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.name = f"{code.co_filename.removeprefix(_ROOT)}:{code.co_firstlineno} {code.co_name}"
        self.is_ours = code.co_filename.startswith(_ROOT)
        self.steps = steps = [0]

        def at_line(_frame: FrameType, _event: str, _arg: object) -> Any:
            steps[0] += 1
            return at_line

        self.trace = at_line if self.is_ours else None


class _Functions(dict[int, Function]):
    """By the id of their code: to hash the code itself takes longer than to run it."""

    def of(self, code: CodeType) -> Function:
        found = self[id(code)] = Function(code)
        return found


_functions = _Functions()


class Text(str):
    """Counts for the function that asks how often it is compared and hashed."""

    def __eq__(self, other: object) -> bool:
        code = sys._getframe(1).f_code
        (_functions.get(id(code)) or _functions.of(code)).steps[0] += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        code = sys._getframe(1).f_code
        (_functions.get(id(code)) or _functions.of(code)).steps[0] += 1
        return str.__hash__(self)


def _entered(frame: FrameType, _event: str, _arg: object) -> Any:
    code = frame.f_code
    return (_functions.get(id(code)) or _functions.of(code)).trace


def _steps(records: Records) -> dict[Function, int]:
    """What each function does for a report of these records at a terminal."""
    for function in _functions.values():
        function.steps[0] = 0
    before = sys.gettrace()
    sys.settrace(_entered)
    try:
        render_text(report_of(records), width=100)
    finally:
        sys.settrace(before)
    return {function: function.steps[0] for function in _functions.values() if function.is_ours}


class Copy(Struct, frozen=True):
    """How a copy differs from its sample."""

    line: int
    node: int
    partner: int
    """The node of hosts whose names in the sample end with an even digit."""
    device: int
    times: int
    """Numbers are so many times those of the sample."""


def _with_other_nodes(number: int) -> Copy:
    return Copy(number * 1000, 100 + 2 * number, 101 + 2 * number, 0, 2 if number % 4 == 0 else 1)


def _with_other_devices(number: int) -> Copy:
    return Copy(number * 1000, 100, 101, number, 2 if number % 4 == 0 else 1)


def _with_other_partners(number: int) -> Copy:
    node = 100 + number // 2
    return Copy(number * 1000, node, node + 1 + number % 2, number % 2, 1 if number % 4 == 0 else 2)


_HOSTS = {"host", "hosts", "node", "nodes", "a", "b"}
_SOURCES = {"source", "path"}
_WORDS = {
    "kind",
    "attribute",
    "message",
    "tool",
    "collective",
    "transport",
    "origin",
    "level",
    "unit",
    "program",
    "work",
}
"""Fields that hold one of few words, the same in all copies."""
_SAME = {"line", "count", "size_bytes", "nranks", "nnodes"}
_OWN = {"rank", "pid"}
_ATTACHED = re.compile(r"(?<=[A-Za-z_-])\d+\b")
_BUS = re.compile(r"\b[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b")


def _copied(value: Any, copy: Copy, name: str = "") -> Any:
    if isinstance(value, Ref):
        return Ref(Text(value.source), value.line + copy.line, _text(value.text, copy))
    if isinstance(value, Struct):
        return type(value)(**{key: _copied(each, copy, key) for key, each in asdict(value).items()})
    if isinstance(value, tuple):
        return tuple(_copied(each, copy, name) for each in value)
    if isinstance(value, dict):
        return {key: _copied(each, copy, key) for key, each in value.items()}
    if name in _HOSTS and (value is None or isinstance(value, str)):
        return Text(f"node{copy.partner if name == 'b' or (value or '1')[-1] in '02468' else copy.node}")
    if isinstance(value, str):
        return value if name in _WORDS else Text(value) if name in _SOURCES else Text(_text(value, copy))
    if isinstance(value, bool) or not isinstance(value, int | float) or name in _SAME:
        return value
    return value + copy.line if name in _OWN else value * copy.times


def _text(text: str, copy: Copy) -> str:
    bus = f"{copy.device // 8 + 16:02x}:00.{copy.device % 8}"
    return _BUS.sub(bus, _ATTACHED.sub(str(copy.device), text))


def _texts() -> Iterator[tuple[str, str]]:
    """Family of parsers -> what one of them shows, and the messages that it knows."""
    for name in unit_names():
        module = import_module(name)
        family = name.split(".")[2]
        yield family, sample_in(module.__doc__ or "")
        entries = [entry for entry in getattr(module, "MESSAGES", ()) if isinstance(entry, EventPattern)]
        yield family, "\n".join(sample for entry in entries for sample in entry.samples)
    samples = [(message.levels[0], sample.text) for message in warnings() for sample in message.samples]
    yield (
        "nccl",
        "\n".join(f"node{i % 3}:{i}:1 [0] init.cc:1 NCCL {level} {text}" for i, (level, text) in enumerate(samples)),
    )


@cache
def _samples() -> Mapping[str, Sequence[Records]]:
    found: dict[str, list[Records]] = defaultdict(list)
    for family, text in _texts():
        if text.strip():
            found[family].append(_read(text))
    return found


def _read(text: str) -> Records:
    return read([Input("log", None, [text.encode()])], workers=1)


def _of_copies(samples: Sequence[Records], copies: Sequence[Copy]) -> Callable[[int], Records]:
    """How many of the copies -> their records."""
    names = Records.__struct_fields__
    each = [
        {name: [_copied(one, copy, name) for records in samples for one in getattr(records, name)] for name in names}
        for copy in copies
    ]
    return lambda number: Records(
        **{name: tuple(one for found in each[:number] for one in found[name]) for name in names}
    )


_TOGETHER = {
    "runs and jobs": ("benchmarks", "job", "complaints"),
    "devices": ("gpu", "kernel", "rdma", "network"),
    "nodes": ("host", "resources", "fabric", "forms"),
    "logs of NCCL": ("nccl", "benchmarks", "rdma", "context"),
}
"""Families whose records are joined: each with all would cost too much."""


def test_every_family_is_asked() -> None:
    assert {family for some in _TOGETHER.values() for family in some} == {*_samples()}


@pytest.mark.parametrize(
    ("together", "differ"),
    [
        ("runs and jobs", _with_other_partners),
        *((together, _with_other_nodes) for together in ("devices", "nodes", "logs of NCCL")),
        *((together, _with_other_devices) for together in _TOGETHER),
    ],
)
def test_no_function_looks_through_all_for_each(
    together: str, differ: Callable[[int], Copy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_kinds, "MOST_KINDS", 2)  # up to these each is compared with each
    monkeypatch.setattr(completions_slow, "_MANY", 2)
    monkeypatch.setattr(nodes, "_FEW_NAMES", 2)  # what begins at a size does not grow there
    monkeypatch.setattr(folding, "_LONG_SET", regex(r"[\w.-]{0,100}\[[0-9][0-9,-]+\]"))
    samples = [records for family in _TOGETHER[together] for records in _samples()[family]]
    records = _of_copies(samples, [differ(number) for number in range(4 * FEW)])
    render_text(report_of(records(FEW)), width=100)  # fills the memos
    few, twice, more = (_steps(records(number)) for number in (FEW, 2 * FEW, 4 * FEW))
    found = {function.name: (few.get(function, 0), twice.get(function, 0), steps) for function, steps in more.items()}
    assert {name: steps for name, steps in found.items() if _grows_faster(*steps)} == {}


def _grows_faster(few: int, twice: int, more: int) -> bool:
    return more - twice > GROWTH * max(twice - few, 0) + SLACK and more > GROWTH * twice
