"""Lists of HCAs and of GUIDs: a bare name or number has a meaning only below its heading."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_hca_lists() -> None:
    assert said(hca_texts.LISTS) == snapshot(
        [
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-present mlx5_0 = True",
            "hca-present mlx5_1 = True",
            "port-guid a088c20300aa0010 = a088c20300aa0010",
            "hca-bus-id mlx5_7 = 0000:16:00.0",
            "hca-node-guid a088c20300aa0044 = a088c20300aa0044 @node04",
        ]
    )


def test_names_below_how_many_were_found() -> None:
    assert said("2 HCAs found:\n\tmlx5_0\n\tmlx5_1\n") == snapshot(
        ["hca-count = 2", "hca-present mlx5_0 = True", "hca-present mlx5_1 = True"]
    )


def test_names_on_one_line_of_ls() -> None:
    assert said("$ ls /sys/class/infiniband\nmlx5_0  mlx5_1  mlx5_bond_0\n") == snapshot(
        ["hca-present mlx5_0 = True", "hca-present mlx5_1 = True", "hca-present mlx5_bond_0 = True"]
    )


def test_rows_without_their_heading_are_nobodys() -> None:
    text = "mlx5_0\nmlx5_0          \ta088c20300aa0010\n0xa088c20300aa0010\n"
    assert said(text) == []


def test_a_guid_that_is_cut_and_one_of_zeros_are_no_guids() -> None:
    text = "# ibstat -p\n0xa088c20300aa0010\n0x0000000000000000\n0xa088c2\n"
    assert said(text) == snapshot(["port-guid a088c20300aa0010 = a088c20300aa0010"])


def test_rows_far_below_their_heading_are_nobodys() -> None:
    assert said("# ibstat -l\nmlx5_0\n" + "words\n" * 41 + "mlx5_1\n") == ["hca-present mlx5_0 = True"]


def test_a_long_line_of_glued_names_ends() -> None:
    glued = "  ".join(["mlx5_0mlx5_1", "mlx5_10"] * 31)
    assert said(f"$ ls /sys/class/infiniband\n{glued} ?\n") == []
