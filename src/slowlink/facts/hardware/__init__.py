"""What a node of this job is made of, as far as it was given or the input pins it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from slowlink.catalog.hcas import find_hca
from slowlink.catalog.infer import Clues, infer_hardware
from slowlink.catalog.standards import standards_of
from slowlink.facts.hardware.excluded import excluded
from slowlink.facts.hardware.nccl_topology import read_from_machine, topology_nics, topology_nvlink
from slowlink.facts.mentions import Mentions, read_mentions
from slowlink.facts.placing.ranks_of_host import ranks_of_hosts
from slowlink.model.facts import Communicators, Hardware, NicGroup, State, Sweeps
from slowlink.model.nccl import NetDevice
from slowlink.model.records import Records
from slowlink.model.state import Reading
from slowlink.patterns import regex

_NOMINAL_GBIT = (25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0)
_LINE_RATE = 0.9
"""perftest reaches 0.92 to 0.985 of a healthy port's rate."""
_COUNTED = regex(r"(?P<count>\d{1,4}) x (?P<rate>\d{2,3}) Gb/s")


def hardware(
    records: Records,
    swept: Sweeps | None,
    comms: Communicators | None,
    given: Hardware | None,
    state: State | None = None,
) -> Hardware | None:
    """None when nothing is known. What the user gave wins, then what tools printed, then what the text mentions."""
    devices = _devices_of_one_process(records)
    clues = Clues(
        gpu_names=_gpu_names(swept),
        gpus_per_node=_gpus_per_node(swept, comms),
        devices=devices,
        network=_network(records),
        provider=_provider(records),
    )
    inferred = infer_hardware(clues, given)
    mentioned = read_mentions(records.observations, records.runs)
    known = inferred or Hardware(None, None, clues.gpus_per_node, (), "")
    if known.gpu is None and mentioned.gpu is not None:
        known = _with(known, f"the text mentions {mentioned.gpu_text}", gpu=mentioned.gpu, mentioned=True)
    names = _used_hcas(devices) or _chosen_hcas(records)
    if not known.nics:
        known = _with_nics(known, records, mentioned, names, state)
    if not known.nics:
        known = replace(known, ports=len(names) or _listed_ports(state, known.gpu))
    linked = topology_nvlink(records.logs) if read_from_machine(records.logs) else None
    if linked is not None:
        joined, ref = linked
        shown = "NVLink between GPUs" if joined else "no NVLink between GPUs"
        known = _with(known, f"{shown} in NCCL's topology ({ref.source}:{ref.line})", linked=joined)
    if known.gpu is None:
        architectures, why = excluded(records, state, _hosts(records, swept, comms, state))
        known = _with(known, why, excluded=architectures)
    told = known.gpu or known.nics or known.ports or known.excluded
    return known if inferred is not None or told else None


def _with(known: Hardware, basis: str, **changes: Any) -> Hardware:
    return replace(known, basis="; ".join(part for part in (known.basis, basis) if part), **changes)


def _with_nics(
    known: Hardware, records: Records, mentioned: Mentions, names: Sequence[str], state: State | None
) -> Hardware:
    """NICs from the ports that the library uses, and the rate that tools printed, perftest measured or the text
    mentions."""
    printed = _printed_rates(names, state)
    if printed is not None:
        groups, seen = printed
        return _with(known, seen, nics=groups)
    counted = _counted_ports(state)
    if counted is not None and counted[0].count >= len(names):
        group, reading = counted
        seen = f"{group.count} ports at {group.rate_gbit:g} Gb/s counted ({reading.ref.source}:{reading.ref.line})"
        return _with(known, seen, nics=(replace(group, count=len(names) or group.count),))
    cassini = _cassini(records, names)
    if cassini is not None:
        return _with(known, "HPE Slingshot by its devices (cxi): 200 Gb/s each", nics=(cassini,))
    measured = _measured_rate(records, names)
    if names and measured is not None:
        rate, layer, seen = measured
        basis = f"{len(names)} NICs as given to the library ({', '.join(names)}), {seen}"
        return _with(known, basis, nics=(NicGroup(len(names), rate, layer),))
    rdma = bool(names) or _network(records) not in (None, "Socket")
    drawn = topology_nics(records.logs, names) if rdma and read_from_machine(records.logs) else None
    if drawn is not None:
        group, ref = drawn
        basis = f"{group.count} NICs of {group.rate_gbit:g} Gb/s in NCCL's topology ({ref.source}:{ref.line})"
        return _with(known, basis, nics=(group,))
    if names and mentioned.nic_rate_gbit is not None:
        basis = f"{len(names)} NICs as given to the library, {mentioned.nic_rate_gbit:g} Gb/s as the text mentions"
        return _with(known, basis, nics=(NicGroup(len(names), mentioned.nic_rate_gbit),), mentioned=True)
    if mentioned.nics is not None:
        basis = f"the text mentions {mentioned.nics.count} x {mentioned.nics.rate_gbit:g} Gb/s"
        return _with(known, basis, nics=(mentioned.nics,), mentioned=True)
    return known


def _used_hcas(devices: Sequence[NetDevice]) -> list[str]:
    """RDMA devices that one process lists; of a list that was cut the part that is there."""
    return [device.name for device in devices if device.transport.lower() != "socket"]


