"""The labelled corpus: launchers, schedulers and frameworks, found by the whole reader as the labels say."""

from __future__ import annotations

import pytest
from labelled_corpus import NEEDS_CORPUS, groups_of, records_of

pytestmark = NEEDS_CORPUS


@pytest.mark.parametrize(
    "name, kind, groups",
    [
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
    found = groups_of(name, kind)
    assert any(groups.items() <= event.items() for event in found), found


def test_watchdog_ranks() -> None:
    events = records_of("hang/polaris-vae-watchdog-1.txt").events
    assert {event.rank for event in events if event.kind == "torch-watchdog-timeout"} == {1, 4, 5, 6, 7}


def test_healthy_run_has_no_watchdog_event() -> None:
    assert not [event for event in records_of("hang/polaris-vae-fixed.txt").events if event.kind.startswith("torch-")]


def test_launched_ranks_of_a_build_without_mpi() -> None:
    (command,) = records_of("mixed/no-mpi-build-alltoall.txt").commands
    assert (command.program, command.nranks, command.hosts) == ("alltoall_perf", 4, ("s114", "s116"))
