from __future__ import annotations

from gid_texts import LOCAL, table
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "gid-tables"


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


def test_silent_on_infiniband_and_on_interfaces_that_are_down() -> None:
    infiniband = f"mlx5_0\t1\t0\t{LOCAL.format(0)}\t\t\tv1\nn_gids_found=1\n"
    down = "mlx5_1 port 1 ==> ens2np0 (Down)\n" + table(1, address=False, netdev="ens2np0")
    assert findings_of(RULE, infiniband, down) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, chosen(1)) == snapshot(
        [
            [
                ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
                ("Let NCCL choose it.", "unset NCCL_IB_GID_INDEX"),
            ]
        ]
    )


def test_indexes_that_differ_are_not_judged_because_nobody_knows_which_rank_has_which() -> None:
    assert findings_of(RULE, chosen(1), chosen(2)) == ()
