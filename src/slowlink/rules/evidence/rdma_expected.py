"""What shows that a job should have used RDMA: without it, TCP sockets are simply the network that there is."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from slowlink.catalog.gpus import all_gpus
from slowlink.model.facts import Environment, Hardware, Network, Observations, Of, Readings
from slowlink.model.source import Ref
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.plugin_fabrics import plugin_fabric

_LEAST_GBIT = 100.0
"""NICs from this rate on are bought for RDMA."""
_BOARD = 8
_CARDS = ("none", "bridge")
"""How GPUs are joined that stand in any machine with Ethernet."""
_SETTING = regex(r"(?:NCCL|RCCL|MCCL)_(?:IB_(?!DISABLE)\w+|NET_GDR_\w+)")


Hcas = Annotated[
    Readings,
    Of(
        "hca-present",
        "hca-count",
        "pci-role",
        "efa-count",
        "port-state",
        "port-rate",
        "port-link-layer",
        "ports-up",
        "ports-at-rate",
    ),
]
"""What tells that a node has RDMA devices."""


class Expected(NamedTuple):
    """Why RDMA was to be expected, in words that follow "although", and the line that shows it."""

    why: str
    ref: Ref | None


def rdma_expected(
    network: Network,
    environment: Environment | None,
    observations: Observations | None,
    hardware: Hardware | None,
    hcas: Readings | None,
) -> Expected | None:
    """The first reason that there is; None where nothing shows an RDMA network."""
    others = [choice for choice in network.choices if choice.network != "Socket"]
    if others:
        return Expected(f"other ranks use {others[0].network}", others[0].ref)
    devices = [device for device in network.devices if device.transport.lower() != "socket"]
    if devices:
        return Expected(f"NCCL lists {devices[0].name}", devices[0].ref)
    fabric = plugin_fabric(network, environment, observations)
    if fabric is not None:
        return Expected(f"the machines have {fabric.fabric.name}", fabric.ref)
    ports = [reading for reading in (hcas.all if hcas is not None else ()) if _shows_hca(reading)]
    if ports:
        return Expected("the nodes have HCAs", ports[0].ref)
    for setting in environment.settings if environment is not None else ():
        if _SETTING.fullmatch(setting.name) or (setting.name.endswith("CCL_NET") and setting.value.upper() == "IB"):
            return Expected(f"{setting.name} is set", setting.ref)
    return _by_hardware(network, hardware)


def _shows_hca(reading: Reading) -> bool:
    """Is one there? lspci lists other devices, too."""
    return reading.value == "hca" if reading.attribute == "pci-role" else reading.value not in (0, False, "")


def is_plain_card(hardware: Hardware | None) -> bool:
    """Is the GPU known for one that stands in any machine with Ethernet?"""
    gpu = all_gpus().get(hardware.gpu or "") if hardware is not None else None
    return gpu is not None and gpu.fabric in _CARDS


def _by_hardware(network: Network, hardware: Hardware | None) -> Expected | None:
    if hardware is None:
        return None
    if any(group.rate_gbit >= _LEAST_GBIT for group in hardware.nics):
        return Expected("the nodes have fast NICs", None)
    gpu = all_gpus().get(hardware.gpu or "")
    joined = gpu.fabric not in _CARDS if gpu is not None else (hardware.gpus_per_node or 0) >= _BOARD
    if network.single_node is False and joined:
        said = gpu.title if gpu is not None else f"{_BOARD} GPUs"
        return Expected(f"nodes with {said} are joined by RDMA as a rule", None)
    return None
