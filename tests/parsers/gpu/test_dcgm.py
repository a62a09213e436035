"""dcgmi: boxes of 3.x and 4.x, and JSON of both."""

from __future__ import annotations

import json

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm import Dcgm
from slowlink.parsers.gpu.dcgm.document import DcgmDocument
from slowlink.parsers.reading.read import read

DIAG_3 = """\
Successfully ran diagnostic for group.
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 3.1.8                                          |
| Driver Version Detected   | 525.85.12                                      |
| GPU Device IDs Detected   | 2330,2330                                      |
|-----  Deployment  --------+------------------------------------------------|
| Denylist                  | Pass                                           |
| Persistence Mode          | Fail                                           |
| Warning                   | Persistence mode for GPU 1 is currently disabl |
|                           | ed. Enable it by running "nvidia-smi -i <gpuId |
|                           | > -pm 1 " as root.                             |
| Info                      | Nothing to see here                            |
| Page Retirement/Row Remap | Skip                                           |
+-----  Integration  -------+------------------------------------------------+
| PCIe                      | Fail - GPU: 0, 1                               |
| Warning                   | GPU 0 GPU to Host bandwidth is too low         |
+-----  Hardware  ----------+------------------------------------------------+
| GPU Memory                | Pass - All                                     |
+-----  Stress  ------------+------------------------------------------------+
+---------------------------+------------------------------------------------+
""".splitlines()

DIAG_4 = """\
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 4.2.3                                          |
| Number of CPUs Detected   | 0                                              |
+-----  Hardware  ----------+------------------------------------------------+
| memory                    | Fail                                           |
|                           | GPU0: Pass                                     |
|                           | GPU5: Fail                                     |
| Warning: GPU5             | Faulty memory detected on this GPU. Run a fiel |
|                           | d diagnostic on the GPU.                       |
| nvbandwidth               | Skip                                           |
+---------------------------+------------------------------------------------+
""".splitlines()

