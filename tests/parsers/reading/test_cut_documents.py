"""Documents that were cut or damaged: what stands before the cut is read, and the source says that it is not whole."""

from __future__ import annotations

import json

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st

from nvidia_smi_outputs import XML, query, query_gpu
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.host import hwloc_xml
from slowlink.parsers.nccl import topology_xml
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.scan import MOST_TORN

DIAG = json.dumps(
    {
        "DCGM Diagnostic": {
            "test_categories": [
                {
                    "category": "Hardware",
                    "tests": [
                        {"name": "GPU Memory", "results": [{"gpu_id": "0", "status": "Pass"}]},
                        {"name": "Diagnostic", "results": [{"gpu_id": "5", "status": "Fail"}]},
                    ],
                }
            ]
        }
    },
    indent=2,
)
CUT = "the JSON document that begins in line {} was not read to its end: cut, damaged or too large"


def records_of(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def problem_of(text: str) -> str | None:
    (source,) = records_of(text).sources
    assert source.partial == (source.problem is not None)
    assert source.used + source.ignored + source.unread == source.lines
    return source.problem


@pytest.mark.parametrize("text", [DIAG, json.dumps(json.loads(DIAG))], ids=["lines", "one line"])
def test_wherever_a_file_that_is_one_document_is_cut_it_says_so(text: str) -> None:
    assert problem_of(text) is None
    assert {problem_of(text[:length]) for length in range(2, len(text))} == {CUT.format(1)}


def test_what_stands_before_the_cut_is_read() -> None:
    cut = DIAG[: DIAG.rindex("]")]
    assert [reading.value for reading in records_of(cut).readings] == [
        reading.value for reading in records_of(DIAG).readings
    ]


def test_an_excerpt_in_other_text_counts_when_its_kind_is_known() -> None:
    cut = DIAG[: DIAG.index('"Diagnostic"')]
    assert problem_of(f"This is what it says:\n\n{cut}") == CUT.format(3)
    assert problem_of(f"This is what it says:\n\n{cut}\nand so on, on all nodes.") == CUT.format(3)


def test_lines_that_are_gone_from_the_middle() -> None:
    lines = DIAG.splitlines()
    assert problem_of("\n".join(lines[:9] + lines[11:])) == CUT.format(1)


@pytest.mark.parametrize(
    "text",
    [
        'step 1\n{"loss": 1.5, "lr": 0.1',
        'step 1\n{\n  "loss": 1.5,\n',
        "{\n  int a;\n  a = 1;\n",
        '["warn] something goes on\nand on\n',
        '{"log": "step 1\\n", "stream": "stdout", "time": "2026"}\n{"log": "step 2',
    ],
    ids=["json of no known kind", "the same over lines", "braces of a program", "brackets of a log", "a torn record"],
)
def test_text_that_only_looks_so_is_no_problem(text: str) -> None:
    assert problem_of(text) is None


def test_one_document_a_line_and_the_last_is_cut() -> None:
    line = json.dumps(json.loads(DIAG))
    assert problem_of(f'{line}\n{line}\n{{"DCGM') == CUT.format(3)


def test_a_value_of_another_stream_ends_it() -> None:
    lines = DIAG.splitlines()
    tagged = [f"[1,0]<stdout>:{line}" for line in lines[:8]] + ["[1,1]<stdout>:words"]
    assert problem_of("\n".join(tagged)) == CUT.format(1)


@pytest.mark.parametrize(
    "text",
    [XML, sample_in(topology_xml.__doc__ or ""), sample_in(hwloc_xml.__doc__ or "")],
    ids=["nvidia-smi", "nccl", "hwloc"],
)
def test_xml_without_its_end(text: str) -> None:
    lines = text.rstrip().splitlines()
    root = next(number for number, line in enumerate(lines, 1) if line.startswith(("<n", "<s", "<t")))
    said = f"the XML document that begins in line {root} is not closed: cut?"
    assert problem_of(text) is None
    assert problem_of("\n".join(lines[:-1])) == said
    assert problem_of("\n".join([*lines[:root], *lines])) == said


def test_a_log_of_nvidia_smi_that_shows_fewer_gpus_than_it_says() -> None:
    two = query(query_gpu("1A:00.0"), query_gpu("3B:00.0"), attached=8)
    said = "the output of nvidia-smi in line 2 says that 8 GPUs are attached, and shows "
    assert problem_of(two) == f"{said}2: cut, or only these were asked for"
    assert problem_of(query(attached=8)) == f"{said}0: cut, or only these were asked for"
    assert problem_of(query(query_gpu("1A:00.0"), query_gpu("3B:00.0"))) is None
    assert problem_of("    Attached GPUs                  : 8\n") is None


def test_closed_xml_of_some_gpus_was_asked_for_them() -> None:
    assert problem_of(XML.replace("<attached_gpus>1<", "<attached_gpus>8<")) is None


def test_a_cut_list_counts_no_gpus() -> None:
    gpus = [{"gpu": number, "bdf": f"0000:{number:02x}:00.0", "uuid": "u"} for number in range(8)]
    whole = json.dumps(gpus)
    counts = [
        [reading.value for reading in records_of(text).readings if reading.attribute == "gpu-count"]
        for text in (whole, whole[: len(whole) // 2])
    ]
    assert counts == [[8], []]


@given(st.integers(min_value=1, max_value=len(DIAG) - 1), st.text(alphabet='{}[]",: \nx1', max_size=30))
def test_any_damage_gives_a_result(at: int, noise: str) -> None:
    problem_of(DIAG[:at] + noise + DIAG[at:])


def test_whole_records_that_nobody_wants_are_not_called_cut() -> None:
    """A trainer that logs numbers alone, one JSON value a line."""
    text = "".join(f'{{"ts":"t","step":{number},"loss":1.5,"rank":0}}\n' for number in range(MOST_TORN + 10))
    assert records_of(text).sources[0].problem is None


def test_very_many_values_that_are_cut_are_said_to_be_not_all_read() -> None:
    """Each takes a hundred times as long as a line of text: six megabytes of them took 90 s."""
    torn = "".join(f'{{"a":{number},\nhost-{number}: up\n' for number in range(MOST_TORN))
    late = json.dumps(
        {"log": "node07:1:2 [0] NCCL INFO NCCL version 2.27.3+cuda12.9\n", "stream": "stdout", "time": "1"}
    )
    assert records_of(torn[: len(torn) // 2]).sources[0].problem is None
    found = records_of(torn + '{"b":1,\nhost-x: up\n' + late + "\n")
    assert found.sources[0].problem == (
        "holds thousands of JSON values that are cut; of others among them some were not read"
    )
    assert found.sources[0].partial
    assert found.sources[0].kinds == ("nccl-log",), "records of a log are still read behind them"
