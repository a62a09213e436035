"""What a tool printed is read where a program put it into a string."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.told_texts import Told, quoted_lines, told_in

MEMORY = "MemTotal: 515895400 kB\nMemAvailable:    2101220 kB\n"


def read_text(text: str) -> Records:
    return read([Input("x.json", None, [text.encode()])], workers=1)


@pytest.mark.parametrize(
    ("value", "host"),
    [
        ({"stdout": MEMORY}, None),
        ({"hostname": "gpu07", "result": {"stdout_lines": MEMORY.splitlines()}}, "gpu07"),
        ({"plays": [{"tasks": [{"hosts": {"gpu07": {"stdout": MEMORY, "rc": 0}}}]}]}, "gpu07"),
        ({"InstanceId": "i-0a1b", "StandardOutputContent": MEMORY}, "i-0a1b"),
        ({"node": "gpu07", "output": json.dumps({"stdout": MEMORY})}, None),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_in_a_json_value(value: object, host: str | None, indent: int | None) -> None:
    readings = read_text(json.dumps(value, indent=indent)).readings
    assert {(each.attribute, each.host) for each in readings} >= {("memory-available", host)}


@pytest.mark.parametrize("lead", ["", "2026-11-01 10:00:00,123 INFO [check.py:12] ", "ran: "])
def test_in_one_line(lead: str) -> None:
    line = f"{lead}CompletedProcess(args=['cat', '/proc/meminfo'], returncode=0, stdout={MEMORY!r}, stderr='')"
    assert "memory-available" in {each.attribute for each in read_text(line + "\n").readings}


def test_what_is_no_output_of_a_tool_is_none() -> None:
    assert list(told_in({"description": MEMORY, "stdout": "one line", "log": ["one"]})) == []


def test_a_line_is_counted_once() -> None:
    source = read_text(json.dumps({"stdout": MEMORY}, indent=1) + "\nwords\n").sources[0]
    assert (source.lines, source.used + source.ignored + source.unread) == (4, 4)


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=20) | st.just(MEMORY),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["stdout", "log", "host", "gpu7", "a"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_every_text_is_one_of_the_values(value: object) -> None:
    written = json.dumps(value)
    for told in told_in(value):
        assert isinstance(told, Told)
        assert all(json.dumps(line)[1:-1] in written for line in told.text.split("\n"))


@given(st.text(alphabet="ab\\nrt'=\"( ", max_size=80))
def test_nothing_of_a_quoted_text_is_lost(line: str) -> None:
    pieces = quoted_lines(line)
    kept = "".join("".join(pieces).replace("\t", "").split())
    assert not pieces or kept == "".join(line.replace("\\r\\n", "").replace("\\n", "").replace("\\t", "").split())


@pytest.mark.parametrize("key", ["cmd", "command", "argv"])
def test_the_command_beside_what_it_printed_says_what_that_is(key: str) -> None:
    """Rows without a heading mean nothing alone."""
    command = ["nvidia-smi", "--query-gpu=index,power.limit", "--format=csv,noheader,nounits"]
    value = {"host": "gpu07", key: command, "stdout": "0, 700.00\n1, 500.00\n"}
    found = [(each.part.name, each.value) for each in read_text(json.dumps(value)).readings]
    assert found == [("0", 700.0), ("1", 500.0)]
    assert read_text(json.dumps({**value, key: "rm -rf\nx"})).readings == ()