HEALTH = """\
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Failure                                                  |
| GPU                       |                                                          |
| -> 3                      | Failure                                                  |
|    -> Errors              |                                                          |
|       -> NVLINK system    | Failure                                                  |
|                           | GPU 3's NvLink link 4 is                                 |
|                           | currently down.                                          |
+---------------------------+----------------------------------------------------------+
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(Dcgm, lines)]


def told_json(value: object) -> list[tuple[str, str, object]]:
    assert DcgmDocument.wants_document(value)
    return [(found.attribute, found.part.name, found.value) for found in DcgmDocument().read(value, "t", 1)]


def test_a_diagnostic_of_3() -> None:
    assert told(DIAG_3) == snapshot(
        [
            ("dcgm-version", "", "3.1.8"),
            ("driver-version", "", "525.85.12"),
            ("gpu-device-id", "0", "2330"),
            ("gpu-device-id", "1", "2330"),
            ("health-test", "dcgm/Denylist", "pass"),
            ("health-test-category", "dcgm/Denylist", "Deployment"),
            ("health-test", "dcgm/Persistence Mode", "fail"),
            ("health-test-category", "dcgm/Persistence Mode", "Deployment"),
            (
                "health-test-detail",
                "dcgm/Persistence Mode",
                'Persistence mode for GPU 1 is currently disabled. Enable it by running "nvidia-smi -i <gpuId> -pm 1 " as root.',
            ),
            ("health-test-gpus", "dcgm/Persistence Mode", "1"),
            ("health-test", "dcgm/Page Retirement/Row Remap", "skip"),
            ("health-test-category", "dcgm/Page Retirement/Row Remap", "Deployment"),
            ("health-test", "dcgm/PCIe", "fail"),
            ("health-test-category", "dcgm/PCIe", "Integration"),
            ("health-test-devices", "dcgm/PCIe", "GPU: 0, 1"),
            ("health-test-detail", "dcgm/PCIe", "GPU 0 GPU to Host bandwidth is too low"),
            ("health-test-gpus", "dcgm/PCIe", "0,1"),
            ("health-test", "dcgm/GPU Memory", "pass"),
            ("health-test-category", "dcgm/GPU Memory", "Hardware"),
            ("health-test-devices", "dcgm/GPU Memory", "All"),
        ]
    )


def test_a_diagnostic_of_4_names_each_gpu() -> None:
    assert told(DIAG_4) == snapshot(
        [
            ("dcgm-version", "", "4.2.3"),
            ("health-test", "dcgm/memory", "fail"),
            ("health-test-category", "dcgm/memory", "Hardware"),
            (
                "health-test-detail",
                "dcgm/memory",
                "Faulty memory detected on this GPU. Run a field diagnostic on the GPU.",
            ),
            ("health-test-gpus", "dcgm/memory", "5"),
            ("health-test", "dcgm/nvbandwidth", "skip"),
            ("health-test-category", "dcgm/nvbandwidth", "Hardware"),
        ]
    )


def test_a_row_alone_is_known_by_its_result() -> None:
    assert told(["| Pulse Test                | Warn - GPU: 2              |"]) == snapshot(
        [
            ("health-test", "dcgm/Pulse Test", "warn"),
            ("health-test-devices", "dcgm/Pulse Test", "GPU: 2"),
            ("health-test-gpus", "dcgm/Pulse Test", "2"),
        ]
    )


def test_a_row_of_another_table_is_none() -> None:
    assert told(["| Latency test              | Fail                       |", "| Acceptance | Pass |"]) == []


def test_json_of_4_keeps_numbers_of_errors() -> None:
    value = {
        "DCGM Diagnostic": {
            "test_categories": [
                {
                    "category": "Hardware",
                    "tests": [
                        {
                            "name": "pcie",
                            "results": [
                                {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 0, "status": "Pass"},
                                {
                                    "entity_group": "GPU",
                                    "entity_group_id": 1,
                                    "entity_id": 6,
                                    "status": "Fail",
                                    "warnings": [
                                        {"error_category": 13, "error_id": 46, "error_severity": 5, "warning": "narrow"}
                                    ],
                                },
                            ],
                            "test_summary": {"status": "Fail"},
                        }
                    ],
                }
            ]
        },
        "metadata": {"version": "4.4.1", "Driver Version Detected": "580.65.06"},
    }
    assert told_json(value) == snapshot(
        [
            ("dcgm-version", "", "4.4.1"),
            ("driver-version", "", "580.65.06"),
            ("health-test", "dcgm/pcie", "fail"),
            ("health-test-category", "dcgm/pcie", "Hardware"),
            ("health-test-detail", "dcgm/pcie", "narrow"),
            ("health-test-gpus", "dcgm/pcie", "6"),
            ("health-test-error", "dcgm/pcie", 46),
        ]
    )


def test_json_of_3_inside_another_check() -> None:
    diag = {
        "version": "3.3.6",
        "driver_version_detected": "550.54.15",
        "gpu_device_ids": ["2330", "2330"],
        "test_categories": [
            {
                "category": "Integration",
                "tests": [{"name": "PCIe", "results": [{"gpu_ids": "0,1", "status": "Warn", "warnings": "slow"}]}],
            }
        ],
    }
    assert told_json({"node": "gpu07", "result": {"stdout": {"DCGM GPU Diagnostic": diag}}}) == snapshot(
        [
            ("dcgm-version", "", "3.3.6"),
            ("driver-version", "", "550.54.15"),
            ("gpu-device-id", "0", "2330"),
            ("gpu-device-id", "1", "2330"),
            ("health-test", "dcgm/PCIe", "warn"),
            ("health-test-category", "dcgm/PCIe", "Integration"),
            ("health-test-detail", "dcgm/PCIe", "slow"),
            ("health-test-gpus", "dcgm/PCIe", "0,1"),
        ]
    )


def test_a_diagnostic_that_could_not_run() -> None:
    assert told_json({"DCGM Diagnostic": {"version": "4.2.3", "runtime_error": "no GPUs"}}) == snapshot(
        [
            ("dcgm-version", "", "4.2.3"),
            ("health-test", "dcgm/diagnostic run", "fail"),
            ("health-test-detail", "dcgm/diagnostic run", "no GPUs"),
        ]
    )


def test_an_error_before_all_tests_is_a_failure() -> None:
    box = [
        "+---------------------------+------------------------------------------------+",
        "| Diagnostic                | Result                                         |",
        "+===========================+================================================+",
        "|-----  Deployment  --------+------------------------------------------------|",
        "| Error                     | GPU 5 has pending row remappings, so that no t |",
        "|                           | est can run.                                   |",
        "+---------------------------+------------------------------------------------+",
    ]
    assert told(box) == snapshot(
        [
            ("health-test", "dcgm/Deployment", "fail"),
            ("health-test-category", "dcgm/Deployment", "Deployment"),
            ("health-test-detail", "dcgm/Deployment", "GPU 5 has pending row remappings, so that no test can run."),
            ("health-test-gpus", "dcgm/Deployment", "5"),
        ]
    )


def test_health_as_text() -> None:
    assert told(HEALTH) == snapshot(
        [
            ("health-test", "dcgm-health/overall", "fail"),
            ("health-test", "dcgm-health/NVLINK GPU 3", "fail"),
            ("health-test-gpus", "dcgm-health/NVLINK GPU 3", "3"),
            ("health-test-detail", "dcgm-health/NVLINK GPU 3", "GPU 3's NvLink link 4 is currently down."),
        ]
    )


def test_health_as_dcgm_1_printed_it() -> None:
    text = """\
