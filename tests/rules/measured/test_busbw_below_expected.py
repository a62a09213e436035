from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies
from slow_sides import with_slow_side

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

RING = LoggedCluster(hosts=("node06", "node07"), env={"NCCL_ALGO": "Ring"})


def log(plateau_gbs: float, cluster: LoggedCluster = RING, **more: object) -> str:
    return job_log(SimulatedJob(cluster, plateau_gbs=plateau_gbs, **more))  # type: ignore[arg-type]


def test_far_below_the_ring_bound() -> None:
    assert findings("busbw-below-expected", log(9.42), nics="2x200") == snapshot(
        [
            {
                "cause": "busbw-below-expected",
                "message": "all_reduce with 16 ranks on 2 nodes reaches 9.4 GB/s of an expected 46, 19% of the ring bound of 2 x 200 Gb/s (49 GB/s)",
                "how": "error, likely",
                "suspects": ["node node06", "node node07"],
                "evidence": [
                    (
                        386,
                        "9.40 GB/s at 8 GiB / at least 39 GB/s: ring: NICs 2 x 200 Gb/s x 0.981 = 49.0, PCIe of the GPUs 8 GPUs x 28.6 (PCIe Gen4 x16) = 228.8, NVLink 274 x 8/7 = 313.1 (usually 274.3); the least is NICs, 49.0 GB/s; healthy systems reach about 94% of it (ring over several nodes, all-reduce; 32 published results at 0.86 to 1.08 of it); NICs given: 2 x 200 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed",
                    )
                ],
                "explains": [],
            }
        ]
    )


def test_the_border_of_error_warning_and_proof() -> None:
    """Two NICs of 200 Gb/s carry 49 GB/s in a ring; healthy systems show 46."""
    said = {gbs: check("busbw-below-expected", log(gbs), nics="2x200") for gbs in (38.0, 40.0, 46.4)}
    assert {gbs: [f.severity for f in one.findings] for gbs, one in said.items()} == {
        38.0: ["error"],
        40.0: ["warning"],
        46.4: [],
    }
    assert [proof.message for proof in said[46.4].proofs] == snapshot(
        ["all_reduce with 16 ranks on 2 nodes: 46.3 GB/s, 94% of the ring bound of 2 x 200 Gb/s (49 GB/s)"]
    )


def test_more_than_the_hardware_can_carry() -> None:
    assert findings("busbw-below-expected", log(71.0), nics="2x200") == snapshot(
        [
            {
                "cause": "above-physical-bound",
                "message": "all_reduce with 16 ranks on 2 nodes shows 70.9 GB/s, above the physical bound of 49: the hardware is not what it was taken for, or the numbers are not from this machine",
                "how": "warning, likely",
                "suspects": [],
                "evidence": [
                    (
                        386,
                        "70.86 GB/s / at most 49 GB/s: ring: NICs 2 x 200 Gb/s x 0.981 = 49.0, PCIe of the GPUs 8 GPUs x 28.6 (PCIe Gen4 x16) = 228.8, NVLink 274 x 8/7 = 313.1 (usually 274.3); the least is NICs, 49.0 GB/s; healthy systems reach about 94% of it (ring over several nodes, all-reduce; 32 published results at 0.86 to 1.08 of it); NICs given: 2 x 200 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed",
                    )
                ],
                "explains": [],
            }
        ]
    )


def _told_in_words(gbs: float, words: str = "Two nodes with 4x 200 Gb/s HDR each, one GPU of each:") -> str:
    ranks = [
        f"#  Rank  {n} Group  0 Pid   110{n} on      acc-{n} device  0 [0x07] NVIDIA A100-SXM4-80GB" for n in (0, 1)
    ]
    row = f"{(8 << 30) / gbs / 1e3:.0f} {gbs:.2f} {gbs:.2f} 0"
    heading = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
    return "\n".join(
        [words, "", "# Using devices", *ranks, heading, f"8589934592 2147483648 float sum -1 {row} {row}", ""]
    )


