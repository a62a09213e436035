"""Which answers become a line."""

from __future__ import annotations

from slowlink.model.report import Severity, Suspect
from slowlink.rules.evidence.findings import finding
from slowlink.workflows.follow.answer import Answer
from slowlink.workflows.follow.said import Said

NOBODY = Answer("", 100, 1, (), "nobody", "")
NOT_JUDGED = Answer("", 100, 1, (), "", "too few calls")


def late(node: str = "", label: str = "", severity: Severity = "error") -> Answer:
    suspects = [Suspect("node", node)] if node else []
    found = finding("straggler-gpu", node or "who?", severity=severity, confidence="likely", suspects=suspects)
    return Answer(label, 100, 1, (found,), "", "")


def said(*looks: list[Answer], calls: int = 20) -> list[str]:
    """``calls``: new ones at each look."""
    told: list[str] = []
    mine = Said(told.append)
    for number, answers in enumerate(looks, 1):
        mine.take(answers, number * calls)
    return told


def test_an_accusation_needs_two_looks_even_at_first() -> None:
    assert said([late("a")]) == []
    assert said([late("a")], [late("a")], [late("a")]) == ["straggler-gpu: a"]
    assert said([late("a")], [late("b")], [late("a")]) == []


def test_a_first_answer_that_accuses_nobody_is_told_at_once() -> None:
    assert said([NOBODY]) == ["nobody"]
    assert said([NOT_JUDGED]) == ["cannot be judged yet: too few calls"]


def test_of_several_jobs_all_first_answers_need_two_looks() -> None:
    """What the first calls show as several may be one: others follow, that these ranks have in common."""
    each = [NOBODY._replace(label=label) for label in ("job 1", "job 2")]
    assert said(each) == []
    assert said(each, [NOBODY], [NOBODY]) == ["nobody"]
    assert said(each, each) == ["job 1: nobody", "job 2: nobody"]


def test_a_change_needs_two_looks() -> None:
    assert said([NOT_JUDGED], [NOBODY]) == ["cannot be judged yet: too few calls"]
    assert said([NOT_JUDGED], [NOBODY], [NOBODY]) == ["cannot be judged yet: too few calls", "nobody"]


def test_an_accusation_must_hold_while_new_calls_come() -> None:
    """Of each rank and communicator."""
    assert said(*[[late("a")]] * 4, calls=5) == []
    assert said(*[[late("a")]] * 5, calls=5) == ["straggler-gpu: a"]
    wide, narrow = late("a")._replace(columns=2), late("a")._replace(calls=10)
    assert said(*[[wide]] * 8, calls=5) == []
    assert said(*[[wide]] * 9, calls=5) == ["straggler-gpu: a"]
    assert said(*[[narrow]] * 3, calls=5) == ["straggler-gpu: a"]


def test_where_nothing_tells_who_it_is_other_calls_must_say_so() -> None:
    """Of the first ones many: then chance looks alike too often."""
    who = late(severity="warning")
    assert said(*[[who]] * 24) == []
    assert said(*[[who]] * 25) == ["straggler-gpu: who?"]
    assert said(*[[NOBODY]] * 100, *[[who]] * 5) == ["nobody"]
    assert said(*[[NOBODY]] * 100, *[[who]] * 6) == ["nobody", "straggler-gpu: who?"]
    assert said(*[[NOBODY]] * 100, *[[who], [NOBODY]] * 11) == ["nobody"]


def test_each_job_is_followed_for_itself() -> None:
    """One that changes at each look hides nothing of another."""
    one, other = late("a", "job 1"), NOBODY._replace(label="job 2")
    changing = [late("b", "job 2"), other, late("c", "job 2"), other]
    assert said(*([one, each] for each in changing)) == ["job 1: straggler-gpu: a"]
