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
                "NCCL_IB_TC=106 marks packets for a priority of their own, and no interface pauses any",
            )
        ]
    )
    assert said("pfc-settings", qos("gpu01") + MARKED) == []
