"""SuperBench's report of a node."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import Observation
from slowlink.model.state import Reading
from slowlink.parsers.host.superbench_sysinfo import DOCUMENT
from slowlink.parsers.reading.read import read as read_source

MATRIX = "\tGPU0\tGPU1\tmlx5_0\nGPU0\t X \tNV4\tSYS\nGPU1\tNV4\t X \tNODE\nmlx5_0\tSYS\tNODE\t X \n"
REPORT: dict[str, object] = {
    "Accelerator": {
        "gpu_count": "2",
        "nvidia_info": {"driver_version": "1.2.3", "cuda_version": None},
        "topo": MATRIX,
    },
    "CPU": {"Model name": "A CPU", "NUMA node(s)": "2"},
    "Network": {
        "ib": {
            "ib_device_info": {
                "hca_id: a": {"port: 1": {"state": "PORT_ACTIVE (4)"}},
                "hca_id: b": {"port: 1": {"state": "PORT_DOWN (1)"}},
            }
        }
    },
    "System": {
        "kernel_parameters": {"kernel.numa_balancing": "1"},
        "kernel_modules": [{"Module": "nvidia_peermem"}, {"Module": "ext4"}, "odd"],
    },
}


def read(value: object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in DOCUMENT().read(value, "node.json", 1):
        if isinstance(one, Observation):
            found.setdefault(one.kind, []).append(one.value)
    return found


def test_what_bears_on_collectives_is_read() -> None:
    assert DOCUMENT.wants_document(REPORT)
    assert read(REPORT) == {
        "gpus": ["2"],
        "driver-version": ["1.2.3"],
        "cpu-model": ["A CPU"],
        "numa-nodes": ["2"],
        "peer-memory-loaded": ["nvidia_peermem"],
        "gpu-link": ["NV4"],
        "ib-ports": ["2"],
        "ib-ports-active": ["1"],
    }


def test_what_tools_printed_is_read_as_their_own_output() -> None:
    report = {**REPORT, "PCIe": {"pcie_info": "c1:00.0 3D controller: A GPU\n\tLnkSta: Speed 16GT/s, Width x16"}}
    assert list(DOCUMENT.texts(report)) == [
        "c1:00.0 3D controller: A GPU\n\tLnkSta: Speed 16GT/s, Width x16",
        "kernel.numa_balancing = 1",
        "hca_id: a\n\tport: 1\n\t\tstate:\tPORT_ACTIVE (4)\nhca_id: b\n\tport: 1\n\t\tstate:\tPORT_DOWN (1)",
    ]
    found = read_source([Input("node.json", None, [json.dumps(report).encode()])]).readings
    assert [(r.attribute, r.part.name, r.value) for r in found if r.attribute in ("numa-balancing", "port-state")] == [
        ("numa-balancing", "", True),
        ("port-state", "a/1", "Active"),
        ("port-state", "b/1", "Down"),
    ]


def test_the_topology_is_read_as_of_any_matrix() -> None:
    found = [one for one in DOCUMENT().read(REPORT, "node.json", 4) if isinstance(one, Reading)]
    assert [(r.attribute, r.part.name, r.value, r.ref.line) for r in found if r.attribute == "gpu-pair-link"] == [
        ("gpu-pair-link", "0-1", "NV4", 4)
    ]


def test_other_documents_are_left_alone() -> None:
    assert not DOCUMENT.wants_document({"CPU": {}, "gpus": 8})
    assert not DOCUMENT.wants_document([REPORT])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*REPORT, "ib", "topo", "state"]), inner),
    max_leaves=30,
)


@given(JSON)
def test_any_value_is_survived(value: object) -> None:
    DOCUMENT.wants_document(value)
    read(value)
    list(DOCUMENT.texts(value))
