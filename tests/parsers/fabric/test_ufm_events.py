"""UFM's event log: links that went down and came up."""

from __future__ import annotations

from pathlib import Path

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.fabric.ufm_events import MESSAGES, NOISE, UfmEvents
from slowlink.parsers.forms.interface import Use
from slowlink.workflows.analyze import analyze

_DOWN, _UP = MESSAGES[0].samples[0], MESSAGES[1].samples[0]


def test_links() -> None:
    events = feed(UfmEvents, [_DOWN, _UP, _DOWN])
    assert [(e.kind, e.groups["interface"], e.count) for e in events] == [
        ("kernel-link-down", "leafa:8", 2),
        ("kernel-link-up", "leafa:8", 1),
    ]


def test_other_events_are_known() -> None:
    assert UfmEvents().feed(Line("t", 1, NOISE[0].samples[0])) is Use.IGNORED


def test_one_restart_is_a_warning_and_five_are_a_fault(tmp_path: Path) -> None:
    log = tmp_path / "event.log"
    log.write_text(f"2026-01-01 12:00:00.100 {_DOWN}\n2026-01-01 12:00:09.200 {_UP}\n")
    assert [(f.cause, f.severity) for f in analyze([str(log)]).findings] == [("link-flapping", "warning")]
    log.write_text(f"2026-01-01 12:00:00.100 {_DOWN}\n2026-01-01 12:00:09.200 {_UP}\n" * 5)
    assert [(f.cause, f.severity) for f in analyze([str(log)]).findings] == [("link-flapping", "error")]


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    parser = UfmEvents()
    assert parser.feed(Line("t", 1, text)) in Use
    list(parser.finish())
