"""Topology matrices: how each tool prints them, wrapped, cut, and without their tabs."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.gpu.topology_matrix import TopologyMatrix, matrix_in

NVIDIA = """\
\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tNV18\tSYS\tPIX\tSYS\t0-47,96-143\t0\t\tN/A
GPU1\tNV18\t X \tSYS\tNODE\tSYS\t0-47,96-143\t0\t\tN/A
GPU2\tSYS\tSYS\t X \tSYS\tPHB\t48-95\t0-1\t\tN/A
NIC0\tPIX\tNODE\tSYS\t X \tSYS\t\t\t
NIC1\tSYS\tSYS\tPHB\tSYS\t X \t\t\t

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

  NIC0: mlx5_3
  NIC1: ibp65s0
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(TopologyMatrix, lines)]


def test_nvidia_smi_topo_m() -> None:
    assert told(NVIDIA) == snapshot(
        [
            ("topology-gpus", "", 3),
            ("topology-nics", "", 2),
            ("gpu-pair-link", "0-1", "NV18"),
            ("gpu-pair-link", "0-2", "SYS"),
            ("gpu-nic-link", "0-mlx5_3", "PIX"),
            ("gpu-nic-link", "0-ibp65s0", "SYS"),
            ("gpu-cpu-affinity", "0", "0-47,96-143"),
            ("gpu-numa-node", "0", 0),
            ("gpu-pair-link", "1-2", "SYS"),
            ("gpu-nic-link", "1-mlx5_3", "NODE"),
            ("gpu-nic-link", "1-ibp65s0", "SYS"),
            ("gpu-cpu-affinity", "1", "0-47,96-143"),
            ("gpu-numa-node", "1", 0),
            ("gpu-nic-link", "2-mlx5_3", "SYS"),
            ("gpu-nic-link", "2-ibp65s0", "PHB"),
            ("gpu-cpu-affinity", "2", "48-95"),
        ]
    )


def test_adapters_keep_their_numbers_without_a_legend() -> None:
    found = told(NVIDIA[:6])
    assert [entry for entry in found if entry[0] == "gpu-nic-link"][:2] == snapshot(
        [("gpu-nic-link", "0-NIC0", "PIX"), ("gpu-nic-link", "0-NIC1", "SYS")]
    )


def test_a_data_direct_function_is_a_nearer_way_to_its_adapter() -> None:
    text = """\
	GPU0	GPU1	NIC0	NIC1	DD0	CPU Affinity	NUMA Affinity	GPU NUMA ID
GPU0	 X 	SYS	SYS	NODE	SYS	0-71	0,2-8		N/A
GPU1	SYS	 X 	SYS	SYS	PXB	0-71	0,2-8		1
NIC0	SYS	SYS	 X 	PIX	SYS
NIC1	NODE	SYS	PIX	 X 	SYS
DD0	SYS	PXB	SYS	SYS	 X

NIC Legend:

  NIC0: mlx5_0
  NIC1: mlx5_1
  DD0: mlx5_0 data-direct function
"""
    assert [each for each in told(text.splitlines()) if "nic" in each[0]] == snapshot(
        [
            ("topology-nics", "", 2),
            ("gpu-nic-link", "0-mlx5_0", "SYS"),
            ("gpu-nic-link", "0-mlx5_1", "NODE"),
            ("gpu-nic-link", "1-mlx5_0", "PXB"),
            ("gpu-nic-link", "1-mlx5_1", "SYS"),
        ]
    )


def test_old_drivers_print_adapter_names_and_other_words() -> None:
    text = """\
        GPU0    GPU1    mlx5_0  mlx5_1  CPU Affinity
GPU0     X      SOC     PIX     SOC     0-13,28-41
GPU1    SOC      X      SOC     PXB     14-27,42-55
mlx5_0  PIX     SOC      X      SOC
mlx5_1  SOC     PXB     SOC      X
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("topology-gpus", "", 2),
            ("topology-nics", "", 2),
            ("gpu-pair-link", "0-1", "SOC"),
            ("gpu-nic-link", "0-mlx5_0", "PIX"),
            ("gpu-nic-link", "0-mlx5_1", "SOC"),
            ("gpu-cpu-affinity", "0", "0-13,28-41"),
            ("gpu-nic-link", "1-mlx5_0", "SOC"),
            ("gpu-nic-link", "1-mlx5_1", "PXB"),
            ("gpu-cpu-affinity", "1", "14-27,42-55"),
        ]
    )


def test_adapter_names_that_were_cut_off_are_told_apart_by_their_place() -> None:
    text = """\
