"""What frameworks say that a signal stops."""

from __future__ import annotations

import pytest
from event_logs import events_of
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.message_table import EventPattern
from slowlink.parsers.job.signals import Signals
from slowlink.parsers.job.signals.graceful_stops import STOPS


@pytest.mark.parametrize("message", STOPS, ids=lambda message: message.mark)
def test_samples(message: EventPattern) -> None:
    for sample in message.samples:
        assert [event[0] for event in events_of(Signals, sample)] == [message.kind]


@pytest.mark.parametrize(
    "line",
    [
        "Received signal 2, initiating graceful stop",
        "Worker received SIGTERM: queue-7",
        "Preemption detected, resubmitting",
        "JIT checkpoint signal handler registered for SIGTERM",
    ],
)
def test_an_interrupt_and_what_others_say_are_not_ours(line: str) -> None:
    assert events_of(Signals, line) == []


@given(st.text(max_size=60), st.integers(0, 90))
def test_any_text_gives_a_result(text: str, cut: int) -> None:
    for message in STOPS:
        events_of(Signals, f"{text} {message.samples[0]}"[:cut])
