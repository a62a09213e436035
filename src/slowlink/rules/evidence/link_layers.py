"""The link layer of the network between nodes: other counters tell of congestion on InfiniBand than on Ethernet."""

from __future__ import annotations

from typing import Annotated, Literal

from slowlink.model.facts import Hardware, Network, Of, Readings

Layer = Literal["InfiniBand", "Ethernet"]
LinkLayers = Annotated[Readings, Of("port-link-layer")]
"""What tools print of ports."""

UNKNOWN: frozenset[Layer] = frozenset({"InfiniBand", "Ethernet"})
_NAMES: dict[str, Layer] = {
    "IB": "InfiniBand",
    "InfiniBand": "InfiniBand",
    "RoCE": "Ethernet",
    "Ethernet": "Ethernet",
    "TCPX": "Ethernet",
}
"""As NCCL, the catalogue and the tools of ports call them. EFA and Slingshot are neither."""


def link_layers(network: Network | None, hardware: Hardware | None, ports: Readings | None) -> frozenset[Layer]:
    """Of the devices that NCCL lists, else of the NICs that are known, else of all ports; both where nothing tells."""
    used = [device.link_layer for device in network.devices if device.link_layer] if network is not None else []
    known = [group.link_layer for group in hardware.nics if group.link_layer] if hardware is not None else []
    printed = [str(reading.value) for reading in ports.all] if ports is not None else []
    shown = used or known or printed
    if not shown:
        return UNKNOWN
    return frozenset(_NAMES[layer] for layer in shown if layer in _NAMES)
