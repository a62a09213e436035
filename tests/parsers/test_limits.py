"""No parser leaves out a record in silence: what it leaves out may be what is wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from docstring_samples import sample_in

import slowlink.parsers
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers import unit_names
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.reading.read import read

ROOT = Path(slowlink.parsers.__file__).parent
UNITS = [name for name in unit_names() if any(hasattr(import_module(name), unit) for unit in ("PARSER", "DOCUMENT"))]
NO_RECORDS = re.compile(r"CHARACTERS|TEXT$|WORDS|NAME$|DEPTH|DIGITS|BYTES|SHAPE|DIALECTS|LEADS|KNOWN|LANES|DETAIL")
"""How much of one text is looked at, how deep, the range of a value, or what is only remembered to be faster."""
CUT_OTHERWISE = {
    ("benchmarks/nccl_tests/columns.py", "_MOST_COLUMNS"): "one more is no table of nccl-tests",
    ("benchmarks/nccl_tests/rows.py", "_MOST_TOKENS"): "one more is no row",
    ("benchmarks/nccl_tests/pieces.py", "_MOST"): "the oldest torn row is kept as it is",
    ("benchmarks/pair_document.py", "_MOST_NODES"): "a longer list names no pair",
    ("context/commands/options.py", "MAX_HOSTS"): "a longer list is unknown, which is said of no host",
    ("context/commands/reader.py", "MAX_CONTINUED"): "a longer command ends there and is read",
    ("context/counted_answers.py", "_MOST_HOSTS"): "then hosts and answers are not as many, and nobody knows whose",
    ("forms/json_blocks.py", "MOST_CONTAINERS"): "the block has a problem then",
    ("forms/json_blocks.py", "MOST_VALUES"): "the block has a problem then",
    ("reading/documents/blocks.py", "_MOST_UNEVEN"): "characters between a heading and the line under it",
    ("reading/once/answers.py", "_MOST_SEEN"): "texts that came once; they are read again",
    ("job/steps/landmarks.py", "MOST"): "of longer stretches each still has its slowest step",
    ("reading/once/known_moulds.py", "_MOST_ALIKE"): "answers that are not cast are read",
    ("reading/once/known_moulds.py", "_MOST_KINDS"): "answers that are not cast are read",
    ("reading/once/refusals.py", "_MOST_TEXTS"): "texts that a parser refused; it is asked again",
    ("reading/leads/of_loggers.py", "MOST_FIELDS"): "of what a logger puts before one line",
    ("forms/lines.py", "MAX_PREFIXES"): "prefixes of one line",
    ("forms/observation_table.py", "MOST_OF_STEPS"): "steps that are shown one by one; the pace holds them all",
    ("forms/lines.py", "_MOST_TELLING"): "the begin of a line that tells its shape",
    ("gpu/topology_matrix/matrix.py", "MAX_COLUMNS"): "one more is no matrix of a node",
    ("host/health_report.py", "MAX_DEVICES"): "a number of GPUs, compared as a value",
    ("job/kubernetes.py", "_MOST_DESCRIBED"): "lines for which a heading holds",
    (
        "job/kineto_trace/events.py",
        "_MOST_UNREADABLE",
    ): "marks of events that are tried in vain; the file has a problem then",
    ("job/kineto_trace/kernels.py", "MOST_ALIKE"): "tells by itself",
    ("job/kineto_trace/kernels.py", "MOST_KERNELS"): "tells by itself",
    ("job/process_binding.py", "_MOST"): "cores of one process",
    ("kernel/kernel_file_series.py", "_MOST"): "of a longer list nobody knows which line is whose",
    ("host/lspci/tree.py", "MAX_COLUMNS"): "characters of one line",
    ("job/steps/parts.py", "MOST_GAP"): "lines for which a block goes on",
    ("nccl/flight_recorder/dump.py", "_MOST_SHARED"): "equal parts that are kept once",
    ("nccl/flight_recorder/pickled.py", "MAX_STEPS"): "raises, and the file has a problem",
    ("nccl/flight_recorder/pickled.py", "MAX_MEMO"): "raises, and the file has a problem",
    ("nccl/flight_recorder/values.py", "MAX_TENSORS"): "of one operation",
    ("nccl/flight_recorder/values.py", "MAX_DIMENSIONS"): "more are no shape",
    ("nccl/nccl_log/fold.py", "_MAX_THREADS"): "runs in other processes; the fold's passed() tells",
    ("nccl/nccl_log/fold.py", "MOST_TEXTS"): "runs in other processes; the fold's passed() tells",
    ("nccl/nccl_log/kept_lines.py", "MOST_TEXTS"): "runs in other processes; the fold's passed() tells",
    ("nccl/nccl_log/edge_rows.py", "MOST_EDGES"): "runs in other processes; the fold's passed() tells",
    ("nccl/nccl_log/fold.py", "_MAX_SPLIT"): "characters of one message",
    ("kernel/pcie_bandwidth_log.py", "_MOST_LINES"): "lines of one message",
    ("rdma/hca_lists.py", "MAX_NAMES"): "more are no list of HCAs of one node",
    ("reading/plans.py", "MAX_ASKED"): "characters of one line",
    ("reading/scan.py", "MAX_STREAMS"): "last lines of streams; the source tells",
    ("reading/scan.py", "MOST_TORN"): "the source tells",
    ("reading/source.py", "MAX_STREAMS"): "tells by itself",
}
"""Limits that no class needs to watch, and why."""


def read_alone(text: str) -> Records:
    name = "etc/hostname" if len(text.split()) == 1 else "sample.txt"
    return read([Input(name, None, [text.encode()])], workers=1)


def found_in(records: Records) -> list[object]:
    return [getattr(records, name) for name in records.__struct_fields__ if name != "sources"]


def none_of(limit: Limit, found: Iterable[object]) -> list[object]:
    if list(found):
        limit.passed()
    return []


@pytest.mark.parametrize("name", UNITS)
def test_a_parser_without_any_room_says_that_it_left_something_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = sample_in(import_module(name).__doc__ or "")
    whole = read_alone(sample)
    assert "not all of them were kept" not in (whole.sources[0].problem or "")
    monkeypatch.setattr(Limit, "has_room", lambda limit, _: limit.passed() is not None)
    monkeypatch.setattr(Limit, "first", none_of)
    monkeypatch.setattr(Limit, "last", none_of)
    cut = read_alone(sample)
    (source,) = cut.sources
    if found_in(cut) != found_in(whole):
        assert (source.partial, (source.problem or "")[:16]) == (True, "holds more than ")


def bare_limits(path: Path) -> Iterator[str]:
    """Names of limits that a module compares with, or cuts a list at, by itself."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
        ):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Slice):
            parts = [node.upper]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("islice", "range"):
            parts = [*node.args]
        named = [part.left if isinstance(part, ast.BinOp) else part for part in parts]
        yield from (
            part.id for part in named if isinstance(part, ast.Name) and re.match(r"_?(?:MAX|MOST)(?:_|$)", part.id)
        )


def test_only_the_class_compares_with_a_limit() -> None:
    """``MAX_JOBS.has_room(len(jobs))`` and ``MAX_JOBS.first(jobs)`` tell; a comparison by hand is silent."""
    bare = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in ROOT.rglob("*.py")
        for name in bare_limits(path)
        if not NO_RECORDS.search(name)
    }
    assert sorted(bare - CUT_OTHERWISE.keys()) == []
    assert sorted(CUT_OTHERWISE.keys() - bare) == []


def test_no_list_of_a_document_is_cut_at_a_bare_number() -> None:
    """``for entry in entries[:500]`` leaves out what may be wrong."""
    cut = [
        f"{path.relative_to(ROOT).as_posix()}:{over.lineno}"
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for over in (
            [node.iter] if isinstance(node, ast.For) else [each.iter for each in getattr(node, "generators", [])]
        )
        if isinstance(over, ast.Subscript) and isinstance(over.slice, ast.Slice)
        for end in [over.slice.upper]
        if isinstance(end, ast.Constant) and isinstance(end.value, int) and end.value >= 16
    ]
    # Frames of one operation, of which the innermost is asked for.
    assert [place for place in cut if not place.startswith("nccl/flight_recorder/dump.py:")] == []
