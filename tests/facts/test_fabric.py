"""Links from both ends, pictures in order, and names for LIDs."""

from __future__ import annotations

from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.facts.fabric import Picture, host_of, node_of, now, pictures, usual
from slowlink.inputs import Input
from slowlink.model.facts import State
from slowlink.parsers.reading.read import read

LINKS = """\
CA: gpu01 mlx5_0:
      0x0c42a10300aa0100     21    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       7    1[  ] "leafa" ( )
Switch: 0x0c42a10300aa1000 leafa:
           7    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      21    1[  ] "gpu01 mlx5_0" ( )
           7    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""
COUNTERS = "# Port counters: Lid {lid} port {port} (CapMask: 0x1200)\nSymbolErrorCounter:..............3\n"


def state_of(*texts: str) -> State:
    found = assemble(read([Input(f"{n}.txt", None, [text.encode()]) for n, text in enumerate(texts)], workers=1)).state
    assert found is not None
    return found


def pictures_of(*texts: str) -> list[Picture]:
    return pictures(reading for found in state_of(*texts).readings.values() for reading in found.all)


def counted(*texts: str) -> list[str]:
    return [reading.part.name for reading in state_of(*texts).readings["port-symbol-errors"].all]


def test_a_link_is_counted_once() -> None:
    (picture,) = pictures_of(LINKS)
    assert [(port.name, peer) for port, peer in picture.links()] == [("gpu01 mlx5_0/1", "leafa/1")]
    assert [port.name for port in picture.ports.values() if port.down] == ["leafa/2"]
    assert picture.whole()


def test_adapters_have_hosts_and_switches_have_none() -> None:
    (picture,) = pictures_of(LINKS)
    assert [picture.host(name) for name in ("gpu01 mlx5_0/1", "leafa/1", "0x0c42a10300aa1008/1")] == ["gpu01", "", ""]
    assert [host_of(node) for node in ("node03", "node03 HCA-1", "lid 7")] == ["node03", "node03", ""]
    assert node_of("big/L01/5") == "big/L01"


def test_pictures_of_two_sources_are_apart_and_each_has_its_now() -> None:
    assert len(pictures_of(LINKS, LINKS)) == 2
    both = now(r for found in state_of(LINKS, COUNTERS.format(lid=7, port=1)).readings.values() for r in found.all)
    assert [picture.asked for picture in both] == ["0.txt", "1.txt"]


def test_ports_known_by_lid_get_their_name() -> None:
    assert counted(LINKS + COUNTERS.format(lid=7, port=2) + COUNTERS.format(lid=21, port=1)) == snapshot(
        ["leafa/2", "gpu01 mlx5_0/1"]
    )
    assert counted(LINKS, COUNTERS.format(lid=21, port=1)) == ["gpu01 mlx5_0/1"]


def test_a_lid_that_nobody_or_two_name_keeps_its_number() -> None:
    assert counted(COUNTERS.format(lid=7, port=2)) == ["lid 7/2"]
    twice = LINKS + LINKS.replace("leafa", "leafz").replace("gpu01", "gpu09")
    assert counted(twice + COUNTERS.format(lid=7, port=2)) == ["lid 7/2"]
    assert counted(LINKS, LINKS, COUNTERS.format(lid=7, port=2)) == ["lid 7/2"]


def test_what_is_usual() -> None:
    assert [usual(values) for values in ([4, 4], [4, 4, 4, 3], [4, 4, 3, 3], [])] == [None, 4, None, None]