Health Monitor Report
+----------------------------------------------------------------------------+
| Group 1          | Overall Health: Failure                                 |
+==================+=========================================================+
| GPU ID: 0        | Warning                                                 |
|                  | PCIe system: Warning - Detected more than 8 PCIe        |
|                  | replays per minute for GPU 0: 13                        |
+------------------+---------------------------------------------------------+
| GPU ID: 1        | Failure                                                 |
|                  | InfoROM system: Failure - A corrupt InfoROM has been    |
|                  | detected in GPU 1.                                      |
|                  | Thermal system: Warning - hot                           |
+------------------+---------------------------------------------------------+
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("health-test", "dcgm-health/overall", "fail"),
            ("health-test", "dcgm-health/PCIe GPU 0", "warn"),
            (
                "health-test-detail",
                "dcgm-health/PCIe GPU 0",
                "Detected more than 8 PCIe replays per minute for GPU 0: 13",
            ),
            ("health-test-gpus", "dcgm-health/PCIe GPU 0", "0"),
            ("health-test", "dcgm-health/InfoROM GPU 1", "fail"),
            ("health-test-detail", "dcgm-health/InfoROM GPU 1", "A corrupt InfoROM has been detected in GPU 1."),
            ("health-test-gpus", "dcgm-health/InfoROM GPU 1", "1"),
            ("health-test", "dcgm-health/Thermal GPU 1", "warn"),
            ("health-test-detail", "dcgm-health/Thermal GPU 1", "hot"),
            ("health-test-gpus", "dcgm-health/Thermal GPU 1", "1"),
        ]
    )


def test_nvlink_errors_as_text_and_as_json() -> None:
    text = """\
+-----------------------------+------------------------------------------------+
| NVLINK Error Counts                                                          |
| GPU 5                                                                        |
+=============================+================================================+
| Link 0                      |                                                |
| -> CRC FLIT Error           | 7                                              |
| -> Replay Error             | 0                                              |
| Error Detail                |                                                |
| -> Symbol BER               | 1.5e-254                                       |
+-----------------------------+------------------------------------------------+
"""
    value = {
        "header": ["NVLINK Error Counts", "GPU 5"],
        "body": {"Link 0": {"children": {"CRC FLIT Error": {"value": "7"}, "Replay Error": {"value": 0}}}},
    }
    assert told(text.splitlines()) == snapshot(
        [("nvlink-crc-flit-errors", "5/0", 7), ("nvlink-replay-errors", "5/0", 0)]
    )
    assert told_json(value) == told(text.splitlines())


def test_devices() -> None:
    text = """\
2 GPUs found (Active).
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+========+======================================================================+
| 0      | Name: NVIDIA H200                                                    |
|        | PCI Bus ID: 00000000:1B:00.0                                         |
|        | Device UUID: GPU-11112222-3333-4444-5555-666677778888                |
+--------+----------------------------------------------------------------------+
| 1      | Name: NVIDIA H200                                                    |
+--------+----------------------------------------------------------------------+
4 NvSwitches found.
"""
    assert told(text.splitlines()) == snapshot(
        [
            ("gpu-count", "", 2),
            ("gpu-name", "0", "NVIDIA H200"),
            ("gpu-bus-id", "0", "0000:1b:00.0"),
            ("gpu-uuid", "0", "GPU-11112222-3333-4444-5555-666677778888"),
            ("gpu-name", "1", "NVIDIA H200"),
            ("nvswitch-count", "", 4),
        ]
    )


