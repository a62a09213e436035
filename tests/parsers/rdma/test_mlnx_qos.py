"""mlnx_qos: priorities that are paused, and what sets a packet's priority."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_mlnx_qos() -> None:
    assert said(hca_texts.MLNX_QOS) == snapshot(["interface-trust ens1np0 = dscp", "interface-pfc ens1np0 = 3"])


def test_an_interface_that_pauses_nothing_and_trusts_vlan_tags() -> None:
    text = (
        "$ mlnx_qos --interface=ens2np0\nPriority trust state: pcp\nPFC configuration:\n"
        "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   0   0   0   0   0\n"
    )
    assert said(text) == snapshot(["interface-trust ens2np0 = pcp", "interface-pfc ens2np0 = off"])


def test_two_interfaces_one_after_the_other() -> None:
    rows = "Priority trust state: dscp\n\tenabled     0   0   0   {}   0   0   1   0\n"
    text = f"# mlnx_qos -i ens1np0\n{rows.format(1)}# mlnx_qos -i ens2np0\n{rows.format(0)}"
    assert said(text) == snapshot(
        [
            "interface-trust ens1np0 = dscp",
            "interface-pfc ens1np0 = 3 6",
            "interface-trust ens2np0 = dscp",
            "interface-pfc ens2np0 = 6",
        ]
    )


def test_output_without_the_command_is_nobodys() -> None:
    assert said("\n".join(hca_texts.MLNX_QOS.splitlines()[1:])) == []


def test_a_row_of_priorities_that_is_cut_is_not_read() -> None:
    assert said("# mlnx_qos -i ens1np0\n\tenabled     0   0   0   1   0\n") == []
