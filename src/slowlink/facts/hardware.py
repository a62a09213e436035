"""What a node of this job is made of, as far as it was given or the input pins it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from slowlink.catalog.infer import Clues, infer_hardware
from slowlink.model.facts import Communicators, Hardware, NicGroup, Sweeps
from slowlink.model.nccl import NetDevice
from slowlink.model.records import Records

_NOMINAL_GBIT = (25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0)
_LINE_RATE = 0.9
"""perftest reaches 0.92 to 0.985 of a healthy port's rate."""


def hardware(
    records: Records, swept: Sweeps | None, comms: Communicators | None, given: Hardware | None
) -> Hardware | None:
    """None when nothing is known. What the user gave wins."""
    clues = Clues(
        gpu_names=_gpu_names(swept),
        gpus_per_node=_gpus_per_node(swept, comms),
        devices=_devices_of_one_process(records),
        network=_network(records),
        provider=_provider(records),
        hints=(),
    )
    inferred = infer_hardware(clues, given)
    measured = _measured_nics(records)
    if inferred is None or inferred.nics or measured is None:
        return inferred
    nics, basis = measured
    return replace(inferred, nics=(nics,), basis="; ".join(part for part in (inferred.basis, basis) if part))


def _measured_nics(records: Records) -> tuple[NicGroup, str] | None:
    """As many NICs as the library was told to use, at the rate that perftest measured on them.

    A layer measured below is a better basis than a catalogue.
    """
    rates = [
        (row.bw_average_gbit, run)
        for run in records.perftests
        if not run.bidirectional
        for row in run.rows
        if row.bw_average_gbit
    ]
    chosen = {s.value for s in records.env if s.name.endswith("_IB_HCA") and s.value[:1] not in ("^", "=")}
    if not rates or len(chosen) != 1:
        return None
    names = [name.partition(":")[0] for name in chosen.pop().split(",")]
    tested = [(rate, run) for rate, run in rates if run.device in names]
    if not tested:
        return None
    rate, run = max(tested, key=lambda pair: pair[0] or 0.0)
    nominal = next((r for r in _NOMINAL_GBIT if _LINE_RATE * r <= (rate or 0.0) <= r), None)
    if nominal is None:
        return None
    layer = "IB" if run.link_type == "IB" else "RoCE" if run.link_type == "Ethernet" else None
    basis = f"{len(names)} NICs as given to the library ({', '.join(names)}), {rate:.0f} Gb/s measured on {run.device}"
    return NicGroup(len(names), nominal, layer), basis


def _gpu_names(swept: Sweeps | None) -> Sequence[str]:
    runs = [sweep.run for sweep in swept.all] if swept is not None else []
    return sorted({device.gpu for run in runs for device in run.devices if device.gpu})


def _gpus_per_node(swept: Sweeps | None, comms: Communicators | None) -> int | None:
    """The fullest node seen: a lower bound of what the node has, and what takes part."""
    counts: list[int] = []
    for sweep in swept.all if swept is not None else ():
        hosts = [device.host for device in sweep.run.devices if device.host is not None]
        counts.extend(hosts.count(host) for host in set(hosts))
    if comms is not None:
        hosts_of_ranks = list(comms.host_of_rank.values())
        counts.extend(hosts_of_ranks.count(host) for host in set(hosts_of_ranks))
        counts.extend(comm.local_ranks for comm in comms.all if comm.local_ranks is not None)
    return max(counts, default=None)


def _devices_of_one_process(records: Records) -> Sequence[NetDevice]:
    """The network devices that the first process lists; every process of a node lists the same."""
    by_process: dict[object, list[NetDevice]] = {}
    for log in records.logs:
        for device in log.net_devices:
            by_process.setdefault(device.process, []).append(device)
    return next(iter(by_process.values()), [])


def _network(records: Records) -> str | None:
    return next((choice.network for log in records.logs for choice in log.networks), None)


def _provider(records: Records) -> str | None:
    """libfabric's provider, where the plug-in names it."""
    components = [c for log in records.logs for c in log.components if c.component == "libfabric-provider"]
    return components[0].version if components else None
