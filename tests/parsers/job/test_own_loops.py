"""Loops that people write, and progress bars."""

from __future__ import annotations

import re

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import TrainingPace
from slowlink.parsers.job import own_loops
from slowlink.parsers.job.own_loops import OwnLoops
from slowlink.parsers.job.steps import words as step_words
from slowlink.parsers.job.steps.words import Pace, counter_in, may_pace, pace_in
from slowlink.parsers.reading.read import read

SAMPLE = sample_in(own_loops.__doc__ or "").splitlines()


def paces(*lines: str) -> tuple[TrainingPace, ...]:
    return read([Input("job.log", None, ["\n".join((*lines, "")).encode()])], workers=1).paces


@pytest.mark.parametrize(
    ("line", "number", "pace"),
    [
        ("10:00:05 - step 500 - loss 2.71 - 0.5 s/step - 2350 samples/s", 500, Pace(0.5)),
        ("[2031-05-20 13:41:48] step 18 | loss 2.1 | 9.5 s/it | 403.0 TFLOP/s/GPU | tok/s 432.3k", 18, Pace(9.5)),
        ("iter 120 | loss 3.1 | time/iter 1.25s", 120, Pace(1.25)),
        ("Epoch [1/90], Step [100/500], Loss: 2.31, Time per step: 250 ms", 100, Pace(0.25)),
        ("| epoch   1 |   200/ 2928 batches | lr 5.00 | ms/batch 25 | loss  8.19", 200, Pace(0.025)),
        ("step: 12 sec/step: 0.5", 12, Pace(0.5)),
        ("step 200/8000 loss=3.402 tok/s/gpu=10000", 200, Pace(0.0001, "tok")),
        ("step 200 lr 0.1 tokens/sec/gpu: 10000", 200, Pace(0.0001, "tokens")),
        ("step 7 loss 3.5 samples per second per gpu = 50", 7, Pace(0.02, "samples")),
        ("step 7 2000 tok/s/gpu", 7, Pace(0.0005, "tok")),
        ("step 100 | loss: 3.2 | dt: 250.0ms", 100, Pace(0.25)),
        ("step=20 train_loss=2.1 step_time=1.5 tokens_per_second=12,345", 20, Pace(1.5)),
        ("{'step': 20, 'loss': 2.1, 'step_time_ms': 750}", 20, Pace(0.75)),
        ("INFO step 12 iter_time(s): 3.5", 12, Pace(3.5)),
        ("it 30: 2 it/s", 30, Pace(0.5)),
        ("global_step=120, samples/sec=500", 120, Pace(0.002, "samples")),
        ("step 120 throughput: 4k tokens/s", 120, Pace(0.00025, "tokens")),
        ("step 5/100: 400 TFLOPs/s", 5, Pace(0.0025, "TFLOPs")),
        ("step 7 | 1000 img/s", 7, Pace(0.001, "img")),
        ("epoch 3/90 loss 1.2 12.5 s/epoch", 3, Pace(12.5)),
    ],
)
def test_a_step_in_many_words(line: str, number: int, pace: Pace) -> None:
    assert may_pace(line.lower())
    assert counter_in(line) == number
    assert pace_in(line) == pytest.approx(pace)


@pytest.mark.parametrize(
    "line",
    [
        "step 12 took a while",
        "step 5 time 1.2",
        "batch size 32, 4096 tokens per sequence",
        "step 5 link speed",
        "step 5 0 samples/s",
    ],
)
def test_what_gives_no_pace(line: str) -> None:
    assert pace_in(line) is None


def steps(form: str, count: int = 3) -> list[str]:
    return [form.format(n=n) for n in range(1, count + 1)]


def test_a_loop_is_one_series_and_each_rank_prints_its_steps() -> None:
    lines = [line for line in steps("step {n}00 | 0.5 s/step") for _ in range(4)]
    (pace,) = paces(*lines)
    assert (pace.program, pace.seconds, pace.count, pace.spanned, pace.work) == (
        "training loop",
        (0.5, 0.5, 0.5),
        3,
        200,
        "training",
    )


def test_a_number_that_does_not_grow_counts_nothing() -> None:
    assert paces("batch 32 | 0.5 s/step", "batch 32 | 0.5 s/step", "batch 16 | 0.5 s/step") == ()


BAR = "{n:3d}%|##        | {n}/500 [00:0{n}<40:00,  4.93s/it]"


def test_a_bar_is_a_training_where_something_says_so() -> None:
    loss = "{{'loss': 2.1, 'learning_rate': 1e-05, 'epoch': 0.0{n}}}"
    of = {
        "nothing": steps(BAR),
        "its words": steps("Epoch 1: " + BAR),
        "its end": steps(BAR.replace("s/it", "s/it, loss=2.1")),
        "losses beside it": [*steps(BAR), *steps(loss)],
    }
    assert {name: [(p.program, p.work) for p in paces(*lines)] for name, lines in of.items()} == {
        "nothing": [("progress bar", "unknown")],
        "its words": [("progress bar of a training", "training")],
        "its end": [("progress bar of a training", "training")],
        "losses beside it": [("progress bar", "training")],
    }


