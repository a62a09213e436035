"""What the hardware is, from what logs mention. Never a silent guess: the basis says what each part rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware as given_hardware
from slowlink.catalog.gpus import find_gpu
from slowlink.catalog.systems import System, all_systems, describe_nics, find_system
from slowlink.model.facts import Hardware, NicGroup
from slowlink.model.nccl import NetDevice

# (provider or network, GPU, GPUs per node) of only one kind of node. The GPU alone never tells the NICs.
_PINNED = {
    ("efa", "a100-sxm", 8): ("aws_p4d", "AWS nodes with 8 A100 have 4 x 100G EFA"),
    ("efa", "h100-sxm", 8): ("aws_p5", "AWS nodes with 8 H100 have 32 x 100G EFA"),
    ("efa", "h200-sxm", 8): ("aws_p5en", "AWS nodes with 8 H200 have 3200 Gb/s of EFA, p5e and p5en alike"),
    ("efa", "b200", 8): ("aws_p6_b200", "AWS nodes with 8 B200 have 8 x 400G EFA"),
    ("efa", "b300", 8): ("aws_p6_b300", "AWS nodes with 8 B300 have 16 x 400G EFA"),
    ("cxi", "gh200", 4): ("alps", "GH200 nodes on Slingshot have one 200G NIC for each of 4 GPUs"),
    ("fastrak", "h100-sxm", 8): ("gcp_a3_mega", "TCPXO runs on GCP A3 Mega, 8 x 200G"),
    ("gpudirecttcpx", "h100-sxm", 8): ("gcp_a3_high", "TCPX runs on GCP A3 High, 4 x 200G"),
}


class Clues(Struct, frozen=True):
    """What was read about one node of the job. Empty or None: not collected."""

    gpu_names: Sequence[str] = ()
    """Device names as printed."""
    gpus_per_node: int | None = None
    devices: Sequence[NetDevice] = ()
    """Network devices that one process uses."""
    network: str | None = None
    """``IB``, ``AWS Libfabric``, ``FasTrak`` ..."""
    provider: str | None = None
    """libfabric's provider where printed: ``efa``, ``cxi``."""
    hints: Sequence[str] = ()
    """Names of machine types or systems found in the text: ``p5.48xlarge``, ``Standard_ND96isr_H100_v5``."""


def infer_hardware(clues: Clues, given: Hardware | None = None) -> Hardware | None:
    """The hardware of one node; what nothing tells stays None or empty. None when nothing is known at all.

    What the user gave wins over what is inferred, part by part.
    """
    gpu, said = _gpu(clues.gpu_names)
    nics, nic_basis = _nics(clues.devices)
    system = None
    if not nics:
        system, nic_basis = _pinned(clues, gpu, nic_basis)
    if system is not None:
        nics = system.nics
        gpu = gpu or system.gpu
    per_node = clues.gpus_per_node
    if per_node is None and system is not None:
        per_node = system.gpus_per_node
    if given is not None:  # what the user said needs no further word
        said, nic_basis = "" if given.gpu else said, "" if given.nics else nic_basis
    parts = [part for part in (said, nic_basis) if part]
    inferred = Hardware(system.id if system else None, gpu, per_node, nics, "; ".join(parts), False)
    if given is None:
        return inferred if gpu or nics or per_node else None
    return _merge(given, inferred)


def _gpu(printed: Sequence[str]) -> tuple[str | None, str]:
    names = sorted({name.strip() for name in printed if name.strip()})
    ids = {gpu.id if (gpu := find_gpu(name)) else None for name in names}
    if not names:
        return None, ""
    if len(ids) > 1:
        return None, f"several kinds of GPU: {', '.join(names)}"
    found = ids.pop()
    if found is None:
        return None, f"GPU {names[0]} is not in the catalogue"
    return found, f"GPU {names[0]} as printed"


def _nics(devices: Sequence[NetDevice]) -> tuple[tuple[NicGroup, ...], str]:
    """NICs whose rates are printed. A cut list, or one without rates, gives nothing."""
    rdma = _physical([device for device in devices if device.transport.lower() != "socket"])
    if not rdma:
        return (), ""
    if any(device.list_cut for device in rdma):
        return (), f"the list of {len(rdma)} network devices is cut"
    cut = ""
    printed = {device.speed_gbit for device in rdma if device.speed_gbit}
    if any(not device.speed_gbit for device in rdma):
        if len(printed) != 1:
            return (), f"{len(rdma)} network devices, rates not printed (give --nics)"
        rdma, cut = _at_the_printed_rate(rdma, printed.pop())
    kinds = Counter((device.speed_gbit or 0.0, device.link_layer) for device in rdma)
    groups = tuple(NicGroup(count, rate, layer) for (rate, layer), count in kinds.items())
    return groups, "NICs as printed: " + " + ".join(describe_nics(group) for group in groups) + cut


def _at_the_printed_rate(devices: Sequence[NetDevice], rate: float) -> tuple[list[NetDevice], str]:
    """A log that is cut shows the rates of some devices of a list. Where these are equal, the others have it, too."""
    shown = sum(bool(device.speed_gbit) for device in devices)
    layer = next((device.link_layer for device in devices if device.link_layer), None)
    same = [replace(d, speed_gbit=rate, link_layer=d.link_layer or layer) for d in devices]
    return same, f" (the rate of {shown} of them)"


def _physical(devices: Sequence[NetDevice]) -> list[NetDevice]:
    """Each NIC once: a merged device is its members, and one that is listed with and without its rate has that rate."""
    alone = {device.name for device in devices if len(device.members) < 2}
    rated = {device.name for device in devices if device.speed_gbit}
    found: list[NetDevice] = []
    for device in devices:
        number = len(device.members)
        if number > 1:
            speed = device.speed_gbit / number if device.speed_gbit else None
            missing = [name for name in device.members if name not in alone]
            found += [replace(device, name=name, speed_gbit=speed, members=()) for name in missing]
        elif device.speed_gbit or device.name not in rated:
            found.append(device)
    return _once(found, Counter(device.name for device in devices if device.port is not None))


def _once(devices: Sequence[NetDevice], ports: Counter[str]) -> list[NetDevice]:
    """NCCL may make the same virtual device again: without a port in its line, each name counts once for each port
    that the list of devices shows."""
    seen: Counter[str] = Counter()
    found = []
    for device in devices:
        seen[device.name] += device.port is None
        if device.port is not None or seen[device.name] <= max(1, ports[device.name]):
            found.append(device)
    return found


def _pinned(clues: Clues, gpu: str | None, basis: str) -> tuple[System | None, str]:
    for hint in clues.hints:
        system = find_system(hint) or find_system(hint.lower().removeprefix("standard_"))
        if system is not None and (gpu is None or gpu == system.gpu):
            return system, f"catalogue {system.id}: the text names {hint}"
    for name in (clues.provider, clues.network):
        for (marker, kind, count), (system_id, why) in _PINNED.items():
            fits = gpu == kind and clues.gpus_per_node == count
            if name is not None and fits and name.lower().startswith(marker):
                return all_systems()[system_id], f"inferred from {name} and the GPUs: {why}"
    return None, basis


def _merge(given: Hardware, inferred: Hardware) -> Hardware:
    complete = given.gpu and given.nics and given.gpus_per_node
    basis = given.basis if complete or not inferred.basis else f"{given.basis}; {inferred.basis}"
    return replace(
        given,
        gpu=given.gpu or inferred.gpu,
        gpus_per_node=given.gpus_per_node or inferred.gpus_per_node,
        nics=given.nics or inferred.nics,
        basis=basis,
    )
