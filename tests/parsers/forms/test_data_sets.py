"""Records of data sets say nothing of machines; records of logs and of health checks do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.forms.data_sets import is_data_set
from slowlink.parsers.reading.read import read

FAULT = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus. FATAL: the fan failed and mlx5_0 is down."
TURNS = [{"role": "user", "content": FAULT}, {"role": "assistant", "content": "KeyError: 'corn'"}]
PROSE: list[Any] = [
    {"messages": TURNS},
    {"id": 7, "conversations": [{"from": "human", "value": FAULT}]},
    {"instruction": "Explain the error", "input": FAULT, "output": "GPU 3 is missing."},
    {"question": FAULT, "answer": "The power supply is degraded.", "source": "forum"},
    {"prompt": FAULT, "chosen": "Segmentation fault", "rejected": "NVLink is down"},
    {"text": FAULT * 3, "meta": {"set": "forum"}},
    [{"prompt": FAULT, "completion": "the HCA is missing"}] * 3,
]
NEWS: list[Any] = [
    {"log": FAULT},
    {"message": FAULT, "level": "error", "timestamp": "2031-04-05T06:07:08Z"},
    {"check": "gpu_fell_off_the_bus", "result": "fail", "text": FAULT},
    {"text": FAULT},
    {"event": "line", "data": FAULT},
    {"input": "/data/shard7", "output": "/out", "status": "failed"},
    [1, 2, 3],
    [],
]


@pytest.mark.parametrize("value", PROSE)
@pytest.mark.parametrize("indent", [None, 2])
def test_prose_accuses_nobody(value: Any, indent: int | None) -> None:
    assert is_data_set(value)
    text = json.dumps(value, indent=indent)
    records = read([Input("set.jsonl", None, [f"{text}\n{text}\n".encode()])], workers=1)
    (stats,) = records.sources
    assert (records.events, records.readings, stats.kinds) == ((), (), ())
    assert stats.unread == stats.lines == 2 * text.count("\n") + 2


@pytest.mark.parametrize("value", NEWS)
def test_records_of_logs_and_checks_are_no_data_sets(value: Any) -> None:
    assert not is_data_set(value)


def test_the_exception_that_a_logger_adds_is_read() -> None:
    trace = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'grind'"
    lines = [
        {"level": "error", "ts": 1, "msg": "the mill stopped", "exc_info": trace},
        *({"event": "line", "stream": "stderr", "data": part} for part in trace.split("\n")),
    ]
    for block in (lines[:1], lines[1:]):
        text = "".join(f"{json.dumps(line)}\n" for line in block)
        (event,) = read([Input("job.json", None, [text.encode()])], workers=1).events
        assert event.text == "ModuleNotFoundError: No module named 'grind'"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "text", "prompt", "a"]), inner)
    ),
    max_leaves=8,
)


@given(_JSON)
def test_any_value_gives_an_answer(value: Any) -> None:
    assert isinstance(is_data_set(value), bool)
