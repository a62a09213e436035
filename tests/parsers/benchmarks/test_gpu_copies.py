"""Copies that CUDA's samples and ROCm's bandwidth test measured."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.benchmark import BandwidthMatrix
from slowlink.model.state import Reading
from slowlink.parsers.benchmarks.gpu_copies import PARSER

OUTPUT = """\
[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 7, pciDeviceID: 0, pciDomainID:0
Device: 1, NVIDIA A100-SXM4-80GB, pciBusID: f, pciDeviceID: 0, pciDomainID:0
Device=0 CAN Access Peer Device=1
Device=1 CANNOT Access Peer Device=0
***NOTE: In case a device doesn't have P2P access to other one, it falls back to normal memcopy procedure.
P2P Connectivity Matrix
     D\\D     0     1
     0       1     1
     1       0     1
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 1290.10  17.50
     1  17.30 1291.70
P2P=Enabled Latency (P2P Writes) Matrix (us)
   GPU     0      1
     0   2.20   2.61
     1   2.58   2.23

   CPU     0      1
     0   3.20   3.61
     1   3.58   3.23
 Device to Host Bandwidth, 1 Device(s)
 PAGEABLE Memory Transfers
   Transfer Size (Bytes)\tBandwidth(MB/s)
   33554432\t\t\t12000.0
          Unidirectional copy peak bandwidth GB/s

          D/D       0           1

          0         N/A         27.910

          1         28.102      1187.402
"""


def records(text: str) -> list[BandwidthMatrix | Reading]:
    return feed(PARSER, text.splitlines())


def test_each_table_is_a_matrix() -> None:
    assert [(m.tool, m.name, m.unit, m.matrix) for m in records(OUTPUT) if isinstance(m, BandwidthMatrix)] == [
        (
            "cuda-samples",
            "Unidirectional P2P=Disabled Bandwidth",
            "GB/s",
            ((1290.1, 17.5), (17.3, 1291.7)),
        ),
        ("cuda-samples", "P2P=Enabled Latency (P2P Writes)", "us", ((2.2, 2.61), (2.58, 2.23))),
        ("cuda-samples", "P2P=Enabled Latency (P2P Writes), seen by the CPU", "us", ((3.2, 3.61), (3.58, 3.23))),
        ("cuda-samples", "Device to Host, pageable", "GB/s", ((12.582912,),)),
        ("rocm-bandwidth-test", "Unidirectional copy peak bandwidth", "GB/s", ((None, 27.91), (28.102, 1187.402))),
    ]


def test_what_peers_can_reach_is_state() -> None:
    assert [(r.attribute, r.part.name, r.value) for r in records(OUTPUT) if isinstance(r, Reading)] == [
        ("gpu-name", "0", "NVIDIA A100-SXM4-80GB"),
        ("gpu-bus-id", "0", "0000:07:00.0"),
        ("gpu-name", "1", "NVIDIA A100-SXM4-80GB"),
        ("gpu-bus-id", "1", "0000:0f:00.0"),
        ("gpu-pair-access", "0-1", True),
        ("gpu-pair-access", "0-1", False),
    ]


def test_sizes_below_the_title_of_a_matrix_are_nobodys() -> None:
    lines = ["P2P=Enabled Latency (P2P Writes) Matrix (us)", " PINNED Memory Transfers"]
    assert feed(PARSER, [*lines, "   Transfer Size (Bytes)        Bandwidth(GB/s)", "   32000000      25.3"]) == []


def test_rows_need_their_table() -> None:
    assert records("   D\\D     0      1\n     0 1290.10 274.50\n") == []


def test_the_scan_sees_shapes_only() -> None:
    lines = [line for line in OUTPUT.splitlines() if line]
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in lines)


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(r.matrix for r in records("\n".join(lines)) if isinstance(r, BandwidthMatrix))
