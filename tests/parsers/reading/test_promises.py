"""Empty files, and dumps of which nothing could be read."""

from __future__ import annotations

import pytest

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read


def read_files(**files: bytes) -> Records:
    return read([Input(name, len(data), [data]) for name, data in files.items()], workers=1)


def odd_ones(records: Records) -> list[tuple[str, str | None, bool]]:
    return [(source.path, source.problem, source.partial) for source in records.sources if source.problem]


@pytest.mark.parametrize(
    "name",
    [
        *("d/nccl_trace_rank_2", "comm_lib_trace_rank_14", "job.log.gz", "logs.tar", "diag.json", "smi.xml"),
        *("node07.log", "slurm-4711.out", "train.log.1", "gpu07/dmesg", "logs.tar!gpu07/kern.log", "dmesg.txt"),
    ],
)
def test_a_file_that_should_not_be_empty_is_a_problem(name: str) -> None:
    records = read_files(**{"job.log": b"words\n", name: b""})
    assert odd_ones(records) == [(name, "empty: it was cut, or never written", True)]


@pytest.mark.parametrize("name", ["stderr", "job.err", "3/stderr.log", "attempt_0/5/stdout.log", "marker", "notes.txt"])
def test_what_may_be_empty_is_none(name: str) -> None:
    assert odd_ones(read_files(**{"job.log": b"words\n", name: b""})) == []


def test_the_log_of_one_node_is_empty_and_the_others_are_not() -> None:
    files = {f"node{number}.log": b"words\n" if number != 2 else b"" for number in range(4)}
    assert [path for path, _, _ in odd_ones(read_files(**files))] == ["node2.log"]


def test_logs_of_ranks_that_have_nothing_to_say_are_no_problem() -> None:
    files = {f"nccl.gpu07.{number}.log": b"words\n" if number == 4000 else b"" for number in range(4000, 4008)}
    assert odd_ones(read_files(**files)) == []


def test_empty_inputs_alone_are_nothing_else() -> None:
    assert odd_ones(read_files(**{"job.log": b"", "diag.json": b""})) == []


@pytest.mark.parametrize("content", [b"", b'{"vers', b'{"version": "2.5",\n'])
def test_a_recorder_that_was_begun_left_a_dump(content: bytes) -> None:
    records = read_files(**{"job.log": b"words\n", "d/nccl_trace_rank_3.json": content})
    assert [(each.rank, each.rank_basis, each.partial) for each in records.flights] == [(3, "file name", True)]
