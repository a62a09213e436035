"""The reporter of rccl-tests: CSV whose rows are longer than its header, and JSON."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.rccl_tests_output import DOCUMENT, PARSER

NAMES = "numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong"
ROWS = [
    '0,"AllReduce",2,16,8,1,1073741824,"float","sum",0,6000.000000,178.956971,335.544320,"0"',
    '0,"AllReduce",2,16,8,1,1073741824,"float","sum",1,6100.000000,176.023250,330.043594,"N/A"',
    '0,"AllReduce",2,16,8,1,2147483648,"float","sum",0,12000.000000,178.956971,335.544320,"4"',
]


def read_csv(lines: list[str]) -> list[CollectiveRun]:
    parser = PARSER()
    for number, text in enumerate(lines, 1):
        if parser.wants(text):
            parser.feed(Line("r.csv", number, text))
    return list(parser.finish())


def test_rows_with_the_nodes_that_the_header_forgets() -> None:
    (run,) = read_csv([NAMES, *ROWS])
    assert (run.tool, run.collective, run.nranks_printed, run.nnodes_printed) == ("rccl-tests", "all_reduce", 16, 2)
    assert [(p.size_bytes, p.placement, p.wrong, p.doubt) for p in run.points] == [
        (1 << 30, "out_of_place", 0.0, None),
        (1 << 30, "in_place", None, None),
        (1 << 31, "out_of_place", 4.0, None),
    ]
    assert run.rows == 2


def test_rows_as_long_as_the_header() -> None:
    names = "numCycle,collective,gpus,size,type,redop,inplace,time,algbw,busbw,#wrong"
    (run,) = read_csv([names, '0,"AllGather",8,1073741824,"float","none",0,6000.0,178.956971,156.587350,"0"'])
    assert (run.collective, run.nranks_printed, run.nnodes_printed, run.points[0].doubt) == (
        "all_gather",
        8,
        None,
        None,
    )


def test_rows_without_a_header_are_nothing() -> None:
    assert read_csv(ROWS) == []


def test_json() -> None:
    value = [
        {
            "numCycle": 0,
            "name": "SendRecv",
            "nodes": 1,
            "ranks": 8,
            "ranksPerNode": 8,
            "gpusPerRank": 1,
            "size": 1 << 30,
            "type": "half",
            "redop": "sum",
            "inPlace": 0,
            "time": 6000.0,
            "algBw": 178.956971,
            "busBw": 178.956971,
            "wrong": "0",
        }
    ]
    assert DOCUMENT.wants_document(value)
    (run,) = DOCUMENT().read(value, "r.json", 1)
    assert (run.collective, run.nranks_printed, run.points[0].busbw_gbs) == ("sendrecv", 8, 178.956971)


@given(st.lists(st.text(max_size=80) | st.sampled_from([NAMES, *ROWS])))
def test_no_text_raises(lines: list[str]) -> None:
    read_csv(lines)
