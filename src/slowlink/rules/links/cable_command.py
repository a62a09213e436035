"""The command that reads the cable of one port and its error counters, by the name that is known of the port."""

from __future__ import annotations

from slowlink.model.state import Reading
from slowlink.rules.evidence.commands import as_hca, as_interface, as_pci_address, command, one_after_another
from slowlink.rules.links.port_events import NamedBy


def cable_command(name: str, named_by: NamedBy) -> str:
    """``mlxlink``, or ``ethtool`` where only the network interface is known, which need not be an HCA's."""
    if named_by == "interface":
        interface = as_interface(name)
        return one_after_another(command("ethtool", "-m", interface), command("ethtool", "-S", interface))
    devices = {"hca": [as_hca(name)], "pci": [as_pci_address(name)], "fabric": ["lid-LID", "-p", "PORT"]}
    return command("mlxlink", "-d", *devices.get(named_by, ["HCA"]), "-m", "-c", "-e")


def cable_command_of(reading: Reading) -> str:
    """The same for the port or the interface that a reading is of."""
    hca = reading.part.name.partition("/")[0]
    return cable_command(hca, "interface" if reading.part.kind == "interface" else "hca")