\tGPU0\tmlx5_ib\tmlx5_ib\tCPU Affinity
GPU0\t X \tNODE\tSYS\t0-3
"""
    assert [entry for entry in told(text.splitlines()) if entry[0] == "gpu-nic-link"] == snapshot(
        [("gpu-nic-link", "0-NIC0", "NODE"), ("gpu-nic-link", "0-NIC1", "SYS")]
    )


def test_peer_to_peer_states_take_their_kind_from_the_command() -> None:
    text = """\
$ nvidia-smi topo -p2p n
 \tGPU0\tGPU1\tGPU2
 GPU0\tX\tOK\tCNS
 GPU1\tOK\tX\tNS
 GPU2\tCNS\tNS\tX

Legend:

  X    = Self
  OK   = Status Ok
  CNS  = Chipset not supported
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("topology-gpus", "", 3),
            ("topology-nics", "", 0),
            ("gpu-pair-p2p-nvlink", "0-1", "OK"),
            ("gpu-pair-p2p-nvlink", "0-2", "CNS"),
            ("gpu-pair-p2p-nvlink", "1-2", "NS"),
        ]
    )


def test_mx_smi_topo_n() -> None:
    text = """\
        Attached GPUs                                     : 2
        Device link type matrix
                GPU0    GPU1    NIC0    Node Affinity  CPU Affinity
        GPU0    X       MX      PXB     1              56-111
        GPU1    MX      X       NODE    1              56-111
        NIC0    PXB     NODE    X
        NIC Legend:

          NIC0: mlx5_2
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("topology-gpus", "", 2),
            ("topology-nics", "", 1),
            ("gpu-pair-link", "0-1", "MX"),
            ("gpu-nic-link", "0-mlx5_2", "PXB"),
            ("gpu-numa-node", "0", 1),
            ("gpu-cpu-affinity", "0", "56-111"),
            ("gpu-nic-link", "1-mlx5_2", "NODE"),
            ("gpu-numa-node", "1", 1),
            ("gpu-cpu-affinity", "1", "56-111"),
        ]
    )


def test_rocm_smi_showtopo() -> None:
    text = """\
============================ ROCm System Management Interface ============================
================================ Weight between two GPUs =================================
       GPU0         GPU1
GPU0   0            15
GPU1   15           0
================================= Hops between two GPUs ==================================
       GPU0         GPU1
GPU0   0            1
GPU1   1            0
=============================== Link Type between two GPUs ===============================
       GPU0         GPU1
GPU0   0            XGMI
GPU1   XGMI         0
======================================= Numa Nodes =======================================
GPU[0]          : (Topology) Numa Node: 0
GPU[0]          : (Topology) Numa Affinity: 0
GPU[1]          : (Topology) Numa Node: 1
GPU[1]          : (Topology) Numa Affinity: 1
================================== End of ROCm SMI Log ===================================
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("gpu-pair-weight", "0-1", 15),
            ("gpu-pair-hops", "0-1", 1),
            ("gpu-pair-link", "0-1", "XGMI"),
            ("gpu-numa-node", "0", 0),
            ("gpu-numa-node", "1", 1),
        ]
    )


