"""Which inputs are one job: one, unless something shows that there are several."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import fields

from heaps import job, jobs, labels, nccl_lines, numbered_comm, read_all, table
from slowlink.facts.jobs import split
from slowlink.model.nccl import NcclLog
from slowlink.model.records import Records

A = job("node06", "node07", sick=True)
B = job("other06", "other07")
SMI = "[root@{host} ~]# nvidia-smi --query-gpu=index,power.limit --format=csv\nindex, power.limit [W]\n0, 700.00 W\n"


def test_one_log_is_one_job_with_the_records_as_they_are() -> None:
    records = read_all({"job.log": A})
    (only,) = split(records)
    assert only.records is records
    assert (only.label, only.kind) == ("", "job")


def test_the_state_of_nodes_is_not_searched_for_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand nodes that took as long as a rule."""

    def never(_: Records) -> None:
        raise AssertionError

    monkeypatch.setattr("slowlink.facts.jobs.cut.entries", never)
    records = read_all({f"node{n}.txt": SMI.format(host=f"node{n}") for n in range(3)})
    (only,) = split(records)
    assert only.records is records


def test_tables_that_list_other_hosts_are_other_jobs() -> None:
    assert labels({"heap/a/job.log": A, "heap/b/job.log": B}) == snapshot(
        ["job on node[06-07], a/job.log", "job on other[06-07], b/job.log"]
    )


def test_nccl_lines_of_hosts_that_the_table_does_not_list_are_another_jobs() -> None:
    assert labels({"a.log": nccl_lines(A), "b.txt": table(B)}) == snapshot(
        ["job on node[06-07], a.log", "job on other[06-07], b.txt"]
    )


def test_launches_on_the_same_hosts_are_repeats_of_one_job() -> None:
    assert labels({"run1.log": numbered_comm(A, 1), "run2.log": numbered_comm(job("node06", "node07"), 2)}) == [""]
    assert labels({"pair1.log": table(job("n1", "n2")), "pair2.log": table(job("n2", "n3"))}) == [""]


def test_numbers_of_the_scheduler_tell_jobs_on_the_same_hosts_apart() -> None:
    texts = {"slurm-4711.out": numbered_comm(A, 1), "slurm-4712.out": numbered_comm(job("node06", "node07"), 2)}
    assert labels(texts) == snapshot(
        ["job 4711 on node[06-07], slurm-4711.out", "job 4712 on node[06-07], slurm-4712.out"]
    )


def test_a_log_for_each_host_of_one_job_is_one_job() -> None:
    """Each knows one host alone, and no table says which others there are."""
    old = job("node06", "node07").replace(" commId 0xfa38415269cf0cf7", "")
    for text in (A, old):
        assert labels({f"debug.{host}.log": nccl_lines(text, host) for host in ("node06", "node07")}) == [""]
        assert labels({f"{n}.log": nccl_lines(text, host) for n, host in enumerate(("node06", "node07"))}) == [""]


def test_logs_of_single_hosts_that_have_nothing_in_common_are_two_jobs() -> None:
    """Each may be a part of a larger job, and then of another one."""
    ours, theirs = nccl_lines(A, "node06"), numbered_comm(nccl_lines(B, "other07"), 2)
    assert labels({"hang.log": ours, "shm-full.txt": theirs}) == snapshot(
        ["job on node06, hang.log", "job on other07, shm-full.txt"]
    )
    assert labels({"rank0.log": ours, "rank8.log": theirs}) == [""]
    old = [
        text.replace(" commId 0xfa38415269cf0cf7", "").replace(" commId 0xfa38415269c00002", "")
        for text in (ours, theirs)
    ]
    assert labels({"hang.log": old[0], "shm-full.txt": old[1]}) == [""]
    assert labels({"hang.log": old[0], "shm-full.txt": old[1].replace("nranks 16", "nranks 64")}) == snapshot(
        ["job on node06, hang.log", "job on other07, shm-full.txt"]
    )
    cuda, rocm = "NCCL version 2.21.5+cuda12.4\n" + ours, "RCCL version 2.21.5+hip6.4 HEAD:d1f3a5c\n" + theirs
    assert len(labels({"rank0.log": cuda, "rank8.log": rocm})) == 2


def test_logs_of_hosts_join_the_table_that_lists_them() -> None:
    texts = {f"{host}.log": nccl_lines(A, host) for host in ("node06", "node07")} | {"out.txt": table(A), "b.log": B}
    assert labels(texts) == snapshot(["job on node[06-07], node06.log and 2 more files", "job on other[06-07], b.log"])


def test_what_names_no_job_belongs_to_that_of_its_name_or_folder() -> None:
    texts = {
        "a/job.log": A,
        "a/notes.txt": "Out of memory: Killed process 77 (python)\n",
        "b/job.log": B,
        "b/logs/err.txt": "Segmentation fault (core dumped)\n",
        "top.txt": "Bus error (core dumped)\n",
    }
    assert [(each.label, each.sources) for each in jobs(texts)] == snapshot(
        [
            ("job on node[06-07], a/job.log", ("a/job.log", "a/notes.txt")),
            ("job on other[06-07], b/job.log", ("b/job.log", "b/logs/err.txt")),
            ("inputs of no job, top.txt", ("top.txt",)),
        ]
    )
    assert [each.sources for each in jobs({"a.log": A, "b.log": B, "b.err": "Segmentation fault (core dumped)\n"})] == [
        ("a.log",),
        ("b.log", "b.err"),
    ]


