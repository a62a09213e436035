"""Ports that somebody counted are hardware of the node."""

from __future__ import annotations

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.facts import Hardware, NicGroup
from slowlink.parsers.reading.read import read


def hardware_of(text: str) -> Hardware | None:
    return assemble(read([Input("job.log", None, [text.encode()])], workers=1)).hardware


COUNT = '[root@gpu07 ~]# ibstat | grep -c "Rate: {rate}"\n{number}\n'


def test_eight_ports_at_400() -> None:
    known = hardware_of(COUNT.format(rate=400, number=8))
    assert known is not None
    assert known.nics == (NicGroup(8, 400.0),)
    assert known.basis == "8 ports at 400 Gb/s counted (job.log:2)"


def test_the_fastest_ports_of_the_fullest_node_count() -> None:
    text = COUNT.format(rate=400, number=7) + COUNT.format(rate=100, number=9)
    text += COUNT.format(rate=400, number=8).replace("gpu07", "gpu08")
    known = hardware_of(text)
    assert known is not None
    assert known.nics == (NicGroup(8, 400.0),)


def test_of_the_counted_ports_those_count_that_the_library_was_told_to_use() -> None:
    known = hardware_of(COUNT.format(rate=400, number=8) + "export NCCL_IB_HCA=mlx5_0,mlx5_1\n")
    assert known is not None
    assert known.nics == (NicGroup(2, 400.0),)


def test_no_port_at_a_rate_tells_no_hardware() -> None:
    known = hardware_of(COUNT.format(rate=400, number=0))
    assert known is None or known.nics == ()
