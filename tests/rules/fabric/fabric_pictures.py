"""Fabrics as iblinkinfo prints them, for tests of rules: leaves with hosts, and spines."""

from __future__ import annotations

from collections.abc import Collection, Mapping

NDR = "4X        106.25 Gbps"
Place = tuple[str, int]
"""A leaf and the number of its port."""


def iblinkinfo(
    leaves: int = 4,
    hosts: int = 4,
    spines: int = 2,
    down: Collection[Place] = (),
    rates: Mapping[Place, tuple[str, str]] | None = None,
    rails: bool = False,
) -> str:
    """Each leaf has ``hosts`` hosts from port 1 on, then a link to each spine. With ``rails`` every host has an adapter
    at every leaf. ``rates``: columns and note of the link at a leaf's port."""
    rates = rates or {}
    blocks: dict[str, list[str]] = {}

    def row(port: int, link: str, peer: str, far: int, note: str) -> str:
        return f'           7 {port:4}[  ] ==( {link} Active/  LinkUp)==>       9 {far:4}[  ] "{peer}" ({note} )'

    def join(leaf: str, port: int, peer: str, far: int) -> None:
        if (leaf, port) in down:
            text = f'           7 {port:4}[  ] ==(                Down/ Polling)==>             [  ] "" ( )'
            blocks.setdefault(f"Switch: 0x{len(leaf):016x} {leaf}:", []).append(text)
            return
        link, note = rates.get((leaf, port), (NDR, ""))
        blocks.setdefault(f"Switch: 0x{len(leaf):016x} {leaf}:", []).append(row(port, link, peer, far, note))
        head = f"CA: {peer}:" if peer.startswith("gpu") else f"Switch: 0x{len(peer):016x} {peer}:"
        guid = "0x0c42a10300000001 " if peer.startswith("gpu") else ""
        blocks.setdefault(head, []).append(guid + row(far, link, leaf, port, note).lstrip())

    for number in range(leaves):
        leaf = f"leaf{number}"
        for host in range(hosts):
            name = f"gpu{host:02} mlx5_{number}" if rails else f"gpu{number * hosts + host:02} mlx5_0"
            join(leaf, host + 1, name, 1)
        for spine in range(spines):
            join(leaf, hosts + spine + 1, f"spine{spine}", number + 1)
    return "\n".join("\n".join([head, *rows]) for head, rows in blocks.items()) + "\n"
