"""Which NICs a node has, from NCCL's lists of devices."""

from __future__ import annotations

import pytest

from slowlink.catalog.given import given_hardware
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

INFO = "node07:4000:4100 [0] NCCL INFO NET/IB : "


def nics(*lines: str) -> str:
    text = "".join(f"{INFO}{line}\n" for line in lines)
    hardware = assemble(read([Input("job.log", None, [text.encode()])], workers=1), given_hardware()).hardware
    assert hardware is not None
    return hardware.basis


@pytest.mark.parametrize(
    ("lines", "basis"),
    [
        (
            (
                "Made virtual device [0] name=mlx5_0 speed=100000 ndevs=1",
                "Made virtual device [1] name=mlx5_1 speed=100000 ndevs=1",
                "Made virtual device [2] name=mlx5_0+mlx5_1 speed=200000 ndevs=2",
            ),
            "NICs as printed: 2 x 100 Gb/s",
        ),
        (("Made virtual device [0] name=mlx5_0+mlx5_1 speed=400000 ndevs=2",), "NICs as printed: 2 x 200 Gb/s"),
        (
            (
                "Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/RoCE [2]mlx5_3:1/RoCE [RO]; OOB eno1:10.2.1.4<0>",
                "Made virtual device [0] name=mlx5_0 speed=25000 ndevs=1",
                "Made virtual device [1] name=mlx5_2 speed=25000 ndevs=1",
            ),
            "NICs as printed: 3 x 25 Gb/s RoCE (the rate of 2 of them)",
        ),
        (
            (
                "Made virtual device [0] name=mlx5_0 speed=25000 ndevs=1",
                "Made virtual device [1] name=mlx5_2 speed=25000 ndevs=1",
                "Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/RoCE [RO]; OOB eno1:10.2.1.4<0>",
                "Made virtual device [2] name=mlx5_0 speed=25000 ndevs=1",
                "Made virtual device [3] name=mlx5_2 speed=25000 ndevs=1",
            ),
            "NICs as printed: 2 x 25 Gb/s",
        ),
        (
            (
                "Made virtual device [0] name=mlx5_0 speed=100000 ndevs=1",
                "Made virtual device [1] name=mlx5_0 speed=100000 ndevs=1",
                "Using [0]mlx5_0:1/IB [1]mlx5_0:2/IB [RO]; OOB eno1:10.2.1.4<0>",
            ),
            "NICs as printed: 2 x 100 Gb/s",
        ),
    ],
    ids=["merged beside its members", "merged alone", "rates of some", "made twice", "two ports of one card"],
)
def test_each_nic_counts_once(lines: tuple[str, ...], basis: str) -> None:
    assert nics(*lines) == basis
