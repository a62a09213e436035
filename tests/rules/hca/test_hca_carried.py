"""Which HCA carried what between two looks at its counters."""

from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node
from state_proofs import proofs_of
from text_findings import findings_of, said

RULE = "hca-carried"
_WORD = 4
"""Bytes of a unit of the port's data counters."""


def seen(number: int, *gigabytes: float, cards: tuple[float, ...] = (), rates: tuple[int, ...] = ()) -> str:
    """A look at the counters of a node's HCAs, after each has sent and received so much in all."""
    lines = []
    for index, value in enumerate(gigabytes):
        folder = f"/sys/class/infiniband/mlx5_{index}/ports/1"
        lines += [f"{folder}/counters/port_{way}_data:{round(value * 1e9 / 2 / _WORD)}" for way in ("xmit", "rcv")]
        lines += [f"{folder}/rate:{rates[index]} Gb/sec (4X)"] if rates else []
    for index, value in enumerate(cards):
        folder = f"/sys/class/net/eth{index}/statistics"
        lines += [f"{folder}/{way}_bytes:{round(value * 1e9 / 2)}" for way in ("rx", "tx")]
    return node(number, *lines)


def test_an_hca_that_lies_idle_beside_busy_ones() -> None:
    before = seen(1, 7, 7, 7, 7) + seen(2, 7, 7, 7, 7)
    assert said(RULE, before + seen(1, 48.2, 48.2, 7.001, 48.3) + seen(2, 48, 48, 48, 48)) == snapshot(
        [("hca-list-incomplete", "warning", "likely", "gpu01 mlx5_2/1 carried 1 MB while mlx5_3/1 carried 41.3 GB")]
    )


def test_one_that_is_idle_on_every_node_may_not_be_meant_for_the_job() -> None:
    before = seen(1, 7, 7, 7, 7) + seen(2, 7, 7, 7, 7)
    assert said(RULE, before + seen(1, 48, 48, 48, 7) + seen(2, 48, 48, 48, 7)) == snapshot(
        [
            (
                "hca-list-incomplete",
                "warning",
                "possible",
                "gpu01 mlx5_3/1 and gpu02 mlx5_3/1 carried 0 B while mlx5_0/1 carried 41 GB",
            )
        ]
    )


def test_where_all_took_part_it_is_a_proof() -> None:
    assert proofs_of(RULE, seen(1, 7, 7, 7, 7) + seen(1, 48.2, 48.1, 47.9, 48.3)) == snapshot(
        [("all 4 HCAs took part: 40.9 GB to 41.3 GB each", 0)]
    )


def test_one_of_another_rate_is_of_another_kind() -> None:
    rates = (400, 400, 400, 100)
    assert said(RULE, seen(1, 7, 7, 7, 7, rates=rates) + seen(1, 48, 48, 48, 7, rates=rates)) == []


def test_an_idle_node_tells_nothing() -> None:
    text = seen(1, 7, 7, 7, 7, cards=(3,)) + seen(1, 7.01, 7.01, 7.01, 7, cards=(3.2,))
    assert (findings_of(RULE, text), proofs_of(RULE, text)) == ((), [])


def test_a_single_look_tells_nothing() -> None:
    assert (findings_of(RULE, seen(1, 48, 48, 7, 48)), proofs_of(RULE, seen(1, 48, 48, 7, 48))) == ((), [])


def test_traffic_that_goes_over_a_network_card_beside_the_hcas() -> None:
    assert said(RULE, seen(1, 7, 7, cards=(3,)) + seen(1, 7, 7.001, cards=(15.1,))) == snapshot(
        [
            (
                "socket-fallback",
                "warning",
                "likely",
                "gpu01 eth0 carried 12.1 GB, and 2 HCAs beside it 1 MB: the traffic went over sockets",
            )
        ]
    )


def test_a_network_card_beside_busy_hcas_is_nothing() -> None:
    assert said(RULE, seen(1, 7, 7, cards=(3,)) + seen(1, 47, 47, cards=(15.1,))) == []
