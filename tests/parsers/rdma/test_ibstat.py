"""ibstat, whole, filtered and of several nodes at once."""

from __future__ import annotations

import hca_texts
from feeding import feed
from hca_reading import records, said
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.rdma.ibstat import Ibstat
from slowlink.parsers.reading.read import read


def test_ibstat() -> None:
    assert said(hca_texts.IBSTAT) == snapshot(
        [
            "hca-model mlx5_0 = MT4129",
            "hca-port-count mlx5_0 = 1",
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-hardware-version mlx5_0 = 0",
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-system-guid mlx5_0 = a088c20300aa0010",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-rate mlx5_0/1 = 400.0",
            "port-lid mlx5_0/1 = 17",
            "port-sm-lid mlx5_0/1 = 3",
            "port-guid mlx5_0/1 = a088c20300aa0010",
            "port-link-layer mlx5_0/1 = InfiniBand",
            "hca-model mlx4_0 = MT4103",
            "hca-port-count mlx4_0 = 2",
            "port-state mlx4_0/1 = Init",
            "port-physical-state mlx4_0/1 = LinkUp",
            "port-rate mlx4_0/1 = 56.0",
            "port-lid mlx4_0/1 = 65535",
            "port-sm-lid mlx4_0/1 = 0",
            "port-link-layer mlx4_0/1 = InfiniBand",
            "port-state mlx4_0/2 = Down",
            "port-physical-state mlx4_0/2 = Polling",
            "port-rate mlx4_0/2 = 2.5",
            "port-link-layer mlx4_0/2 = InfiniBand",
        ]
    )


def test_lines_that_grep_left_over() -> None:
    text = (
        "CA 'mlx4_0'\n\t\tState: Active\n\t\tRate: 56\n\t\tState: Down\n\t\tRate: 10\nCA 'mlx4_1'\n\t\tState: Active\n"
    )
    assert said(text) == snapshot(
        [
            "port-state mlx4_0/1 = Active",
            "port-rate mlx4_0/1 = 56.0",
            "port-state mlx4_0/2 = Down",
            "port-rate mlx4_0/2 = 10.0",
            "port-state mlx4_1/1 = Active",
        ]
    )


def test_the_command_names_the_device_of_what_grep_left_over() -> None:
    text = """\
$ ibstat mlx5_4 | egrep 'Rate|layer'
\t\tRate: 400
\t\tLink layer: InfiniBand
[root@node01 ~]# ibstat mlx5_5 1 | grep Rate
\t\tRate: 200
$ ibstat mlx5_6 | grep -i state
$ date
\t\tRate: 100
"""
    assert [line for line in said(text) if line.startswith("port-rate")] == [
        "port-rate mlx5_4/1 = 400.0",
        "port-rate mlx5_5/1 = 200.0",
    ]


def test_a_block_ends_at_another_tools_heading() -> None:
    ibstat = "\n".join(hca_texts.IBSTAT.splitlines()[:17])
    text = f"{ibstat}\nhca_id: mlx5_9\n\tport: 1\n\t\tstate: PORT_DOWN (1)\n"
    assert [line for line in said(text) if line.startswith("port-state")] == snapshot(
        ["port-state mlx5_0/1 = Active", "port-state mlx5_9/1 = Down"]
    )


def test_nodes_that_print_at_the_same_time() -> None:
    lines = hca_texts.IBSTAT.splitlines()[:17]
    text = "".join(f"node{n:02}: {line}\n" for line in lines for n in (1, 2))
    assert [line for line in said(text) if line.startswith("port-rate")] == snapshot(
        ["port-rate mlx5_0/1 = 400.0 @node01", "port-rate mlx5_0/1 = 400.0 @node02"]
    )


def test_groups_of_nodes_that_said_the_same() -> None:
    port = "CA 'mlx5_0'\n\t\tState: {}\n"
    text = (
        f"{'-' * 16}\nn[1-7]\n{'-' * 16}\n{port.format('Active')}{'-' * 15}\nn8 (1)\n{'-' * 15}\n{port.format('Down')}"
        f"{'-' * 16}\nTotal\n{'-' * 16}\n"
    )
    state = assemble(records(text)).state
    assert state is not None
    assert [(r.host, r.part.name, r.value) for r in state.readings["port-state"].all] == snapshot(
        [
            ("n1", "mlx5_0/1", "Active"),
            ("n2", "mlx5_0/1", "Active"),
            ("n3", "mlx5_0/1", "Active"),
            ("n4", "mlx5_0/1", "Active"),
            ("n5", "mlx5_0/1", "Active"),
            ("n6", "mlx5_0/1", "Active"),
            ("n7", "mlx5_0/1", "Active"),
            ("n8", "mlx5_0/1", "Down"),
        ]
    )


def test_the_short_form_has_no_ports() -> None:
    text = "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.43.2026\n"
    assert said(text) == snapshot(
        ["hca-model mlx5_0 = MT4129", "hca-port-count mlx5_0 = 1", "hca-firmware mlx5_0 = 28.43.2026"]
    )


def test_a_port_without_a_link_has_no_rate_of_zero() -> None:
    text = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Disabled\n\t\tRate: 0\n"
    assert said(text) == snapshot(["port-state mlx5_0/1 = Down", "port-physical-state mlx5_0/1 = Disabled"])


def test_output_that_is_cut_within_a_line() -> None:
    assert said(hca_texts.IBSTAT[: hca_texts.IBSTAT.index("Physical state") + 10]) == snapshot(
        [
            "hca-model mlx5_0 = MT4129",
            "hca-port-count mlx5_0 = 1",
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-hardware-version mlx5_0 = 0",
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-system-guid mlx5_0 = a088c20300aa0010",
            "port-state mlx5_0/1 = Active",
        ]
    )


ONE_PORT = "\t\tState: {}\n\t\tRate: {}\n"


def test_a_command_to_many_nodes_names_the_device_below_each_heading() -> None:
    text = (
        """[root@head ~]# clush -bw gpu[01-03] "ibstat mlx5_3 | grep -E 'State|Rate'"\n"""
        f"---------------\ngpu[01-02] (2)\n---------------\n{ONE_PORT.format('Active', 400)}"
        f"---------------\ngpu03\n---------------\n{ONE_PORT.format('Down', 10)}"
    )
    assert [(r.attribute, r.part.name, r.value) for r in feed(Ibstat, text.splitlines())] == [
        ("port-state", "mlx5_3/1", "Active"),
        ("port-rate", "mlx5_3/1", 400.0),
        ("port-state", "mlx5_3/1", "Down"),
        ("port-rate", "mlx5_3/1", 10.0),
    ]


def test_each_node_of_pdsh_hears_which_device_was_asked_for() -> None:
    text = (
        '[root@head ~]# pdsh -w gpu[01-02] "ibstat mlx5_3 | grep State"\n'
        "gpu01: \t\tState: Active\ngpu02: \t\tState: Down\n"
    )
    records = read([Input("t", None, [text.encode()])], workers=1)
    assert [(r.host, r.attribute, r.part.name, r.value) for r in records.readings] == [
        ("gpu01", "port-state", "mlx5_3/1", "Active"),
        ("gpu02", "port-state", "mlx5_3/1", "Down"),
    ]


def test_below_another_command_the_device_is_forgotten() -> None:
    text = '$ clush -bw gpu[01-02] "ibstat mlx5_3"\n$ ethtool ib0\nState: Active\n'
    assert feed(Ibstat, text.splitlines()) == []
