"""Logs of several jobs, as texts by path, for tests of heaps."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.facts.jobs import JobRecords, split
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster


def job(*hosts: str, sick: bool = False) -> str:
    """The log of a benchmark on these hosts; a sick one goes without GPUDirect RDMA and is slow."""
    cluster = LoggedCluster(hosts=hosts, hcas=("mlx5_0", "mlx5_1"), gdr=not sick, env={"NCCL_ALGO": "Ring"})
    return job_log(SimulatedJob(cluster, plateau_gbs=9.42 if sick else 47.6))


def nccl_lines(text: str, host: str = "") -> str:
    """NCCL's own lines alone, of one host or of all."""
    return "".join(line for line in text.splitlines(keepends=True) if "NCCL INFO" in line and line.startswith(host))


def table(text: str) -> str:
    """The output without NCCL's lines and without the command."""
    return "".join(line for line in text.splitlines(keepends=True) if "NCCL INFO" not in line and line[:1] != "$")


def numbered_comm(text: str, number: int) -> str:
    """The same log with another communicator: the simulator always makes the same."""
    return text.replace("0xfa38415269cf0cf7", f"0xfa38415269c{number:05x}")


def read_all(texts: Mapping[str, str]) -> Records:
    return read([Input(name, None, [text.encode()]) for name, text in texts.items()], workers=1)


def jobs(texts: Mapping[str, str]) -> tuple[JobRecords, ...]:
    return split(read_all(texts))


def labels(texts: Mapping[str, str]) -> list[str]:
    return [each.label for each in jobs(texts)]
