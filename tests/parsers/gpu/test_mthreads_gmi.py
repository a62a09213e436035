"""``mthreads-gmi`` of Moore Threads, as a table."""

from __future__ import annotations

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.parsers.gpu import mthreads_gmi
from slowlink.parsers.gpu.mthreads_gmi import PARSER

SAMPLE = sample_in(mthreads_gmi.__doc__ or "")


def readings(text: str) -> list[tuple[str, str, object]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(PARSER, text.splitlines())]


def test_rows_and_processes_are_read() -> None:
    assert readings(SAMPLE) == snapshot(
        [
            ("driver-version", "", "5.1.0-server"),
            ("gpu-name", "0", "Moore Threads MTT S5000"),
            ("gpu-bus-id", "0", "0000:18:00.0"),
            ("gpu-utilisation", "0", 97.0),
            ("gpu-memory-used", "0", 63135809536),
            ("gpu-memory-total", "0", 85899345920),
            ("gpu-pstate", "0", "P0"),
            ("pcie-width", "0", 8),
            ("pcie-width-max", "0", 16),
            ("gpu-temperature", "0", 48.0),
            ("process-name", "40122", "python3"),
            ("process-gpu", "40122", "0"),
            ("process-gpu-memory", "40122", 63103303680),
        ]
    )


def test_rows_without_their_title_are_somebody_elses() -> None:
    assert readings("\n".join(SAMPLE.splitlines()[3:])) == []


def test_an_idle_node_has_no_processes() -> None:
    text = SAMPLE.replace(
        "0    40122     /usr/bin/python3                     60180MiB", "   No running processes found"
    )
    assert readings(text)[-1] == ("gpu-processes-listed", "", 0)


def test_lanes_that_are_missing_are_found() -> None:
    assert said("pcie-link-below-capability", SAMPLE) == snapshot(
        [("pcie-link-degraded", "error", "likely", "GPU 0: a PCIe link of 8 of 16 lanes; the device can do more")]
    )
    assert said("pcie-link-below-capability", SAMPLE.replace("|8x(16x) ", "|16x(16x)")) == []


@given(st.text(max_size=200))
def test_any_line_is_fed_without_harm(text: str) -> None:
    feed(PARSER, [SAMPLE.splitlines()[1], text])
