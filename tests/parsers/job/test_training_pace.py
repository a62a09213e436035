from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import TrainingPace
from slowlink.parsers.job.steps.series import MAX_STEPS
from slowlink.parsers.job.training_pace import FORMS, TrainingSteps
from slowlink.parsers.reading.read import read

LINES = {
    "Keras": ("100/100 [==============================] - 31s 310ms/step - loss: 2.2010 - accuracy: 0.1920", 0.310),
    "Megatron-LM": (
        " iteration       12/     900 | elapsed time per iteration (ms): 3217.4 | learning rate: 1.2E-05 |",
        3.2174,
    ),
    "DeepSpeed": (
        "[2026-03-01 10:00:00,123] [INFO] [timer.py:264:stop] epoch=0/micro_step=40/global_step=40, "
        "RunningAvgSamplesPerSec=15.9, CurrSamplesPerSec=16.0, MemAllocated=11.1GB, MaxMemAllocated=20.2GB",
        1 / 16,
    ),
    "MaxText": ("completed step: 17, seconds: 4.500, TFLOP/s/device: 211.3, Tokens/s/device: 1820.4, loss: 7.1", 4.5),
    "torchtitan": ("[rank0]:step: 20  loss:  6.1  memory: 40.2GiB(50.1%)  tps: 1,250  tflops: 190.2  mfu: 19.2%", 8e-4),
    "nanoGPT": ("iter 300: loss 3.1250, time 125.50ms, mfu 21.07%", 0.1255),
    "MXNet": ("Epoch[2] Batch [40]\tSpeed: 2000.00 samples/sec\taccuracy=0.31", 5e-4),
    "torchvision": (
        "Epoch: [0]  [  20/5004]  eta: 0:30:12  lr: 0.1  loss: 6.9 (6.9)  time: 0.3621  data: 0.0003  max mem: 7421",
        0.3621,
    ),
    "PyTorch": ("Epoch: [0][ 20/5005]\tTime  0.412 ( 0.812)\tData  0.001 ( 0.310)", 0.412),
    "detectron2": (" eta: 0:12:03  iter: 19  total_loss: 2.1  time: 0.2812  data_time: 0.0083  lr: 0.0004", 0.2812),
    "TensorFlow": ("30\timages/sec: 800.0 +/- 0.3 (jitter = 1.1)\t7.91", 1 / 800),
    "Horovod": ("Iter #3: 250.0 img/sec per GPU", 0.004),
    "NeMo": ("Epoch 0: loss=2.1, global_step=8.000, train_step_timing in s=4.250", 4.25),
}


def paces(*lines: str) -> tuple[TrainingPace, ...]:
    return read([Input("job.log", None, ["\n".join((*lines, "")).encode()])], workers=1).paces


@pytest.mark.parametrize("program", LINES)
def test_a_step_of_each_framework(program: str) -> None:
    line, seconds = LINES[program]
    (pace,) = paces(line, line)
    assert (pace.program, pace.count) == (program, 2)
    assert pace.seconds == pytest.approx((seconds, seconds))
    assert (pace.ref.line, pace.last.line) == (1, 2)


def test_an_epoch_of_keras_whose_time_for_a_step_is_rounded() -> None:
    (pace,) = paces(
        "80/80 \u2501\u2501\u2501\u2501 276s 3s/step - loss: 1.9",
        "80/80 \u2501\u2501\u2501\u2501 31s 390ms/step - loss: 1.8",
    )
    assert pace.seconds == pytest.approx((3.45, 0.39))


def test_every_framework_of_the_table_has_a_line_here() -> None:
    assert {form.program for form in FORMS} == set(LINES)


@pytest.mark.parametrize(
    "line",
    [
        "iter 300: loss 3.1250, time 0.00ms, mfu 21.07%",  # no time at all
        "average elapsed time per iteration (ms): see above",
        "Time 0.4 data_time: 0.1",
        "12/100 \u2501\u2501\u2501\u2501 27s 310ms/step - loss: 2.3",  # an epoch under way: a mean of what was printed before
    ],
)
def test_what_is_no_step(line: str) -> None:
    assert paces(line) == ()


def test_a_very_long_job_keeps_a_bounded_number_of_steps() -> None:
    line = LINES["nanoGPT"][0]
    (pace,) = paces(*[line] * (MAX_STEPS + 5))
    assert (len(pace.seconds), pace.count) == (MAX_STEPS, MAX_STEPS + 5)


@given(st.lists(st.text(max_size=200) | st.sampled_from([line for line, _ in LINES.values()]), max_size=20))
def test_any_text_gives_positive_times_or_nothing(lines: list[str]) -> None:
    for pace in paces(*lines):
        assert min(pace.seconds) > 0
        assert len(pace.seconds) <= pace.count <= sum(1 for line in lines if TrainingSteps.wants(line))


def test_every_rate_says_what_it_counts() -> None:
    assert [form.program for form in FORMS if ("rate" in form.pattern.groupindex) != bool(form.unit)] == []


def test_the_number_of_a_step_is_found_behind_many_blanks_and_inside_an_epoch() -> None:
    """Few lines are enough where they stand for many steps."""
    megatron = [f" iteration {n:8d}/     200 | elapsed time per iteration (ms): 1500.0 |" for n in (10, 20, 200)]
    vision = [f"Epoch: [0]  [{n:4d}/5004]  eta: 0:30  time: 0.36  data: 0.1  max mem: 7" for n in (0, 20, 40)]
    for lines, spanned in ((megatron, 190), (vision, 40)):
        (pace,) = (each for each in feed(TrainingSteps, lines) if isinstance(each, TrainingPace))
        assert pace.spanned == spanned


def test_an_evaluation_has_no_steps_of_the_training() -> None:
    trained = [f"Epoch: [0]  [{n:4d}/5004]  eta: 0:30  time: 0.36  data: 0.1  max mem: 7" for n in range(0, 200, 20)]
    tested = [
        f"{word}  [{n:4d}/259]  eta: 0:30  time: 0.91  data: 0.1  max mem: 7"
        for word in ("Test:", "2: Val:", "[rank3] Evaluation (EMA):", "epoch 3 eval")
        for n in range(0, 200, 20)
    ]
    (pace,) = (each for each in feed(TrainingSteps, [*trained, *tested]) if isinstance(each, TrainingPace))
    assert (pace.count, set(pace.seconds)) == (10, {0.36})
    latest = "Epoch: [0]  [  20/5004]  eta: 0:30  test: 0.1  time: 0.36  data: 0.1  max mem: 7"
    assert any(isinstance(each, TrainingPace) for each in feed(TrainingSteps, [latest])), "a value is no heading"
