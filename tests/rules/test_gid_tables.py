from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "gid-tables"
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


def test_only_link_local_ones() -> None:
    assert said(RULE, table(address=False)) == snapshot(
        [
            (
                "gid-index-wrong",
                "warning",
                "likely",
                "mlx5_0 has only link-local GIDs (fe80::), which reach no other subnet: the interface has no IP address",
            )
        ]
    )


def test_a_listing_that_may_be_cut() -> None:
    assert said(RULE, table(address=False, total=False)) == snapshot(
        [
            (
                "gid-index-wrong",
                "warning",
                "possible",
                "mlx5_0 has only link-local GIDs (fe80::), which reach no other subnet: the interface has no IP address; the listing may be cut before its IPv4 entries",
            )
        ]
    )


def chosen(index: int) -> str:
    return table() + f"gpu01:4711:4711 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to {index}.\n"


def test_an_index_that_is_link_local() -> None:
    assert said(RULE, chosen(1)) == snapshot(
        [("gid-index-wrong", "error", "likely", "NCCL_IB_GID_INDEX=1 is a link-local GID on mlx5_0")]
    )


def test_an_index_of_version_1() -> None:
    assert said(RULE, chosen(2)) == snapshot(
        [("gid-index-wrong", "error", "likely", "NCCL_IB_GID_INDEX=2 is RoCE v1 on mlx5_0")]
    )


def test_an_index_that_is_empty() -> None:
    assert said(RULE, chosen(7)) == snapshot(
        [("gid-index-wrong", "error", "likely", "NCCL_IB_GID_INDEX=7 is empty on mlx5_0")]
    )


def test_the_right_index_is_fine() -> None:
    assert findings_of(RULE, chosen(3)) == ()


def test_one_node_has_it_elsewhere() -> None:
    text = "".join(on(n, table(index=5 if n == 4 else 3)) for n in (1, 2, 3, 4))
    assert said(RULE, text) == snapshot(
        [
            (
                "gid-index-wrong",
                "warning",
                "likely",
                "gpu04: the RoCE v2 GID of mlx5_0/1 is not at index 3 as on 3 other nodes; one NCCL_IB_GID_INDEX cannot fit all",
            )
        ]
    )


def test_silent_on_infiniband_and_on_interfaces_that_are_down() -> None:
    infiniband = f"mlx5_0\t1\t0\t{LOCAL.format(0)}\t\t\tv1\nn_gids_found=1\n"
    down = "mlx5_1 port 1 ==> ens2np0 (Down)\n" + table(1, address=False, netdev="ens2np0")
    assert findings_of(RULE, infiniband, down) == ()
