"""Health checks of providers as JSON: tests, devices, a final result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.host.health_report import HealthReport, status_of

GPUS = ("GPU-11111111-aaaa-bbbb-cccc-000000000000", "GPU-22222222-aaaa-bbbb-cccc-000000000000")
REPORT = {
    "tests": {
        "compute": {"status": "completed", "result": "passed", "gpu_results": {g: {"tflops": 600.5} for g in GPUS}},
        "memory_bandwidth": {g: {"bandwidth_gbps": 3000.0 + n, "status": "IDEAL"} for n, g in enumerate(GPUS)},
        "gpu_temperature_check": {
            "overall_status": "PASSED",
            "per_gpu": {
                GPUS[0]: {"average_temperature": 61, "status": "IDEAL (PASSED)"},
                GPUS[1]: {"average_temperature": 74, "status": "ACCEPTABLE (WARNING)"},
            },
        },
        "topology": {"raw": "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n"},
    },
    "machine_metadata": {"hostname": "gpu-node-07"},
    "gpu_info": {"gpu_count": 2, "gpu_name": "NVIDIA H100 80GB HBM3"},
    "final_result": "pass",
}


def told(value: object) -> list[tuple[str, str, object, str | None]]:
    assert HealthReport.wants_document(value)
    return [(r.attribute, r.part.name, r.value, r.host) for r in HealthReport().read(value, "t", 1)]


def test_a_report_with_devices() -> None:
    assert told(REPORT) == snapshot(
        [
            ("health-test", "health/compute", "pass", "gpu-node-07"),
            ("gpu-tflops", "GPU-11111111-aaaa-bbbb-cccc-000000000000", 600.5, "gpu-node-07"),
            ("gpu-tflops", "GPU-22222222-aaaa-bbbb-cccc-000000000000", 600.5, "gpu-node-07"),
            ("health-test", "health/memory_bandwidth", "pass", "gpu-node-07"),
            ("gpu-memory-bandwidth", "GPU-11111111-aaaa-bbbb-cccc-000000000000", 3000.0, "gpu-node-07"),
            ("gpu-memory-bandwidth", "GPU-22222222-aaaa-bbbb-cccc-000000000000", 3001.0, "gpu-node-07"),
            ("health-test", "health/gpu_temperature_check", "pass", "gpu-node-07"),
            ("health-test-warnings", "health/gpu_temperature_check", 1, "gpu-node-07"),
            ("gpu-temperature", "GPU-11111111-aaaa-bbbb-cccc-000000000000", 61.0, "gpu-node-07"),
            ("gpu-temperature", "GPU-22222222-aaaa-bbbb-cccc-000000000000", 74.0, "gpu-node-07"),
            ("topology-gpus", "", 2, "gpu-node-07"),
            ("topology-nics", "", 0, "gpu-node-07"),
            ("gpu-pair-link", "0-1", "NV18", "gpu-node-07"),
            ("health-test", "health/final result", "pass", "gpu-node-07"),
            ("gpu-count", "", 2, "gpu-node-07"),
            ("gpu-name", "GPU-11111111-aaaa-bbbb-cccc-000000000000", "NVIDIA H100 80GB HBM3", "gpu-node-07"),
            ("gpu-name", "GPU-22222222-aaaa-bbbb-cccc-000000000000", "NVIDIA H100 80GB HBM3", "gpu-node-07"),
        ]
    )


def test_a_measurement_without_a_test_belongs_to_the_one_host() -> None:
    found = told([REPORT, {"all_reduce_perf": ["311.5"], "note_perf": "slow"}])
    assert found[-1] == snapshot(("health-test-value", "health/all_reduce_perf", 311.5, "gpu-node-07"))


def test_a_list_of_checks_with_a_failure() -> None:
    value = {
        "node": "n3",
        "checks": [
            {"name": "ib_ports", "status": "FAILED", "message": "mlx5_2 is down"},
            {"name": "gpu_burn", "status": "failed", "gpus": {"GPU 0": {"status": "ok"}, "GPU 5": {"status": "error"}}},
            {"name": "nvme", "passed": True},
            {"name": "odd", "status": "purple"},
        ],
    }
    assert told(value) == snapshot(
        [
            ("health-test", "health/ib_ports", "fail", "n3"),
            ("health-test-detail", "health/ib_ports", "mlx5_2 is down", "n3"),
            ("health-test", "health/gpu_burn", "fail", "n3"),
            ("health-test-gpus", "health/gpu_burn", "5", "n3"),
            ("health-test", "health/nvme", "pass", "n3"),
        ]
    )


def test_bare_results_about_gpus() -> None:
    by_name = {"gpu_count": {"status": "PASS"}, "pcie": {"status": "FAIL", "message": "x8"}, "note": {"text": "x"}}
    listed = [{"check": "nvlink", "result": "ok"}, {"check": "disk", "result": "failed", "reason": "full"}]
    components = [
        {
            "component": "accelerator-nvidia-ecc",
            "states": [{"name": "ecc", "health": "Unhealthy", "reason": "7 errors"}],
        },
        {"component": "cpu", "states": [{"name": "cpu", "health": "Healthy"}]},
    ]
    assert [told(by_name), told(listed), told(components)] == snapshot(
        [
            [
                ("health-test", "health/gpu_count", "pass", None),
                ("health-test", "health/pcie", "fail", None),
                ("health-test-detail", "health/pcie", "x8", None),
            ],
            [
                ("health-test", "health/nvlink", "pass", None),
                ("health-test", "health/disk", "fail", None),
                ("health-test-detail", "health/disk", "full", None),
            ],
            [
                ("health-test", "health/accelerator-nvidia-ecc ecc", "fail", None),
                ("health-test-detail", "health/accelerator-nvidia-ecc ecc", "7 errors", None),
                ("health-test", "health/cpu", "pass", None),
            ],
        ]
    )


def test_bare_results_about_something_else_are_not_ours() -> None:
    jobs = [{"name": "build", "status": "completed", "conclusion": "failure"}, {"name": "lint", "status": "ok"}]
    services = {"checks": {"database": {"status": "ok"}, "disk": {"status": "ok"}, "redis": {"status": "fail"}}}
    cases = {"tests": [{"name": name, "status": "passed"} for name in ("login", "template", "convert", "hyperlink")]}
    others = {"a": {"status": "ok"}, "b": {"status": "ok"}}
    values: list[object] = [services, cases, cases["tests"], jobs, others, [{"name": "gpu", "state": "FAILED"}] * 3]
    for value in values:
        assert not HealthReport.wants_document(value)


@pytest.mark.parametrize(
    "value", [{}, [], 3, {"tests": 5}, {"tests": {"a": {"status": "purple"}}}, {"results": [{"size": 8}]}]
)
def test_other_documents_are_not_ours(value: object) -> None:
    assert not HealthReport.wants_document(value)


def test_words_of_status() -> None:
    words = ["IDEAL (PASSED)", "Passed", "ACCEPTABLE (WARNING)", "FAIL", "Unhealthy", "skipped", "purple", "running", 1]
    assert {str(word): status_of(word) for word in words} == snapshot(
        {
            "IDEAL (PASSED)": "pass",
            "Passed": "pass",
            "ACCEPTABLE (WARNING)": "warn",
            "FAIL": "fail",
            "Unhealthy": "fail",
            "skipped": "skip",
            "purple": None,
            "running": None,
            "1": None,
        }
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.sampled_from(["pass", "FAILED", "warning", "GPU0", "x"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["tests", "checks", "status", "name", "per_gpu", *GPUS, "0", "tflops", "raw", "gpu_info"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=25,
    )
)
def test_any_document_gives_a_result(value: object) -> None:
    if HealthReport.wants_document(value):
        list(HealthReport().read(value, "t", 1))


def test_a_record_of_one_result() -> None:
    record = {"host": "b200-17", "check": "nvlink", "result": "fail", "message": "GPU 0 link 3: inactive"}
    assert HealthReport.wants_document(record)
    found = [(r.attribute, r.part.name, r.value, r.host) for r in HealthReport().read(record, "log", 1)]
    assert found == [
        ("health-test", "health/nvlink", "fail", "b200-17"),
        ("health-test-detail", "health/nvlink", "GPU 0 link 3: inactive", "b200-17"),
    ]
    assert not HealthReport.wants_document({"test": "login", "result": "fail"})


@pytest.mark.parametrize("listed", [False, True])
def test_a_node_that_somebody_calls_sick(listed: bool) -> None:
    sick = {"node": "gpu07", "healthy": False, "reason": "xid 79"}
    report = [{"node": "gpu06", "healthy": True}, sick] if listed else sick
    assert told(report) == [
        ("health-test", "health/the node", "fail", "gpu07"),
        ("health-test-detail", "health/the node", "xid 79", "gpu07"),
    ]


@pytest.mark.parametrize(
    "report",
    [
        {"node": "gpu07", "healthy": True},
        {"healthy": False},
        {"host": "gpu07", "service": "grafana", "healthy": False},
        {"node": "gpu07", "healthy": "false"},
    ],
)
def test_what_calls_no_node_sick(report: object) -> None:
    assert not HealthReport.wants_document(report)
