"""numastat: pages from another NUMA node, and where a process has its memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

TEXT = """\
                           node0           node1
numa_hit             91823712222      1823712222
numa_miss                      0     42382371222
numa_foreign         42382371222               0
interleave_hit             52012           52103
local_node           91823000000      1823000000
other_node                712222     42383083444

Per-node process memory usage (in MBs) for PID 23412 (python)
                           Node 0          Node 1           Total
                  --------------- --------------- ---------------
Huge                         0.00            0.00            0.00
Private                     33.20        88120.55        88153.75
----------------  --------------- --------------- ---------------
Total                       45.21        92330.78        92375.99
"""


def test_pages_and_the_memory_of_a_process() -> None:
    assert said(TEXT) == snapshot(
        [
            "numa-hits 0 = 91823712222.0",
            "numa-hits 1 = 1823712222.0",
            "numa-misses 0 = 0.0",
            "numa-misses 1 = 42382371222.0",
            "process-numa-memory 23412 on NUMA node 0 = 45.21",
            "process-numa-memory 23412 on NUMA node 1 = 92330.78",
        ]
    )
    assert unread(TEXT) == []


def test_rows_without_their_heading_are_nobodys() -> None:
    assert said("numa_miss                      0     42382371222\n") == []


@given(st.integers(1, len(TEXT.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT, lines, letters) == set()
