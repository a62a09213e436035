"""How a job is run without one port, by the name that is known of it."""

from __future__ import annotations

from slowlink.rules.evidence.commands import as_hca, as_interface, as_pci_address, command, export
from slowlink.rules.links.port_events import NamedBy


def leave_out(name: str, named_by: NamedBy) -> list[tuple[str, str]]:
    """Remedies, as words and command; none where nothing on a node has this name.

    NCCL_IB_HCA takes names of HCAs only: with one of an interface it would leave out nothing. ``^=`` means exactly this
    name; ``^mlx5_1`` alone would leave out mlx5_10 as well.
    """
    if named_by == "hca":
        return [("Run without this HCA until it is fixed.", export("NCCL_IB_HCA", f"^={as_hca(name)}"))]
    devices = {
        "interface": f"/sys/class/net/{as_interface(name)}/device",
        "pci": f"/sys/bus/pci/devices/{as_pci_address(name)}",
    }
    if named_by not in devices:
        return []  # a port as the fabric names it, or one without a name
    return [
        ("See which HCA this is the port of.", command("ls", f"{devices[named_by]}/infiniband")),
        ("Run without that HCA until it is fixed.", export("NCCL_IB_HCA", "^=HCA")),
    ]
