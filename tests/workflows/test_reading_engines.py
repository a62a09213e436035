"""Real MPI ranks and a real Dask cluster read what one process reads, to the letter."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import slowlink
from mpi_ranks import MPIRUN, needs_mpi
from slowlink.errors import SlowlinkError
from slowlink.parsers.reading.engine import Engine
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.workflows import reading_engines
from slowlink.workflows.reading_engines import dask_engine

pytestmark = pytest.mark.xdist_group("reading-engines")  # one heap and one cluster for all

CHANNELS = 60_000
"""Enough of them for a source that is cut into parts."""


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heap")
    (folder / "job.log").write_text(job_log(SimulatedJob(plateau_gbs=186.0)))
    for node in range(24):
        (folder / f"gpu{node:02d}.txt").write_text(f"/proc/sys/kernel/numa_balancing:{node % 8 // 7}\n")
    with (folder / "nccl.log").open("w") as file:
        for channel in range(CHANNELS):
            file.write(
                f"gpu01:4711:4720 [0] NCCL INFO Channel {channel % 16:02d}/0 : {channel}[0] -> {channel + 8}[0] "
            )
            file.write("[send] via NET/IB/0/GDRDMA\n")
    return folder


@pytest.fixture(scope="module")
def alone(heap: Path) -> str:
    return slowlink.render(slowlink.analyze(heap, workers=1), "json")


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_of_mpi_read_for_rank_0(heap: Path, alone: str, ranks: int) -> None:
    assert MPIRUN is not None
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    started = [MPIRUN, "--oversubscribe", *root, "-n", str(ranks), sys.executable, "-m", "slowlink"]
    done = subprocess.run(
        [*started, "analyze", str(heap), "--workers", "mpi", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stderr, json.loads(done.stdout)) == ("", json.loads(alone))


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def test_workers_of_dask_read(heap: Path, alone: str, scheduler: str) -> None:
    with dask_engine(scheduler) as engine:
        assert isinstance(engine, Engine)
        assert engine.size == 4
        assert json.loads(slowlink.render(slowlink.analyze(heap, workers=engine), "json")) == json.loads(alone)


def test_who_uses_slowlink_hears_its_own_programs_again(scheduler: str) -> None:
    logger = logging.getLogger("asyncio")
    before = logger.level
    with dask_engine(scheduler):
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.level == before
    assert logger.isEnabledFor(logging.ERROR)


def test_workers_with_another_version_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_engines, "__version__", "9.9")
    with pytest.raises(SlowlinkError, match=r"2 of 2 workers have no slowlink 9\.9: tcp://\S+ says 0\.1\.0"):
        dask_engine(scheduler).__enter__()


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(reading_engines, "PATIENCE_S", 1)
    with pytest.raises(SlowlinkError, match=r"--workers tcp://127\.0\.0\.1:1: "):
        dask_engine("tcp://127.0.0.1:1").__enter__()


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_what_a_lost_cluster_had_in_hand_is_read_here(
    heap: Path, alone: str, lost: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its workers are processes of their own, so that they can be killed while they read."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(reading_engines, "GONE_AFTER_S", 2)
    with cluster_of_processes() as (address, processes):
        with dask_engine(address) as engine:
            assert isinstance(engine, Engine)
            for process in processes[:1] if lost == "scheduler" else processes[1:]:
                process.kill()
                process.wait()
            capfd.readouterr()
            assert json.loads(slowlink.render(slowlink.analyze(heap, workers=engine), "json")) == json.loads(alone)
        assert capfd.readouterr().err == ""


@contextmanager
def cluster_of_processes() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a Dask scheduler, and the processes: it, and its two workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    processes = [
        subprocess.Popen(each, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for each in (scheduler, [*worker, "--no-dashboard"], [*worker, "--no-dashboard"])
    ]
    try:
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(2, timeout=60)
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
