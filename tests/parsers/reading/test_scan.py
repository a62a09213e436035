"""The scan's contracts with the parsers: they are found, ask for shapes only, and never raise."""

from __future__ import annotations

import pickle
import re
from functools import cache
from importlib import import_module

import pytest
from docstring_samples import sample_in
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers import document_parsers, line_parsers, unit_names
from slowlink.parsers.forms.lines import Dialect, shape_of
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.scan import Scanner

WORDS = [
    "#", "Rank", "NCCL", "INFO", "WARN", "version 2.19.6", "float", "sum", "-1", "8388608", "112.4", "N/A", "host:1:2",
    "[0]", "error:", "Test", "failure", "srun:", "slurmstepd:", "mpirun", "-np 16", "NCCL_DEBUG=INFO", "export",
    "RDMA_Write BW Test", "Gb/sec", "Xid (PCI:0000:9b:00): 119,", "signal 9", "exit code 137",
    "Out of bounds values : 12",
    "Avg bus bandwidth    : 437.957", "{", "}", '"results": [', ":", ",", "|", "Channel 00/08 :", "via NET/IB/0/GDRDMA",
    "all_reduce_perf -b 8 -e 8G", "Permission denied", "1.23457e-05", "nan",
]  # fmt: skip
wordy = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


def test_parsers_are_found_by_being_there() -> None:
    kinds = {parser.kind for parser in line_parsers()}
    assert "nccl-tests" in kinds
    assert {parser.kind for parser in document_parsers()}


@pytest.mark.parametrize("parser", line_parsers(), ids=lambda parser: parser.__name__)
@settings(max_examples=settings().max_examples // 3)  # for each of two hundred parsers
@given(text=wordy | st.text(max_size=60))
def test_wants_is_blind_to_digits(parser: type, text: str) -> None:
    wants = parser.wants  # type: ignore[attr-defined]
    assert wants(text) == wants(shape_of(text).decode())


@cache
def _sampled() -> dict[bytes, set[str]]:
    """Lines of all parsers' samples with one shape, as they stand and with other counts in the place of theirs."""
    found: dict[bytes, set[str]] = {}
    for name in unit_names():
        for line in sample_in(import_module(name).__doc__ or "").splitlines():
            others = {re.sub(r"(?<![\w.:])\d(?= [A-Za-z])", digit, line) for digit in "0123456789"}
            found.setdefault(shape_of(line), set()).update(others, (line,))
    return found


@pytest.mark.parametrize("parser", line_parsers(), ids=lambda parser: parser.__name__)
def test_whichever_line_of_a_shape_comes_first_the_same_parsers_are_asked(parser: type) -> None:
    wants = parser.wants  # type: ignore[attr-defined]
    assert [alike for alike in _sampled().values() if len({wants(line) for line in alike}) > 1] == []


@given(st.lists(wordy | st.text(max_size=60), max_size=30))
def test_no_text_breaks_a_parser(lines: list[str]) -> None:
    data = "\n".join(lines).encode("utf-8", "replace")
    (source,) = read([Input("s", len(data), [data])]).sources
    assert source.used + source.ignored + source.unread == source.lines


def test_what_the_scan_gives_can_be_sent_to_another_process() -> None:
    part = b"# nThread 1 nGpus 1 minBytes 8\nwords\ngpu-1:1:2 [0] NCCL INFO Using network IB\n"
    fold = NcclFold()
    scanned = Scanner("s", Dialect()).scan(part, 7, fold)
    again, _ = pickle.loads(pickle.dumps((scanned, fold)))
    assert again == scanned
    assert (scanned.lines, scanned.logged) == (3, 9)


def test_stamps_do_not_fill_the_memo() -> None:
    scanner = Scanner("s", Dialect())
    part = b"".join(
        b"2026-11-21T16:00:%02d.%03dZ gpu-1:1:2 [0] NCCL INFO Using network IB\n" % divmod(n, 60) for n in range(600)
    )
    scanned = scanner.scan(part, 1, NcclFold())
    assert scanned.used == 600
    assert len(scanner._leads._known) < 5


@given(st.text())
def test_lines_keep_their_number(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert len(lines_of(data)) == data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
