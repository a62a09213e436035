"""Partition keys of a port in one line."""

from __future__ import annotations

import pytest
from hca_reading import said
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.rdma.partition_keys import PartitionKeys


def test_keys_of_ports() -> None:
    assert said("mlx5_0 0x7fff 0x8103 0x0000\nmlx5_1/2: 0xFFFF 0x8104\n") == snapshot(
        [
            "pkey-value mlx5_0/1/0 = 0x7fff",
            "pkey-value mlx5_0/1/1 = 0x8103",
            "pkey-value mlx5_1/2/0 = 0xffff",
            "pkey-value mlx5_1/2/1 = 0x8104",
        ]
    )


@pytest.mark.parametrize(
    "line", ["mlx5_0 0x8103 0x8104", "mlx5_0 0x7fff up", "eth0 0x7fff", "mlx5_0 0x7ffff", "mlx5_0"]
)
def test_other_numbers_are_nobodys(line: str) -> None:
    assert said(line) == []


@given(st.lists(st.sampled_from(["0x7fff", "0xffff", "0x0000", "0x8001", "x", "7fff"]), max_size=6))
def test_only_lines_with_the_default_key_and_nothing_else_are_wanted(words: list[str]) -> None:
    keys = {"0x7fff", "0xffff", "0x0000", "0x8001"}
    expected = {"0x7fff", "0xffff"} & set(words) and set(words) <= keys
    assert PartitionKeys.wants(" ".join(["mlx5_0", *words])) == bool(expected)
