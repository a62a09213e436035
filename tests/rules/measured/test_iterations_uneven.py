"""The columns that nccl-tests prints with ``-I 1``."""

from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies

HEADER = """\
# nccl-tests version 2.19.6 nccl-headers=22907 nccl-library=22907
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8589934592 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
#                                                              out-of-place                                                                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%)     (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%)
"""


def log(size: int, first: str, second: str) -> str:
    """One row; each side is fastest, slowest, 99 % and spread."""
    row = f"  {size}  {size // 4}     float     sum      -1  {{0}}  220.00  412.50       0  {{1}}  {{0}}  220.00  412.50       0  {{2}}\n"
    return HEADER + row.format(round(size / 220e3, 1), first, second)


EVEN = "38900 39200 39200 0.2"


def test_a_wide_spread_is_an_error() -> None:
    text = log(8 << 30, "38900 195000 190000 85.0", EVEN)
    assert findings("iterations-uneven", text) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "single iterations of all_reduce at 8 GiB take from 38900 to 195000 us (5.0 times as long), with a spread of 85 %",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(8, "38900 to 195000 us, spread 85 % / iterations that agree within a few per cent")],
                "explains": ["average-hides-variation", "busbw-below-expected"],
            }
        ]
    )
    assert remedies("iterations-uneven", text) == snapshot(
        [
            [
                (
                    "Keep the times of every iteration of every process, without the first.",
                    "all_reduce_perf -b 8589934592 -e 8589934592 -n 100 -I 1 -K 1 -J times.json",
                ),
                ("See what else runs on the GPUs meanwhile.", "nvidia-smi pmon -c 10"),
            ]
        ]
    )


def test_one_slow_iteration_of_twenty_is_likely_only_and_a_small_spread_a_warning() -> None:
    def how(sides: str) -> list[str]:
        return [f"{f.severity}, {f.confidence}" for f in check("iterations-uneven", log(8 << 30, sides, EVEN)).findings]

    assert how("38900 195000 195000 74.0") == ["error, likely"]
    assert how("38900 52000 52000 7.4") == ["warning, likely"]
    assert how("38900 52000 52000 9.9") == ["warning, certain"]


def test_even_iterations_are_worth_saying_and_what_lies_between_is_not() -> None:
    said = check("iterations-uneven", log(8 << 30, EVEN, EVEN))
    assert (said.findings, [(p.message, p.weight) for p in said.proofs]) == snapshot(
        ((), [("single iterations of 8 GiB agree within 0.8%", 0)])
    )
    said = check("iterations-uneven", log(8 << 30, "38900 44000 44000 3.0", EVEN))
    assert (said.findings, said.proofs) == ((), ())


def test_small_messages_are_noisy_by_nature() -> None:
    assert findings("iterations-uneven", log(1 << 20, "30 900 900 300", "30 40 40 9")) == []
