"""What dcgmi and dcgm-exporter print without boxes: metrics, samples, link states."""

from __future__ import annotations

import re
from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.catalog.attributes import all_attributes
from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm.fields import EXPORTED, SHORT
from slowlink.parsers.gpu.dcgm_dmon import DcgmDmon
from slowlink.parsers.gpu.dcgm_exporter import DcgmExporter
from slowlink.parsers.gpu.dcgm_nvlink import DcgmNvlink

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

SAMPLES = """\
#Entity   TMPTR  POWER    FBUSD  XIDER
ID
GPU 1     47     93.104   0      N/A
GPU 0     45     71.034   11     79
""".splitlines()

LINKS = """\
+----------------------+
|  NvLink Link Status  |
+----------------------+
GPUs:
    gpuId 0:
        U U D X _
    gpuId 1:
        U U
NvSwitches:
    physicalId 12:
        U D D X
Key: Up=U, Down=D, Disabled=X, Not Supported=_
""".splitlines()

ALL = ((DcgmExporter, METRICS), (DcgmDmon, SAMPLES), (DcgmNvlink, LINKS))


def told(parser: Any, lines: list[str]) -> list[tuple[str, str, object, str | None]]:
    return [(found.attribute, found.part.name, found.value, found.host) for found in feed(parser, lines)]


def test_metrics_name_their_host() -> None:
    assert told(DcgmExporter, METRICS) == snapshot(
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


def test_names_without_values_are_counted() -> None:
    assert told(DcgmExporter, ["DCGM_FI_DEV_BRAND", "DCGM_FI_DEV_COUNT", "DCGM_FI_DEV_BRAND"]) == snapshot(
        [
            ("exporter-metrics", "", 2, None),
            ("exporter-values", "", 0, None),
            ("exporter-first-metric", "", "DCGM_FI_DEV_BRAND", None),
        ]
    )


def test_samples() -> None:
    assert told(DcgmDmon, SAMPLES) == snapshot(
        [
            ("gpu-temperature", "1", 47.0, None),
            ("gpu-power", "1", 93.104, None),
            ("gpu-memory-used", "1", 0, None),
            ("gpu-temperature", "0", 45.0, None),
            ("gpu-power", "0", 71.034, None),
            ("gpu-memory-used", "0", 11534336, None),
            ("gpu-last-xid", "0", 79, None),
        ]
    )


def test_rows_without_their_heading_are_not_ours() -> None:
    assert told(DcgmDmon, SAMPLES[1:]) == []


def test_link_states_of_gpus() -> None:
    assert told(DcgmNvlink, LINKS) == snapshot(
        [
            ("nvlink-active", "0/0", True, None),
            ("nvlink-active", "0/1", True, None),
            ("nvlink-active", "0/2", False, None),
            ("nvlink-active", "1/0", True, None),
            ("nvlink-active", "1/1", True, None),
        ]
    )


def test_fields_are_attributes() -> None:
    assert {field.attribute for field in (*EXPORTED.values(), *SHORT.values())} <= set(all_attributes())


@pytest.mark.parametrize(("parser", "lines"), ALL)
def test_which_digits_stand_in_a_line_does_not_matter(parser: Any, lines: list[str]) -> None:
    for text in lines:
        assert parser.wants(text) == parser.wants(re.sub(r"\d", "0", text))


@pytest.mark.parametrize(("parser", "lines"), ALL)
@given(data=st.data())
def test_any_text_gives_a_result(parser: Any, lines: list[str], data: st.DataObject) -> None:
    reader = parser()
    for number, text in enumerate(data.draw(st.lists(st.sampled_from(lines) | st.text(max_size=30), max_size=12)), 1):
        reader.feed(Line("t", number, text[: data.draw(st.integers(0, 120))]))
    list(reader.finish())
