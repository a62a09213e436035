"""Records on their way between machines: what arrives is what was sent, and nothing else is taken for it."""

from __future__ import annotations

import pickle
import re
import zlib
from array import array
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack, to_builtins
from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.model.nccl import EnvSetting, LogProcess, NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Origin, Part, Reading
from slowlink.parsers import unit_names
from slowlink.parsers.reading.read import joined, read_one
from slowlink.parsers.reading.redacted import read_redacted
from slowlink.parsers.reading.room import Room
from slowlink.parsers.reading.sent import NO_ROOM, NotSentError, Sent, found_by, packed, taken_out
from slowlink.parsers.reading.sent_back import Found, alone
from slowlink.report import render
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.workflows.analyze import report_of

STATS = SourceStats("a.log", ("sysctl",), 10, 1, 1, 0, 0)
READING = Reading("numa-balancing", Part("node"), value=True, ref=Ref("a.log", 3, "numa_balancing:1"))


def named_samples() -> dict[str, str]:
    texts = {name: sample_in(import_module(name).__doc__ or "") for name in unit_names()}
    return {name: text for name, text in texts.items() if text.strip()} | {
        "a whole job": job_log(SimulatedJob(plateau_gbs=9.4))
    }


SAMPLES = named_samples()


@cache
def lines() -> list[str]:
    return sorted({line for text in SAMPLES.values() for line in text.splitlines() if len(line) < 300})


def found_in_text(text: str, name: str = "n:/var/log/a.log") -> Found:
    return alone(read_one(Input(name, None, [text.encode("utf-8", "replace")]), 1))


def travelled(found: Found, place: str = "", node: str | None = None) -> Found:
    return found_by(taken_out(packed(found)), place, node)


def told(records: Records) -> str:
    """All that they say; a set of words has no order."""
    return re.sub(r"frozenset\(\{([^{}]*)\}\)", lambda found: str(sorted(found[1].split(", "))), repr(records))


@pytest.mark.parametrize("name", SAMPLES)
def test_what_arrives_gives_the_same_report(name: str) -> None:
    before = joined([found_in_text(SAMPLES[name])])
    after = joined([travelled(found_in_text(SAMPLES[name], "/var/log/a.log"), "n:")])
    assert told(after) == told(before)  # a time that is no number is equal to nothing
    assert render(report_of(after), "json") == render(report_of(before), "json")


@given(st.lists(st.one_of(st.sampled_from(lines()), st.text(max_size=30)), max_size=30))
def test_whatever_is_read_arrives(chosen: list[str]) -> None:
    text = "\n".join(chosen)
    assert joined([travelled(found_in_text(text))]) == joined([found_in_text(text)])


def test_names_of_lines_are_given_by_who_takes_them() -> None:
    told = Origin("/b!captures/x", "node09", None, Ref("lies", 1))
    records, stats, _ = travelled(([READING, told], STATS, b""), "node07:", "node07")
    assert records == [
        replace(READING, ref=Ref("node07:a.log", 3, "numa_balancing:1")),
        Origin("node07:/b!captures/x", "node09", None, Ref("node07:a.log", 1)),
    ]
    assert (stats.path, stats.node) == ("node07:a.log", "node07")


def test_what_no_message_holds_is_written_as_near_as_can_be() -> None:
    odd = EnvSetting("A", "half \ud800 a pair", "dump", LogProcess(None, None), Ref("a.log", 1))
    huge = replace(READING, value=1 << 80)
    records, _, _ = travelled(([odd, huge], replace(STATS, path="a\udcff.log"), b"\xff"))
    assert records == [
        replace(odd, value="half \\ud800 a pair", ref=Ref("a\\udcff.log", 1)),
        replace(huge, value=(1 << 63) - 1, ref=Ref("a\\udcff.log", 3, "numa_balancing:1")),
    ]


def test_evidence_is_bounded() -> None:
    long = replace(READING, ref=Ref("a.log", -4, "x" * 90_000))
    ((reading,), _, _) = travelled(([long], STATS, b""))
    assert reading == replace(READING, ref=Ref("a.log", 0, "x" * 400))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    for one in (data, zlib.compress(data)):
        with pytest.raises(NotSentError):
            taken_out(one)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (pickle.dumps(Sent(Records(), STATS, b"")), "error"),
        (zlib.compress(msgpack.encode(Sent(Records(), STATS, b"")))[:-4], "too long, or cut"),
        (zlib.compress(msgpack.encode({"records": {}, "stats": 7, "digest": b""})), "ValidationError"),
        (zlib.compress(msgpack.encode(Sent(Records(), replace(STATS, path=""), b""))), "it names no input"),
        (zlib.compress(msgpack.encode(Sent(Records(), replace(STATS, path="x" * 9999), b""))), "it names no input"),
        (zlib.compress(msgpack.encode(Sent(Records(), replace(STATS, copy_of="b"), b""))), "it names no input"),
        (zlib.compress(msgpack.encode(Sent(Records(sources=(STATS,)), STATS, b""))), "it names no input"),
        (zlib.compress(b"\x91" * 100_000 + b"\xc0"), "ValidationError"),
    ],
)
def test_what_is_no_message_is_refused(wrong: bytes, why: str) -> None:
    with pytest.raises(NotSentError, match=why):
        taken_out(wrong)


