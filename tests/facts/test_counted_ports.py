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


LISTED = "8 HCAs found:\n" + "".join(f"\tmlx5_{port}\n" for port in range(8)) + "\n"
GPU = "#  Rank  0 Group  0 Pid   4711 on      gpu07 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"


def test_as_many_hcas_as_such_nodes_have_are_its_ports() -> None:
    known = hardware_of(LISTED + GPU)
    assert known is not None
    assert (known.ports, known.nics) == (8, ())


def test_hcas_beside_those_that_such_nodes_have_tell_no_number_of_ports() -> None:
    ten = LISTED.replace("8 HCAs", "10 HCAs").replace("\n\n", "\n\tmlx5_8\n\tmlx5_9\n")
    for text in (ten + GPU, LISTED, LISTED + "[root@gpu08 ~]# ibv_devinfo -l\n7 HCAs found:\n" + GPU):
        known = hardware_of(text)
        assert known is None or known.ports is None
