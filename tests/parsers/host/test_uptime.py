"""How long a node has been running, and its load."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.host.uptime import PARSER

SAMPLES = {
    " 10:11:12 up 41 days,  3:02,  2 users,  load average: 0.10, 0.22, 0.31": 3_553_320,
    " 10:11:12 up 3 min,  1 user,  load average: 0.10, 0.22, 0.31": 180,
    " 10:11:12 up 5 days, 12 min,  0 users,  load average: 0.10, 0.22, 0.31": 432_720,
    "top - 10:11:12 up  2:15,  1 user,  load average: 10.10, 0.22, 0.31": 8_100,
    "up 3 minutes": 180,
    "up 1 week, 2 days, 5 hours, 1 minute": 795_660,
}


@pytest.mark.parametrize("text", SAMPLES)
def test_samples(text: str) -> None:
    load = [("load-average", 0.22)] if "load" in text else []
    assert [(r.attribute, r.value) for r in feed(PARSER, [text])] == [("node-uptime", SAMPLES[text]), *load]
    assert PARSER.wants(re.sub(r"\d", "0", text))


@pytest.mark.parametrize("text", ["18.20 17.93 12.01 21/4107 913024", "/proc/loadavg:18.20 17.93 12.01 21/4107 913024"])
def test_the_kernels_own_file(text: str) -> None:
    assert [(r.attribute, r.value) for r in feed(PARSER, [text])] == [("load-average", 17.93), ("tasks-running", 21)]
    assert PARSER.wants(re.sub(r"[1-9]", "0", text))


@pytest.mark.parametrize(
    "text", ["10:11:12 up", "up and running", "link up 3 times", "reboot   system boot  5.15.0 Mon Mar  3"]
)
def test_other_words_about_up_are_no_uptime(text: str) -> None:
    assert feed(PARSER, [text]) == []


@given(st.sampled_from([*SAMPLES]) | st.text(), st.integers(0, 90))
def test_any_text_is_survived(text: str, end: int) -> None:
    assert all(isinstance(r.value, int | float) for r in feed(PARSER, [text[:end]]))
