"""PBS and LSF."""

from __future__ import annotations

import pytest
from event_logs import events_of
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import diagnoses_of

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.batch_systems import MESSAGES, BatchSystems

REPORT = """\
Job <python train.py> was submitted from host <login2> by user <ann> in cluster <alpha> at Mon Nov  3 10:12:00 2031
Results reported at Mon Nov  3 11:40:51 2031

TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.
Exited with exit code 137.

Resource usage summary:
"""


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.kind)
def test_samples(message: object) -> None:
    for sample in message.samples:  # type: ignore[attr-defined]
        assert [event[0] for event in events_of(BatchSystems, sample)] == [message.kind]  # type: ignore[attr-defined]


def test_the_report_of_lsf_names_the_limit() -> None:
    assert events_of(BatchSystems, REPORT) == snapshot(
        [
            ("batch-memory-limit", None, None, {"reason": "MEMLIMIT"}, 1),
            ("process-exited", None, None, {"code": "137"}, 1),
        ]
    )


@pytest.mark.parametrize(
    ("text", "cause", "message"),
    [
        (REPORT, "rank-lost", "the job took more memory than its limit, and the scheduler ended it"),
        (
            "=>> PBS: job killed: walltime 43214 exceeded limit 43200\n",
            "time-limit",
            "the scheduler ended the job at its limit",
        ),
        ("TERM_PREEMPT: job killed after preemption.\n", "rank-lost", "the scheduler gave the node to another job"),
    ],
    ids=["memory", "time", "preempted"],
)
def test_what_ended_the_job_is_the_answer(text: str, cause: str, message: str) -> None:
    assert [(d.cause, d.message) for d in diagnoses_of(text)] == [(cause, message)]


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    use = BatchSystems().feed(Line("job.log", 1, f"=>> PBS: job killed: {text}"))
    assert use in (Use.USED, Use.IGNORED, Use.NOT_MINE)
