"""Tickets: what a vendor needs, and nothing in them is markup or a command that a log made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink import nodes
from slowlink.model.acting import AccusedNode, NodesApart
from slowlink.model.report import Diagnosis, Difference, Evidence, Remedy, Report, SaidBy, Suspect
from slowlink.report import escape
from slowlink.report.acting import fault
from slowlink.report.acting.ticket import is_ticket, ticket_texts

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


@pytest.mark.parametrize("many", [20, 40])
def test_a_diagnosis_that_accuses_all_nodes_is_put_into_words_once(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of one line may accuse thousands: each with all of them were the square."""
    cleaned, sorted_by_node = Counter[str](), []
    terminal_safe, named_by = escape.terminal_safe, fault._named_by

    def counted(text: str) -> str:
        cleaned[text] += 1
        return terminal_safe(text)

    def counted_evidence(evidence: Evidence, nodes: Collection[str]) -> set[str]:
        sorted_by_node.append(evidence.line)
        return named_by(evidence, nodes)

    monkeypatch.setattr(escape, "terminal_safe", counted)
    monkeypatch.setattr(fault, "_named_by", counted_evidence)
    names = [f"gpu{number}" for number in range(many)]
    all_of_them = replace(
        MISSING,
        suspects=tuple(Suspect("node", name) for name in names),
        evidence=tuple(Evidence("log", line, f"{name} lost it") for line, name in enumerate(names)),
    )
    tickets = ticket(Report("", "0.1.0", "broken", ""), *(AccusedNode(name, (all_of_them,)) for name in names))
    assert max(cleaned[name] for name in names) <= 4
    assert sorted_by_node == [*range(many)]
    assert [text.count(" lost it") for text in tickets.values()] == [1] * many


def test_tickets_of_some_nodes_alone() -> None:
    """The others are counted all the same."""
    accused = tuple(AccusedNode(name, (MISSING,)) for name in ("gpu02", "gpu03"))
    (one,) = ticket_texts(Report("", "0.1.0", "broken", ""), NodesApart(accused, ("gpu01",), (), ()), {"gpu03"})
    assert one[0] == "gpu03"
    assert "looked at 2 other nodes" in one[1]


@pytest.mark.parametrize(
    ("source", "text"),
    [("gpu02", ""), ("snapshot/gpu02.cluster.txt", ""), ("snapshot/gpu02/dmesg", ""), ("log", "from gpu02, again")],
)
def test_the_lines_of_a_node(source: str, text: str) -> None:
    of_one = replace(MISSING, evidence=(Evidence("gpu021.txt", 1, "gpu02x"), Evidence(source, 7, text)))
    found = ticket(Report("", "0.1.0", "broken", ""), AccusedNode("gpu02", (of_one,)))["gpu02"]
    assert f"{source}:7: {text}" in found
    assert "gpu02x" not in found


def test_a_ticket_is_known_by_its_beginning() -> None:
    report = Report("", "0.1.0", "broken", "")
    assert all(map(is_ticket, ticket(report, *(AccusedNode("_x_", (MISSING,) * count) for count in (1, 2))).values()))
    assert not is_ticket("# gpu02: my notes\n\nfound by slowlink\n")


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


def test_a_ticket_names_the_parts_of_its_node_and_no_others() -> None:
    """One fault on two nodes: whoever mends the second one looked at the port of the first."""
    slow = Diagnosis(
        "port-rate-low", "A port runs below its rate", "gpu[02-03]: 2 ports run at 100 Gb/s", "fabric", "error",
        "certain",
        suspects=(
            Suspect("port", "gpu02 mlx5_4/1"), Suspect("port", "gpu03 mlx5_0/1"), Suspect("node", "gpu02"),
            Suspect("node", "gpu03"),
        ),
        evidence=(Evidence("gpu02.txt", 9, "Rate: 100"),),
        remedy=(Remedy("Read its state.", "mlxlink -d mlx5_4 -c\nmlxlink -d mlx5_40; ls mlx5_4-x"),),
    )  # fmt: skip
    accused = (AccusedNode("gpu02", (slow,)), AccusedNode("gpu03", (slow,)))
    tickets = ticket(Report("", "0.1.0", "degraded", ""), *accused)
    assert "* Part: port gpu02 mlx5\\_4/1\n" in tickets["gpu02"]
    assert "mlxlink -d mlx5_4 -c\nmlxlink -d mlx5_40; ls mlx5_4-x\n" in tickets["gpu02"]
    assert "* Part: port gpu03 mlx5\\_0/1\n" in tickets["gpu03"]
    assert "Evidence, of other nodes:" in tickets["gpu03"]
    assert "mlxlink -d mlx5_0 -c\nmlxlink -d mlx5_40; ls mlx5_4-x\n" in tickets["gpu03"]


@pytest.mark.parametrize("name", ["mlx5_0;id", "-oX", "mlx5_0\nreboot", "$(id)_0"])
def test_a_name_that_is_none_of_an_hca_comes_into_no_command(name: str) -> None:
    slow = Diagnosis(
        "port-rate-low", "A port runs below its rate", "slow", "fabric", "error", "certain",
        suspects=(
            Suspect("port", "gpu02 mlx5_4/1"), Suspect("port", f"gpu03 {name}/1"), Suspect("node", "gpu02"),
            Suspect("node", "gpu03"),
        ),
        remedy=(Remedy("Read its state.", "mlxlink -d mlx5_4 -c"),),
    )  # fmt: skip
    shown = ticket(Report("", "0.1.0", "degraded", ""), AccusedNode("gpu03", (slow,)))["gpu03"]
    assert "```sh\nmlxlink -d mlx5_4 -c\n```" in shown
