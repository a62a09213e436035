"""Writes demo/logs: a job of two nodes with eight A100 each, and its twin with GPUDirect RDMA off on one node."""

from __future__ import annotations

import gzip
from pathlib import Path

from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

LOGS = Path(__file__).resolve().parent.parent / "demo" / "logs"
HEALTHY = SimulatedJob(
    cluster=LoggedCluster(
        hosts=("node06", "node07"),
        hcas=("mlx5_0", "mlx5_1"),
        version="2.21.5",
        intra="P2P/CUMEM/read",
        channels=4,
        env={"NCCL_ALGO": "Ring", "NCCL_IB_HCA": "=mlx5_0,mlx5_1"},
    ),
    plateau_gbs=47.6,
    layout="2.17.9",
    prefix="mpirun --tag-output",
)
DEGRADED = replace(HEALTHY, cluster=replace(HEALTHY.cluster, hosts_without_gdr=frozenset({"node07"})), plateau_gbs=9.4)


def demo_logs() -> dict[str, bytes]:
    """File name -> gzip. The same bytes at each call."""
    jobs = {"healthy-2nodes.log.gz": HEALTHY, "degraded-2nodes.log.gz": DEGRADED}
    return {name: gzip.compress(job_log(job).encode(), mtime=0) for name, job in jobs.items()}


if __name__ == "__main__":
    LOGS.mkdir(parents=True, exist_ok=True)
    for name, content in demo_logs().items():
        (LOGS / name).write_bytes(content)
