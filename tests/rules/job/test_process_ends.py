"""Each process that died is told once, however many lines tell of it."""

from __future__ import annotations

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.source import Ref
from slowlink.rules.job.process_ends import deaths, told


def died(line: int, host: str | None = None, **groups: str) -> JobEvent:
    return JobEvent("process-exited", "slurm", "", groups, Ref("log", line), host)


def said(*events: JobEvent) -> list[str]:
    return told(deaths(Events(events)))


def test_a_rank_and_its_process_are_one() -> None:
    assert said(died(1, pid="4711", signal="6"), died(2, rank="3", signal="6")) == ["rank 3 died of signal 6 (SIGABRT)"]


def test_who_says_how_is_believed_before_who_does_not() -> None:
    assert said(died(1, rank="3"), died(2, rank="3", code="134")) == ["rank 3 died of signal 6 (SIGABRT)"]


def test_a_rank_without_its_node_is_the_one_that_has_it_elsewhere() -> None:
    assert said(died(1, rank="3", signal="9"), died(2, "n1", rank="3", signal="9")) == [
        "rank 3 on n1 died of signal 9 (SIGKILL)"
    ]


def test_local_ranks_of_several_nodes_are_several() -> None:
    assert said(died(1, "n1", rank="0", code="1"), died(2, "n2", rank="0", code="1")) == [
        "rank 0 on n1 exited with code 1",
        "rank 0 on n2 exited with code 1",
    ]


def test_without_ranks_processes_are_told() -> None:
    assert said(died(1, pid="7", code="2"), died(2, pid="8", code="2"), died(3, pid="7", code="2")) == [
        "process 7 exited with code 2",
        "process 8 exited with code 2",
    ]
