"""The table that amd-smi prints without options."""

from __future__ import annotations

from feeding import feed
from gpu_reading import told, unread
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.gpu.amd_smi_table import AmdSmiTable

VIEW = """\
+------------------------------------------------------------------------------+
| AMD-SMI 26.1.0+5df6c765  amdgpu version: 6.16.6   ROCm version: 7.1.0        |
| VBIOS version: 113-X-001                                                     |
| Platform: Linux Baremetal                                                    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:43:00.0    AMD Instinct MI325X | 3 %      51 °C   2        612/1000 W  |
|   4       4       4        SPX/NPS1 | 97 %       N/A         20011/262128 MB |
|-------------------------------------+----------------------------------------|
| 0000:63:00.0                    N/A | N/A        N/A   N/A          N/A/N/A  |
|   5       5       5             N/A | N/A        N/A             285/262128 MB |
+-------------------------------------+----------------------------------------+
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
|    4       4711  python3               2.0 MB   19.5 GB    19.6 GB       N/A |
+------------------------------------------------------------------------------+
"""
LINES = VIEW.splitlines()


def test_the_default_view() -> None:
    assert told(AmdSmiTable, VIEW) == snapshot(
        [
            ("node", "amd-smi-version", "26.1.0+5df6c765"),
            ("node", "driver-version", "6.16.6"),
            ("node", "rocm-version", "7.1.0"),
            ("gpu 4", "gpu-bus-id", "0000:43:00.0"),
            ("gpu 4", "gpu-name", "AMD Instinct MI325X"),
            ("gpu 4", "gpu-memory-utilisation", 3.0),
            ("gpu 4", "gpu-temperature", 51.0),
            ("gpu 4", "gpu-ecc-volatile-uncorrectable", 2),
            ("gpu 4", "gpu-power", 612.0),
            ("gpu 4", "gpu-power-limit", 1000.0),
            ("gpu 4", "gpu-partition", "SPX/NPS1"),
            ("gpu 4", "gpu-utilisation", 97.0),
            ("gpu 4", "gpu-memory-used", 20983054336),
            ("gpu 4", "gpu-memory-total", 274861129728),
            ("gpu 5", "gpu-bus-id", "0000:63:00.0"),
            ("gpu 5", "gpu-memory-used", 298844160),
            ("gpu 5", "gpu-memory-total", 274861129728),
            ("process 4711", "process-gpu", "4"),
            ("process 4711", "process-name", "python3"),
            ("process 4711", "process-gpu-memory", 21045339750),
        ]
    )


def test_nothing_of_it_stays_unread() -> None:
    assert unread(VIEW) == []


def test_rows_far_from_their_heading_are_not_ours() -> None:
    assert told(AmdSmiTable, "\n".join([LINES[1], *["other words"] * 10, *LINES[8:10]])) == snapshot(
        [
            ("node", "amd-smi-version", "26.1.0+5df6c765"),
            ("node", "driver-version", "6.16.6"),
            ("node", "rocm-version", "7.1.0"),
        ]
    )


def test_a_first_row_waits_for_the_row_right_below_it() -> None:
    text = "\n".join([*LINES[:9], "a line that tore the table", LINES[9]])
    assert [attribute for part, attribute, _ in told(AmdSmiTable, text) if part == "gpu 4"] == snapshot(
        ["gpu-partition", "gpu-utilisation", "gpu-memory-used", "gpu-memory-total"]
    )


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINES:
        assert AmdSmiTable.wants(text) == AmdSmiTable.wants(shape_of(text).decode()), text


@given(st.integers(0, len(LINES)), st.integers(0, 90))
def test_a_table_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    cut = "\n".join([*LINES[: max(0, lines - 1)], *(line[:letters] for line in LINES[max(0, lines - 1) : lines])])
    assert set(told(AmdSmiTable, cut)) <= set(told(AmdSmiTable, VIEW))


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=60), max_size=25), st.integers(0, 90))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    text = [*lines, *(line[:cut] for line in lines)]
    for found in feed(AmdSmiTable, text):
        assert 1 <= found.ref.line <= len(text)
    unread("\n".join(text))
