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


@given(st.lists(st.sampled_from([*LOG.splitlines(), "", "Memory | Uncorrectable ECC"]), max_size=20))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(SystemEventLog, lines)) <= len(lines)
