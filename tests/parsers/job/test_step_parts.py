"""How long steps wait for their data."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers.job.steps import parts as step_parts
from slowlink.parsers.job.steps.parts import StepParts
from slowlink.parsers.reading.read import read


def _share(*texts: str) -> list[str]:
    parts = StepParts()
    for number, text in enumerate(texts, 1):
        if not parts.note_alone(Line("job.log", number, text)):
            parts.note(Line("job.log", number, text))
    return [event.groups["share"] for event in parts.events()]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("step 40 | loss 2.1 | step_time 8.0s | data 6.0s fwd+bwd 1.9s", "0.750"),
        ("Epoch: [0][ 20/5004]\tTime  0.400 ( 0.411)\tData  0.300 ( 0.333)\tLoss 6.9", "0.750"),
        ("Epoch: [0]  [ 20/5004]  eta: 0:30:12  loss: 6.9  time: 0.40  data: 0.10  max mem: 7421", "0.250"),
        (
            "iter: 139  total_loss: 0.62  time: 0.4  last_time: 0.41  data_time: 0.3  last_data_time: 0.3 lr: 0.1",
            "0.750",
        ),
        ("Epoch(train) [1][ 50/7330] eta: 1:00:00  time: 0.40  data_time: 0.20  memory: 7123", "0.500"),
        ("iter 120: loss 3.1, dt 1200ms, data wait 900ms", "0.750"),
        ("[step 12] loss=2.3 dataload=1.50s forward=0.3s backward=0.1s comm=0.1s", "0.750"),
        ("iteration 3 | data loading time: 3.0 s | compute time: 0.8 s | comm time: 0.2 s", "0.750"),
        ('{"step": 5, "step_time_s": 4.0, "dataloader_time_s": 3.0}', "0.750"),
        ("global step 100, batch_cost: 1.20 s, reader_cost: 0.90 s, ips: 12.1 samples/sec", "0.750"),
        ("12:00:01 step 3 input_wait_ms=900 step_ms=1200", "0.750"),
        ("train step 9 took 2.0 s (data 1.5 s, fwd 0.1 s, bwd 0.2 s)", "0.750"),
    ],
)
def test_the_share_of_a_step_is_read_from_one_line(text: str, share: str) -> None:
    assert _share(text) == [share]


@pytest.mark.parametrize(
    "text",
    [
        "Step 10: 1234 tokens, input 512, time 3.2s",
        "step 7 loading data from /data 12 time 2s",
        "step 4 dataset 3.2s step time 4.1s",
        "step 4 data 12 GB time 3.0s",
        "step 4 data 9.0s time 3.0s",
        "  dataloader_timeout_sec: 30",
        "data 3.1s",
    ],
)
def test_other_numbers_about_data_are_no_wait(text: str) -> None:
    assert _share(text) == []


def test_values_on_lines_of_their_own_make_one_step_in_any_order() -> None:
    step = (
        "  Train stepwatch/forward_sec: 1.0",
        "  Train stepwatch/dataloader_wait_sec: 6.0",
        "  Train stepwatch/comm_sec: 1.0",
    )
    assert _share(*step, "[batch=2/9]:", *step) == ["0.750"]


def test_timers_of_megatron_count_once() -> None:
    timers = (
        "    forward-backward ...............................: (1200.00, 1500.00)",
        "    forward-compute ................................: (1100.00, 1400.00)",
        "    batch-generator ................................: (900.00, 1200.00)",
        "    optimizer ......................................: (90.00, 100.00)",
    )
    assert _share(*timers) == ["0.750"]


def test_each_sample_is_read() -> None:
    text = "\n".join((*sample_in(step_parts.__doc__ or "").splitlines(), ""))
    events = read([Input("job.log", None, [text.encode()])], workers=1).events
    assert [(e.kind, e.groups["lines"]) for e in events] == [("data-wait", "1"), ("data-wait", "2")]


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    for line in (f"step 1 data {text} time 3", f"a/data_sec: {text}", f"  batch-generator .....: {text}"):
        assert len(_share(line)) <= 1