@pytest.mark.parametrize("words", ["Loading checkpoint shards", "Map", "Validation epoch 1", "Tokenizing train set"])
def test_bars_of_other_work_are_left_out(words: str) -> None:
    assert paces(*steps(f"{words}: {BAR}")) == ()


def test_the_samples_are_read_and_the_scan_sees_shapes_only() -> None:
    assert all(OwnLoops.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)
    later = [line.replace("500 -", "501 -").replace("120", "121").replace("60/500", "61/500") for line in SAMPLE]
    assert [pace.program for pair in zip(SAMPLE, later, strict=True) for pace in paces(*pair)] == [
        "training loop",
        "training loop",
        "progress bar of a training",
    ]


@given(st.lists(st.text(max_size=200) | st.sampled_from(SAMPLE), max_size=20))
def test_any_text_gives_positive_times_or_nothing(lines: list[str]) -> None:
    for pace in paces(*lines):
        assert min(pace.seconds) > 0
        assert pace.count >= len(pace.seconds)


WORDS = (
    "step",
    "12",
    "3.5",
    "0",
    "1,234.5",
    "s/it",
    "it/s",
    "ms",
    "tokens/s",
    "time/iter",
    "=",
    ": ",
    " ",
    "|",
    "k",
    "(",
    "1e-3",
)


@given(st.lists(st.sampled_from(WORDS), max_size=14).map("".join))
def test_numbers_stand_where_a_search_of_the_line_itself_finds_them(text: str) -> None:
    counters = [found for pattern in step_words._COUNTERS if (found := pattern.search(text))]
    assert counter_in(text) == (int(counters[0]["no"]) if counters else None)
    paces = [found for pattern in (*step_words._TIMES, *step_words._RATES) if (found := pattern.search(text))]
    first = next((value for found in paces if (value := float(found["value"].replace(",", "")))), None)
    pace = pace_in(text)
    assert (pace is None) == (first is None)
    if pace is not None and first is not None:
        factors = (1, 1e-3, 1e-6)
        times = [first * factor for factor in factors] + [1 / (first * more) for more in (1, 1e3, 1e6, 1e9)]
        assert any(pace.seconds == pytest.approx(seconds) for seconds in times)


@pytest.mark.parametrize(
    "line",
    [
        "step {n} loss 2.31 time {t:.2f}s",
        "step {n} | loss 2.31 | time {t:.2f} s",
        "step: {n} loss: 2.31 elapsed: {t:.2f}s",
        "Step[{n}] Loss[2.31] Time[{t:.2f}s]",
        "iter {n} took {t:.2f}s, train_loss 2.31",
        "[{n}/5000] loss=2.31 step_time={t:.2f}",
    ],
)
def test_a_time_that_nothing_ties_to_the_step_is_the_steps_where_it_does_not_add_up(line: str) -> None:
    alike = [line.format(n=number, t=1 + number % 3 / 100) for number in range(10, 30)]
    (pace,) = paces(*alike)
    assert (pace.count, {round(each, 2) for each in pace.seconds}) == (20, {1.0, 1.01, 1.02})
    if "step_time" not in line:
        assert paces(*(line.format(n=number, t=number * 1.5) for number in range(10, 30))) == ()


def test_steps_of_an_installation_are_no_loop() -> None:
    lines = [f"Step {number}: fetched the archive, took {2 + number % 3}.5s" for number in range(1, 15)]
    assert paces(*lines) == ()


def test_of_two_or_three_lines_nobody_can_tell() -> None:
    assert paces("step 1 loss 2.3 time 1.0s", "step 2 loss 2.3 time 0.9s", "step 3 loss 2.2 time 1.1s") == ()


@pytest.mark.parametrize("length", [3, 5, 8])
def test_a_time_since_the_start_of_an_epoch_is_no_steps(length: int) -> None:
    lines = [
        f"epoch {epoch} step {10 * (epoch * length + step)} loss 2.3 time {11.3 * (step + 1):.1f}s"
        for epoch in range(12)
        for step in range(length)
    ]
    assert paces(*lines) == ()


def test_a_loop_with_slow_steps_now_and_then_is_one() -> None:
    (pace,) = paces(*(f"step {n} loss 2.3 time {9.5 if n % 10 == 0 else 1 + n % 4 / 100:.2f}s" for n in range(1, 61)))
    assert (pace.count, max(pace.seconds)) == (60, 9.5)
