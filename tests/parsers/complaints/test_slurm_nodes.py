"""Slurm's own lists of nodes, in every layout that sinfo and scontrol print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.complaints.slurm_nodes import SlurmNodes
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of

PLAIN = """\
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
gpu*         up   infinite      2  down* gpu[02-03]
gpu*         up   infinite     29   idle gpu[01,04-31]
gpu*         up   infinite      1   mix- gpu32
"""
BY_NODE = """\
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
gpu01           1      gpu        idle 128    2:64:1 515000        0      1   (null) none
gpu02           1      gpu       down* 128    2:64:1 515000        0      1   (null) Not responding
gpu03           1      gpu     drained 128    2:64:1 515000        0      1   (null) 7 of 8 GPUs found, one is missing
gpu04           1      gpu    draining 128    2:64:1 515000        0      1   (null) ticket 4711
"""
REASONS = """\
REASON               USER      TIMESTAMP           NODELIST
Not responding       slurm     2026-11-20T10:00:00 gpu02
NVLink 3 is down     root      2026-11-20T11:00:00 gpu[07-08]
"""
SHOWN = """\
NodeName=gpu02 Arch=x86_64 CoresPerSocket=64
   CPUAlloc=0 CPUEfctv=128 CPUTot=128 CPULoad=0.01
   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A
   Reason=Kill task failed [root@2026-11-20T10:00:00]
NodeName=gpu03 Arch=x86_64 CoresPerSocket=64
   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A
"""
ONE_LINE = "NodeName=gpu02 Arch=x86_64 State=IDLE+NOT_RESPONDING+DRAIN Reason=bad cable [bob@2026-11-20T10:00:00]\n"
ALL = PLAIN + BY_NODE + REASONS + SHOWN + ONE_LINE


def read(text: str) -> list[tuple[str | None, str, dict[str, str]]]:
    parser = SlurmNodes()
    for number, line in enumerate(text.splitlines(), 1):
        if parser.wants(line):
            parser.feed(Line("log", number, line))
    return [(event.host, event.kind, dict(event.groups)) for event in parser.finish()]


def test_nodes_by_state() -> None:
    assert read(PLAIN) == snapshot(
        [
            ("gpu02", "slurm-node-state-down", {"state": "down*", "reason": ""}),
            ("gpu03", "slurm-node-state-down", {"state": "down*", "reason": ""}),
        ]
    )


def test_what_other_commands_print_below_a_table_is_no_row_of_it() -> None:
    head = "REASON               USER      TIMESTAMP           NODELIST\n"
    of_reservation = "   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE Watts=n/a\n"
    assert read(head + "$ scontrol show res\n" + of_reservation) == []
    assert read(head + "power supply is dead  root  Unknown  gpu[07-08]\n") != []
    assert read(head + "Not responding  slurm  yesterday night gpu02\n") == []


@pytest.mark.parametrize(
    "of_else",
    [
        "PartitionName=gpu\n   State=DOWN TotalCPUs=256 TotalNodes=2\n",
        "ReservationName=fw StartTime=2026-01-01T08:00:00\n   State=INACTIVE Watts=n/a\n",
        "JobId=4 JobName=train\n   JobState=FAILED Reason=NodeFail Dependency=(null)\n",
    ],
)
def test_the_state_of_a_partition_is_not_that_of_the_node_above(of_else: str) -> None:
    assert read("NodeName=gpu03 Arch=x86_64\n   State=IDLE Weight=1\n" + of_else) == []


def test_a_node_that_is_down_in_a_reservation_for_maintenance_is_so_on_purpose() -> None:
    head = "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
    rows = "gpu*  up  infinite  1  drain$ gpu07\ngpu*  up  infinite  1  down$ gpu08\n"
    assert read(head + rows) == []
    assert [host for host, _, _ in read(head + rows.replace("$", "*"))] == ["gpu07", "gpu08"]


def test_nodes_one_a_line_with_reasons() -> None:
    assert read(BY_NODE) == snapshot(
        [
            ("gpu02", "slurm-node-state-down", {"state": "down*", "reason": "Not responding"}),
            ("gpu03", "complaint", {"cause": "gpu-missing", "part": "gpu", "state": "fewer", "which": ""}),
            ("gpu04", "slurm-node-reason", {"state": "draining", "reason": "ticket 4711"}),
        ]
    )


def test_reasons_alone() -> None:
    assert read(REASONS) == snapshot(
        [
            ("gpu02", "slurm-node-state-down", {"state": "", "reason": "Not responding"}),
            ("gpu07", "complaint", {"cause": "nvlink-down", "part": "nvlink", "state": "down", "which": ""}),
            ("gpu08", "complaint", {"cause": "nvlink-down", "part": "nvlink", "state": "down", "which": ""}),
        ]
    )


def test_blocks_of_nodes() -> None:
    assert read(SHOWN) == snapshot(
        [("gpu02", "slurm-node-state-down", {"state": "DOWN*+DRAIN", "reason": "Kill task failed"})]
    )
    assert read(ONE_LINE) == snapshot(
        [("gpu02", "slurm-node-state-down", {"state": "IDLE+NOT_RESPONDING+DRAIN", "reason": "bad cable"})]
    )


def test_a_row_without_its_heading() -> None:
    assert read("gpu*  up  2-00:00:00  1  down*  gpu02\n") == snapshot(
        [("gpu02", "slurm-node-state-down", {"state": "down*", "reason": ""})]
    )


def test_prose_and_other_lists_are_nobody_s() -> None:
    parser = SlurmNodes()
    lines = (
        "the link of gpu02 went down",
        "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)",
        "2 idle ranks",
        "State=up",
    )
    assert [parser.feed(Line("log", number, text)) for number, text in enumerate(lines)] == [Use.NOT_MINE] * len(lines)


def test_every_line_is_wanted_by_its_form() -> None:
    for line in ALL.splitlines():
        wanted = SlurmNodes.wants(line)
        assert SlurmNodes.wants(form_of(line).decode()) == wanted, line
        assert wanted or SlurmNodes().feed(Line("log", 1, line)) is Use.NOT_MINE


@given(st.lists(st.sampled_from(ALL.splitlines()) | st.text(max_size=40), max_size=12), st.integers(0, 60))
def test_any_order_and_any_cut_gives_events_of_nodes(lines: list[str], cut: int) -> None:
    for host, kind, groups in read("\n".join(lines)[: -cut or None]):
        assert host
        assert kind
        assert all(isinstance(value, str) for value in groups.values())


def test_lists_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is printed again and again is work each time; nodes in use are none."""
    monkeypatch.setattr("slowlink.parsers.complaints.slurm_nodes._MOST_NODES", 5)
    rows = "".join(f"gpu* up infinite 3 {state} {of}[1-3]\n" for state, of in (("down", "a"), ("idle", "b")) * 2)
    text = f"PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\n{rows}gpu* up infinite 1 down c1\n"
    assert [host for host, _, _ in read(text)] == ["a1", "a2", "a3", "a[1-3]", "c1"]
