"""What ``ipmitool sel list`` shows of memory and restarts. Own samples, in its form."""

from __future__ import annotations

from event_logs import events_of
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.host.system_event_log import SystemEventLog

LOG = """\
   1 | 11/03/2026 | 02:11:30 | Memory #0x53 | Correctable ECC | Asserted
   2 | 11/03/2026 | 02:11:38 | Memory #0x53 | Uncorrectable ECC (UnCorrectable ECC |  DIMMB4) | Asserted
   3 | 11/03/2026 | 02:11:39 | Memory CPU1_DIMM_B4 | Uncorrectable ECC | Asserted
   4 | 11/03/2026 | 02:11:55 | System Boot Initiated #0x10 | Initiated by power up | Asserted
   5 | 11/03/2026 | 02:13:02 | Memory #0x53 | Memory Device Disabled (DIMMB4) | Asserted
   6 | 11/03/2026 | 02:13:02 | Fan #0x41 | Lower Critical going low  | Asserted
"""


def test_memory_and_boots() -> None:
    assert [(kind, groups) for kind, _, _, groups, _ in events_of(SystemEventLog, LOG)] == snapshot(
        [
            ("bmc-memory-uncorrected", {"dimm": "DIMMB4"}),
            ("bmc-memory-uncorrected", {}),
            ("node-booted", {}),
            ("bmc-memory-disabled", {"dimm": "DIMMB4"}),
        ]
    )


def test_what_was_taken_back_is_no_event() -> None:
    assert events_of(SystemEventLog, LOG.splitlines()[4].replace("Asserted", "Deasserted")) == []


def test_the_bmc_of_another_machine_is_that_machine() -> None:
    text = f"$ ipmitool -I lanplus -H gpu07-bmc -U admin -E sel elist\n{LOG}$ ipmitool sel elist\n{LOG}"
    hosts = [(each.kind, each.host) for each in feed(SystemEventLog, text.splitlines())]
    assert hosts[:4] == [
        ("bmc-memory-uncorrected", "gpu07"),
        ("bmc-memory-uncorrected", "gpu07"),
        ("node-booted", "gpu07"),
        ("bmc-memory-disabled", "gpu07"),
    ]
    assert {host for _, host in hosts[4:]} == {None}
    assert len(hosts) == 8


@given(st.lists(st.sampled_from([*LOG.splitlines(), "", "Memory | Uncorrectable ECC"]), max_size=20))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(SystemEventLog, lines)) <= len(lines)
