"""What ranks do while nothing is heard of them: what the script prints is what the parser reads."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.state import Collected, Reading
from slowlink.parsers.context.rank_states import RankStates

TEXT = """\
slowlink-ranks 1795000000 over 2 s
rank 3 pid 4711 python3 state T 0.0 % cpu at do_signal_stop
rank 4 pid 4712 python3 gone
rank - pid 4713 my_job.x state R 99.5 % cpu at -
"""


def test_a_look_gives_its_time_and_what_each_rank_does() -> None:
    found = feed(RankStates, TEXT.splitlines(), host="node03")
    assert [(each.collector, each.host, each.at) for each in found if isinstance(each, Collected)] == [
        ("ranks", "node03", 1795000000.0)
    ]
    assert [(r.part.name, r.attribute, r.value) for r in found if isinstance(r, Reading)] == snapshot(
        [
            ("4711", "rank-number", 3),
            ("4711", "rank-state", "T"),
            ("4711", "rank-cpu", 0.0),
            ("4711", "rank-waits-in", "do_signal_stop"),
            ("4711", "process-name", "python3"),
            ("4712", "rank-number", 4),
            ("4712", "rank-state", "gone"),
            ("4712", "process-name", "python3"),
            ("4713", "rank-state", "R"),
            ("4713", "rank-cpu", 99.5),
            ("4713", "process-name", "my_job.x"),
        ]
    )


@given(st.text(max_size=80))
def test_any_other_line_is_left_alone(text: str) -> None:
    assert feed(RankStates, [text]) == [] or text.startswith(("slowlink-ranks", "rank "))


@given(st.integers(0, len(TEXT)))
def test_a_look_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    whole, cut = feed(RankStates, TEXT.splitlines()), feed(RankStates, TEXT[:end].splitlines())
    last = len(TEXT[:end].splitlines())
    assert [found for found in cut if found.ref.line < last] == [found for found in whole if found.ref.line < last]
