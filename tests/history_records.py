"""Reports as the history keeps them, for tests; run as a program: writers that work at the same time."""

from __future__ import annotations

import os
import signal
import sys
from hashlib import sha256

from slowlink.model.history import FactRecord, FindingRecord, PointRecord, RunRecord, SeriesKey, SweepRecord
from slowlink.model.report import Report, Sweep, SweepPoint

KEY = SeriesKey(
    "hgx_h100", "NVIDIA H100 80GB HBM3", "gpu[01-04]", 4, 32, "all_reduce", "float", "sum", "nccl-tests", 1 << 33
)
DAY_S = 86_400.0
START = 1_700_000_000.0
WRITERS, EACH, KILLED = 20, 4, 5


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def record(
    number: int, plateau: float = 350.0, *, key: SeriesKey = KEY, facts: tuple[FactRecord, ...] = (), points: int = 24
) -> RunRecord:
    """One run a day; its numbers tell it from the others."""
    return RunRecord(
        content=digest(f"run {number} {key}"),
        at=START + number * DAY_S,
        at_basis="bundle",
        command="run",
        argv="run all_reduce",
        job="",
        bundle=f"/data/{number}",
        verdict="healthy",
        headline="healthy: as expected",
        slowlink="0.1.0",
        system=key.system,
        gpu=key.gpu,
        nodes=key.nodes,
        nnodes=key.nnodes,
        environment=digest(repr(facts)),
        fingerprint=digest(repr([fact for fact in facts if fact.attribute != "boot-id"])),
        facts=facts,
        sweeps=(sweep(plateau, key, points),),
        findings=(FindingRecord("port-down", "a port is down", "error", "certain", "hca mlx5_3", "it is down"),),
        document=None,
    )


def sweep(plateau: float, key: SeriesKey = KEY, points: int = 24) -> SweepRecord:
    sizes = [1 << (10 + step) for step in range(points)]
    rows = tuple(PointRecord(size, "out_of_place", size / plateau / 1e3, plateau, plateau, False) for size in sizes)
    return SweepRecord(key, "nccl-tests 2.17", "NCCL 2.29.7", True, plateau, 25.0, 330.0, 380.0, "rails", rows)


def report(busbw: float, *, hosts: tuple[str, ...] = ("gpu01", "gpu02"), launches: int = 1, **facts: object) -> Report:
    """A report of ``launches`` sweeps up to 8 GiB whose plateau is ``busbw`` GB/s."""
    sweeps = tuple(
        Sweep(
            collective="all_reduce", nranks=16, nnodes=2, datatype="float", redop="sum", engine="nccl-tests 2.17.6",
            source=f"run-{number}", line=1, average_busbw_gbs=None, peak_busbw_gbs=busbw, complete=True, hosts=hosts,
            gpu="NVIDIA H100 80GB HBM3", library="NCCL 2.29.7",
            points=tuple(
                SweepPoint(size, size // 4, "out_of_place", size / busbw / 1e3, busbw / 1.875, busbw, 0.0)
                for size in (1 << 31, 1 << 32, 1 << 33)
            ),
        )
        for number in range(launches)
    )  # fmt: skip
    return Report(
        "slowlink.report/1", "0.1.0", "healthy", "healthy", sweeps=sweeps, facts={"hosts": list(hosts), **facts}
    )


def main(place: str) -> None:
    """Writers at the same time; of the first ones each is killed where it stands when it has kept one report.

    Prints the content of every report that a writer was told is kept.
    """
    from slowlink.store.connect import open_store
    from slowlink.store.write import save

    ready, told = os.pipe()
    writers = []
    for writer in range(WRITERS):
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            try:
                store = open_store(place, create=True)
                for number in range(EACH if writer >= KILLED else 10_000):
                    kept = record(1000 * writer + number)
                    save(store, kept)
                    os.write(told, f"{writer} {kept.content}\n".encode())
            finally:
                os._exit(0)
        writers.append(pid)
    os.close(told)
    with os.fdopen(ready) as lines:
        for line in lines:
            teller, content = line.split()
            if int(teller) < KILLED:
                os.kill(writers[int(teller)], signal.SIGKILL)
            print(content)
    ends = [os.waitpid(pid, 0)[1] for pid in writers]
    assert [os.WIFSIGNALED(end) for end in ends] == [True] * KILLED + [False] * (WRITERS - KILLED)


if __name__ == "__main__":
    main(sys.argv[1])
