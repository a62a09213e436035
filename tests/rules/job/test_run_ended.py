"""run-ended: silence and time limits of runs that slowlink started."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import remedy_of

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.job.run_ended import check


def _ended(reason: str, nodes: str = "") -> list[Finding]:
    event = JobEvent(
        "slowlink-run-ended",
        "slowlink",
        f"run-1 ended: {reason}",
        {"reason": reason, "nodes": nodes, "status": ""},
        Ref("b!manifest.json", 1, "run-1"),
    )
    return list(check(Events((event,))))


def test_a_silent_node_is_named() -> None:
    (found,) = _ended("silent", "node3")
    assert (found.cause, found.severity, found.confidence) == ("rank-lost", "critical", "certain")
    assert found.message == "node3 fell silent during the run and no longer answers; the other ranks waited for it"
    assert [s.name for s in found.suspects] == ["node3"]
    assert remedy_of(found) == snapshot(
        [
            ("See which nodes answer, and take the others out.", "slowlink nodes --nodes ... --check"),
            ("Look at the node's console and at its link.", ""),
        ]
    )


def test_a_time_limit_alone_accuses_nobody() -> None:
    (found,) = _ended("timeout")
    assert (found.cause, found.severity, found.confidence, found.suspects) == ("rank-stuck", "warning", "possible", ())
    assert remedy_of(found) == snapshot(
        [("Give it more time, or a smaller sweep, to tell slow from stuck.", "slowlink run ... --timeout 1800")]
    )


def test_an_interrupt_accuses_nobody() -> None:
    (found,) = _ended("interrupted")
    assert (found.cause, found.severity, found.suspects) == ("run-interrupted", "info", ())
    assert found.message == "interrupted: somebody ended the run; nothing is known of what was still to come"
    assert remedy_of(found) == snapshot([("Let it run to its end to know the rest.", "")])


def test_a_run_without_an_end_was_cut_off_and_only_its_missing_rows_are_explained() -> None:
    (found,) = _ended("cut-off")
    assert (found.cause, found.severity, found.confidence) == ("run-interrupted", "warning", "certain")
    assert found.message == "the run was cut off: slowlink itself was killed; run it again"
    assert (found.suspects, found.explains) == ((), ("output-truncated",))
    assert remedy_of(found) == snapshot(
        [("Run it again, and let it run to its end; if it is still running, wait for it.", "")]
    )


@pytest.mark.parametrize("reason", ["exited", "enough", "not-started"])
def test_other_ends_are_left_to_other_rules(reason: str) -> None:
    assert _ended(reason) == []
