"""An interrupt ends the reading; what was read until then counts, and what was not is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from slowlink.inputs import Input
from slowlink.inputs.progress import Progress
from slowlink.parsers.reading import side_by_side
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.source import BROKEN_OFF

LINE = b"ERROR: the mill stands still\n"


def log(progress: Progress, times: int) -> Iterator[bytes]:
    for _ in range(times):
        progress.add(len(LINE))
        yield LINE
    raise KeyboardInterrupt


@pytest.mark.parametrize("large", [0, 1 << 20])
def test_what_was_read_counts(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "LARGE_BYTES", large)
    progress = Progress()
    whole = Input("first.log", None, [LINE])
    found = read([whole, Input("second.log", None, log(progress, 3)), whole], 1, progress)
    assert progress.broken_off
    assert [(event.ref.source, event.count) for event in found.events] == [("first.log", 1), ("second.log", 3)]
    first, second = found.sources
    assert (first.problem, first.partial) == (None, False)
    assert (second.path, second.problem, second.partial) == ("second.log", BROKEN_OFF, True)
    assert second.used + second.ignored + second.unread == second.lines == 3


def test_what_other_processes_had_may_be_lost_and_is_said() -> None:
    progress = Progress()
    found = read([Input("only.log", None, log(progress, 3))], 2, progress)
    (source,) = found.sources
    assert progress.broken_off
    assert (source.problem, source.partial) == (BROKEN_OFF, True)
    assert source.used + source.ignored + source.unread == source.lines


def test_nothing_is_left_to_say_where_nothing_was_read() -> None:
    with pytest.raises(KeyboardInterrupt):
        read([Input("only.log", None, log(Progress(), 0))], progress=Progress())


def test_who_does_not_ask_gets_the_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        read([Input("only.log", None, log(Progress(), 3))])
