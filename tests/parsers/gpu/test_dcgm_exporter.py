"""dcgm-exporter: metrics with labels, and lists of their names."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.catalog.attributes import all_attributes
from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm.fields import EXPORTED
from slowlink.parsers.gpu.dcgm_exporter import DcgmExporter
from slowlink.parsers.gpu.nvidia_smi.csv_fields import REASON_BITS

METRICS = """\
# HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
# TYPE DCGM_FI_DEV_GPU_TEMP gauge
DCGM_FI_DEV_GPU_TEMP{gpu="3",UUID="GPU-1111",device="nvidia3",modelName="NVIDIA H200",Hostname="gpu07"} 51
DCGM_FI_DEV_FB_USED{gpu="3",UUID="GPU-1111",modelName="NVIDIA H200",Hostname="gpu07"} 2
DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="3",UUID="GPU-1111",Hostname="gpu07"} 0
DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu="3",Hostname="gpu07"} 9223372036854775794
DCGM_FI_DEV_GPU_TEMP{gpu="3",GPU_I_ID="1",Hostname="gpu07"} 50
DCGM_FI_PROF_SM_ACTIVE{gpu="3",Hostname="gpu07"} 0.000012
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object, str | None]]:
    return [(found.attribute, found.part.name, found.value, found.host) for found in feed(DcgmExporter, lines)]


def test_metrics_name_their_host() -> None:
    assert told(METRICS) == snapshot(
        [
            ("gpu-temperature", "3", 51.0, "gpu07"),
            ("gpu-name", "3", "NVIDIA H200", "gpu07"),
            ("gpu-uuid", "3", "GPU-1111", "gpu07"),
            ("gpu-memory-used", "3", 2097152, "gpu07"),
            ("gpu-remap-failed", "3", False, "gpu07"),
            ("exporter-metrics", "", 5, "gpu07"),
            ("exporter-values", "", 6, "gpu07"),
            ("exporter-first-metric", "", "DCGM_FI_DEV_GPU_TEMP", "gpu07"),
        ]
    )


@pytest.mark.parametrize("name", ["DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"])
def test_the_mask_of_clock_reasons_is_a_fact_for_each_bit(name: str) -> None:
    lines = [f'{name}{{gpu="1",Hostname="gpu07"}} 72', f'{name}{{gpu="2",Hostname="gpu07"}} 0']
    assert [(name, gpu) for name, gpu, value, _ in told(lines) if value is True] == snapshot(
        [("gpu-clocks-hw-slowdown", "1"), ("gpu-clocks-hw-thermal", "1")]
    )
    assert {name for name, gpu, _, _ in told(lines) if gpu == "2"} == set(REASON_BITS.values())


def test_the_pcie_link_limits_and_retired_pages() -> None:
    of_gpu = {
        "PCIE_LINK_WIDTH": 8,
        "PCIE_MAX_LINK_WIDTH": 16,
        "PCIE_LINK_GEN": 4,
        "PCIE_MAX_LINK_GEN": 5,
        "POWER_MGMT_LIMIT": 400,
        "SLOWDOWN_TEMP": 87,
        "RETIRED_PENDING": 1,
        "RETIRED_DBE": 3,
    }
    lines = [f'DCGM_FI_DEV_{name}{{gpu="5",Hostname="gpu07"}} {value}' for name, value in of_gpu.items()]
    assert [(name, value) for name, gpu, value, _ in told(lines) if gpu == "5"] == snapshot(
        [
            ("pcie-width", 8),
            ("pcie-width-max", 16),
            ("pcie-speed", 16.0),
            ("pcie-speed-max", 32.0),
            ("gpu-power-limit", 400.0),
            ("gpu-temperature-slowdown", 87.0),
            ("gpu-retirement-pending", True),
            ("gpu-retired-pages-double-bit", 3),
        ]
    )
    assert said("pcie-link-below-capability", "\n".join(lines)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "gpu07: GPU 5: a PCIe link of 8 of 16 lanes; the device can do more",
            )
        ]
    )
    assert [n for n, _, _, _ in told(['DCGM_FI_DEV_PCIE_LINK_WIDTH{gpu="5"} 0'])] == snapshot(
        ["exporter-metrics", "exporter-values", "exporter-first-metric"]
    )


def test_names_without_values_are_counted() -> None:
    assert told(["DCGM_FI_DEV_BRAND", "DCGM_FI_DEV_COUNT", "DCGM_FI_DEV_BRAND"]) == snapshot(
        [
            ("exporter-metrics", "", 2, None),
            ("exporter-values", "", 0, None),
            ("exporter-first-metric", "", "DCGM_FI_DEV_BRAND", None),
        ]
    )


def test_metrics_of_two_hosts_keep_theirs_and_the_list_has_none() -> None:
    lines = ['DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="a"} 40', 'DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="b"} NaN']
    lines.append('DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="b"} 41')
    assert told(lines) == snapshot(
        [
            ("gpu-temperature", "0", 40.0, "a"),
            ("gpu-temperature", "0", 41.0, "b"),
            ("exporter-metrics", "", 1, None),
            ("exporter-values", "", 3, None),
            ("exporter-first-metric", "", "DCGM_FI_DEV_GPU_TEMP", None),
        ]
    )


def test_a_metric_that_is_cut_gives_no_value() -> None:
    assert [name for name, *_ in told([METRICS[2][:60]])] == []
    assert told([METRICS[2][: METRICS[2].index(" 51")]]) == []


def test_fields_are_attributes() -> None:
    assert {field.attribute for fields in EXPORTED.values() for field in fields} <= set(all_attributes())


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in METRICS:
        assert DcgmExporter.wants(text) == DcgmExporter.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from(METRICS) | st.text(max_size=30), max_size=12), st.integers(0, 120))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    reader = DcgmExporter()
    for number, text in enumerate(lines, 1):
        reader.feed(Line("t", number, text[:cut]))
    assert all(1 <= found.ref.line <= len(lines) for found in reader.finish())
