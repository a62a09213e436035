"""Reports of Megatron-LM's straggler detector."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.job.slowest_ranks import KIND
from slowlink.parsers.reading.read import read


def report(rank: int, most: float, more: str = "") -> str:
    return (
        f"INFO:megatron.core.utils:[2031-05-06 03:14:32] | MnRtt/Rnk: 630.50ms/13 | MxRtt/Rnk: {most}ms/{rank}{more}\n"
    )


def told(text: str) -> list[tuple[int | None, dict[str, str]]]:
    events = read([Input("job.log", None, [text.encode("utf-8", "replace")])], workers=1).events
    return [(event.rank, dict(event.groups)) for event in events if event.kind == KIND]


def test_the_longest_row_of_reports_with_the_same_rank() -> None:
    clocks = " | MnClk/Rnk: 1155MHz/43 | MxClk/Rnk: 1980MHz/0 | MxTmp/Rnk: 61C/9"
    text = report(7, 640) * 2 + report(43, 1160, clocks) * 3 + report(7, 650)
    assert told(text) == snapshot(
        [
            (
                43,
                {
                    "reports": "3",
                    "of": "6",
                    "least": "630.5",
                    "most": "1160.0",
                    "clock": "1155.0",
                    "clock_best": "1980.0",
                },
            )
        ]
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e9, allow_nan=False)), max_size=12), st.text())
def test_any_reports_are_read(reports: list[tuple[int, float]], other: str) -> None:
    text = "".join(report(rank, round(most, 2)) for rank, most in reports) + f"MxRtt/Rnk: {other}"
    assert len(told(text)) <= 1