def test_amd_smi_topology_names_gpus_by_address() -> None:
    text = """\
ACCESS TABLE:
             0000:05:00.0 0000:26:00.0
0000:05:00.0 ENABLED      ENABLED
0000:26:00.0 DISABLED     ENABLED

LINK TYPE TABLE:
             0000:05:00.0 0000:26:00.0
0000:05:00.0 SELF         XGMI
0000:26:00.0 XGMI         SELF

NUMA BW TABLE:
             0000:05:00.0 0000:26:00.0
0000:05:00.0 N/A          50000-50000
0000:26:00.0 50000-50000  N/A
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("gpu-pair-access", "0-1", True),
            ("gpu-pair-access", "0-1", False),
            ("topology-gpus", "", 2),
            ("topology-nics", "", 0),
            ("gpu-bus-id", "0", "0000:05:00.0"),
            ("gpu-bus-id", "1", "0000:26:00.0"),
            ("gpu-pair-link", "0-1", "XGMI"),
        ]
    )


def test_words_about_gpus_are_no_matrix() -> None:
    assert told(["GPU0 is fine", "GPU0 and GPU1 are joined", "GPU0 X NV12", "NIC0: eth0", "  0 1 2"]) == []


def test_a_markdown_table_may_have_a_word_in_its_corner() -> None:
    table = [
        "| GPU  | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity |",
        "|------|------|------|------|--------------|---------------|",
        "| GPU0 | X    | NV18 | PIX  | 0-47         | 0             |",
        "| GPU1 | NV18 | X    | SYS  | 48-95        | 1             |",
    ]
    assert [entry for entry in told(table) if entry[0].endswith("-link")] == [
        ("gpu-pair-link", "0-1", "NV18"),
        ("gpu-nic-link", "0-NIC0", "PIX"),
        ("gpu-nic-link", "1-NIC0", "SYS"),
    ]


@given(st.integers(min_value=24, max_value=90))
def test_a_terminal_may_break_lines_anywhere(width: int) -> None:
    lines = [line.expandtabs(8).rstrip() for line in NVIDIA]
    wrapped = [line[at : at + width] for line in lines for at in range(0, len(line) or 1, width)]
    links = [entry for entry in told(lines) if entry[0].endswith("-link")]
    assert [entry for entry in told(wrapped) if entry[0].endswith("-link")] == links


@given(st.integers(min_value=0, max_value=len(NVIDIA)), st.integers(min_value=0, max_value=120))
@example(1, 12)
def test_cut_anywhere_it_invents_nothing(lines: int, letters: int) -> None:
    whole = {(name, part): value for name, part, value in told(NVIDIA)}
    cut = [*NVIDIA[:lines], *(line[:letters] for line in NVIDIA[lines : lines + 1])]
    for name, part, value in told(cut):
        if name in ("gpu-pair-link", "topology-gpus"):
            assert whole[(name, part)] == value or lines == 0


@pytest.mark.parametrize("next_line", ["step 17 loss 2.5", "GPU0\tGPU1\tCPU Affinity", "CPU Affinity 3"])
def test_a_heading_without_rows_takes_nothing_that_names_no_column(next_line: str) -> None:
    parser = TopologyMatrix()
    parser.feed(Line("t", 1, "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity"))
    for number in range(2, 9):
        parser.feed(Line("t", number, next_line))
    assert parser._matrix is not None
    assert len(parser._matrix.widened) < 60


def test_the_affinities_of_a_row_have_an_end() -> None:
    parser = TopologyMatrix()
    for number, text in enumerate(["\tGPU0\tGPU1", "\tGPU2\tCPU Affinity", "GPU0\t X \tNV18\tNV18\t1,"], 1):
        parser.feed(Line("t", number, text))
    uses = [parser.feed(Line("t", number, "1,2,3,")) for number in range(4, 2004)]
    assert uses[0] is Use.USED
    assert uses[-1] is Use.NOT_MINE


@given(st.lists(st.text(alphabet="GPUNICX 01\tmlx_5:-=|NVSYOK/A", max_size=60), max_size=12))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    parser = TopologyMatrix()
    for number, text in enumerate(lines, 1):
        parser.feed(Line("t", number, text))
    list(parser.finish())


def test_a_matrix_inside_a_document_counts_for_its_line() -> None:
    found = list(matrix_in("\t\x1b[4mGPU0\tGPU1\x1b[0m\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", "report.json", 7))
    assert [(r.attribute, r.part.name, r.value, r.ref.line) for r in found] == snapshot(
        [("topology-gpus", "", 2, 7), ("topology-nics", "", 0, 7), ("gpu-pair-link", "0-1", "NV4", 7)]
    )
