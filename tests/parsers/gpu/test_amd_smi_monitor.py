"""amd-smi monitor: cells by their order below the heading."""

from __future__ import annotations

from feeding import feed
from gpu_reading import told, unread
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.gpu.amd_smi_monitor import AmdSmiMonitor

MONITOR = """\
GPU  XCP  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%      VRAM_USAGE
  3    0  641 W   72 °C   66 °C  2088 MHz  100 %   31 %    N/A  180.1/192.0 GB
  4    0  141 W     N/A   36 °C   132 MHz    0 %
"""
OLDER = """\
 TIMESTAMP  GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK
1925000000    7  130 W     34 °C     28 °C       0 %    132 MHz       0 %    900 MHz
"""
LINES = [*MONITOR.splitlines(), *OLDER.splitlines()]


def test_the_monitor() -> None:
    assert told(AmdSmiMonitor, MONITOR) == snapshot(
        [
            ("gpu 3", "gpu-power", 641.0),
            ("gpu 3", "gpu-temperature", 72.0),
            ("gpu 3", "gpu-memory-temperature", 66.0),
            ("gpu 3", "gpu-clock-sm", 2088.0),
            ("gpu 3", "gpu-utilisation", 100.0),
            ("gpu 3", "gpu-memory-utilisation", 31.0),
        ]
    )


def test_the_names_of_older_versions() -> None:
    assert told(AmdSmiMonitor, OLDER) == snapshot(
        [
            ("gpu 7", "gpu-power", 130.0),
            ("gpu 7", "gpu-temperature", 34.0),
            ("gpu 7", "gpu-memory-temperature", 28.0),
            ("gpu 7", "gpu-clock-sm", 132.0),
            ("gpu 7", "gpu-clock-memory", 900.0),
            ("gpu 7", "gpu-utilisation", 0.0),
            ("gpu 7", "gpu-memory-utilisation", 0.0),
        ]
    )
    assert unread(OLDER) == []


def test_rows_without_their_heading_are_not_ours() -> None:
    assert told(AmdSmiMonitor, "\n".join(MONITOR.splitlines()[1:])) == []


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINES:
        assert AmdSmiMonitor.wants(text) == AmdSmiMonitor.wants(shape_of(text).decode()), text


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=60), max_size=25), st.integers(0, 90))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    for found in feed(AmdSmiMonitor, [line[:cut] for line in lines]):
        assert found.part.kind == "gpu"
        assert 1 <= found.ref.line <= len(lines)


def test_counts_of_errors_are_whole_numbers() -> None:
    text = "GPU  POWER  SINGLE_ECC  DOUBLE_ECC  PCIE_REPLAY\n  3  140 W           0           2            7\n"
    assert told(AmdSmiMonitor, text)[1:] == snapshot(
        [
            ("gpu 3", "gpu-ecc-volatile-correctable", 0),
            ("gpu 3", "gpu-ecc-volatile-uncorrectable", 2),
            ("gpu 3", "gpu-pcie-replays", 7),
        ]
    )
