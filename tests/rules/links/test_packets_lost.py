from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node
from text_findings import findings_of, remedies_of, said

RULE = "packets-lost"


def counted(number: int, **counters: int) -> str:
    folder = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters"
    return node(number, *(f"{folder}/{name}:{value}" for name, value in counters.items()))


def test_late_acknowledgements_have_two_causes() -> None:
    assert said(RULE, counted(1, local_ack_timeout_err=3) + counted(1, local_ack_timeout_err=9)) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "gpu01: mlx5_0: transfers not acknowledged in time grew by 6: packets were lost, on a bad link or to congestion",
            )
        ]
    )


def test_transfers_given_up() -> None:
    before = counted(1, local_ack_timeout_err=3, req_transport_retries_exceeded=0)
    after = counted(1, local_ack_timeout_err=90, req_transport_retries_exceeded=2)
    assert said(RULE, before + after) == snapshot(
        [
            (
                "link-errors",
                "error",
                "possible",
                "gpu01: mlx5_0: transfers given up because nothing answered grew by 2: packets were lost, on a bad link or to congestion",
            )
        ]
    )


def test_silent_on_totals_and_on_what_does_not_grow() -> None:
    assert findings_of(RULE, counted(1, local_ack_timeout_err=900_000)) == ()
    assert findings_of(RULE, counted(1, packet_seq_err=7) + counted(1, packet_seq_err=7)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, counted(1, local_ack_timeout_err=3) + counted(1, local_ack_timeout_err=9)) == snapshot(
        [
            [
                ("Look for errors on the link.", "mlxlink -d mlx5_0 -c -e"),
                ("Look for discards instead.", "ethtool -S IF | grep -E 'discard|out_of_buffer'"),
            ]
        ]
    )
