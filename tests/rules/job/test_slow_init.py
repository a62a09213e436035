"""Communicators that take long to start."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

LIFE = "comm 0x55d0c5e0b2a0 rank 3 nranks {ranks} cudaDev 3 nvmlDev 3 busId b3000 commId 0xfa3841 - Init COMPLETE"
PARTS = "kernels 0.20, alloc {alloc}, bootstrap 1.10, allgathers 0.02, topo 0.31, graphs 0.04, connections 0.40, rest 0"


def log(total: float, alloc: float, ranks: int = 16) -> str:
    head = "node07:4000:4100 [3] NCCL INFO "
    timings = f"Init timings - ncclCommInitRank: rank 3 nranks {ranks} total {total:.2f} "
    return f"{head}ncclCommInitRank {LIFE.format(ranks=ranks)}\n{head}{timings}({PARTS.format(alloc=f'{alloc:.2f}')})\n"


def test_names_the_part_that_takes_the_time() -> None:
    assert said("slow-init", log(58.3, 55.9)) == snapshot(
        [
            (
                "slow-init",
                "warning",
                "likely",
                "to create a communicator with 16 ranks took 58.3 s, 55.9 s of it in alloc",
            )
        ]
    )
    assert remedies_of("slow-init", log(58.3, 55.9)) == snapshot(
        [[("See whether memory is slow to get: persistence mode, other processes.", "nvidia-smi -q -d MEMORY")]]
    )


def test_three_times_what_may_be_is_a_fault() -> None:
    assert [found[1] for found in said("slow-init", log(95.0, 90.0))] == ["error"]


def test_many_ranks_may_take_longer() -> None:
    assert findings_of("slow-init", log(48.3, 45.9, ranks=1024)) == ()


def test_silent_on_a_quick_start() -> None:
    assert findings_of("slow-init", log(2.1, 0.2)) == ()


def test_the_timings_alone_are_enough() -> None:
    alone = "".join(line for line in log(91.4, 4.0).splitlines(keepends=True) if "Init timings" in line)
    assert len(findings_of("slow-init", alone)) == 1
