"""The command that reads the cable of one port and its error counters, by the name that is known of the port."""

from __future__ import annotations

from slowlink.model.state import Reading
from slowlink.rules.links.port_events import NamedBy


def cable_command(name: str, named_by: NamedBy) -> str:
    """``mlxlink``, or ``ethtool`` where only the network interface is known, which need not be an HCA's."""
    if named_by == "interface":
        return f"ethtool -m {name}; ethtool -S {name}"
    device = {"hca": name, "pci": name, "fabric": "lid-LID -p PORT"}.get(named_by, "HCA")
    return f"mlxlink -d {device} -m -c -e"


def cable_command_of(reading: Reading) -> str:
    """The same for the port or the interface that a reading is of."""
    hca = reading.part.name.partition("/")[0]
    return cable_command(hca, "interface" if reading.part.kind == "interface" else "hca")
