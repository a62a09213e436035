from __future__ import annotations

from inline_snapshot import snapshot
from telemetry_texts import text_of
from text_findings import findings_of, remedies_of, said

RULE = "completions-slow"
SLOW = (20_000, 25_000, 14_000, 9_000, 1_400)


def nodes(slow: int | None = 3, count: int = 6, **given: object) -> str:
    """One after the other: a file each."""
    return "".join(
        text_of(
            host=f"gpu{number:02}", process=4100 + number, **({"histogram": SLOW, **given} if number == slow else {})
        )
        for number in range(count)
    )


def test_one_hca_stands_out_on_its_rail() -> None:
    assert said(RULE, nodes()) == snapshot(
        [
            (
                "straggler-nic",
                "warning",
                "possible",
                "gpu03: mlx5_0 (process 4103): its sends complete after 52 us on the average where those of 5 others alike take 19 us (2.7 times as long, 69,400 sends): it is slow, or those it sends to are",
            )
        ]
    )


def test_all_alike_is_no_news() -> None:
    assert findings_of(RULE, nodes(None)) == ()


def test_three_show_nothing() -> None:
    assert findings_of(RULE, nodes(1, 3)) == ()


def test_few_sends_show_nothing() -> None:
    assert findings_of(RULE, nodes(histogram=(0, 0, 0, 0, 900), sends=900)) == ()


def test_larger_sends_take_longer() -> None:
    assert findings_of(RULE, nodes(size=4 << 20)) == ()


def test_one_of_which_a_part_was_not_counted_is_not_judged() -> None:
    assert findings_of(RULE, nodes(untracked=1)) == ()


def test_where_rails_are_short_all_are_one() -> None:
    text = "".join(
        text_of(
            host=f"gpu{node}", device=f"mlx5_{rail}", process=rail, **({"histogram": SLOW} if rail == node == 1 else {})
        )
        for node in range(2)
        for rail in range(4)
    )
    (found,) = findings_of(RULE, text)
    assert [each.name for each in found.suspects] == ["gpu1 mlx5_1", "gpu1"]


def test_it_says_what_tells_the_ends_apart() -> None:
    assert remedies_of(RULE, nodes()) == snapshot(
        [
            [
                (
                    "Test pairs of nodes, HCA by HCA: they tell the ends apart.",
                    "slowlink isolate --nodes NODES --parts",
                ),
                ("Ask for the state of its links and counters.", "slowlink snapshot --nodes NODES"),
            ]
        ]
    )
