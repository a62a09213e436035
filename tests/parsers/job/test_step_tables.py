from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

SAVING = """\
step;step_s;allreduce_wait_s;ckpt_s;data_s
480;4.08;0.22;0.00;0.01
484;4.00;0.18;0.00;0.01
488;165,30;0.21;161,30;0.01
492;4.02;0.17;0.00;0.02
"""


def read_text(text: str) -> Records:
    return read([Input("metrics.csv", None, [text.encode()])], workers=1)


def test_steps_and_checkpoints() -> None:
    records = read_text(SAVING)
    (pace,) = records.paces
    assert pace.seconds == pytest.approx((4.08, 4.0, 4.0, 4.02))
    assert (pace.spanned, pace.work) == (12, "training")
    (saved,) = [event for event in records.events if event.kind == "checkpoint-time"]
    assert (saved.groups, saved.ref.line) == ({"count": "1", "seconds": "161.3", "longest": "161.3"}, 4)


@pytest.mark.parametrize(
    ("heading", "row", "seconds"),
    [
        ("epoch,step,train_loss,step_time,data_time", "0,{0},2.3,0.5,0.30", 0.5),
        ("global_step\titer_time_ms", "{0}\t512", 0.512),
        ("| iteration | time (s) | loss |", "| {0} | 1.5 | 2.25 |", 1.5),
        ('"step","time/step [ms]"', '"{0}","250"', None),
        ("Step,Elapsed,lr", "{0},7.25,1e-4", 7.25),
        ("batch,train/time_per_step", "{0},0.125", 0.125),
    ],
)
def test_names_of_columns(heading: str, row: str, seconds: float | None) -> None:
    paces = read_text("\n".join((heading, *(row.format(step) for step in (10, 20, 30))))).paces
    assert [pace.seconds for pace in paces] == ([(seconds,) * 3] if seconds else [])


def test_a_ruler_and_an_empty_cell_end_no_table() -> None:
    text = "| step | step_time |\n|------|-----------|\n| 1 | 2.0 |\n| 2 |  |\n| 3 | 2.0 |\n"
    (pace,) = read_text(text).paces
    assert pace.seconds == (2.0, 2.0)


def test_waits_for_data() -> None:
    rows = "".join(f"{step},0.4,0.3\n" for step in range(1, 9))
    events = read_text("step,step_time,data_time\n" + rows).events
    assert [event.groups["share"] for event in events if isinstance(event, JobEvent)] == ["0.750"]


@pytest.mark.parametrize("text", ["step,loss\n1,2.5\n2,2.4\n", "step,time\n", "a,b\n1,2\n", "1,2,3\n4,5,6\n"])
def test_what_times_no_step_is_no_table(text: str) -> None:
    assert read_text(text).paces == ()


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0.01, 900).map(lambda each: round(each, 3))), max_size=40))
def test_every_row_of_any_table_is_a_step(rows: list[tuple[int, float]]) -> None:
    step, lines = 0, []
    for further, seconds in rows:
        step += further
        lines.append(f"{step},{seconds}\n")
    paces = read_text("step,step_time_s\n" + "".join(lines)).paces
    assert [pace.seconds for pace in paces] == ([tuple(seconds for _, seconds in rows)] if len(rows) > 1 else [])
