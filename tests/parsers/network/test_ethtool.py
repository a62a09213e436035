"""ethtool in its forms: link, counters, pause, driver, module; and what a prompt or grep left of them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.network.ethtool import Ethtool

FORMS = """\
# ethtool ens1np0
Settings for ens1np0:
\tSupported ports: [ Backplane ]
\tSupported link modes:   1000baseKX/Full
\tSpeed: 200000Mb/s
\tLanes: 4
\tDuplex: Full
\tAuto-negotiation: on
\tLink detected: yes
# ethtool -S ens1np0
NIC statistics:
     rx_packets: 12
     rx_prio3_pause: 5
     tx_prio3_pause: 9
     rx_prio3_discards: 1
     rx_pause_ctrl_phy: 14
     rx_discards_phy: 2
     link_down_events_phy: 3
# ethtool -a ens1np0
Pause parameters for ens1np0:
Autonegotiate:\toff
RX:\t\ton
TX:\t\toff
# ethtool -i ens1np0
driver: mlx5_core
version: 24.10-1.1.4
firmware-version: 28.43.2026 (MT_0000000838)
expansion-rom-version:
bus-info: 0000:17:00.0
supports-statistics: yes
# ethtool --show-fec ens1np0
FEC parameters for ens1np0:
Supported/Configured FEC encodings: Auto
Active FEC encoding: RS
"""
MODULE = """\
[root@gpu07 ~]# ethtool -m ens7f0np0 | head -9
\tIdentifier                                : 0x1e (QSFP+ or later with CMIS)
\tPower class                               : 5
\tCable assembly length                     : 2.00m
\tTransmitter technology                    : 0x0a (Copper cable unequalized)
\tVendor name                               : Maker
\tVendor PN                                 : XX-1
\tVendor SN                                 : 4711
\tModule temperature                        : 41.50 degrees C / 106.70 degrees F
\tRcvr signal avg optical power (Channel 1) : 0.0001 mW / -40.00 dBm
"""
QUEUES = """\
[root@gpu07 ~]# ethtool -g ens7f0np0
Ring parameters for ens7f0np0:
Pre-set maximums:
RX:\t\t\t8192
RX Mini:\t\tn/a
TX:\t\t\t8192
Current hardware settings:
RX:\t\t\t1024
TX Push:\t\toff
[root@gpu07 ~]# ethtool -k ens7f0np0
Features for ens7f0np0:
rx-checksumming: on
\ttx-checksum-ipv4: off [fixed]
"""
FILTERED = """\
[root@gpu07 ~]# ethtool -S ens7f0np0 | grep -E 'discard|pause'
     rx_discards_phy: 17
     rx_prio5_pause: 18
"""
UNNAMED = """\
NIC statistics:
     rx_crc_errors.nic: 19
     tx_errors: 20