def test_more_than_what_the_words_around_it_name_can_carry() -> None:
    """Words that the numbers contradict are no proof: neither they nor the numbers are known to be right."""
    said = check("busbw-below-expected", _told_in_words(95.0))
    assert [(f.cause, f.severity, f.confidence, f.message) for f in said.findings] == snapshot(
        [
            (
                "above-physical-bound",
                "warning",
                "possible",
                "all_reduce with 2 ranks on 2 nodes shows 95 GB/s, above the physical bound of 24.5: the hardware is not what the text around the numbers says, or the numbers are not from this machine",
            )
        ]
    )
    assert said.proofs == ()
    fits = check("busbw-below-expected", _told_in_words(23.4))
    assert fits.findings == ()
    assert len(fits.proofs) == 1


def test_the_largest_network_proves_health_without_being_named() -> None:
    said = check("busbw-below-expected", log(186.0))
    assert said.findings == ()
    assert [proof.message for proof in said.proofs] == snapshot(
        [
            "all_reduce with 16 ranks on 2 nodes: 185.6 GB/s, 95% of the ring bound of 8 x 200 Gb/s and a100-sxm (196 GB/s), the largest network that such nodes are sold with"
        ]
    )


def test_the_printed_average_is_never_graded() -> None:
    """From 8 B the average of a healthy run is a third of its plateau."""
    text = log(46.4, smallest_bytes=8)
    average = next(line for line in text.splitlines() if "Avg bus bandwidth" in line)
    assert float(average.split(":")[1]) < 0.5 * 46.4
    assert findings("busbw-below-expected", text, nics="2x200") == []


def test_sizes_below_the_plateau_are_not_judged() -> None:
    said = check("busbw-below-expected", log(46.4, largest_bytes=16 << 20), nics="2x200")
    assert (said.outcome.outcome, said.outcome.reason) == snapshot(
        ("skipped", "no sweep or link could be compared with a bound: hardware unknown")
    )


def test_one_good_node_by_itself() -> None:
    node = LoggedCluster(hosts=("node06",))
    said = check("busbw-below-expected", log(233.0, node))
    assert said.findings == ()
    assert [proof.message for proof in said.proofs] == snapshot(
        ["all_reduce with 8 ranks on 1 node: 232.5 GB/s, 100% of the 233 GB/s that healthy systems show"]
    )


def test_it_says_what_to_do() -> None:
    assert remedies("busbw-below-expected", log(9.42), nics="2x200") == snapshot(
        [
            [
                ("See whether the network alone is the limit: one ring, no tree, no NVLS.", "export NCCL_ALGO=Ring"),
                (
                    "Measure each HCA by itself, from GPU memory.",
                    "ib_write_bw --use_cuda=0 -d HCA -a --report_gbits",
                ),
                ("Let NCCL say what it uses.", "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH,TUNING"),
            ]
        ]
    )
    assert remedies("busbw-below-expected", log(71.0), nics="2x200") == snapshot(
        [[("Say what the hardware is.", "slowlink analyze --system ... --nics ...")]]
    )


@pytest.mark.parametrize(
    ("collective", "first"),
    [
        ("all_reduce", "See whether the network alone is the limit: one ring, no tree, no NVLS."),
        ("all_gather", "Measure each HCA by itself, from GPU memory."),
        ("broadcast", "Measure each HCA by itself, from GPU memory."),
        ("alltoall", "Measure each HCA by itself, from GPU memory."),
    ],
)
def test_an_algorithm_is_forced_only_where_there_is_a_choice(collective: str, first: str) -> None:
    job = SimulatedJob(LoggedCluster(), plateau_gbs=1.0, collective=collective, logged=False)
    ((step, *_),) = remedies("busbw-below-expected", job_log(job), nics="2x200")
    assert step[0] == first


def test_one_node_is_a_matter_of_links_between_gpus_and_not_of_hcas() -> None:
    def steps(gpu: str) -> list[str]:
        job = SimulatedJob(LoggedCluster(hosts=("node06",), gpus=8), gpu=gpu, plateau_gbs=9.0, logged=False)
        (remedy,) = remedies("busbw-below-expected", job_log(job))
        return [command for _, command in remedy]

    assert steps("NVIDIA H100 80GB HBM3") == snapshot(
        [
            "nvidia-smi nvlink --status; nvidia-smi nvlink -e",
            "nvidia-smi -q | grep -A4 Fabric; systemctl status nvidia-fabricmanager",
            "nvbandwidth -t device_to_device_memcpy_read_ce",
            "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,P2P,GRAPH,TUNING",
        ]
    )
    assert steps("NVIDIA L40S") == snapshot(
        [
            "nvidia-smi topo -m; nvidia-smi topo -p2p r",
            "nvbandwidth -t device_to_device_memcpy_read_ce",
            "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,P2P,GRAPH,TUNING",
        ]
    )
    assert steps("AMD Instinct MI300X") == snapshot(
        [
            "rocm-smi --showtopo; amd-smi xgmi",
            "TransferBench p2p",
            "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,P2P,GRAPH,TUNING",
        ]
    )


