"""How a job is run without one port, by the name that is known of it."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.rules.evidence.commands import as_hca, as_interface, as_pci_address, command, export
from slowlink.rules.links.port_events import NamedBy

_MOST_HCAS = 4
"""Without more of them a job is another job."""


def leave_out_hcas(names: Sequence[str]) -> list[tuple[str, str]]:
    """One setting for all these HCAs of a node: a second one would take the place of the first. For the first alone
    where there are too many, since they follow a pattern."""
    known = list(dict.fromkeys(map(as_hca, names)))
    if len(known) == 1 or len(known) > _MOST_HCAS:
        return leave_out(known[0], "hca")
    return [("Run without these HCAs until they are fixed.", export("NCCL_IB_HCA", f"^={','.join(known)}"))]


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
