from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import remedies_of, said

QOS = """\
[root@{node} ~]# mlnx_qos -i {interface}
DCBX mode: OS controlled
Priority trust state: {trust}
PFC configuration:
        priority    0   1   2   3   4   5   6   7
        enabled     0   0   0   {on}   0   0   0   0
"""
MARKED = "gpu01:4000:4100 [0] NCCL INFO NCCL_IB_TC set by environment to 106.\n"


def qos(node: str, on: int = 1, trust: str = "dscp", interface: str = "ens1np0") -> str:
    return QOS.format(node=node, on=on, trust=trust, interface=interface)


def test_one_node_does_not_pause() -> None:
    text = qos("gpu01") + qos("gpu02", on=0) + qos("gpu03")
    assert said("pfc-settings", text) == snapshot(
        [("pfc-ecn-settings", "warning", "likely", "gpu02: paused priorities: ens1np0 off, the other interfaces 3")]
    )
    assert remedies_of("pfc-settings", text) == snapshot(
        [
            [
                ("Read the settings of this interface and of one that is right.", "mlnx_qos -i IF"),
                ("Set what differs.", "mlnx_qos -i IF --trust dscp --pfc 0,0,0,1,0,0,0,0"),
                ("See whether packets were lost.", "ethtool -S IF | grep -E 'discard|out_of_buffer'"),
            ]
        ]
    )


def test_one_node_trusts_another_field() -> None:
    assert said("pfc-settings", qos("gpu01") + qos("gpu02") + qos("gpu03", trust="pcp")) == snapshot(
        [("pfc-ecn-settings", "warning", "likely", "gpu03: trust: ens1np0 pcp, the other interfaces dscp")]
    )


def test_half_and_half_has_no_odd_one() -> None:
    assert said("pfc-settings", qos("gpu01") + qos("gpu02", on=0)) == []


def test_the_mark_of_packets_tells_which_of_two_is_wrong() -> None:
    text = qos("gpu01") + qos("gpu02", on=0) + MARKED
    assert said("pfc-settings", text) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "error",
                "likely",
                "gpu02: NCCL_IB_TC=106 marks packets for priority 3, which ens1np0 does not pause, while others do",
            )
        ]
    )
    assert said("pfc-settings", text.replace("to 106", "to 0")) == []
    assert said("pfc-settings", text.replace("to 106", "to 192")) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "warning",
                "possible",
                "NCCL_IB_TC=192 marks packets for priority 6, and no interface pauses it",
            )
        ]
    )  # neither pauses priority 6


def lost(node: str, packets: int, interface: str = "ens1np0") -> str:
    return f"[root@{node} ~]# ethtool -S {interface}\nNIC statistics:\n     rx_discards_phy: {packets}\n"


def test_of_two_the_one_that_lost_the_packets_is_wrong() -> None:
    text = qos("gpu01") + lost("gpu01", 12) + qos("gpu02", on=0, trust="pcp") + lost("gpu02", 7_300_000)
    assert said("pfc-settings", text) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "error",
                "likely",
                "gpu02: paused priorities: ens1np0 off, the other interfaces 3; it counted 7300000 packets discarded by "
                "the port on receive",
            ),
            (
                "pfc-ecn-settings",
                "error",
                "likely",
                "gpu02: trust: ens1np0 pcp, the other interfaces dscp; it counted 7300000 packets discarded by the port "
                "on receive",
            ),
        ]
    )


def test_of_three_it_makes_the_odd_one_an_error() -> None:
    text = qos("gpu01") + lost("gpu01", 0) + qos("gpu02", on=0) + lost("gpu02", 7_300_000) + qos("gpu03")
    assert [severity for _, severity, _, _ in said("pfc-settings", text)] == ["error"]


def test_packets_that_both_lost_or_another_interface_lost_accuse_neither() -> None:
    both = qos("gpu01") + lost("gpu01", 90_000) + qos("gpu02", on=0) + lost("gpu02", 7_300_000)
    assert said("pfc-settings", both) == []
    other = qos("gpu01") + lost("gpu01", 0, "eno1") + qos("gpu02", on=0) + lost("gpu02", 7_300_000, "eno1")
    assert said("pfc-settings", other) == []


def test_the_one_of_two_that_pauses_is_not_accused() -> None:
    text = qos("gpu01") + lost("gpu01", 9_000_000) + qos("gpu02", on=0) + lost("gpu02", 0)
    assert said("pfc-settings", text) == []


def test_the_loss_of_a_node_whose_settings_are_the_usual_ones_is_not_of_the_settings() -> None:
    text = qos("gpu01") + lost("gpu01", 9_000_000) + qos("gpu02", on=0) + lost("gpu02", 0) + qos("gpu03")
    assert [severity for _, severity, _, _ in said("pfc-settings", text)] == ["warning"]


def test_alike_is_no_finding() -> None:
    assert said("pfc-settings", qos("gpu01") + qos("gpu02") + qos("gpu03")) == []
    assert said("pfc-settings", qos("gpu01", on=0) + qos("gpu02", on=0)) == []


def test_marked_packets_that_nobody_pauses() -> None:
    assert said("pfc-settings", qos("gpu01", on=0) + MARKED) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "warning",
                "possible",
                "NCCL_IB_TC=106 marks packets for priority 3, and no interface pauses it",
            )
        ]
    )
    assert said("pfc-settings", qos("gpu01") + MARKED) == []


def test_of_two_the_one_that_pauses_nothing_and_lost_packets_is_wrong_though_nobody_counted_the_others() -> None:
    def lost(count: int, node: str = "gpu02") -> str:
        return f"[root@{node} ~]# ethtool -S ens1np0 | grep discards\n     rx_discards_phy: {count}\n"

    both = qos("gpu01") + qos("gpu02", on=0)
    assert said("pfc-settings", both + lost(2_201_877)) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "error",
                "likely",
                "gpu02: paused priorities: ens1np0 off, the other interfaces 3; it counted 2201877 packets discarded by the port on receive",
            )
        ]
    )
    assert said("pfc-settings", both + lost(2_201)) == []
    assert said("pfc-settings", both + lost(2_201_877, "gpu01")) == [], "that one pauses"


def test_what_pauses_nothing_and_drops_what_it_receives() -> None:
    """PFC may be off on purpose, where switches and adapters handle loss: then nothing is dropped here."""
    counters = "[root@gpu01 ~]# ethtool -S ens1np0 | grep rx_discards_phy\n     rx_discards_phy: {total}\n"
    twice = counters.format(total=1802211) + counters.format(total=1955087)
    assert said("pfc-settings", qos("gpu01", on=0) + twice) == snapshot(
        [
            (
                "pfc-ecn-settings",
                "error",
                "likely",
                "gpu01: ens1np0 pauses no priority, and discarded 152,876 packets that it received between two readings",
            )
        ]
    )
    assert said("pfc-settings", qos("gpu01") + twice) == []
    assert said("pfc-settings", qos("gpu01", on=0) + counters.format(total=1802211) * 2) == []