GIB = 1 << 30


def _with_shape(shape: dict[int, float]) -> list[tuple[str, str]]:
    said = check("busbw-below-expected", log(46.4, shape=shape), nics="2x200")
    return [(one.severity, one.message) for one in said.findings] + [("proof", one.message) for one in said.proofs]


def test_what_the_largest_sizes_do_not_hold_is_no_health() -> None:
    """Healthy systems show 39 GB/s and more."""
    assert _with_shape({4 * GIB: 0.66, 8 * GIB: 0.66}) == snapshot(
        [
            (
                "error",
                "all_reduce with 16 ranks on 2 nodes does not hold what it reaches: 46.0 GB/s at 2 GiB, and 30.6 GB/s of an expected 46 at 8 GiB",
            )
        ]
    )
    assert _with_shape({size << 20: 0.5 for size in (512, 1024, 2048, 4096, 8192)}) == snapshot(
        [
            (
                "error",
                "all_reduce with 16 ranks on 2 nodes does not hold what it reaches: 43.7 GB/s at 256 MiB, and 23.1 GB/s of an expected 46 at 8 GiB",
            )
        ]
    )


def test_a_single_largest_size_leaves_it_open() -> None:
    assert _with_shape({8 * GIB: 0.66}) == snapshot(
        [
            (
                "warning",
                "all_reduce with 16 ranks on 2 nodes does not hold what it reaches: 46.2 GB/s at 4 GiB, and 30.6 GB/s of an expected 46 at 8 GiB",
            )
        ]
    )


def test_one_slow_size_among_others_does_not_matter() -> None:
    for shape in ({4 * GIB: 0.5}, {8 * GIB: 0.87}):
        assert [kind for kind, _ in _with_shape(shape)] == ["proof"]


def test_one_slow_side_at_the_largest_size_leaves_it_open() -> None:
    for share, proofs in ((0.1, 0), (0.9, 1)):
        text = with_slow_side(log(46.4), 8 * GIB, share)
        assert len(check("busbw-below-expected", text, nics="2x200").proofs) == proofs


def test_one_fast_size_at_the_end_does_not_speak_for_the_plateau() -> None:
    half = {size << 20: 0.5 for size in (512, 1024, 2048, 4096)}
    ((severity, message),) = _with_shape(half)
    assert severity == "warning"
    assert message.endswith(
        "does not hold what it reaches: 46.3 GB/s at 8 GiB, and 23.1 GB/s of an expected 46 at 4 GiB"
    )
    ((kind, _),) = _with_shape({4 * GIB: 0.5})
    assert kind == "proof"


def test_one_size_that_was_run_twice_must_hold_both_times() -> None:
    told = _told_in_words(24.0)
    (row,) = [line for line in told.splitlines() if line.startswith("8589934592")]

    def again(gbs: float) -> str:
        (slow,) = [line for line in _told_in_words(gbs).splitlines() if line.startswith("8589934592")]
        return f"{told}{slow}\n"

    assert len(check("busbw-below-expected", told).proofs) == 1
    assert len(check("busbw-below-expected", again(23.0)).proofs) == 1
    for text in (again(6.0), again(6.0).replace(row, "").rstrip() + f"\n{row}\n"):
        said = check("busbw-below-expected", text)
        assert (said.proofs, [(f.severity, f.confidence) for f in said.findings]) == ((), [("warning", "possible")])


def test_far_more_than_the_largest_network_of_such_nodes_is_no_health() -> None:
    a_little = check("busbw-below-expected", log(204.0))
    assert (len(a_little.proofs), a_little.findings) == (1, ())
    far = check("busbw-below-expected", log(290.0))
    assert far.proofs == ()
    (found,) = far.findings
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "above-physical-bound",
            "warning",
            "possible",
            "all_reduce with 16 ranks on 2 nodes shows 289 GB/s, above the physical bound of 196: the hardware is not what such nodes are sold with, or the numbers are not from this machine",
        )
    )
