"""The log of Primus' smoke test on each node."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.parsers.host import primus_smoke_log
from slowlink.parsers.host.primus_smoke_log import PARSER

SAMPLE = sample_in(primus_smoke_log.__doc__ or "").splitlines()
START = "[10:11:12][node-smoke][gpu01] start node-smoke: node_rank=0 expected_gpus=8 tier2_perf=True"
FOREIGN = (
    "gpu_processes: 3 foreign process(es) holding GPU(s) (e.g. gpu0: pid=4711 name='python' hbm=90.5GiB) -- likely "
    "leaked rank(s) from a previous job."
)


def readings(lines: list[str]) -> list[tuple[str, str, object, str | None]]:
    return [(r.attribute, r.part.name, r.value, r.host) for r in feed(PARSER, lines)]


def test_each_line_is_about_its_node() -> None:
    assert readings(SAMPLE) == [
        ("health-test", "health/node smoke test", "fail", "gpu01"),
        ("health-test", "health/nic", "fail", "gpu01"),
        ("health-test-detail", "health/nic", "rdma3:1 state=DOWN (expected ACTIVE)", "gpu01"),
    ]


def test_warnings_before_the_result_are_notes() -> None:
    warning = "[10:11:40][node-smoke][gpu01] WARN: tooling: 1 tracked tool(s) NOT in PATH: lsof."
    assert readings([START, warning, SAMPLE[1].replace("FAIL", "PASS")]) == [
        ("health-test", "health/node smoke test", "pass", "gpu01")
    ]


def test_a_gpu_that_fails_is_told_once() -> None:
    gpu = "[10:11:40][node-smoke][gpu01] gpu3: TIMEOUT (60.0s) -- per-gpu subprocess hit hard timeout 60s"
    again = "[10:12:40][node-smoke][gpu01] WARN: gpu3: TIMEOUT: per-gpu subprocess hit hard timeout 60s"
    assert said("health-checks", "\n".join((START, gpu, SAMPLE[1], again, ""))) == snapshot(
        [
            (
                "gpu-driver-hung",
                "error",
                "likely",
                "gpu01: the health check: gpu3 fails: per-gpu subprocess hit hard timeout 60s",
            )
        ]
    )


def test_processes_of_others_on_the_gpus_make_the_node_busy() -> None:
    text = "\n".join((START, SAMPLE[1], f"[10:12:40][node-smoke][gpu01] WARN: {FOREIGN}", ""))
    assert said("health-checks", text) == snapshot(
        [
            (
                "gpu-busy",
                "error",
                "likely",
                "gpu01: the health check: gpu_processes fails: 3 foreign process(es) holding GPU(s) (e.g. gpu0: pid=4711 name='python' hbm=90.5GiB) -- likely leaked rank(s) from a previous job.",
            )
        ]
    )


def test_a_process_that_holds_a_gpu_before_the_result_is_a_warning() -> None:
    warning = "[10:11:13][node-smoke][gpu01] WARN: foreign process on gpu0: pid=4711 name='python' hbm=90.5 GiB"
    assert said("health-checks", "\n".join((START, warning, SAMPLE[0], ""))) == snapshot(
        [
            (
                "gpu-busy",
                "warning",
                "possible",
                "gpu01: the health check: gpu_processes has a warning: foreign process on gpu0: pid=4711 name='python' hbm=90.5 GiB",
            )
        ]
    )


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)


@given(st.lists(st.sampled_from([*SAMPLE, START]) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(name.startswith("health/") and host for _, name, _, host in readings(lines))
