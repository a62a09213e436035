from __future__ import annotations

import pytest
from fabric_pictures import iblinkinfo
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

EDR = "4X      25.78125 Gbps"
ONE = "1X        106.25 Gbps"
TWO = "2X        106.25 Gbps"


def test_what_both_ends_support_is_what_a_link_should_have() -> None:
    text = iblinkinfo(rates={("leaf2", 2): (EDR, "Could be 106.25 Gbps"), ("leaf1", 5): (ONE, "Could be 4X")})
    assert said("fabric-link-slow", text) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "2 links of the fabric below what they can do: spine0/2 - leaf1/5 runs at 1x NDR, both ends support 4 lanes; leaf2/2 - gpu09 mlx5_0/1 runs at 4x EDR, both ends support NDR",
            )
        ]
    )
    (found,) = findings_of("fabric-link-slow", text)
    assert {s.name for s in found.suspects} == {"leaf2/2", "gpu09 mlx5_0/1", "gpu09", "leaf1/5", "spine0/2"}


def test_lanes_that_no_cable_has_are_no_goal() -> None:
    rates = {(f"leaf{n}", port): ("4X        106.25 Gbps", "Could be 12X") for n in range(4) for port in range(1, 7)}
    assert findings_of("fabric-link-slow", iblinkinfo(rates=rates)) == ()


def test_a_single_lane_among_four_is_a_fault_without_a_note() -> None:
    (found,) = findings_of("fabric-link-slow", iblinkinfo(hosts=8, rates={("leaf0", 3): (ONE, "")}))
    assert (found.severity, found.confidence) == ("error", "likely")
    assert "leaf0/3" in found.message or "leaf0/3" in [s.name for s in found.suspects]


def test_a_single_lane_is_a_fault_where_its_switch_has_too_few_links_to_tell() -> None:
    """Each leaf has two hosts; the fabric has four lanes everywhere else."""
    for rates in ({("leaf0", 1): (ONE, "")}, {("leaf0", 1): (ONE, ""), ("leaf0", 2): (ONE, "")}):
        (found,) = findings_of("fabric-link-slow", iblinkinfo(hosts=2, rates=rates))
        assert (found.severity, found.message.count("other links have 4 lanes")) == ("error", len(rates))


def test_hosts_of_a_switch_that_all_have_one_lane_are_compared_with_the_fabric() -> None:
    rates = {("leaf0", port): (ONE, "") for port in range(1, 5)}
    (found,) = findings_of("fabric-link-slow", iblinkinfo(hosts=4, rates=rates))
    assert found.message.startswith("4 links of the fabric below what they can do")


def test_a_slower_host_of_a_switch_with_few_is_compared_with_all_hosts() -> None:
    (found,) = findings_of("fabric-link-slow", iblinkinfo(hosts=2, rates={("leaf0", 1): (EDR, "")}))
    assert (found.severity, found.confidence) == ("warning", "possible")


def test_a_slower_adapter_among_others_may_belong_there() -> None:
    assert said("fabric-link-slow", iblinkinfo(hosts=8, rates={("leaf0", 3): (EDR, "")})) == snapshot(
        [
            (
                "port-rate-low",
                "warning",
                "possible",
                "1 link of the fabric below what it can do: leaf0/3 - gpu02 mlx5_0/1 runs at 4x EDR, other links have NDR",
            )
        ]
    )


@pytest.mark.parametrize("rate", [TWO, EDR])
def test_halves_of_a_split_port_among_whole_ones_are_no_fault(rate: str) -> None:
    """Half of the switch's ports are split: none is usual."""
    rates = {("leaf0", port): (rate, "") for port in range(1, 5)}
    assert findings_of("fabric-link-slow", iblinkinfo(hosts=8, rates=rates)) == ()


def test_silent_on_a_healthy_fabric() -> None:
    assert findings_of("fabric-link-slow", iblinkinfo()) == ()


def _leaf(ca_device: str, peer: str = "H", slow: str = "EDR") -> str:
    """One HDR leaf with four HDR adapters, and a slower peer on port 9, whose own block follows."""
    ports = "".join(
        f'[{n}]\t"H-00000000000000a{n}"[1](a{n}) \t\t# "gpu{n} mlx5_0" lid 1{n} 4xHDR\n' for n in range(1, 5)
    )
    own = (
        f'\nvendid=0x2c9\ndevid={ca_device}\nsysimgguid=0xb0\ncaguid=0xb0\nCa\t1 "H-00000000000000b0"\t\t# "nas HCA-1"\n'
        f'[1](b0) \t"S-0c42a10300000001"[9]\t\t# lid 30 lmc 0 "MF0;leafz:MQM8700/U1" lid 5 4x{slow}\n'
    )
    return (
        "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xc1\nswitchguid=0x0c42a10300000001(0c42a10300000001)\n"
        'Switch\t41 "S-0c42a10300000001"\t\t# "MF0;leafz:MQM8700/U1" enhanced port 0 lid 5 lmc 0\n'
        f'{ports}[9]\t"{peer}-00000000000000b0"[1](b0) \t\t# "{"nas HCA-1" if peer == "H" else "oldswitch"}" lid 30 4x{slow}\n'
        f"{own if peer == 'H' else ''}"
    )


def test_a_card_that_can_do_no_more_is_no_fault() -> None:
    assert findings_of("fabric-link-slow", _leaf("0x1017")) == ()
    assert [entry[:3] for entry in said("fabric-link-slow", _leaf("0x101b"))] == [
        ("port-rate-low", "warning", "possible")
    ]


def test_a_switch_whose_own_block_is_cut_off_is_not_compared_with_adapters() -> None:
    assert findings_of("fabric-link-slow", _leaf("", peer="S")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("fabric-link-slow", iblinkinfo(hosts=8, rates={("leaf0", 3): (EDR, "")})) == snapshot(
        [
            [
                ("See both ends, and what they support.", "iblinkinfo -l | grep -F -- leaf0"),
                ("Read the cable of the link.", "mlxlink -d lid-LID -p PORT -m -c"),
            ]
        ]
    )


PORT = (
    "# Port info: Lid 12 port 1\nLinkWidthSupported:..............1X or 4X\nLinkWidthActive:.................{}\n"
    "LinkState:.......................{}\nPhysLinkState:...................LinkUp\n"
)


def test_a_port_that_was_asked_alone_and_has_one_lane() -> None:
    assert said("fabric-link-slow", PORT.format("1X", "Active")) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "1 link of the fabric below what it can do: lid 12/1 runs at 1x, the port supports 4 lanes",
            )
        ]
    )


@pytest.mark.parametrize(("width", "state"), [("4X", "Active"), ("2X", "Active"), ("1X", "Down")])
def test_a_port_that_was_asked_alone_and_is_as_it_may_be(width: str, state: str) -> None:
    assert findings_of("fabric-link-slow", PORT.format(width, state)) == ()
