"""Copies of one input count once: by their name, or because the content cannot repeat by chance."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heaps import job, nccl_lines, read_all, table
from slowlink.parsers.reading.copies import plain_name

LOG = job("node06", "node07", sick=True)
ONCE = read_all({"job.log": LOG})
SETTING = "[root@gpu01 ~]# cat /proc/sys/kernel/numa_balancing\n0\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("job.log", "job.log.gz"),
        ("logs/job.log", "logs.tar.gz!logs/job.log"),
        ("bundle!captures/state/n1.txt", "bundle.tar.zst!captures/state/n1.txt"),
        ("./job.log", "job.log"),
        ("a.tar.gz", "a.tgz"),
    ],
)
def test_packing_does_not_change_a_name(first: str, second: str) -> None:
    assert plain_name(first) == plain_name(second)


def test_other_folders_and_other_endings_are_other_names() -> None:
    assert len({plain_name(name) for name in ("n1/smi.txt", "n2/smi.txt", "smi.txt", "smi.log")}) == 4


@pytest.mark.parametrize("text", [LOG, nccl_lines(LOG), table(LOG)])
def test_the_log_of_a_run_cannot_repeat_so_its_copy_counts_once(text: str) -> None:
    once, twice = read_all({"a.log": text}), read_all({"a.log": text, "elsewhere/b.txt": text})
    assert (twice.runs, twice.logs, twice.commands) == (once.runs, once.logs, once.commands)
    assert [source.copy_of for source in twice.sources] == [None, "a.log"]


def test_equal_answers_of_two_nodes_are_no_copies() -> None:
    both = read_all({"n1/numa.txt": SETTING.replace("gpu01", "x"), "n2/numa.txt": SETTING.replace("gpu01", "x")})
    assert len(both.readings) == 2
    packed = read_all({"numa.txt": SETTING, "numa.txt.gz": SETTING})
    assert (len(packed.readings), packed.sources[1].copy_of) == (1, "numa.txt")


def test_an_empty_file_is_no_copy_of_another() -> None:
    assert [source.copy_of for source in read_all({"a.log": "", "b.log": ""}).sources] == [None, None]


@given(st.permutations(["job.log", "job.log.gz", "copy/job.log", "x.tar!job.log"]))
def test_however_often_a_log_is_there_its_records_are_those_of_one(names: list[str]) -> None:
    found = read_all(dict.fromkeys(names, LOG))
    assert (len(found.runs), len(found.logs)) == (len(ONCE.runs), len(ONCE.logs))
    assert sum(source.copy_of is None for source in found.sources) == 1
    assert {source.copy_of for source in found.sources} == {None, names[0]}


def test_what_one_bundle_recorded_apart_is_no_copy() -> None:
    """Two launches of a program that prints the same each time."""
    files = ["run-1/stdout", "run-2/stdout"]
    captures = [{"name": name, "kind": "benchmark", "argv": ["x"], "files": [name]} for name in files]
    manifest = json.dumps({"schema": "slowlink.bundle/1", "slowlink": "0", "created_at": 1.0, "captures": captures})
    inputs = {f"b!{name}": table(LOG) for name in files}
    assert len(read_all({"b!manifest.json": manifest, **inputs}).runs) == 2
    assert len(read_all(inputs).runs) == 1
    packed = {f"b.tar.zst!{name}": table(LOG) for name in files}
    assert (
        len(read_all({"b!manifest.json": manifest, **inputs, "b.tar.zst!manifest.json": manifest, **packed}).runs) == 2
    )