def _printed_rates(names: Sequence[str], state: State | None) -> tuple[tuple[NicGroup, ...], str] | None:
    """The rates that tools printed of these ports, or of all active ones where none is named; None if one is missing.

    One cluster has one hardware: of each port the fastest rate that any node shows counts.
    """
    rates = _fastest_by_device(state)
    if not rates:
        return None
    fastest = max(rate for rate, _ in rates.values())
    chosen = names or [name for name, (rate, _) in rates.items() if rate >= fastest / 2]
    if any(name not in rates for name in chosen):
        return None
    counts = Counter(rates[name][0] for name in chosen)
    ref = rates[chosen[0]][1].ref
    groups = tuple(NicGroup(count, rate) for rate, count in counts.items())
    return groups, f"rates of the ports as printed ({ref.source}:{ref.line} and others)"


def _counted_ports(state: State | None) -> tuple[NicGroup, Reading] | None:
    """The fastest ports that somebody counted on a node: ``8 x 400 Gb/s``. Of several nodes the one with most."""
    readings = state.readings.get("ports-at-rate") if state is not None else None
    found = []
    for reading in readings.all if readings is not None else ():
        counted = _COUNTED.fullmatch(str(reading.value))
        if counted is not None and int(counted["count"]) > 0:
            found.append((NicGroup(int(counted["count"]), float(counted["rate"])), reading))
    return max(found, key=lambda each: (each[0].rate_gbit, each[0].count), default=None)


def _listed_ports(state: State | None, gpu: str | None) -> int | None:
    """How many HCAs every node lists, where standard nodes with this GPU have so many: others have some beside those
    that collectives use, for storage and for the node itself."""
    readings = state.readings.get("hca-count") if state is not None else None
    counts = {reading.value for reading in readings.all} if readings is not None else set()
    usual = {sum(group.count for group in kind.nics) for kind in standards_of(gpu)} if gpu is not None else set()
    return int(counts.pop()) if len(counts) == 1 and counts <= usual else None


def _cassini(records: Records, names: Sequence[str]) -> NicGroup | None:
    """The NICs of Slingshot where tools name them: a cxi device runs at one rate, so that nothing has to print it."""
    seen = {each.subject for each in records.observations if each.kind == "cxi-device"}
    named = {name for name in names if name.startswith("cxi")}
    kind = find_hca("cxi")
    if kind is None or not seen | named or len(named) < len(set(names)):
        return None
    return NicGroup(len(named or seen), kind.rate_gbit, "Slingshot")


def _fastest_by_device(state: State | None) -> dict[str, tuple[float, Reading]]:
    """HCA -> its fastest port's rate in Gb/s on any node, with the line; ports that are down do not count."""
    if state is None or "port-rate" not in state.readings:
        return {}
    states = state.readings.get("port-state")
    down = {(r.host, r.part) for r in states.all if r.value != "Active"} if states is not None else set()
    found: dict[str, tuple[float, Reading]] = {}
    for reading in state.readings["port-rate"].all:
        device = reading.part.name.partition("/")[0]
        if isinstance(reading.value, (int, float)) and reading.value > 0 and (reading.host, reading.part) not in down:
            before = found.get(device)
            if before is None or reading.value > before[0]:
                found[device] = (float(reading.value), reading)
    return found


def _chosen_hcas(records: Records) -> list[str]:
    """Plain device names in ``NCCL_IB_HCA``, when all settings of it agree."""
    settings = [*records.env, *(setting for log in records.logs for setting in log.env)]
    values = {s.value.removeprefix("=") for s in settings if s.name.endswith("_IB_HCA") and not s.value.startswith("^")}
    # A test of one HCA beside a run over all of them names a part of the longer list.
    longest = max(values, key=len, default="")
    names = [name.partition(":")[0] for name in longest.split(",") if name]
    every = set(longest.split(","))
    agree = all(every.issuperset(value.split(",")) for value in values)
    return names if agree else []


def _measured_rate(records: Records, names: Sequence[str]) -> tuple[float, str | None, str] | None:
    """(nominal Gb/s, link layer, in words) of the fastest perftest on one of the named devices.

    A layer measured below is a better basis than a catalogue.
    """
    tested = [
        (row.bw_average_gbit, run)
        for run in records.perftests
        if not run.bidirectional and run.device in names
        for row in run.rows
        if row.bw_average_gbit
    ]
    if not tested:
        return None
    rate, run = max(tested, key=lambda pair: pair[0])
    nominal = next((r for r in _NOMINAL_GBIT if _LINE_RATE * r <= rate <= r), None)
    if nominal is None:
        return None
    layer = {"IB": "IB", "Ethernet": "RoCE"}.get(run.link_type or "")
    return nominal, layer, f"{rate:.0f} Gb/s measured on {run.device}"


def _gpu_names(swept: Sweeps | None) -> Sequence[str]:
    runs = [sweep.run for sweep in swept.all] if swept is not None else []
    return sorted({device.gpu for run in runs for device in run.devices if device.gpu})


def _hosts(records: Records, swept: Sweeps | None, comms: Communicators | None, state: State | None) -> Iterator[str]:
    """Those whose names are known."""
    for sweep in swept.all if swept is not None else ():
        yield from sweep.hosts
    yield from comms.hosts if comms is not None else ()
    yield from (node for node in state.nodes if node not in state.unnamed) if state is not None else ()
    for each in records.commands:
        yield from each.hosts


def _gpus_per_node(swept: Sweeps | None, comms: Communicators | None) -> int | None:
    """The fullest node seen: a lower bound of what the node has, and what takes part."""
    counts: list[int] = []
    for sweep in swept.all if swept is not None else ():
        counts.extend(ranks_of_hosts(sweep.run.devices).values())
    if comms is not None:
        counts.extend(Counter(comms.host_of_rank.values()).values())
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
