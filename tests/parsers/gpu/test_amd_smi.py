"""amd-smi: blocks and JSON say the same."""

from __future__ import annotations

import re

from feeding import feed
from gpu_reading import unread
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu.amd_smi import AmdSmi
from slowlink.parsers.gpu.amd_smi.document import AmdSmiDocument

TEXT = """\
AMDSMI Tool: 25.5.1+41065e8 | AMDSMI Library version: 25.5.1 | ROCm version: 6.4.2
GPU: 1
    ASIC:
        MARKET_NAME: AMD Instinct MI300X
        VENDOR_ID: 0x1002
    BUS:
        BDF: 0000:26:00.0
        MAX_PCIE_WIDTH: 16
        MAX_PCIE_SPEED: 32 GT/s
    DRIVER:
        NAME: amdgpu
        VERSION: 6.12.12
    USAGE:
        GFX_ACTIVITY: 3 %
        UMC_ACTIVITY: N/A
    TEMPERATURE:
        EDGE: N/A
        HOTSPOT: 41 °C
    CLOCK:
        GFX_0:
            CLK: 132 MHz
        GFX_1:
            CLK: 2100 MHz
    ECC:
        TOTAL_CORRECTABLE_COUNT: 7
        TOTAL_UNCORRECTABLE_COUNT: 0
    MEM_USAGE:
        USED_VRAM: 283 MB
    PROCESS_INFO:
        NAME: /usr/bin/python3
        PID: 4711

XGMI LINK STATUS:
GPU   BDF           LINK_1_STATUS
GPU1  0000:26:00.0  U  D  X  U
""".splitlines()

LINKS = """\
LINK METRIC TABLE:
       bdf          bit_rate  max_bandwidth  link_type  0000:43:00.0  0000:63:00.0
GPU0   0000:43:00.0 32 Gb/s   512 Gb/s       XGMI
 Read                                                   N/A           1.2 GB
XGMI LINK STATUS:
       bdf                 link_status
GPU0   0000:43:00.0        SELF U D X
"""


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(AmdSmi, lines)]


def test_blocks() -> None:
    assert told(TEXT) == snapshot(
        [
            ("amd-smi-version", "", "25.5.1+41065e8"),
            ("rocm-version", "", "6.4.2"),
            ("gpu-name", "1", "AMD Instinct MI300X"),
            ("gpu-bus-id", "1", "0000:26:00.0"),
            ("pcie-width-max", "1", 16),
            ("pcie-speed-max", "1", 32.0),
            ("driver-version", "", "6.12.12"),
            ("gpu-utilisation", "1", 3.0),
            ("gpu-temperature", "1", 41.0),
            ("gpu-clock-sm", "1", 132.0),
            ("gpu-ecc-volatile-correctable", "1", 7),
            ("gpu-ecc-volatile-uncorrectable", "1", 0),
            ("gpu-memory-used", "1", 296747008),
            ("process-gpu", "4711", "1"),
            ("process-name", "4711", "python3"),
            ("xgmi-link", "1/0", True),
            ("xgmi-link", "1/1", False),
            ("xgmi-link", "1/3", True),
        ]
    )


def test_no_processes() -> None:
    lines = ["GPU: 0", "    PROCESS_INFO: No running processes detected"]
    assert told(lines) == snapshot([("gpu-processes-listed", "", 0)])


def test_rates_and_states_of_links() -> None:
    assert told(LINKS.splitlines()) == snapshot(
        [
            ("xgmi-lane-rate", "0", 32.0),
            ("xgmi-link-rate", "0", 512.0),
            ("xgmi-link", "0/1", True),
            ("xgmi-link", "0/2", False),
        ]
    )
    assert unread(LINKS) == []


def test_json() -> None:
    value = [
        {
            "gpu": 1,
            "asic": {"market_name": "AMD Instinct MI300X"},
            "bus": {"bdf": "0000:26:00.0", "max_pcie_speed": {"value": 32, "unit": "GT/s"}},
            "driver": {"version": "6.12.12"},
            "usage": {"gfx_activity": {"value": 3, "unit": "%"}, "umc_activity": "N/A"},
            "clock": {"gfx_0": {"clk": {"value": 132, "unit": "MHz"}}},
            "ecc": {"total_uncorrectable_count": 0},
            "process_list": [{"process_info": {"name": "/usr/bin/python3", "pid": 4711}}, {"process_info": "none"}],
        }
    ]
    assert AmdSmiDocument.wants_document(value)
    found = [(r.attribute, r.part.name, r.value) for r in AmdSmiDocument().read(value, "t", 1)]
    assert found == snapshot(
        [
            ("gpu-name", "1", "AMD Instinct MI300X"),
            ("gpu-bus-id", "1", "0000:26:00.0"),
            ("pcie-speed-max", "1", 32.0),
            ("driver-version", "", "6.12.12"),
            ("gpu-utilisation", "1", 3.0),
            ("gpu-clock-sm", "1", 132.0),
            ("gpu-ecc-volatile-uncorrectable", "1", 0),
            ("process-gpu", "4711", "1"),
            ("process-name", "4711", "python3"),
        ]
    )
    assert set(found) <= set(told(TEXT))
    counted = AmdSmiDocument().read([{"gpu": n, "bdf": f"0000:{n:02}:00.0"} for n in (0, 1)], "t", 1)
    assert [r.value for r in counted if r.attribute == "gpu-count"] == [2]


def test_keys_outside_of_a_gpu_are_not_ours() -> None:
    assert told(["    BDF: 0000:26:00.0", "        HOTSPOT: 41 °C"]) == []
    assert not AmdSmiDocument.wants_document([{"gpu": 1, "name": "x"}, {"gpu": True, "asic": {}}])


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in TEXT:
        assert AmdSmi.wants(text) == AmdSmi.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from([*TEXT, *LINKS.splitlines()]) | st.text(max_size=20), max_size=25), st.integers(0, 90))
def test_any_order_and_any_cut_give_a_result(lines: list[str], cut: int) -> None:
    for name, _, value in told([line[:cut] for line in lines]):
        assert name
        assert isinstance(value, int | float | str)
