"""Whose jobs squeue lists."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.job.job_owners import JobOwners
from slowlink.parsers.reading.read import read

OWN_FORMAT = "JOBID USER NAME CPUS TRES_PER_NODE\n4712 mia gpt-13b 64 gres:gpu:8\n4713_2 bob star 8 N/A\n"
USUAL = (
    "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
    "              4712       gpu    train      mia  R    1:00:00      1 gpu07\n"
)


def said(text: str) -> list[tuple[str, str]]:
    return [(r.part.name, str(r.value)) for r in feed(JobOwners, text.splitlines())]


def test_any_format_with_a_user() -> None:
    assert said(OWN_FORMAT + "$ uptime\n12 mia\n") == [("4712", "mia"), ("4713_2", "bob")]
    assert said(USUAL) == [("4712", "mia")]
    assert said(OWN_FORMAT.replace("USER", "ACCOUNT")) == []


def test_the_usual_table_is_read_for_its_states_as_well() -> None:
    waits = USUAL.replace(" R ", "PD ").replace("gpu07", "(ReqNodeNotAvail, UnavailableNodes:gpu02)")
    records = read([Input("t", None, [waits.encode()])], workers=1)
    assert [r.value for r in records.readings] == ["mia"]
    assert [e.kind for e in records.events] == ["slurm-nodes-unavailable"]


@given(st.lists(st.text(max_size=40) | st.sampled_from((OWN_FORMAT + USUAL).splitlines())))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(JobOwners, lines)) <= len(lines)
