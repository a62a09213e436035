"""SuperBench's data diagnosis, as json and as jsonl."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.host.superbench_diagnosis import SuperbenchDiagnosis
from slowlink.parsers.reading.read import read

NCCL = "nccl-bw/allreduce_8589934592_busbw:0(B/L: 232.0000 VAL: 190.1000 VAR: -18.06% Rule:lambda x:x<-0.05)"
MISS = "mem-bw/H2D_Mem_BW:3_miss"


def said(text: str) -> list[tuple[str | None, str, str, Any]]:
    records = read([Input("diagnosis.json", None, [text.encode()])], workers=1)
    return [(r.host, r.part.name, r.attribute, r.value) for r in records.readings]


def test_a_node_of_which_nothing_is_said_is_neither_sound_nor_at_fault() -> None:
    assert said(json.dumps({"index": "gpu07", "Category": "", "Defective Details": ""})) == []
    refused = {"index": "gpu07", "diagnosis/accept": False, "diagnosis/issue_details": None}
    assert said(json.dumps(refused)) == [("gpu07", "superbench/diagnosis", "health-test", "fail")]


def test_a_list_of_nodes() -> None:
    nodes = [
        {
            "index": "gpu07",
            "diagnosis/accept": False,
            "diagnosis/category": "NCCL",
            "diagnosis/issue_details": f"{NCCL},{MISS}",
        },
        {"index": "gpu08", "diagnosis/accept": True, "diagnosis/category": None, "diagnosis/issue_details": None},
    ]
    assert said(json.dumps(nodes, indent=4)) == snapshot(
        [
            ("gpu07", "superbench/nccl-bw/allreduce_8589934592_busbw:0", "health-test", "fail"),
            ("gpu07", "superbench/nccl-bw/allreduce_8589934592_busbw:0", "health-test-value", 190.1),
            ("gpu07", "superbench/nccl-bw/allreduce_8589934592_busbw:0", "health-test-expected", 232.0),
            (
                "gpu07",
                "superbench/nccl-bw/allreduce_8589934592_busbw:0",
                "health-test-detail",
                "measured 190.1, baseline 232 (-18.06%)",
            ),
            ("gpu07", "superbench/mem-bw/H2D_Mem_BW:3", "health-test", "fail"),
            ("gpu07", "superbench/mem-bw/H2D_Mem_BW:3", "health-test-detail", "the test has no result"),
            ("gpu08", "superbench/all checks", "health-test", "pass"),
        ]
    )


def test_a_node_a_line() -> None:
    lines = [{"Category": "X", "Defective Details": "a rule of rules", "index": f"gpu0{n}"} for n in (7, 8)]
    assert said("".join(f"{json.dumps(line)}\n" for line in lines)) == [
        ("gpu07", "superbench/X", "health-test", "fail"),
        ("gpu08", "superbench/X", "health-test", "fail"),
    ]


@given(
    st.dictionaries(
        st.sampled_from(["index", "Defective Details", "diagnosis/accept"]), st.none() | st.booleans() | st.text()
    )
)
def test_any_record_gives_a_result(record: dict[str, Any]) -> None:
    assert isinstance(SuperbenchDiagnosis.wants_document(record), bool)
    assert isinstance(SuperbenchDiagnosis().read([record], "a", 1), list)
