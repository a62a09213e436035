"""rocm-smi: tables of two versions, keys, processes, JSON."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu.rocm_smi import RocmSmi
from slowlink.parsers.gpu.rocm_smi.document import RocmSmiDocument

CONCISE_6 = """\
=========================================== ROCm System Management Interface ===========================================
===================================================== Concise Info =====================================================
Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
========================================================================================================================
0       2     0x74a1,   28851  41.0°C      141.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  3%     17%
1       3     0x74a1,   51499  N/A         N/A       NPS1, SPX, 0        None    None    0%   auto  750.0W  0%     0%
========================================================================================================================
================================================= End of ROCm SMI Log ==================================================
""".splitlines()

CONCISE_5 = """\
GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
4    35.0c           37.0W   800Mhz  1600Mhz  0%   auto  500.0W    0%   0%
""".splitlines()

FIRST = """\
====================    ROCm System Management Interface    ====================
================================================================================
 GPU  Temp    AvgPwr   SCLK     MCLK     PCLK           Fan      Perf    SCLK OD    MCLK OD
  0   41.0c   22.0W    852Mhz   167Mhz   8.0GT/s, x16   14.9%    auto      3%         0%
  1   N/A     N/A      991Mhz   945Mhz   N/A            N/A      auto      0%         N/A
================================================================================
====================           End of ROCm SMI Log             ====================
""".splitlines()

KEYS = """\
========================== Version of System Component ==========================
Driver version: 6.8.5
GPU[0]\t\t: Device Name: \t\tAMD Instinct MI300X
GPU[0]\t\t: Temperature (Sensor junction) (C): 44.0
GPU[0]\t\t: Temperature (Sensor memory) (C): N/A
GPU[0]\t\t: sclk clock level: 1: (2100Mhz)
GPU[0]\t\t: GPU use (%): 0
GPU[0]\t\t: VRAM Total Used Memory (B): 297410560
GPU[0]\t\t: PCI Bus: 0000:C6:00.0
GPU[0]\t\t: XGMI Error count: 1 (single error detected)
GPU[0]\t\t: (Topology) Numa Node: 1
GPU[0]\t\t: Something new: 3
PID\tPROCESS NAME\tGPU(s)\tVRAM USED\tSDMA USED\tCU OCCUPANCY
4711\tpython3\t1\t123456789\t0\t0
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(RocmSmi, lines)]


def test_the_table() -> None:
    assert told(CONCISE_6) == snapshot(
        [
            ("gpu-temperature", "0", 41.0),
            ("gpu-partition", "0", "SPX"),
            ("gpu-power", "0", 141.0),
            ("gpu-power-limit", "0", 750.0),
            ("gpu-clock-sm", "0", 132.0),
            ("gpu-clock-memory", "0", 900.0),
            ("gpu-utilisation", "0", 17.0),
            ("gpu-partition", "1", "SPX"),
            ("gpu-power-limit", "1", 750.0),
            ("gpu-utilisation", "1", 0.0),
        ]
    )


def test_the_older_table() -> None:
    assert told(CONCISE_5) == snapshot(
        [
            ("gpu-temperature", "4", 35.0),
            ("gpu-power", "4", 37.0),
            ("gpu-power-limit", "4", 500.0),
            ("gpu-clock-sm", "4", 800.0),
            ("gpu-clock-memory", "4", 1600.0),
            ("gpu-utilisation", "4", 0.0),
        ]
    )


def test_the_table_before_rocm_2_has_neither_a_limit_nor_a_utilisation() -> None:
    assert told(FIRST) == snapshot(
        [
            ("gpu-temperature", "0", 41.0),
            ("gpu-power", "0", 22.0),
            ("gpu-clock-sm", "0", 852.0),
            ("gpu-clock-memory", "0", 167.0),
            ("gpu-clock-sm", "1", 991.0),
            ("gpu-clock-memory", "1", 945.0),
        ]
    )
    oldest = FIRST[2].replace("GPU  ", "GPU  DID    ").replace("SCLK OD    MCLK OD", "OverDrive  ECC   VBIOS")
    assert told([oldest, "  3   0x67df 50.0c    33.0W    300Mhz   300Mhz   20.0%    auto      0%       N/A"])[:2] == [
        ("gpu-temperature", "3", 50.0),
        ("gpu-power", "3", 33.0),
    ]


def test_keys_and_processes() -> None:
    assert told(KEYS) == snapshot(
        [
            ("driver-version", "", "6.8.5"),
            ("gpu-name", "0", "AMD Instinct MI300X"),
            ("gpu-temperature", "0", 44.0),
            ("gpu-clock-sm", "0", 2100.0),
            ("gpu-utilisation", "0", 0.0),
            ("gpu-memory-used", "0", 297410560),
            ("gpu-bus-id", "0", "0000:c6:00.0"),
            ("xgmi-errors", "0", 1),
            ("process-name", "4711", "python3"),
            ("process-gpu-memory", "4711", 123456789),
        ]
    )


def test_json() -> None:
    value = {
        "card1": {"GPU use (%)": "12", "PCI Bus": "0000:05:00.0", "Card Series": "N/A", "odd": ["x"]},
        "system": {"Driver version": "6.8.5"},
    }
    assert RocmSmiDocument.wants_document(value)
    found = [(r.attribute, r.part.name, r.value) for r in RocmSmiDocument().read(value, "t", 1)]
    assert found == snapshot(
        [("gpu-utilisation", "1", 12.0), ("gpu-bus-id", "1", "0000:05:00.0"), ("driver-version", "", "6.8.5")]
    )
    assert not RocmSmiDocument.wants_document({"card": {}, "cards": 3})


def test_rows_without_their_heading_are_not_ours() -> None:
    assert told([*CONCISE_6[5:7], *KEYS[-1:]]) == []


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in (*CONCISE_6, *CONCISE_5, *FIRST, *KEYS):
        assert RocmSmi.wants(text) == RocmSmi.wants(re.sub(r"\d", "0", text))


@given(
    st.lists(st.sampled_from([*CONCISE_6, *CONCISE_5, *FIRST, *KEYS]) | st.text(max_size=20), max_size=20),
    st.integers(0, 130),
)
def test_any_order_and_any_cut_give_a_result(lines: list[str], cut: int) -> None:
    for name, part, value in told([line[:cut] for line in lines]):
        assert name
        assert isinstance(value, int | float | str)
        assert part.isdigit() or part == ""


HARDWARE = """\
================================================= Concise Hardware Info ==================================================
GPU  NODE  DID     GUID   GFX VER  GFX RAS  SDMA RAS  UMC RAS  VBIOS             BUS           PARTITION ID
0    2     0x74a1  28851  gfx942   ENABLED  ENABLED   ENABLED  113-M3000100-102  0002:00:01.0  0
1    3     0x740c  51499  gfx90a   ENABLED  DISABLED  N/A      N/A               0000:C9:00.0
==========================================================================================================================
""".splitlines()


def test_the_hardware_table_says_where_each_gpu_sits() -> None:
    assert [(r.attribute, r.part.name, r.value) for r in feed(RocmSmi, HARDWARE)] == [
        ("gpu-bus-id", "0", "0002:00:01.0"),
        ("gpu-vbios", "0", "113-M3000100-102"),
        ("gpu-bus-id", "1", "0000:c9:00.0"),
    ]
    assert all(RocmSmi.wants(re.sub(r"\d", "0", line)) for line in HARDWARE)
