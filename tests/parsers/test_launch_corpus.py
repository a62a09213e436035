"""The labelled corpus: link benchmarks, launchers and kernels, found by the whole reader as the labels say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.inputs import open_inputs
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

CORPUS = Path(os.environ.get("SLOWLINK_CORPUS") or Path(__file__).parents[3] / "shared" / "corpus")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the labelled corpus is not beside this checkout"),
]


def records(name: str) -> Records:
    return read(open_inputs([str(CORPUS / name)]), workers=1)


@pytest.mark.parametrize(
    "name, rows, size, average",
    [
        ("aks-ib-write-bw.txt", 23, 8388608, 196.55),
        ("deepops-roce-write-bw.txt", 1, 65536, 92.40),
        ("dgx-spark-ib-write-bw-a.txt", 5, 65536, 92.57),
        ("oci-ib-write-bw.txt", 1, 65536, 98.01),
        ("superbench-ib-loopback-all-sizes.txt", 23, 8388608, 194.957),
        ("write-bw-2byte-first-row.txt", 7, 128, 8.96),
        ("write-bw-4qp-spark.txt", 1, 65536, 111.71),
    ],
)
def test_bandwidth(name: str, rows: int, size: int, average: float) -> None:
    (run,) = records(f"perftest/{name}").perftests
    assert len(run.rows) == rows
    assert run.rows[-1].size_bytes == size
    assert run.rows[-1].bw_average_gbit == pytest.approx(average, abs=0.001)
    assert not [row.doubt for row in run.rows if row.doubt]


@pytest.mark.parametrize(
    "name, minimum, typical, average",
    [("aks-ib-read-lat.txt", 5.35, 5.49, 5.5), ("homelab-fragment-b.txt", None, None, 0.85)],
)
def test_latency(name: str, minimum: float | None, typical: float | None, average: float) -> None:
    (run,) = records(f"perftest/{name}").perftests
    (row,) = run.rows
    assert (row.t_min_us, row.t_typical_us, row.t_avg_us) == (minimum, typical, average)


@pytest.mark.parametrize(
    "name, kind, groups",
    [
        ("mixed/gpud-xid119-gsp-timeout.txt", "kernel-xid", {"xid": "119", "pci": "0000:9b:00", "pid": "2024380"}),
        ("mixed/gpud-nccl-segfault-dmesg.txt", "kernel-segfault", {"library": "libnccl.so.2", "pid": "2536443"}),
        (
            "mixed/gpud-fabricmanager-log.txt",
            "nvswitch-error",
            {"error": "12028", "port": "61", "severity": "non-fatal"},
        ),
        ("mixed/jeanzay-meg-ds-16node.txt", "slurm-time-limit", {"job": "1999616"}),
        ("mixed/v100-nompi-segfault-log.txt", "ompi-signal", {"rank": "1", "signal": "11", "host": "gdr114"}),
        ("mixed/cori-gpu-pytorch-mpi-segv.txt", "slurm-task-exit", {"task": "0", "host": "cgpu12"}),
        ("nccl-tests/polaris-n128-pmi-port-failure.txt", "pmi-failure", {"host": "x3006c0s1b1n0"}),
        ("nccl-tests/sophia-n2-allgather-failure.txt", "ompi-process-exited", {"code": "3"}),
        ("nccl-debug/podman-1gpu-libfabric-hmem-cuda-missing.txt", "libfabric-hmem-missing", {"library": "libcuda.so"}),
        ("hang/stas-watchdog-excerpt.txt", "torch-rank-missing", {"ranks": "1", "collective": "3"}),
        ("hang/polaris-readme-watchdog-excerpt.txt", "torch-watchdog-timeout", {"ran_ms": "120092", "op": "ALLREDUCE"}),
    ],
)
def test_events(name: str, kind: str, groups: dict[str, str]) -> None:
    found = [dict(event.groups) for event in records(name).events if event.kind == kind]
    assert any(groups.items() <= event.items() for event in found), found


def test_watchdog_ranks() -> None:
    events = records("hang/polaris-vae-watchdog-1.txt").events
    assert {event.rank for event in events if event.kind == "torch-watchdog-timeout"} == {1, 4, 5, 6, 7}


def test_healthy_run_has_no_watchdog_event() -> None:
    assert not [event for event in records("hang/polaris-vae-fixed.txt").events if event.kind.startswith("torch-")]


def test_launched_ranks_of_a_build_without_mpi() -> None:
    (command,) = records("mixed/no-mpi-build-alltoall.txt").commands
    assert (command.program, command.nranks, command.hosts) == ("alltoall_perf", 4, ("s114", "s116"))


def test_pair_summary() -> None:
    facts = records("mixed/pairwise-cluster00-failures-summary.txt").observations
    pairs = [fact for fact in facts if fact.kind == "failed-pair"]
    assert len(pairs) == 18
    assert sum("cnode2-003" in (fact.subject, fact.value) for fact in pairs) == 8
