"""What loggers and collectors put before the lines of tools costs nothing of what these say."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers import unit_names
from slowlink.parsers.reading.leads.of_loggers import LONGEST, leads_of
from slowlink.parsers.reading.read import read

LEADS = {
    "loguru": "2026-11-01 12:00:00.123 | INFO     | __main__:run:12 - ",
    "glog": "I1101 12:00:00.123456 4711 run.cc:12] ",
    "basic": "INFO:root:",
    "bracketed": "[2026-11-01 12:00:00,123] [INFO] [check.py:88] ",
    "kubetail": "[train-0 main] ",
    "compose": "trainer-1  | ",
    "chat": "[12:00] <bob> ",
    "bullet": "* ",
    "host": "gpu07: ",
    "address": "10.1.2.3: ",
}
OTHERWISE = {
    "nccl-log": "a message of a plugin that names no process is part of a log that others begin",
    "report": "a page of slowlink's is one by how its file begins",
    "kernel": "its JSON names the kernel of nodes that its stream names",
    "sysfs": "the same",
    "pressure": "a name and a colon stand before its lines where a command asked many nodes",
    "verdict-table": "a bar or a star before a row is a cell of it",
    "kubernetes-nodes": "one node's name before the table of all nodes names nobody in it",
    "processes": "the same",
    "systemd-units": "the same",
    "sysstat-banner": "the release of a kernel is taken out of any line as it stands",
}
"""Kinds that one of the leads hides, and why."""


@cache
def samples() -> dict[str, str]:
    found = {name: sample_in(import_module(name).__doc__ or "") for name in unit_names()}
    return {name: sample for name, sample in found.items() if sample}


def kinds_in(text: str) -> set[str]:
    return set(read([Input("x.log", None, [text.encode()])], workers=1).sources[0].kinds)


def test_every_sample_is_read_behind_a_lead_and_no_exception_is_needless() -> None:
    """All leads at once: what each sample is without one is read once."""
    lost: set[tuple[str, str, str]] = set()
    for name, sample in samples().items():
        kinds, lines = kinds_in(sample), sample.rstrip("\n").split("\n")
        for called, lead in LEADS.items():
            lost |= {(called, name, kind) for kind in kinds - kinds_in("".join(f"{lead}{line}\n" for line in lines))}
    assert {each for each in lost if each[-1] not in OTHERWISE} == set()
    assert {kind for _, _, kind in lost} == OTHERWISE.keys()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("2026-11-01 12:00:00.123 | INFO     | __main__:run:12 - some avg10=71.22", "some avg10=71.22"),
        ("| INFO     | __main__:run:12 -   indented", "  indented"),
        ("INFO:torch.distributed:words", "words"),
        ("I1101 12:00:00.123456 4711 run.cc:12]   total", "  total"),
        ("node7: Mem:  503Gi", "Mem:  503Gi"),
    ],
)
def test_the_words_begin_behind_the_lead(line: str, words: str) -> None:
    assert words in [line[lead.end :] for lead in leads_of(line)]


@pytest.mark.parametrize("line", ["a sentence of words", "GPU memory usage", "0  1  2  3", "/proc/meminfo", ""])
def test_a_sentence_has_none(line: str) -> None:
    assert leads_of(line) == ()


def test_a_host_is_named() -> None:
    memory = "MemTotal: 515895400 kB\nMemAvailable:    2101220 kB\n"
    text = "".join(f"10.0.0.7: {line}\n" for line in memory.splitlines())
    records = read([Input("x.log", None, [text.encode()])], workers=1)
    assert {each.host for each in records.readings} == {"10.0.0.7"}


@given(st.text(alphabet="aZ09 :|-[]<>()./_*", max_size=300))
def test_readings_of_any_text_grow(text: str) -> None:
    ends = [lead.end for lead in leads_of(text)]
    assert ends == sorted(set(ends))
    assert all(0 < end <= min(len(text), LONGEST) for end in ends)
