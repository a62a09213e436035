"""show_gids: the GID table of every port."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_show_gids() -> None:
    assert said(hca_texts.SHOW_GIDS) == snapshot(
        [
            "gid-value mlx5_3/1/0 = fe80:0000:0000:0000:a288:c2ff:feaa:0013",
            "gid-type mlx5_3/1/0 = IB/RoCE v1",
            "gid-netdev mlx5_3/1/0 = ens3np0",
            "gid-value mlx5_3/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0203",
            "gid-ipv4 mlx5_3/1/3 = 10.1.2.3",
            "gid-type mlx5_3/1/3 = RoCE v2",
            "gid-netdev mlx5_3/1/3 = ens3np0",
            "gid-value mlx5_0/1/0 = fe80:0000:0000:0000:a088:c203:00aa:0010",
            "gid-type mlx5_0/1/0 = IB/RoCE v1",
            "gid-total = 3",
        ]
    )


def test_a_row_of_a_listing_that_begins_in_the_middle() -> None:
    assert said("mlx5_3\t2\t12\t0000:0000:0000:0000:0000:ffff:0a01:0209\t10.1.2.9\tv2\tbond0.7\n") == snapshot(
        [
            "gid-value mlx5_3/2/12 = 0000:0000:0000:0000:0000:ffff:0a01:0209",
            "gid-ipv4 mlx5_3/2/12 = 10.1.2.9",
            "gid-type mlx5_3/2/12 = RoCE v2",
            "gid-netdev mlx5_3/2/12 = bond0.7",
        ]
    )


def test_types_in_words() -> None:
    row = "mlx5_{0}\t1\t{0}\tfe80:0000:0000:0000:a288:c2ff:feaa:0013\t\t{1}\n"
    text = "".join(row.format(n, word) for n, word in enumerate(("IB/RoCE v1", "RoCE v2", "IB", "V2")))
    assert [one for one in said(text) if "type" in one] == snapshot(
        [
            "gid-type mlx5_0/1/0 = IB/RoCE v1",
            "gid-type mlx5_1/1/1 = RoCE v2",
            "gid-type mlx5_2/1/2 = IB/RoCE v1",
            "gid-type mlx5_3/1/3 = RoCE v2",
        ]
    )


def test_a_row_that_is_cut_within_the_gid_is_no_gid() -> None:
    text = "mlx5_3\t1\t3\t0000:0000:0000:0000:00\nmlx5_3\t1\t0\t0000:0000:0000:0000:0000:0000:0000:0000\n"
    assert said(text) == []
