"""Which of the listed ports channels use."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.facts.hardware.used_ports import used_ports
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

SAYS = "gpu07:77:77 [0] NCCL INFO "
LISTED = SAYS + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
MERGED = SAYS + "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=400000 ndevs=2\n"
AGAIN = SAYS + "NET/IB : Made virtual device [2] name=mlx5_0 speed=200000 ndevs=1\n"
TWO_PORTS = LISTED.replace("mlx5_1:1", "mlx5_0:2")


def channels(*devices: int) -> str:
    return "".join(
        f"{SAYS}Channel {number:02d}/0 : 1[0] -> 0[0] [receive] via NET/IB/{device}/GDRDMA\n"
        f"{SAYS}Channel {number:02d}/0 : 0[0] -> 1[0] [send] via NET/IB/{device}/GDRDMA\n"
        for number, device in enumerate(devices)
    )


@pytest.mark.parametrize(
    ("log", "count"),
    [
        (LISTED + channels(0, 0), 1),
        (LISTED + channels(0, 1), 2),
        (LISTED + MERGED + channels(2, 2), 2),
        (LISTED + AGAIN + channels(2, 2), 1),
        (LISTED + AGAIN + channels(0, 2), 1),
        (LISTED + channels(0, 3), None),
        (LISTED + channels(0), None),
        (TWO_PORTS + channels(0, 0), None),
        (channels(0, 0), None),
    ],
)
def test_ports_are_counted_once_and_devices_of_several_as_these(log: str, count: int | None) -> None:
    facts = assemble(read([Input("job.log", None, [log.encode()])], workers=1))
    assert facts.transports is not None
    used = used_ports(facts.network, facts.transports) if facts.network is not None else None
    assert (used.count if used is not None else None) == count
