"""Dumps as files, as JSON in all shapes, inside archives and from a pipe; ranks, accounting, and what is damaged."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from hang_jobs import data_parallel, dump, entry, save, status
from slowlink.inputs import Input, open_inputs
from slowlink.model.hang import FlightDump, FlightEntry
from slowlink.model.records import Records
from slowlink.parsers.nccl.flight_recorder import DOCUMENT
from slowlink.parsers.nccl.flight_recorder import dump_file as dump_file_module
from slowlink.parsers.reading.read import read

JOB = data_parallel({0: 3, 1: 3, 2: 2}, completed=2)


def read_paths(*paths: Path | str) -> Records:
    return read(open_inputs([str(path) for path in paths]), workers=1)


def read_binary(data: bytes, name: str) -> Records:
    return read([Input(name, None, [data], start=data[:64])], workers=1)


def read_text(text: str, name: str = "dumps.json") -> Records:
    return read([Input(name, None, [text.encode()])], workers=1)


def ranks(records: Records) -> list[tuple[int | None, str, int]]:
    return [(each.rank, each.rank_basis, len(each.entries)) for each in records.flights]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_one_pickle_a_rank(tmp_path: Path, protocol: int) -> None:
    records = read_paths(save(JOB, tmp_path, protocol))
    assert ranks(records) == [(0, "file name", 3), (1, "file name", 3), (2, "file name", 2)]
    sizes = [(tmp_path / f"nccl_trace_rank_{rank}").stat().st_size for rank in JOB]
    assert [(s.kinds, s.size_bytes, s.lines, s.used, s.ignored, s.unread, s.problem) for s in records.sources] == [
        (("flight-recorder",), size, 0, 0, 0, 0, None) for size in sizes
    ]


def test_everything_of_a_dump(tmp_path: Path) -> None:
    (found,) = read_paths(save({0: JOB[0]}, tmp_path)).flights
    assert (found.version, found.nccl, found.ref.line) == ("2.5", "2.21.5", 0)
    assert found.groups["0"].ranks == (0, 1, 2)
    assert found.status["0"].enqueued == 3
    assert found.entries[2] == snapshot(
        FlightEntry(
            group="0",
            description="default_pg",
            seq=3,
            operation="all_reduce",
            state="scheduled",
            p2p=False,
            order=3,
            group_id=0,
            input_sizes=((1024,),),
            output_sizes=((1024,),),
            input_dtypes=("Float",),
            output_dtypes=("Float",),
            created_ns=1700000000003000000,
            timeout_ms=600000,
            frame="/job/train.py:41 in step",
        )
    )


def test_inside_a_tar_a_zip_and_from_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(JOB, tmp_path / "dumps")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "dumps", "dumps")
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for rank in JOB:
            packed.write(tmp_path / "dumps" / f"nccl_trace_rank_{rank}", f"d/rank_{rank}")
    expected = [(0, "file name", 3), (1, "file name", 3), (2, "file name", 2)]
    assert ranks(read_paths(tmp_path / "all.tar.gz")) == expected
    assert ranks(read_paths(tmp_path / "all.zip")) == expected
    (tmp_path / "rank7.gz").write_bytes(gzip.compress(pickle.dumps({**JOB[0], "rank": 1})))
    assert ranks(read_paths(tmp_path / "rank7.gz")) == [(1, "rank", 3)]

    class Pipe:
        buffer = io.BytesIO(pickle.dumps(JOB[0]))

    monkeypatch.setattr(sys, "stdin", Pipe)
    piped = read_paths("-")
    assert ranks(piped) == [(None, "", 3)]
    assert piped.sources[0].problem is None


GROUPS = {"0": ("default_pg", [0, 1, 2, 3]), "1": ("TP_GROUP", [2, 3]), "2": ("PP_GROUP", [0, 2])}


@pytest.mark.parametrize(
    ("content", "name", "rank", "basis"),
    [
        (dump([], GROUPS), "nccl_trace_rank_0", 2, "process groups"),
        (dump([], {"0": GROUPS["0"]}), "_dump_3", 3, "file name"),
        (dump([], {"0": GROUPS["0"]}), "fr-00001.pkl.gz", 1, "file name"),
        (dump([], {"0": GROUPS["0"]}), "fr_9", None, ""),
        (dump([], {"0": GROUPS["0"]}), "recorder", None, ""),
        (
            dump([entry(1, 1, operation="send 1->0", group=("1", "TP_GROUP"), p2p=True)], {"1": GROUPS["1"]}),
            "_dump_0",
            3,
            "send and recv",
        ),
    ],
)
def test_the_rank_comes_from_the_content_and_then_from_the_name(
    content: dict[str, Any], name: str, rank: int | None, basis: str
) -> None:
    (found,) = read_binary(pickle.dumps(content), name).flights
    assert (found.rank, found.rank_basis) == (rank, basis)


SHAPES = {
    "one a line with its rank": "\n".join(json.dumps({"rank": rank, "dump": JOB[rank]}) for rank in JOB),
    "a list": json.dumps([{"rank": rank, "dump": JOB[rank]} for rank in JOB], indent=1),
    "by rank": json.dumps({str(rank): JOB[rank] for rank in JOB}),
    "by name": json.dumps({f"rank_{rank}": JOB[rank] for rank in JOB}, indent=2),
    "the rank inside": "\n".join(json.dumps({**JOB[rank], "rank": rank}) for rank in JOB),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_json_in_all_shapes(shape: str) -> None:
    records = read_text(SHAPES[shape])
    assert ranks(records) == [(0, "rank", 3), (1, "rank", 3), (2, "rank", 2)]
    (source,) = records.sources
    assert source.kinds == ("flight-recorder",)
    assert source.used == source.lines
    assert records.flights[0].entries == read_text(json.dumps(JOB[0])).flights[0].entries


def test_json_that_is_cut_says_so() -> None:
    text = json.dumps(JOB[0], indent=1)
    (found,) = read_text(text[: len(text) * 2 // 3], "rank_0.json").flights
    assert found.partial
    assert 0 < len(found.entries) < 3


def test_other_json_is_not_taken() -> None:
    values: tuple[object, ...] = (
        {"entries": [1]},
        {"version": "1", "entries": []},
        {"pg_config": {}},
        [1],
        {"dump": 3},
        {"0": {}},
    )
    for value in values:
        assert not DOCUMENT.wants_document(value)


def test_old_dumps_have_neither_groups_nor_status() -> None:
    old = {
        "version": "1.5",
        "entries": [
            {
                "seq_id": 4,
                "profiling_name": "nccl:broadcast",
                "state": "scheduled",
                "input_sizes": [[2]],
                "pg_id": 1,
            }
        ],
    }
    (found,) = read_text(json.dumps(old), "trace_5.json").flights
    assert (found.rank, [(e.seq, e.group, e.operation) for e in found.entries]) == (5, [(4, "1", "broadcast")])


def problems(data: bytes, name: str = "trace_4") -> tuple[list[tuple[int | None, bool]], str | None]:
    records = read_binary(data, name)
    return [(each.rank, each.partial) for each in records.flights], records.sources[0].problem


def test_what_cannot_be_read_is_named_and_a_cut_dump_still_counts_as_one() -> None:
    whole = pickle.dumps(JOB[0], protocol=2)
    assert problems(whole[: len(whole) // 2]) == ([(4, True)], "damaged: the pickle ends early")
    assert problems(pickle.dumps([1, 2])) == ([], "a pickle, but no flight recorder")
    assert problems(b"\x80\x02cos\nsystem\nU\x02ls\x85R.") == (
        [],
        "refused: this pickle asks to run code (opcode 0x63); a flight recorder holds plain values only",
    )


@pytest.mark.parametrize("name", ["nccl_trace_rank_4.pkl", "dump.pickle", "trace.pt", "fr.bin"])
def test_a_cut_dump_counts_as_unread_whatever_its_name(name: str) -> None:
    whole = pickle.dumps(JOB[0], protocol=2)
    assert [source.partial for source in read_binary(whole[: len(whole) // 2], name).sources] == [True]
    weights = pickle.dumps({"layer.0.weight": [0.5] * 100}, protocol=2)
    is_dump = "trace_rank" in name
    assert [source.partial for source in read_binary(weights[:60], name).sources] == [is_dump]


def test_in_a_file_of_several_ranks_only_the_last_dump_is_cut() -> None:
    for value in (JOB, [{"rank": rank, "dump": content} for rank, content in JOB.items()]):
        whole = json.dumps(value)
        records = read_text(whole[: whole.rindex('"entries"')])
        assert [(each.rank, each.partial) for each in records.flights] == [(0, False), (1, False), (2, True)]


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_file_module, "MAX_BYTES", 1 << 20)
    taken = 0

    def endless() -> Any:
        nonlocal taken
        while True:
            taken += 1 << 18
            yield b"\x80\x02" + b"]" * ((1 << 18) - 2)

    records = read([Input("trace_1", None, endless(), start=b"\x80\x02]]")], workers=1)
    assert records.sources[0].problem == "too large: a pickle of more than 1 MiB"
    assert taken <= 2 << 20


def test_damage_of_the_archive_is_the_problem(tmp_path: Path) -> None:
    packed = gzip.compress(pickle.dumps(JOB[0]) + b"\0" * 100_000)
    (tmp_path / "rank_0.gz").write_bytes(packed[:-20])
    (source,) = read_paths(tmp_path).sources
    assert source.problem is not None
    assert "gzip" in source.problem


def test_a_cycle_and_strange_types_give_fewer_records_and_no_error() -> None:
    strange: dict[str, Any] = {"version": 7, "pg_config": {}, "pg_status": None, "entries": []}
    strange["entries"] = [strange, None, 3, [], {"profiling_name": 1}, entry(1, 1, input_sizes=strange, frames=strange)]
    strange["pg_config"] = {"0": strange, "1": {"ranks": [strange, -1, 2**70, 3]}}
    strange["entries"][-1]["input_sizes"] = [[strange]]
    (found,) = read_binary(pickle.dumps(strange), "x_3").flights
    assert [(e.seq, e.input_sizes) for e in found.entries] == [(1, None)]
    assert found.groups["1"].ranks == (3,)


KEYS = [
    "version",
    "pg_config",
    "pg_status",
    "entries",
    "rank",
    "dump",
    "ranks",
    "state",
    "0",
    "profiling_name",
    "collective_seq_id",
    "process_group",
    "input_sizes",
    "frames",
    "last_enqueued_collective",
]
LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.text(max_size=8) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=8),
    max_leaves=30,
)


@given(LOOSE, LOOSE, LOOSE)
@settings(max_examples=150, deadline=None)
def test_any_value_gives_records_or_none(a: object, b: object, c: object) -> None:
    for value in (
        a,
        {"pg_config": a, "pg_status": b, "entries": c},
        {"rank": a, "dump": {"entries": b, "pg_config": c}},
    ):
        if DOCUMENT.wants_document(value):
            assert all(isinstance(each, FlightDump) for each in DOCUMENT().read(value, "x_1", 1))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_dump_cut_anywhere_invents_nothing(data: st.DataObject) -> None:
    whole = pickle.dumps(JOB[0], protocol=2)
    end = data.draw(st.integers(3, len(whole) - 1))
    records = read_binary(whole[:end], "rank_0")
    assert all(each.partial and not each.entries and not each.status for each in records.flights)
    assert records.sources[0].problem == "damaged: the pickle ends early"


def test_status_of_an_idle_rank() -> None:
    content = dump([], {"0": ("default_pg", [0, 1])}, {"0": status(-1, -1)})
    (found,) = read_text(json.dumps({"rank": 1, "dump": content})).flights
    assert found.status["0"].enqueued == -1
