"""lscpu and numactl, as newer and older releases print them."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.cpu_layout import CpuLayout
from slowlink.parsers.reading.read import read

LSCPU = """\
Architecture:             x86_64
  CPU op-mode(s):         32-bit, 64-bit
  Address sizes:          52 bits physical, 57 bits virtual
  Byte Order:             Little Endian
CPU(s):                   192
  On-line CPU(s) list:    0-191
Vendor ID:                AuthenticAMD
  Model name:             AMD EPYC 9654 96-Core Processor
    CPU family:           25
    Thread(s) per core:   1
    Core(s) per socket:   96
    Socket(s):            2
    CPU max MHz:          3707.8120
Caches (sum of all):
  L3:                     768 MiB (24 instances)
NUMA:
  NUMA node(s):           8
  NUMA node0 CPU(s):      0-23
Vulnerabilities:
  Meltdown:               Not affected
"""
NUMACTL = """\
available: 2 nodes (0-1)
node 0 cpus: 0 1 2 3
node 0 size: 515612 MB
node 0 free: 498121 MB
node distances:
node   0   1
  0:  10  21
  1:  21  10
"""
LINES = (LSCPU + NUMACTL).splitlines()


def said(text: str) -> list[tuple[str, object]]:
    return [(r.attribute, r.value) for r in feed(CpuLayout, text.splitlines())]


def test_lscpu() -> None:
    assert said(LSCPU) == snapshot(
        [
            ("cpu-count", 192),
            ("cpu-model", "AMD EPYC 9654 96-Core Processor"),
            ("cpu-threads-per-core", 1),
            ("cpu-sockets", 2),
            ("numa-nodes", 8),
        ]
    )


def test_numactl_counts_nodes_only() -> None:
    assert said(NUMACTL) == snapshot([("numa-nodes", 2)])


def test_no_line_stays_unread() -> None:
    text = LSCPU + NUMACTL[: NUMACTL.index("  0:  10")]  # rows of distances look like ranks that print numbers
    (source,) = read([Input("t", None, [text.encode()])], workers=1).sources
    assert [ref.text for ref in source.unread_samples] == []


def test_a_model_of_something_else_is_none() -> None:
    assert said("The model name: unknown\nSockets: 2\nCPU(s): many\n") == []


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert CpuLayout.wants(text) == CpuLayout.wants(shape_of(text).decode()), text


@given(st.integers(0, len(LINES)), st.integers(0, 60))
def test_an_output_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    cut = "\n".join([*LINES[:lines], *(line[:letters] for line in LINES[lines : lines + 1])])
    found = said(cut)
    assert found[:-1] == said(LSCPU + NUMACTL)[: max(0, len(found) - 1)]


@given(st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(CpuLayout, lines):
        assert 1 <= r.ref.line <= len(lines)
