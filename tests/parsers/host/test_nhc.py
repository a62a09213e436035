"""Results of NHC as it logs them, as clouds print them, and as reasons of a scheduler."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.host.nhc import Nhc


def told(*lines: str) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(Nhc, lines)]


def test_a_failed_count() -> None:
    assert told("ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 4 and found 3") == snapshot(
        [
            ("health-test", "nhc/check_gpu_count", "fail"),
            ("health-test-detail", "nhc/check_gpu_count", "Expected 4 and found 3"),
            ("health-test-expected", "nhc/check_gpu_count", 4.0),
            ("health-test-value", "nhc/check_gpu_count", 3.0),
        ]
    )


def test_a_bandwidth_that_passed() -> None:
    text = "SUCCESS:  nhc:  Health check passed:  check_ib_bw_gdr: IB_WRITE_BW passed for all 4 IB ports, BW=~196 Gbps each"
    assert told(text) == snapshot(
        [
            ("health-test", "nhc/check_ib_bw_gdr", "pass"),
            ("health-test-detail", "nhc/check_ib_bw_gdr", "IB_WRITE_BW passed for all 4 IB ports, BW=~196 Gbps each"),
            ("health-test-value", "nhc/check_ib_bw_gdr", 196.0),
            ("health-test-parts", "nhc/check_ib_bw_gdr", 4),
        ]
    )


def test_a_bandwidth_below_what_is_expected() -> None:
    text = (
        "ERROR:  nhc:  Health check failed:  check_nccl_allreduce: BW expected >= 460.0 GB/s, but measured 231.5 GB/s"
    )
    assert told(text) == snapshot(
        [
            ("health-test", "nhc/check_nccl_allreduce", "fail"),
            ("health-test-detail", "nhc/check_nccl_allreduce", "BW expected >= 460.0 GB/s, but measured 231.5 GB/s"),
            ("health-test-expected", "nhc/check_nccl_allreduce", 460.0),
            ("health-test-value", "nhc/check_nccl_allreduce", 231.5),
        ]
    )


def test_lbnl_writes_two_blanks_and_a_time() -> None:
    text = "20310203 04:05:06 ERROR:  nhc:  Health check failed:  check_fs_mount:  /scratch not mounted"
    assert told(text) == snapshot(
        [
            ("health-test", "nhc/check_fs_mount", "fail"),
            ("health-test-detail", "nhc/check_fs_mount", "/scratch not mounted"),
        ]
    )


def test_the_reason_of_a_drained_node() -> None:
    assert told(
        "NHC: check_ps_loadavg: 1-minute load average is too high   root  2031-02-03T04:05:06 gpu07"
    ) == snapshot(
        [
            ("health-test", "nhc/check_ps_loadavg", "fail"),
            (
                "health-test-detail",
                "nhc/check_ps_loadavg",
                "1-minute load average is too high   root  2031-02-03T04:05:06 gpu07",
            ),
        ]
    )


def test_all_passed() -> None:
    assert told("Node Health Check completed successfully (3s).") == snapshot(
        [("health-test", "nhc/all checks", "pass")]
    )


def test_one_log_of_many_nodes_names_each() -> None:
    lines = (
        '20310203 04:05:06 [slurm] gpu07 nhc: Running check:  "check_hw_ib 400"',
        "20310203 04:05:09 [slurm] gpu07 nhc: Health check passed (38 checks, 12 s)",
        "20310203 04:05:11 [slurm] gpu08 nhc: Health check failed (2 of 38 checks)",
        "20310203 04:05:12 [slurm] gpu09 nhc: Node Health Check completed successfully (3s).",
    )
    assert [(r.host, r.part.name, r.value) for r in feed(Nhc, lines)] == [
        ("gpu07", "nhc/all checks", "pass"),
        ("gpu08", "nhc/all checks", "fail"),
        ("gpu09", "nhc/all checks", "pass"),
    ]


def test_a_number_that_only_names_a_device_is_no_measurement() -> None:
    text = "SUCCESS:  nhc:  Health check passed:  check_nvlink_status: All 8 GPUs have all NVLinks active"
    assert told(text) == snapshot(
        [
            ("health-test", "nhc/check_nvlink_status", "pass"),
            ("health-test-detail", "nhc/check_nvlink_status", "All 8 GPUs have all NVLinks active"),
            ("health-test-parts", "nhc/check_nvlink_status", 8),
        ]
    )


def test_words_about_nhc_are_no_result() -> None:
    assert told("we run nhc on every node", "nhc.conf: check_gpu_count 8", "NHC: all fine") == []


@given(st.lists(st.text(alphabet="nhcNHCERO: check_failedpassed0189.>=GB/s", max_size=90), max_size=8))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    parser = Nhc()
    for number, text in enumerate(lines, 1):
        parser.feed(Line("t", number, text))
    list(parser.finish())
