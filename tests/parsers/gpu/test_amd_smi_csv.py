"""amd-smi --csv: columns by their names."""

from __future__ import annotations

from feeding import feed
from gpu_reading import told, unread
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.gpu.amd_smi_csv import AmdSmiCsv

METRIC = """\
gpu,gfx_activity,umc_activity,mm_activity,socket_power,total_correctable_count,total_uncorrectable_count
0,3,0,N/A,140,7,0
1,N/A,N/A,N/A,N/A,0,2
2,3
"""
STATIC = """\
gpu,market_name,bus_bdf,driver_version,max_pcie_width
6,AMD Instinct MI300X,0000:c6:00.0,6.12.12,16
"""
LINES = [*METRIC.splitlines(), *STATIC.splitlines()]


def test_csv_and_a_row_that_is_cut() -> None:
    assert told(AmdSmiCsv, METRIC) == snapshot(
        [
            ("gpu 0", "gpu-utilisation", 3.0),
            ("gpu 0", "gpu-memory-utilisation", 0.0),
            ("gpu 0", "gpu-ecc-volatile-correctable", 7),
            ("gpu 0", "gpu-ecc-volatile-uncorrectable", 0),
            ("gpu 1", "gpu-ecc-volatile-correctable", 0),
            ("gpu 1", "gpu-ecc-volatile-uncorrectable", 2),
        ]
    )
    assert told(AmdSmiCsv, "gpu,name,users\n0,x,3\n") == []


def test_names_that_are_joined_with_their_section() -> None:
    assert told(AmdSmiCsv, STATIC) == snapshot(
        [
            ("gpu 6", "gpu-name", "AMD Instinct MI300X"),
            ("gpu 6", "gpu-bus-id", "0000:c6:00.0"),
            ("node", "driver-version", "6.12.12"),
            ("gpu 6", "pcie-width-max", 16),
        ]
    )
    assert unread(STATIC) == []


def test_rows_below_a_heading_of_another_program_are_not_ours() -> None:
    assert told(AmdSmiCsv, f"{METRIC.splitlines()[0]}\ngpu,job,user\n0,3,0\n") == []


def test_rows_far_below_their_heading_are_not_ours() -> None:
    assert told(AmdSmiCsv, "\n".join([LINES[0], *["other words"] * 4, LINES[1]])) == []


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINES:
        assert AmdSmiCsv.wants(text) == AmdSmiCsv.wants(shape_of(text).decode()), text


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=60), max_size=25), st.integers(0, 110))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    for found in feed(AmdSmiCsv, [line[:cut] for line in lines]):
        assert found.part.kind in ("gpu", "node")
        assert 1 <= found.ref.line <= len(lines)


def test_the_columns_of_monitor_are_those_of_metric() -> None:
    text = "gpu,power_usage,hotspot_temperature,gfx_clk,gfx,double_bit_ecc,pcie_replay\n2,401,104,902,100,4,12\n"
    assert told(AmdSmiCsv, text) == snapshot(
        [
            ("gpu 2", "gpu-power", 401.0),
            ("gpu 2", "gpu-temperature", 104.0),
            ("gpu 2", "gpu-clock-sm", 902.0),
            ("gpu 2", "gpu-utilisation", 100.0),
            ("gpu 2", "gpu-ecc-volatile-uncorrectable", 4),
            ("gpu 2", "gpu-pcie-replays", 12),
        ]
    )
