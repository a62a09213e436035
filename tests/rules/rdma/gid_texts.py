"""GID tables as ``show_gids`` prints them."""

from __future__ import annotations

LOCAL = "fe80:0000:0000:0000:a288:c2ff:feaa:001{0}"
IPV4 = "0000:0000:0000:0000:0000:ffff:0a01:02{0:02x}"


def table(port: int = 0, index: int = 3, *, address: bool = True, netdev: str = "ens1np0", total: bool = True) -> str:
    """``show_gids`` of one port, with its IPv4 entries at ``index - 1`` and ``index``."""
    local = LOCAL.format(port)
    rows = [f"mlx5_{port}\t1\t{n}\t{local}\t\t\tv{n + 1}\t{netdev}" for n in (0, 1)]
    if address:
        gid = IPV4.format(port + 1)
        rows += [f"mlx5_{port}\t1\t{index - 2 + v}\t{gid}\t10.1.2.{port + 1}  \tv{v}\t{netdev}" for v in (1, 2)]
    return "\n".join([*rows, *([f"n_gids_found={len(rows)}"] if total else []), ""])


def on(number: int, text: str) -> str:
    return f"[root@gpu{number:02} ~]# show_gids\n{text}"
