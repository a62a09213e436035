"""Tickets: what a vendor needs, and nothing in them is markup or a command that a log made."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink import nodes
from slowlink.model.acting import AccusedNode, NodesApart
from slowlink.model.report import Diagnosis, Difference, Evidence, Remedy, Report, SaidBy, Suspect
from slowlink.report.acting.ticket import ticket_texts

MISSING = Diagnosis(
    "gpu-missing", "A GPU is missing", "gpu02: 7 GPUs, the other nodes have 8", "node", "critical", "certain",
    suspects=(Suspect("node", "gpu02"), Suspect("gpu", "gpu02 GPU 3")),
    evidence=(
        Evidence("bundle/gpu01.txt", 4, "GPU 7: ok"),
        Evidence("bundle/gpu02.txt", 9, "GPU 6: ok", "7 GPUs", "8 GPUs"),
        Evidence("dmesg", 2, "gpu02 kernel: NVRM: fallen off the bus"),
    ),
    remedy=(Remedy("See which is there.", "nvidia-smi -L"), Remedy("Reseat it.")),
)  # fmt: skip
STATE = {
    "gpu-uuid": [
        {"value": "GPU-2", "parts": ["0"], "nodes": "gpu02"},
        {"value": "GPU-1", "parts": ["0"], "nodes": "gpu01"},
    ],
    "driver-version": [{"value": "570.1", "parts": [""], "nodes": "gpu[01-03]"}],
    "cpu-governor": [{"value": "performance", "parts": [""], "nodes": "gpu[01-03]"}],
}
DIFFERENCES = (
    Difference("gpu-count", "GPUs", "", "", 3, (SaidBy("8", "gpu[01,03]", 2), SaidBy("7", "gpu02", 1))),
    Difference("power-cap", "power cap", "gpu 0", "W", 2, (SaidBy("700", "gpu[01-02]", 2), SaidBy("600", "gpu03", 1))),
)


def ticket(report: Report, *accused: AccusedNode) -> dict[str, str]:
    return dict(ticket_texts(report, NodesApart(accused, ("gpu01", "gpu03"), (), ())))


def test_a_ticket() -> None:
    report = Report("", "0.1.0", "broken", "", facts={"node_state": STATE}, differences=DIFFERENCES)
    assert ticket(report, AccusedNode("gpu02", (MISSING,)))["gpu02"] == snapshot("""\
# gpu02: A GPU is missing

1 fault found by slowlink 0.1.0, which looked at 2 other nodes as well.

## A GPU is missing

gpu02: 7 GPUs, the other nodes have 8

* Cause: `gpu-missing`, critical, certain
* Part: gpu gpu02 GPU 3

Evidence:

```text
bundle/gpu02.txt:9: GPU 6: ok
    observed 7 GPUs, expected 8 GPUs
dmesg:2: gpu02 kernel: NVRM: fallen off the bus
```

To look at it, or to mend it:

```sh
nvidia-smi -L
```

## Beside its peers

| What | Here | Elsewhere |
|---|---|---|
| GPUs | 7 | 8 on 2 nodes |

## What the node is made of

| What | Part | Value |
|---|---|---|
| GPU driver | node | 570.1 |
| UUID of a GPU | gpu 0 | GPU-2 |
""")


def test_evidence_of_others_is_shown_where_the_node_has_none_of_its_own() -> None:
    report = Report("", "0.1.0", "broken", "")
    text = ticket(report, AccusedNode("gpu03", (MISSING,)))["gpu03"]
    assert "bundle/gpu01.txt:4: GPU 7: ok" in text
    assert "fallen off the bus" in text


def test_a_set_of_nodes_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every attribute names the same sets."""
    read: list[str] = []
    expand = nodes.expand

    def counted(text: str, most: int) -> list[str]:
        read.append(text)
        return expand(text, most)

    monkeypatch.setattr(nodes, "expand", counted)
    state = {
        name: [{"value": "1", "parts": [str(part)], "nodes": "gpu[01-03]"} for part in range(9)]
        for name in ("gpu-uuid", "driver-version")
    }
    report = Report("", "0.1.0", "broken", "", facts={"node_state": state})
    text = ticket(report, AccusedNode("gpu02", (MISSING,)))["gpu02"]
    assert text.count("| 1 |") == 18
    assert read.count("gpu[01-03]") == 1


@given(st.text(min_size=1), st.text())
def test_nothing_of_a_log_becomes_markup(name: str, words: str) -> None:
    hostile = f"<script>{words}](http://x) @all\n# {words}\n```\n| a |"
    found = Diagnosis(
        hostile,
        hostile,
        hostile,
        "node",
        "error",
        "certain",
        (Suspect("gpu", hostile),),
        (Evidence(hostile, 1, hostile),),
    )
    state = {"gpu-uuid": [{"value": hostile, "parts": [hostile], "nodes": name}], "driver-version": hostile}
    said = (SaidBy(hostile, "gpu01", 5), SaidBy(hostile, name, 1))
    report = Report(
        "", hostile, "broken", "", facts={"node_state": state}, differences=(Difference("", hostile, "", "", 3, said),)
    )
    (text,) = ticket(report, AccusedNode(name, (found,))).values()
    fenced = False
    for line in text.splitlines():
        if line.startswith("````text") or line == "````":
            fenced = not fenced
        elif not fenced:
            assert "<script" not in line
            assert re.search(r"(?<!\\)\]\(", line) is None
            assert "@all" not in line
    assert not fenced
