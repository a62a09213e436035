from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_PROTO set by environment to LL\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_DEBUG set by environment to INFO\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 0.\n"
)


def test_lists_the_settings() -> None:
    assert said("tuning-harmful", FAILED) == snapshot(
        [
            (
                "tuning-harmful",
                "warning",
                "possible",
                "NCCL_PROTO=LL forces the protocol for all sizes and NCCL_P2P_DISABLE=1 turns "
                "peer-to-peer between GPUs off",
            )
        ]
    )


def test_silent_on_harmless_settings() -> None:
    assert findings_of("tuning-harmful", FINE) == ()


def test_nothing_left_to_choose_from() -> None:
    text = FAILED + "node07:4711:4712 [0] NCCL WARN Error : no algorithm/protocol available\n"
    assert said("tuning-harmful", text) == snapshot(
        [
            (
                "tuning-harmful",
                "critical",
                "likely",
                "node07: no algorithm and protocol is left to choose from with NCCL_PROTO set",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("tuning-harmful", FAILED) == snapshot(
        [[("Measure with and without.", "unset NCCL_PROTO NCCL_P2P_DISABLE")]]
    )
