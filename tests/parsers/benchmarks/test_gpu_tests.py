"""Programs that test the GPUs of one node."""

from __future__ import annotations

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check
from text_findings import said

from slowlink.parsers.benchmarks import gpu_tests
from slowlink.parsers.benchmarks.gpu_tests import PARSER
from slowlink.parsers.forms.lines import shape_of

SAMPLE = sample_in(gpu_tests.__doc__ or "")


def test_each_program_gives_its_results() -> None:
    found = [(r.attribute, r.part.name, r.value, r.host) for r in feed(PARSER, SAMPLE.splitlines())]
    assert found == snapshot(
        [
            ("gpu-tflops", "0", 17.61, None),
            ("gpu-tflops", "1", 10.221, None),
            ("health-test", "gpu-burn/computations on GPU 1", "fail", None),
            ("health-test-detail", "gpu-burn/computations on GPU 1", "4182 errors", None),
            ("health-test", "gpu-burn/computations on GPU 0", "pass", None),
            ("health-test", "memtest/memory of GPU 2", "fail", "cn31"),
            ("health-test-detail", "memtest/memory of GPU 2", "3 errors found in block 77", "cn31"),
            ("gpu-pair-access", "0-1", True, None),
            ("health-test", "samples/simpleP2P", "fail", None),
            (
                "health-test-detail",
                "samples/simpleP2P",
                "Verification error @ element 0: val = nan, ref = 0.000000",
                None,
            ),
            ("health-test", "gdrcopy/sanity", "fail", None),
            ("health-test-detail", "gdrcopy/sanity", "gdr_open error: Is gdrdrv driver installed and loaded?", None),
            ("health-test", "rvs/gst-8K on GPU 51499", "fail", None),
            ("health-test-detail", "rvs/gst-8K on GPU 51499", "871002 of 1215000 GFLOPS, target not met", None),
            ("health-test", "rvs/iet-750W on GPU 51499", "pass", None),
        ]
    )


def test_what_a_failure_means() -> None:
    assert said("health-checks", SAMPLE) == snapshot(
        [
            ("gpu-hardware-fault", "error", "likely", "gpu-burn: computations on GPU 1 fails: 4182 errors"),
            (
                "gpu-memory-errors",
                "error",
                "likely",
                "cn31: cuda_memtest: memory of GPU 2 fails: 3 errors found in block 77",
            ),
            (
                "wrong-results",
                "error",
                "likely",
                "CUDA's samples: simpleP2P fails: Verification error @ element 0: val = nan, ref = 0.000000",
            ),
            (
                "health-check-failed",
                "error",
                "likely",
                "gdrcopy_sanity: sanity fails: gdr_open error: Is gdrdrv driver installed and loaded?",
            ),
            (
                "straggler-gpu",
                "error",
                "likely",
                "rvs: gst-8K on GPU 51499 fails: 871002 of 1215000 GFLOPS, target not met",
            ),
        ]
    )


def test_tests_that_pass_are_a_proof_but_for_those_of_copies() -> None:
    burn = "Tested 2 GPUs:\n\tGPU 0: OK\n\tGPU 1: OK\n"
    sanity = "Total: 40, Passed: 38, Failed: 0, Waived: 2\n"
    assert [(p.message, p.weight) for p in check("health-checks", burn).proofs] == [("2 tests of gpu-burn pass", 1)]
    assert [p.weight for p in check("health-checks", sanity).proofs] == [0]


def test_a_failure_that_was_seen_on_the_way_is_not_forgotten() -> None:
    died = "11.3%  proc'd: 5 (17 Gflop/s) - 0 (0 Gflop/s)   errors: 0 - 3  (WARNING!)   temps: 61 C - 63 C\n"
    text = died + "Tested 2 GPUs:\n\tGPU 0: OK\n\tGPU 1: OK\n"
    assert [cause for cause, *_ in said("health-checks", text)] == ["gpu-hardware-fault"]


def test_verdicts_without_their_heading_are_somebody_elses() -> None:
    assert feed(PARSER, ["        GPU 0: OK", "        GPU 1: FAULTY"]) == []


def test_what_is_used_is_wanted_whatever_its_numbers() -> None:
    for line in filter(str.strip, SAMPLE.splitlines()):
        assert PARSER.wants(line), line
        assert PARSER.wants(shape_of(line).decode()), line


@given(st.lists(st.sampled_from(SAMPLE.splitlines()), max_size=12))
def test_any_order_of_lines_gives_each_test_one_result(lines: list[str]) -> None:
    found = [(r.part, r.host) for r in feed(PARSER, lines) if r.attribute == "health-test"]
    assert len(found) == len(set(found))