"""
TEXTS = [FORMS, MODULE, QUEUES, FILTERED, UNNAMED]
LINES = [line for text in TEXTS for line in text.splitlines()]


@pytest.mark.parametrize("text", TEXTS)
def test_no_line_stays_unread(text: str) -> None:
    assert [line for line in unread(text) if not line.startswith("#")] == []


def test_every_form_gives_readings_of_its_interface() -> None:
    assert said(FORMS) == snapshot(
        [
            "interface-speed ens1np0 = 200.0",
            "interface-duplex ens1np0 = full",
            "interface-autoneg ens1np0 = True",
            "interface-carrier ens1np0 = True",
            "priority-pause-received ens1np0/3 = 5",
            "priority-pause-sent ens1np0/3 = 9",
            "priority-discards ens1np0/3 = 1",
            "interface-pause-received ens1np0 = 14",
            "interface-rx-discards ens1np0 = 2",
            "interface-link-down-events ens1np0 = 3",
            "interface-rx-pause ens1np0 = True",
            "interface-tx-pause ens1np0 = False",
            "interface-driver ens1np0 = mlx5_core",
            "interface-driver-version ens1np0 = 24.10-1.1.4",
            "interface-firmware ens1np0 = 28.43.2026",
            "interface-bus-id ens1np0 = 0000:17:00.0",
            "interface-fec ens1np0 = RS",
        ]
    )


def test_a_link_that_is_down_has_no_speed() -> None:
    text = "Settings for ens2np0:\n\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n\tLink detected: no (No cable)\n"
    assert said(text) == ["interface-carrier ens2np0 = False"]


def test_a_module() -> None:
    assert said(MODULE) == snapshot(
        [
            "interface-module-length ens7f0np0 = 2.0",
            "interface-module-vendor ens7f0np0 = Maker",
            "interface-module-part-number ens7f0np0 = XX-1",
            "interface-module-temperature ens7f0np0 = 41.5",
        ]
    )


def test_queue_sizes_are_no_pause_frames() -> None:
    assert said(QUEUES) == []


def test_counters_that_grep_left() -> None:
    assert said(FILTERED) == snapshot(
        ["interface-rx-discards ens7f0np0 = 17", "priority-pause-received ens7f0np0/5 = 18"]
    )


def test_counters_of_interfaces_without_names_are_not_mixed() -> None:
    assert said(f"{UNNAMED}\nsome words\n" + "\n" * 20 + UNNAMED) == snapshot(
        [
            "interface-crc-errors unnamed-1 = 19",
            "interface-tx-errors unnamed-1 = 20",
            "interface-crc-errors unnamed-2 = 19",
            "interface-tx-errors unnamed-2 = 20",
        ]
    )


@pytest.mark.parametrize(
    ("counter", "reading"),
    [
        ("tx_prio6_pause: 4", "priority-pause-sent ens1np0/6 = 4"),  # mlx5
        ("rx_pfc_ena_frames_pri3: 5", "priority-pause-received ens1np0/3 = 5"),  # bnxt_en
        ("rx_priority_3_xoff.nic: 6", "priority-pause-received ens1np0/3 = 6"),  # ice
        ("tx_priority_0_xoff.nic: 7", "priority-pause-sent ens1np0/0 = 7"),
        ("rx_fcs_err_frames: 8", "interface-crc-errors ens1np0 = 8"),
        ("frames_rx_bad_fcs: 9", "interface-crc-errors ens1np0 = 9"),  # ionic
        ("frames_tx_pause: 10", "interface-pause-sent ens1np0 = 10"),
        ("rx_total_discard_pkts: 11", "interface-rx-discards ens1np0 = 11"),  # bnxt_en
        ("link_xoff_rx.nic: 12", "interface-pause-received ens1np0 = 12"),  # ice
    ],
)
def test_drivers_name_the_same_counter_in_their_own_way(counter: str, reading: str) -> None:
    assert said(f"# ethtool -S ens1np0\nNIC statistics:\n     {counter}\n") == [reading]


def test_frames_that_end_a_pause_are_no_pauses() -> None:
    text = "# ethtool -S ens1np0\nNIC statistics:\n     rx_priority_3_xon.nic: 6\n     rx_prio3_pause_transition: 7\n"
    assert (said(text), [line for line in unread(text) if not line.startswith("#")]) == ([], [])


def test_the_same_keys_elsewhere_are_nobodys() -> None:
    assert said("Speed: 25000Mb/s\nRX: on\ndriver: mlx5_core\n    rx_prio3_pause: 5\n") == []


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert Ethtool.wants(text) == Ethtool.wants(shape_of(text).decode()), text


@given(st.sampled_from(TEXTS), st.integers(0, 40), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_cut_anywhere_it_invents_nothing(text: str, lines: int, letters: int) -> None:
    assert invented(text, lines, letters) == set()


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=40), max_size=30), st.integers(0, 80))
def test_any_lines_give_a_result(lines: list[str], cut: int) -> None:
    for found in feed(Ethtool, [line[:cut] for line in lines]):
        assert found.part.kind in ("interface", "priority")
        assert 1 <= found.ref.line <= len(lines)


def test_the_alarms_of_a_module() -> None:
    text = (
        "# ethtool -m ens1np0\n"
        "\tModule temperature high alarm             : On\n"
        "\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n"
        "\tLaser bias current low warning  (Chan 4)  : Off\n"
        "\tRx loss of lock                           : [ No, Yes ]\n"
        "\tTx loss of signal                         : None\n"
    )
    assert said(text) == snapshot(
        [
            "interface-module-alarm ens1np0 temperature high alarm = True",
            "interface-module-alarm ens1np0 bias current low warning of channel 4 = False",
            "interface-module-alarm ens1np0 rx loss of lock of channel 1 = False",
            "interface-module-alarm ens1np0 rx loss of lock of channel 2 = True",
        ]
    )
    assert unread(text) == []


@pytest.mark.parametrize(
    "command",
    [
        "for t in 0 60; do sleep $t; ethtool -S ens6f0np0 | egrep 'prio3' ; rdma statistic show link mlx5_2/1; done  # load",
        "$ ethtool -S ens6f0np0 | grep prio3; sleep 60; ethtool -S ens6f0np0 | grep prio3",
        "$ while true; do date; ethtool -S ens6f0np0 | grep prio3 && sleep 10; done",
    ],
)
def test_a_command_in_a_loop_names_the_interface(command: str) -> None:
    lines = [command, "     rx_prio3_pause: 18220914", "     rx_prio3_pause: 24911022"]
    assert [(found.attribute, found.part.name, found.value) for found in feed(Ethtool, lines)] == [
        ("priority-pause-received", "ens6f0np0/3", 18220914),
        ("priority-pause-received", "ens6f0np0/3", 24911022),
    ]