def test_columns_that_do_not_go_together_are_refused() -> None:
    text = "n1:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
    records, stats, _ = found_in_text(text * 2)
    (log,) = (one for one in records if isinstance(one, NcclLog))
    assert list(sent_logs(log, stats)[0].edges) == list(log.edges)
    far = array("i", [7]).tobytes()
    below = array("i", [-2]).tobytes()
    changes = [{name: far} for name in ("process", "kind", "before", "number", "after")]
    changes += [{name: below} for name in ("process", "kind", "before", "number", "after")]
    changes += [{"src": b""}, {"dst": far + far}, {"line": far}, {"channels": b""}, {"process": b"12345"}]
    changes += [{"line": array("q", [-1]).tobytes()}, {"channels": array("q", [-1]).tobytes()}]
    for change in changes:
        with pytest.raises(NotSentError, match="columns"):
            sent_logs(replace(log, edges=replace(log.edges, **change)), stats)


def sent_logs(log: NcclLog, stats: SourceStats) -> tuple[NcclLog, ...]:
    return taken_out(packed(([log], stats, b""))).records.logs


def test_what_unpacks_to_too_much_is_refused_before_it_does() -> None:
    bomb = zlib.compress(bytes(50 << 20))
    with pytest.raises(NotSentError, match="too long, or cut"):
        taken_out(bomb, Room(most_bytes=1 << 20))


def test_what_one_sender_sent_shares_its_room() -> None:
    one = packed(([READING], STATS, b""))
    room = Room(most_bytes=2 * len(zlib.decompress(one)) - 1)
    assert taken_out(one, room).stats == STATS
    with pytest.raises(NotSentError, match="too long, or cut"):
        taken_out(one, room)


def test_the_sender_leaves_out_what_the_other_side_has_no_room_for() -> None:
    there = Room(most_weight=600)
    assert taken_out(packed(([READING] * 40, STATS, b""), room=there)).stats.problem == NO_ROOM
    assert taken_out(packed(([READING], STATS, b""), room=there)).stats.problem is None


def test_a_record_of_some_bytes_weighs_what_it_becomes() -> None:
    whole = to_builtins(Sent(Records(), STATS, b""), builtin_types=(bytes,))
    whole["records"]["logs"] = [{"source": ""}] * 600_000
    with pytest.raises(NotSentError, match="too long, or cut"):
        taken_out(zlib.compress(msgpack.encode(whole)))


PLAIN = st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | st.text() | st.binary()


@given(st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(), inner, max_size=40)))
def test_the_weight_is_that_of_every_value(value: object) -> None:
    def weight(one: object) -> int:
        if isinstance(one, dict):
            return 32 + sum(1 + weight(inner) for inner in one.values())
        return 1 + sum(map(weight, one)) if isinstance(one, list) else 1

    data = msgpack.encode(value)
    assert Room(most_weight=weight(value)).has_taken(data)
    assert not Room(most_weight=weight(value) - 1).has_taken(data)


@given(st.binary(max_size=200))
def test_any_bytes_have_a_weight(data: bytes) -> None:
    Room().has_taken(data)


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_records_that_no_log_gives_break_nothing(name: str, data: st.DataObject) -> None:
    records, stats, digest = found_in_text(SAMPLES[name])
    whole = to_builtins(taken_out(packed((records, stats, digest))), builtin_types=(bytes,))
    places = list(leaves(whole["records"]))
    for _ in range(data.draw(st.integers(1, 3)) if places else 0):
        holder, key = data.draw(st.sampled_from(places))
        odd = [value for value in ODD if type(value) is type(holder[key])]
        holder[key] = data.draw(st.sampled_from(odd)) if odd else holder[key]
    sent = taken_out(zlib.compress(msgpack.encode(whole)))
    render(report_of(joined([found_by(sent, "n:", "n")])), "terminal")


ODD = [-1, 0, 1, 1 << 62, -(1 << 63), 1e308, -1e308, float("nan"), float("inf"), "", "x", "\x1b[31m", "a" * 5000,
       "node[1-99999]", "-rf /", True, False]  # fmt: skip


def leaves(value: Any) -> list[tuple[Any, Any]]:
    """Where plain values stand: (what holds it, its key)."""
    found: list[tuple[Any, Any]] = []
    pairs: Iterable[tuple[Any, Any]] = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in pairs:
        found += leaves(inner) if isinstance(inner, dict | list) else [(value, key)]
    return found


TOKEN = "hf_Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f"


def test_no_secret_travels() -> None:
    text = f"x:1:1 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.\nHF_TOKEN={TOKEN}\nexport NCCL_X={TOKEN}\n"
    found = alone(read_redacted(Input("a.log", len(text), [text.encode()]), 1))
    assert TOKEN.encode() not in zlib.decompress(packed(found))
    assert (found[1].size_bytes, found[1].lines) == (len(text), 3)
    assert TOKEN in str(found_in_text(text))


@pytest.mark.parametrize("name", SAMPLES)
def test_taking_secrets_out_changes_nothing_where_there_are_none(name: str) -> None:
    text = SAMPLES[name]
    redacted = joined([alone(read_redacted(Input("a.log", None, [text.encode()]), 1))])
    assert repr(redacted) == repr(joined([found_in_text(text, "a.log")]))