def test_state_of_a_node_belongs_to_every_job_that_ran_there() -> None:
    state = "".join(SMI.format(host=host) for host in ("node06", "other07", "spare1"))
    texts = {"slurm-1.out": A, "slurm-2.out": numbered_comm(job("node06", "node07"), 2), "b.log": B, "smi.txt": state}
    found = {each.label: [r.host for r in each.records.readings] for each in jobs(texts)}
    assert found == snapshot(
        {
            "job 1 on node[06-07], slurm-1.out": ["node06"],
            "job 2 on node[06-07], slurm-2.out": ["node06"],
            "job on other[06-07], b.log": ["other07"],
            "state of spare1, which no job names, smi.txt": ["spare1"],
        }
    )


def test_every_label_stands_for_one_job() -> None:
    """Too many hosts and files for a label to name."""
    texts = {"top.txt": "Bus error (core dumped)\n"}
    for letter in "ab":
        hosts = [f"{letter}{number}x{number * number}y{number * 7}" for number in range(1, 13)]
        whole = numbered_comm(job(*hosts), ord(letter))
        texts |= {f"logs/{letter}{part}.txt": nccl_lines(whole, host) for part, host in enumerate(hosts)}
    assert labels(texts) == snapshot(
        [
            "job on 12 nodes, 12 files in logs/",
            "job on 12 nodes, 12 files in logs/ (2)",
            "inputs of no job, top.txt",
        ]
    )


def test_state_alone_is_no_job() -> None:
    assert labels({f"{host}.txt": SMI.format(host=host) for host in ("n1", "n2", "n3")}) == [""]


def test_two_jobs_in_one_file_are_cut_where_the_second_begins() -> None:
    assert labels({"both.log": A + B}) == snapshot(
        ["job on node[06-07], both.log, lines 1-328", "job on other[06-07], both.log, from line 329"]
    )
    assert labels({"both.log": nccl_lines(A) + table(B)}) == snapshot(
        ["job on node[06-07], both.log, lines 1-284", "job on other[06-07], both.log, from line 285"]
    )


def test_one_file_is_not_cut_by_names_that_differ_within_a_launch() -> None:
    """Somebody took the names out of the table, or compares tables of two machines on one page."""
    renamed = "\n".join(line.replace(" node0", " host0") if line[:1] == "#" else line for line in A.splitlines())
    assert labels({"job.log": renamed}) == [""]
    assert labels({"page.md": table(A) + "\nAnd on the other machines:\n\n" + table(B)}) == [""]


HEAP = {
    "a/job.log": A,
    "a/err.txt": "Segmentation fault (core dumped)\n",
    "b/job.log": B,
    "c/both.log": job("x1", "x2") + job("y1", "y2", sick=True),
    "smi.txt": "".join(SMI.format(host=host) for host in ("node06", "spare1")),
    "readme.txt": "NCCL_IB_DISABLE=1 is wrong\n",
}


def _records(records: Records) -> Counter[str]:
    """Every record as text; NCCL's log by what it holds, since it may be cut, and state with any node."""
    found: Counter[str] = Counter()
    for entry in fields(Records):
        for record in getattr(records, entry.name) if entry.name not in ("sources", "readings", "collected") else ():
            if isinstance(record, NcclLog):
                for each in fields(NcclLog):
                    value = getattr(record, each.name)
                    found.update(f"{each.name} {item}" for item in (value if isinstance(value, tuple) else ()))
            else:
                found[f"{entry.name} {record}"] += 1
    return found


@given(st.permutations(sorted(HEAP)))
def test_no_record_is_lost_and_the_order_of_files_makes_no_difference(names: list[str]) -> None:
    whole = read_all({name: HEAP[name] for name in names})
    parts = split(whole)
    together: Counter[str] = Counter()
    for part in parts:
        together += _records(part.records)
    assert together == _records(whole)
    assert {str(r.ref) for part in parts for r in part.records.readings} == {str(r.ref) for r in whole.readings}
    assert sorted((part.label, tuple(sorted(part.sources))) for part in parts) == snapshot(
        [
            ("job on node[06-07], a/job.log", ("a/err.txt", "a/job.log", "smi.txt")),
            ("job on other[06-07], b/job.log", ("b/job.log",)),
            ("job on x[1-2], c/both.log, lines 1-360", ("c/both.log",)),
            ("job on y[1-2], c/both.log, from line 361", ("c/both.log",)),
            ("state of spare1, which no job names, smi.txt", ("smi.txt",)),
        ]
    )


def test_a_manifest_may_name_files_that_are_not_there() -> None:
    manifest = {
        "schema": "slowlink.bundle/1",
        "nodes": ["node01"],
        "captures": [{"name": "run-1", "kind": "collective", "argv": ["mpirun"], "files": ["run-1/stdout.txt"]}],
    }
    texts = {
        "heap/a.log": job("node01", "node02"),
        "heap/b.log": numbered_comm(job("gpu11", "gpu12"), 7),
        "heap/m.log": json.dumps(manifest),
    }
    assert [each.sources for each in jobs(texts)][:2] == [("heap/a.log",), ("heap/b.log",)]