def test_groups_without_members_are_none() -> None:
    value = {
        "header": ["GROUPS", "1 group found."],
        "body": {
            "Groups": {
                "children": {
                    "1": {
                        "children": {
                            "Group ID": {"value": "1"},
                            "Group Name": {"value": "DCGM_ALL_SUPPORTED_NVSWITCHES"},
                            "Entities": {"value": "None"},
                        }
                    }
                }
            }
        },
    }
    assert told_json(value) == snapshot([("dcgm-group-name", "1", "DCGM_ALL_SUPPORTED_NVSWITCHES")])


def test_topology_of_one_gpu() -> None:
    value = {
        "header": ["Topology Information", "GPU ID: 3"],
        "body": {
            "CPU Core Affinity": {"value": "0 - 15,", "overflow": ["32 - 47"]},
            "To GPU 1": {
                "value": "Connected via multiple PCIe switches",
                "overflow": ["Connected via two NVLINKs (Links: 4, 5)"],
            },
        },
    }
    assert told_json(value) == snapshot(
        [
            ("gpu-cpu-affinity", "3", "0-15,32-47"),
            ("gpu-pair-path", "1-3", "Connected via multiple PCIe switches"),
            ("nvlinks-connected", "1-3", 2),
        ]
    )


def test_other_boxes_and_documents_are_not_ours() -> None:
    assert (
        told(["+----+----+", "| GPU  Name        | Bus-Id        |", "| 0  Tesla         | 00000000:1B:00.0 |"]) == []
    )
    values: tuple[object, ...] = (
        {},
        [],
        7,
        {"body": "x"},
        {"header": ["GROUPS"]},
        {"a": {"b": {"c": {"d": {"body": {}, "header": []}}}}},
    )
    for value in values:
        assert not DcgmDocument.wants_document(value)


@given(st.lists(st.sampled_from([*DIAG_3, *DIAG_4, *HEALTH, "", "text"]), max_size=30), st.integers(0, 80))
def test_any_order_and_any_cut_give_a_result(lines: list[str], cut: int) -> None:
    known = {"fail", "pass", "warn", "skip", "not run"}
    for _attribute, part, value in told([line[:cut] for line in lines]):
        assert part.partition("/")[0] in ("", "dcgm", "dcgm-health", "0", "1")
        assert value in known or isinstance(value, int | str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "body",
                    "header",
                    "DCGM Diagnostic",
                    "test_categories",
                    "tests",
                    "name",
                    "results",
                    "status",
                    "value",
                    "children",
                    "overflow",
                    "warnings",
                    "metadata",
                    "NVLINK Error Counts",
                    "GPU 0",
                    "Link 0",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(JSON)
def test_any_document_gives_a_result(value: object) -> None:
    assert isinstance(json.dumps(value), str)
    if DcgmDocument.wants_document(value):
        list(DcgmDocument().read(value, "t", 1))
    Line("t", 1, "")


BOXES_THAT_TELL_NO_STATE = """\
Health monitor systems report
+-----------------+---------------------------------------------------------+
| PCIe            | On                                                      |
| Driver          | Off                                                     |
+-----------------+---------------------------------------------------------+
Policy information for group 3
+---------------------------+------------------------------------------------+
| Policy Information        | All GPUs                                       |
+===========================+================================================+
| Violation conditions      | Double-bit ECC errors                          |
|                           | PCI errors and replays                         |
+---------------------------+------------------------------------------------+
2 NvSwitches found.
+-----------+
| Switch ID |
+-----------+
| 0         |
| 1         |
+-----------+
"""


def test_boxes_of_settings_are_known_and_tell_nothing() -> None:
    records = read([Input("t", None, [BOXES_THAT_TELL_NO_STATE.encode()])], workers=1)
    assert [(r.attribute, r.value) for r in records.readings] == [("nvswitch-count", 2)]
    assert records.sources[0].unread == 0


def test_a_health_report_is_read_without_its_header_and_with_a_header_of_two_cells() -> None:
    rows = HEALTH[3:]
    headed = ["| Health Monitor Report     |" + " " * 58 + "|", HEALTH[2], *rows]
    assert told(rows) == told(headed) == told(HEALTH)
