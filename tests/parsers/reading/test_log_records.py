"""A record that is known by what stands around its text is read as one that is looked at wholly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import pytest
from docstring_samples import sample_in
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import to_builtins

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers import document_parsers, unit_names
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.forms.json_blocks import Block, find_block, log_text, text_key_of
from slowlink.parsers.nccl import flight_recorder
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.records.known import LogRecords

NCCL = "gpu07:4100:4188 [3] NCCL INFO Channel 02/0 : 3[3] -> 4[4] [send] via NET/IB/0/GDRDMA"

FLIGHT = sample_in(flight_recorder.__doc__ or "")


@cache
def said() -> list[str]:
    """Lines of what our sources say that tools print, and whole samples: several lines, or JSON."""
    samples = [sample for name in unit_names() if (sample := sample_in(import_module(name).__doc__ or "")).strip()]
    lines = {line.strip() for sample in samples for line in sample.split("\n")}
    return sorted({*lines, *samples, NCCL, f"0: {NCCL}", f"{NCCL}\n{NCCL}", '{"msg": "ok", "level": "info"}', "", " "})


def numbered(shape: Any, number: int) -> Any:
    """``shape`` with this number in the place of each 7."""
    return json.loads(json.dumps(shape).replace("7", str(number % 10)))


AROUND = (
    {"stream": "stdout", "time": "2026-11-28T10:00:07.7Z"},
    {"stream": "stderr", "time": "2026-11-28T10:00:07.7Z", "kubernetes": {"pod_name": "trainer-7", "host": "gpu07"}},
    {"level": "error", "ts": 7.7, "caller": "x.go:7"},
    {"timestamp": "2026-11-28 10:00:07", "severity": "INFO", "schema": 7},
    {"SYSLOG_IDENTIFIER": "kernel", "_HOSTNAME": "gpu07", "_PID": "7"},
    {"time": "2026-11-28T10:00:07Z", "error": "RuntimeError: rank 7"},
    {"time": "2026-11-28T10:00:07Z", "stdout": "GPU 7\nGPU 7"},
    {"level": "info", "state": "down", "device": "mlx5_7"},
    {"gpu": 7, "asic": {}, "level": "info"},
    {"level": "info", "prompt": "why?", "answer": "a rank has died"},
)
RECORDS = st.tuples(
    st.sampled_from(AROUND), st.sampled_from(("log", "message", "msg", "MESSAGE", "event")), st.integers(0, 99)
)


@st.composite
def logs(draw: st.DrawFn) -> str:
    kinds = draw(st.lists(RECORDS, min_size=1, max_size=3))
    lines = []
    for number in range(draw(st.integers(2, 12))):
        around, key, seed = draw(st.sampled_from(kinds))
        record = {key: draw(st.sampled_from(said())), **numbered(around, seed + number)}
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())))
    return "\n".join(lines) + "\n"


def records_of(text: str) -> Records:
    return read([Input("job.log", None, [text.encode()])], workers=1)


@given(logs())
@example(f"{json.dumps({'log': FLIGHT})}\n")
def test_both_ways_give_the_same(text: str) -> None:
    short = to_builtins(records_of(text))  # process groups of flight recorders are compared by identity
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LogRecords, "of", lambda *_: None)
        assert to_builtins(records_of(text)) == short


@given(st.sampled_from(AROUND), st.sampled_from(said()), st.sampled_from(said()))
def test_no_document_is_known_by_the_text_of_a_record(around: dict[str, object], one: str, other: str) -> None:
    first, second = {**around, "message": one}, {**around, "message": other}
    assert [parser.wants_document(first) for parser in document_parsers()] == [
        parser.wants_document(second) for parser in document_parsers()
    ]


def test_what_stands_around_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    class Asked:
        @staticmethod
        def wants_document(value: object) -> bool:
            asked.append(value)
            return False

    records = LogRecords((Asked,))  # type: ignore[arg-type]
    for number in range(50):
        line = json.dumps(
            {"log": f"step {number} of it\n", "stream": "stdout", "time": f"2026-11-28T10:00:{number:02}Z"}
        )
        found = records.of(line)
        assert found is not None
        assert (found.text, found.stream) == (f"step {number} of it", "stdout")
    assert len(asked) == 1
    assert records.of('{"log": "a\\nb\\n", "stream": "stdout", "time": "2026-11-28T10:00:00Z"}') is None
    assert records.of('{"log": "{\\"a\\": 1}", "stream": "stdout", "time": "2026-11-28T10:00:00Z"}') is None
    assert records.of('{"log": "cut", "stream": "std') is None
    assert len(asked) == 1


def test_the_key_is_that_of_the_text() -> None:
    record = {"msg": 4, "message": "said", "time": "now", "data": "more"}
    assert text_key_of(record) == "message"
    found = log_text(record)
    assert found is not None
    assert found.text == "said"


class Asked:
    """Wants a value by its keys, and counts how often it is asked."""

    kind: ClassVar[str] = "asked"
    times: ClassVar[int] = 0

    @staticmethod
    def wants_document(value: object) -> bool:
        Asked.times += 1
        return isinstance(value, dict) and "wanted" in value

    def read(self, value: object, source: str, line: int) -> Iterable[Record]:
        return ()


def test_values_that_differ_by_digits_alone_are_asked_for_once() -> None:
    Asked.times = 0
    records = LogRecords((Asked,))
    for number in range(100, 200):
        assert records.readers(block_of(f'{{"step": {number}, "tokens": {number}}}')) == []
    assert Asked.times == 1
    assert [unit.kind for unit in records.readers(block_of('{"step": 7, "wanted": 1}'))] == ["asked"]
    for number in range(3):
        assert records.readers(block_of(f'{{"schema": {number}}}')) == []
    assert Asked.times == 5, "the number of a version may tell who wants it"


def block_of(text: str) -> Block:
    found = find_block([text], 0, 0, 1)
    assert isinstance(found, Block)
    return found
