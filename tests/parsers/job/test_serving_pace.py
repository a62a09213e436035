"""What servers of language models say of their throughput."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.job import TrainingPace
from slowlink.parsers.job import serving_pace
from slowlink.parsers.job.serving_pace import PARSER
from slowlink.parsers.reading.read import read

SAMPLE = sample_in(serving_pace.__doc__ or "").splitlines()
VLLM, SGLANG = f"Engine 000: {SAMPLE[0]}, GPU KV cache usage: 12.1%", SAMPLE[1]


def paces(*lines: str) -> list[TrainingPace]:
    return list(read([Input("server.log", None, ["\n".join((*lines, "")).encode()])], workers=1).paces)


def told(*lines: str) -> list[tuple[str, str, str, int, float]]:
    return [(p.program, p.unit, p.work, p.count, round(1 / p.seconds[0], 1)) for p in paces(*lines)]


def test_each_engine_is_one_series() -> None:
    other = VLLM.replace("Engine 000", "Engine 001")
    assert told(VLLM, other, VLLM, SGLANG) == [
        ("vLLM Engine 000", "tokens", "serving", 2, 1902.5),
        ("vLLM Engine 001", "tokens", "serving", 1, 1902.5),
        ("SGLang", "tokens", "serving", 1, 1240.5),
    ]


def test_idle_and_flooded_servers_show_nothing() -> None:
    idle = VLLM.replace("Running: 48", "Running: 0")
    flooded = VLLM.replace("Waiting: 0", "Waiting: 30")
    queued = SGLANG.replace("#queue-req: 0", "#queue-req: 100")
    assert told(idle, flooded, queued, VLLM.replace("1902.5", "0.0")) == []


def test_only_lines_with_about_as_many_requests_are_compared() -> None:
    fewer = VLLM.replace("Running: 48", "Running: 3").replace("1902.5", "150.0")
    assert told(VLLM, VLLM, fewer, VLLM) == [("vLLM Engine 000", "tokens", "serving", 3, 1902.5)]


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)


@given(st.lists(st.text(max_size=200) | st.sampled_from(SAMPLE), max_size=20))
def test_any_text_gives_positive_times_or_nothing(lines: list[str]) -> None:
    assert all(min(pace.seconds) > 0 for pace in paces(*lines))
