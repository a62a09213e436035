"""The plain values of a report: everything extracted that a script or a table may want, by name.

Names and meaning (``Report.facts``); a name is absent when nothing of its kind was collected:

* of the job: ``nranks nnodes hosts gpus gpu gpus_per_node processes`` and what ``summary_job`` adds;
* of tables of collective benchmarks, lists with one value a table: ``rows peak_busbw_gbs average_busbw_gbs
  out_of_bounds data_check ...`` (``summary_tables``); by message size: ``busbw_gbs_by_size`` ...;
* of perftest blocks, lists with one value a block: ``perftest_...``;
  of nvbandwidth: ``nvbandwidth`` (``summary_perftest``);
* of OSU's and Intel's benchmarks of MPI, lists with one value a table: ``mpi_...`` (``summary_mpi``);
* of the log: ``nccl rccl mccl transport gdr hcas channels init_complete network warnings ...``
  (``summary_nccl``);
* of the state of nodes: what the modules of ``state`` say.

Units are in the names: ``_gbs`` GB/s of 1e9 bytes, ``_gbit`` Gb/s, ``_us`` microseconds, ``_bytes`` bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from slowlink.facts.hang import summarise_hang
from slowlink.facts.placing.ranks_of_host import ranks_of_hosts
from slowlink.facts.summary.job import summarise_job
from slowlink.facts.summary.mpi import summarise_mpi
from slowlink.facts.summary.nccl import summarise_nccl
from slowlink.facts.summary.perftest import summarise_matrices, summarise_perftests
from slowlink.facts.summary.state import summarise_state
from slowlink.facts.summary.tables import distinct, summarise_tables
from slowlink.model.benchmark import RankDevice
from slowlink.model.facts import Facts
from slowlink.model.records import Records


def summarise(records: Records, facts: Facts) -> dict[str, object]:
    """Plain values (text, numbers, lists and dicts of them: all JSON) of everything that was read.

    A value None inside a list: this table or block does not have it. Empty: collected, and none.
    """
    values = {**summarise_state(facts.state), **summarise_job(facts)}
    values.update(summarise_nccl(records, facts))
    values.update(summarise_tables(facts.sweeps))
    values.update(summarise_perftests(facts.perftests))
    values.update(summarise_matrices(facts.matrices))
    values.update(summarise_mpi(facts.mpi_tables))
    values.update(summarise_hang(facts))
    values.update(_library(records, values))
    values.update(_job_shape(facts, values))
    return values


def _library(records: Records, values: dict[str, object]) -> dict[str, object]:
    """The library's version where only the benchmark prints it."""
    printed = distinct(run.nccl_version for run in records.runs)
    if printed and not any(name in values for name in ("nccl", "rccl", "mccl")):
        return {"nccl": printed}
    return {}


def _job_shape(facts: Facts, values: dict[str, object]) -> dict[str, object]:
    """Ranks, nodes and GPUs of the job: from the tables first, then from the log."""
    devices = _devices(facts)
    shape: dict[str, object] = {}
    nranks = _largest(values.get("table_nranks")) or _runs_nranks(facts) or values.get("comm_nranks")
    if nranks is not None:
        shape["nranks"] = nranks
    hosts = distinct(device.host for device in devices) or _listed(values, "comm_hosts") or _listed(values, "log_hosts")
    if hosts:
        shape["hosts"] = hosts
    nnodes = _largest(values.get("table_nnodes")) or _largest(values.get("comm_nnodes"))
    if nnodes is not None or len(hosts) > 1 or (hosts and (devices or _all_ranks_seen(facts))):
        shape["nnodes"] = nnodes if nnodes is not None else len(hosts)  # lines of one host are not all of the job's
    gpus = distinct(device.gpu for device in devices) or distinct(
        sweep.gpu for sweep in (facts.sweeps.all if facts.sweeps else ())
    )
    if gpus:
        shape["gpu"] = gpus
    if devices:
        counts = Counter((device.host, run) for device, run in _numbered(facts))
        whole = [ranks_of_hosts(sweep.run.devices) for sweep in (facts.sweeps.all if facts.sweeps else ())]
        shape["gpus_per_node"] = max([*counts.values(), *(number for hosts in whole for number in hosts.values())])
    processes = values.get("device_processes", values.get("log_processes"))
    if processes is not None:
        shape["processes"] = processes
    return shape


def _all_ranks_seen(facts: Facts) -> bool:
    """Does the log name the host of every rank?"""
    comms = facts.communicators
    return comms is not None and comms.nranks is not None and len(comms.host_of_rank) >= comms.nranks


def _devices(facts: Facts) -> list[RankDevice]:
    return [device for device, _ in _numbered(facts)]


def _numbered(facts: Facts) -> list[tuple[RankDevice, int]]:
    sweeps = facts.sweeps.all if facts.sweeps else ()
    return [(device, number) for number, sweep in enumerate(sweeps) for device in sweep.run.devices]


def _runs_nranks(facts: Facts) -> int | None:
    """For runs that ended before their table: the ranks of the preamble."""
    return _largest([sweep.nranks for sweep in facts.sweeps.all]) if facts.sweeps else None


def _largest(values: object) -> int | None:
    if not isinstance(values, Sequence):
        return None
    return max((value for value in values if isinstance(value, int)), default=None)


def _listed(values: dict[str, object], name: str) -> list[str]:
    found = values.get(name)
    return [value for value in found if isinstance(value, str)] if isinstance(found, list) else []
