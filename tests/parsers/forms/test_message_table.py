"""Every table of messages: its literal samples are its tests; and what all tables do with any line."""

from __future__ import annotations

import importlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers import unit_names
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.message_table import (
    MAX_EVENTS,
    DetailPattern,
    EventPattern,
    MessageParser,
    NoisePattern,
)
from slowlink.parsers.job.openmpi import OpenMpi
from slowlink.parsers.kernel.nvidia_driver_log import NvidiaDriverLog

TABLES = [
    module.PARSER
    for name in unit_names()
    if isinstance(getattr(module := importlib.import_module(name), "PARSER", None), type)
    and issubclass(module.PARSER, MessageParser)
]
SAMPLES = [(table, entry, text) for table in TABLES for entry in table.messages for text in entry.samples]
DETAILS = [(table, entry, text) for table in TABLES for entry in table.details for text in entry.samples]
NOISE = [(table, entry, text) for table in TABLES for entry in table.noise for text in entry.samples]
Entry = EventPattern | DetailPattern | NoisePattern
ALL_TEXTS = [text for _, _, text in SAMPLES]


def read(table: type[MessageParser], *texts: str, host: str | None = None, rank: int | None = None) -> MessageParser:
    parser = table()
    for number, text in enumerate(texts, 1):
        parser.feed(Line("t", number, text, rank=rank, host=host))
    return parser


def test_all_tables_are_found() -> None:
    assert {
        "openmpi",
        "mpich",
        "slurm",
        "kubernetes",
        "ssh",
        "loader",
        "signals",
        "pytorch",
        "kernel-log",
    } <= {table.kind for table in TABLES}


@pytest.mark.parametrize("table, entry, text", SAMPLES)
def test_sample_gives_its_event(table: type[MessageParser], entry: EventPattern, text: str) -> None:
    parser = table()
    used = parser.feed(Line("t", 1, text))
    (event,) = parser.finish()
    assert (event.kind, event.secondary, event.ref.line, event.text) == (entry.kind, entry.secondary, 1, text.strip())
    assert used is (Use.IGNORED if entry.harmless else Use.USED)


@pytest.mark.parametrize("table", TABLES)
def test_samples_are_wanted_whatever_their_digits(table: type[MessageParser]) -> None:
    entries: tuple[Entry, ...] = (*table.messages, *table.details, *table.noise)
    for entry in entries:
        assert not re.search(r"\d", entry.mark or ""), "a mark must be blind to digits"
        for text in entry.samples:
            assert table.wants(re.sub(r"\d", "0", text)) == table.wants(text), text
            assert table.wants(text) or not entry.mark, text


@pytest.mark.parametrize("table, entry, text", DETAILS)
def test_detail_adds_its_groups(table: type[MessageParser], entry: DetailPattern, text: str) -> None:
    first = next(message for message in table.messages if message.kind in entry.of)
    alone = set(next(iter(read(table, first.samples[0]).finish())).groups.items())
    both = set(next(iter(read(table, first.samples[0], text).finish())).groups.items())
    assert alone <= both
    match = re.search(entry.pattern, text)
    assert match is not None
    assert {name for name, value in match.groupdict().items() if value} <= {name for name, _ in both}


@pytest.mark.parametrize("table, entry, text", NOISE)
def test_noise_is_ignored(table: type[MessageParser], entry: NoisePattern, text: str) -> None:
    assert table().feed(Line("t", 1, text)) is Use.IGNORED


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "frame", ["grep '{}' job.log", "$ grep -c '{}' log", "+ echo '{}'", "dmesg | grep '{}'", "  print('{}')"]
)
def test_a_search_for_a_message_is_no_message(table: type[MessageParser], frame: str) -> None:
    texts = [frame.format(text) for owner, _, text in SAMPLES if owner is table]
    assert [text for text in texts if list(read(table, text).finish())] == []


@pytest.mark.parametrize("table", TABLES)
def test_lines_of_the_library_belong_to_another_parser(table: type[MessageParser]) -> None:
    texts = [f"gpu01:1:2 [0] NCCL WARN {text}" for owner, _, text in SAMPLES if owner is table]
    assert list(read(table, *texts).finish()) == []


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=20, deadline=None)
@given(
    texts=st.lists(
        st.one_of(
            st.text(max_size=80),
            st.sampled_from(ALL_TEXTS).flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])),
        )
    )
)
def test_no_text_raises(table: type[MessageParser], texts: list[str]) -> None:
    parser = read(table, *texts)
    assert sum(event.count for event in parser.finish()) <= len(texts)


def test_repeated_messages_are_folded() -> None:
    text = "mpirun noticed that process rank 1 with PID 5 on node a exited on signal 9 (Killed)."
    (event,) = read(OpenMpi, text, text, text).finish()
    assert (event.count, event.rank, event.host, event.groups["signal"]) == (3, 1, "a", "9")


def test_different_groups_stay_apart() -> None:
    line = "mpirun noticed that process rank {} with PID 5 on node a exited on signal 9 (Killed)."
    assert [event.rank for event in read(OpenMpi, line.format(1), line.format(2)).finish()] == [1, 2]


def test_rank_and_host_come_from_the_prefix_where_the_text_has_none() -> None:
    (event,) = read(OpenMpi, "Read -1, expected 8192, errno = 1", host="gpu3", rank=7).finish()
    assert (event.host, event.rank) == ("gpu3", 7)


def test_events_beyond_the_bound_are_counted_by_their_kind() -> None:
    line = "mpirun noticed that process rank {} with PID 5 on node a exited on signal 9 (Killed)."
    events = list(read(OpenMpi, *(line.format(n) for n in range(MAX_EVENTS + 50))).finish())
    assert [event.count for event in events[-2:]] == [1, 50]
    assert [event.rank for event in events] == [*range(MAX_EVENTS), MAX_EVENTS]


def test_a_new_fault_is_kept_where_process_ids_have_filled_the_room() -> None:
    crash = "[ 1.1] NVRM: Xid (PCI:0000:1b:00): 43, pid={}, name=python, Ch 00000008"
    lost = "[ 9.1] NVRM: Xid (PCI:0000:2c:00): 79, pid=7, GPU has fallen off the bus."
    events = list(read(NvidiaDriverLog, *(crash.format(n) for n in range(MAX_EVENTS + 100)), lost).finish())
    assert len(events) <= 2 * MAX_EVENTS
    assert [e.groups["pci"] for e in events if e.groups.get("xid") == "79"] == ["0000:2c:00"]
    assert sum(event.count for event in events) == MAX_EVENTS + 101
