"""``mthreads-gmi -q -j`` of Moore Threads."""

from __future__ import annotations

import json

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu import mthreads_gmi_json
from slowlink.parsers.gpu.mthreads_gmi_json import DOCUMENT

QUERY = sample_in(mthreads_gmi_json.__doc__ or "")


def test_all_that_a_query_says_is_read() -> None:
    value = json.loads(QUERY)
    assert DOCUMENT.wants_document(value)
    assert [(r.attribute, r.part.name, r.value) for r in DOCUMENT().read(value, "q.json", 1)] == snapshot(
        [
            ("driver-version", "", "3.3.5-server"),
            ("gpu-name", "0", "Moore Threads MTT S5000"),
            ("gpu-uuid", "0", "1b2c3d4e-0000-1111-2222-333344445555"),
            ("gpu-vbios", "0", "4.3.41"),
            ("gpu-bus-id", "0", "0000:2a:00.0"),
            ("pcie-speed", "0", 32.0),
            ("pcie-speed-max", "0", 32.0),
            ("pcie-width", "0", 8),
            ("pcie-width-max", "0", 16),
            ("gpu-memory-used", "0", 10485760),
            ("gpu-memory-total", "0", 85899345920),
            ("gpu-utilisation", "0", 0.0),
            ("gpu-temperature", "0", 27.0),
            ("gpu-power", "0", 96.66),
            ("gpu-power-limit", "0", 950.0),
        ]
    )


@pytest.mark.parametrize("damaged", [None, 7, "x", [], {}, {"GPU": []}, {"Attached GPUs": "1"}])
def test_other_documents_are_left_alone(damaged: object) -> None:
    assert not DOCUMENT.wants_document(damaged)


@given(
    st.recursive(
        st.none() | st.text(max_size=8) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["PCI", "Index", "Bus ID", "Utilization", "Gpu", "Product Name"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_gpu_is_read_without_harm(gpu: object) -> None:
    value = {"Attached GPUs": "1", "Driver Version": gpu, "GPU": [gpu, {"Index": "0", "PCI": gpu}]}
    assert all(r.part.name.isdecimal() or not r.part.name for r in DOCUMENT().read(value, "q.json", 1))
