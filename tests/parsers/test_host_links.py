"""Slingshot, Omni-Path, bonds, modules and long forms of known tools."""

from __future__ import annotations

import host_link_texts
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

WHOLE = "\n".join(host_link_texts.ALL.values())


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    return [f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}" for r in records(text).readings]


@pytest.mark.parametrize("name", sorted(host_link_texts.ALL))
def test_no_line_stays_unread(name: str) -> None:
    (source,) = records(host_link_texts.ALL[name]).sources
    assert [ref.text for ref in source.unread_samples] == []


def test_slingshot() -> None:
    assert said(host_link_texts.CXI_STAT) == snapshot(
        [
            "hca-name cxi1 = SS11 200Gb 2P NIC Mezz",
            "hca-board cxi1 = P00000-007",
            "hca-firmware cxi1 = 1.5.7",
            "port-netdev cxi1/1 = hsn1",
            "hca-bus-id cxi1 = 0000:a1:00.0",
            "port-rate cxi1/1 = 200.0",
            "port-state cxi1/1 = Down",
        ]
    )


def test_omni_path() -> None:
    assert said(host_link_texts.OPAINFO) == snapshot(
        [
            "port-state hfi1_1/1 = Active",
            "port-width hfi1_1/1 = 4",
            "port-rate hfi1_1/1 = 100.0",
            "port-width hfi1_1/1 = 2",
            "port-rate hfi1_1/1 = 50.0",
            "port-lid hfi1_1/1 = 11",
            "port-sm-lid hfi1_1/1 = 2",
            "port-xmit-packets hfi1_1/1 = 18",
            "port-rcv-packets hfi1_1/1 = 20",
        ]
    )


def test_bonding() -> None:
    assert said(host_link_texts.BONDING) == snapshot(
        [
            "interface-bond-mode bond2 = fault-tolerance (active-backup)",
            "interface-bond ens7f0np0 = bond2",
            "interface-bond-leg-up ens7f0np0 = True",
            "interface-speed ens7f0np0 = 25.0",
            "interface-bond-leg-failures ens7f0np0 = 1",
            "interface-bond ens7f1np1 = bond2",
            "interface-bond-leg-up ens7f1np1 = False",
            "interface-bond-leg-failures ens7f1np1 = 9",
        ]
    )


def test_a_module() -> None:
    assert said(host_link_texts.MODULE) == snapshot(
        [
            "interface-module-length ens7f0np0 = 2.0",
            "interface-module-vendor ens7f0np0 = Maker",
            "interface-module-part-number ens7f0np0 = XX-1",
            "interface-module-temperature ens7f0np0 = 41.5",
        ]
    )


def test_queue_sizes_are_no_pause_frames() -> None:
    assert said(host_link_texts.QUEUES) == []


def test_counters_that_grep_left() -> None:
    assert said(host_link_texts.FILTERED) == snapshot(
        ["interface-rx-discards ens7f0np0 = 17", "priority-pause-received ens7f0np0/5 = 18"]
    )


def test_counters_of_interfaces_without_names_are_not_mixed() -> None:
    assert said(f"{host_link_texts.UNNAMED}\nsome words\n" + "\n" * 20 + host_link_texts.UNNAMED) == snapshot(
        [
            "interface-crc-errors unnamed-1 = 19",
            "interface-tx-errors unnamed-1 = 20",
            "interface-crc-errors unnamed-2 = 19",
            "interface-tx-errors unnamed-2 = 20",
        ]
    )


def test_one_counter_on_a_line() -> None:
    assert said(host_link_texts.RDMA_PRETTY) == snapshot(
        ["rdma-retransmissions rdmap7s0/1 = 22", "rdma-receive-drops rdmap7s0/1 = 23"]
    )


def test_kinds_of_errors_are_no_counters() -> None:
    assert [text for text in said(host_link_texts.ERRORS_OF_IP) if "errors" in text] == snapshot(
        ["interface-rx-errors p4p1 = 14"]
    )


def test_rate_of_ibv_devinfo_is_lanes_by_speed() -> None:
    text = "hca_id:\tmlx5_3\n\t\tport:\t2\n\t\t\tactive_width:\t\t2X (16)\n\t\t\tactive_speed:\t\t53.125 Gbps (64)\n"
    assert said(text) == snapshot(["port-width mlx5_3/2 = 2", "port-rate mlx5_3/2 = 106.25"])


@given(st.integers(0, WHOLE.count("\n")))
@settings(max_examples=25)
def test_cutting_never_raises_and_never_invents(lines: int) -> None:
    cut = records("\n".join(WHOLE.splitlines()[:lines]))
    whole = {(r.attribute, r.part, r.value) for r in records(WHOLE).readings}
    assert {(r.attribute, r.part, r.value) for r in cut.readings} <= whole
    assert all(source.used + source.ignored + source.unread == source.lines for source in cut.sources)


@given(st.lists(st.sampled_from(sorted({word for line in WHOLE.splitlines() for word in (line, line[:30], line[9:])}))))
@settings(max_examples=25)
def test_any_order_gives_a_result(lines: list[str]) -> None:
    (source,) = records("\n".join(lines)).sources
    assert source.used + source.ignored + source.unread == source.lines


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


def test_counters_under_a_command_on_their_files() -> None:
    text = (
        "$ cd /sys/class/infiniband/mlx5_2/ports/1/counters && grep . link_downed port_rcv_data\n"
        "link_downed:7\nport_rcv_data:8\n"
    )
    assert said(text) == snapshot(["port-link-downed mlx5_2/1 = 7", "port-rcv-data mlx5_2/1 = 32"])


def test_a_value_after_the_next_command_is_not_of_the_last_device() -> None:
    text = "mlx5_3\n$ kubectl exec pod-1 -- cat /sys/class/infiniband/mlx5_0/ports/1/rate\n200 Gb/sec (2X NDR)\n"
    assert said(text) == snapshot(["port-rate mlx5_0/1 = 200.0", "port-width mlx5_0/1 = 2"])
    assert said("mlx5_3\n$ my-script\n200 Gb/sec (2X NDR)\n") == []


def test_a_long_line_of_glued_names_ends() -> None:
    glued = "  ".join(["mlx5_0mlx5_1", "mlx5_10"] * 31)
    assert said(f"$ ls /sys/class/infiniband\n{glued} ?\n") == []
