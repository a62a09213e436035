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


def smi(*gpus: dict[str, object]) -> dict[str, object]:
    """A report with what xmltodict makes of ``nvidia-smi -q -x``: of one GPU an object, of several a list."""
    info = {"attached_gpus": str(len(gpus)), "driver_version": "1.2.3", "gpu": list(gpus) if len(gpus) > 1 else gpus[0]}
    return {**REPORT, "Accelerator": {"gpu_count": str(len(gpus)), "nvidia_info": info}}


def one_gpu(bus: str, width: str = "16x", pending: str = "No") -> dict[str, object]:
    lanes = {"max_link_width": "16x", "current_link_width": width}
    return {
        "@id": bus,
        "product_name": "A <GPU> & more",
        "pci": {"pci_gpu_link_info": {"link_widths": lanes}},
        "remapped_rows": {"remapped_row_pending": pending},
        "supported_clocks": {"supported_mem_clock": {"supported_graphics_clock": ["1410 MHz", "1395 MHz"]}},
    }


def test_what_nvidia_smi_said_of_each_gpu_is_read() -> None:
    for gpus in (
        [one_gpu("00000000:07:00.0", "8x")],
        [one_gpu("00000000:07:00.0", "8x"), one_gpu("00000000:0B:00.0", pending="Yes")],
    ):
        found = read_source([Input("node.json", None, [json.dumps(smi(*gpus)).encode()])]).readings
        told = {(r.attribute, r.part.name): r.value for r in found if r.part.kind == "gpu"}
        assert told["pcie-width", "0"] == 8
        assert told["gpu-name", "0"] == "A <GPU> & more"
        assert len(gpus) == 1 or told["gpu-remap-pending", "1"] is True
        assert "1410" not in "".join(DOCUMENT.texts(smi(*gpus)))


@given(st.recursive(st.none() | st.text(max_size=8), lambda below: st.lists(below) | st.dictionaries(st.text(), below)))
def test_any_gpus_make_text(value: object) -> None:
    report = {**REPORT, "Accelerator": {"nvidia_info": {"gpu": value}}}
    assert all(isinstance(text, str) for text in DOCUMENT.texts(report))
