"""What documents only describe accuses nobody, and what was pasted into a ticket does: documents that we wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.inputs import Input
from slowlink.model.report import Report
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

DOCUMENTS = Path(__file__).parents[1] / "documents"
GRAVE = ("error", "critical")

SICK = """\
gpu04:88120:88301 [0] NCCL INFO comm 0x5581 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x77aa - Init START
gpu05:90311:90522 [3] NCCL WARN NET/IB: Got completion from peer 10.1.0.4<40122> with status=12 opcode=0 len=0 vendor err 129
gpu05:90311:90522 [3] NCCL INFO transport/net.cc:1298 -> 6
"""
RUNBOOK = """\
# Runbook

If you see the following, the GPU is gone and the node must be drained:

```
NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus.
```

When it happens again, ask for a new GPU.
"""
PORTS = """\
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tLink layer: InfiniBand
"""
TICKETS = {
    "a form": "### Describe the bug\n\nIt crashes.\n\n### Logs\n\n```\n{}```\n\n### Checklist\n\n"
    "- I have read the FAQ. If you can, give an example.\n- You should search for similar issues.\n",
    "a letter": "Hello,\n\nthe job of Monday ended with\n\n{}\nPlease tell us what to do. If you need more, ask.\n\nRegards\n",
    "another language": "Hallo,\n\nunser Job bricht ab, seit gestern:\n\n{}\nWas tun?\n",
    "a note": "node down, log:\n\n{}",
    "notes with news": "# Handover\n\nThe storage was upgraded and works again. Everybody should read the runbook.\n\n"
    "## Failing job\n\nIt ended at night with the following.\n\n```\n{}```\n\nThe user was told.\n",
    "an answer": "> what do you get if you run it?\n\nThe same, see the output:\n\n{}\n> You should update. It may help.\n",
    "a closed ticket": "# Ticket 12 (closed)\n\nStatus: resolved\n\n## Log of the job\n\n```\n{}```\n\n"
    "The node was drained and the GPU was replaced.\n",
    "by the way": "# Problem with our job\n\nYou can find the script in the usual place. When the job starts it reads data."
    "\n\nThen it printed:\n\n```\n{}```\n",
}


def report(*texts: str) -> Report:
    inputs = [Input(f"{number}.txt", None, [text.encode()]) for number, text in enumerate(texts)]
    return report_of(read(inputs, workers=1))


def named(folder: str) -> list[Path]:
    return sorted((DOCUMENTS / folder).iterdir())


@pytest.mark.parametrize("path", named("described"), ids=lambda path: path.name)
def test_what_is_described_is_possible_at_most(path: Path) -> None:
    found = report(path.read_text(encoding="utf-8"))
    assert found.verdict == "inconclusive"
    assert [each.cause for each in found.diagnoses if each.severity in GRAVE or each.confidence != "possible"] == []


@pytest.mark.parametrize("path", named("reported"), ids=lambda path: path.name)
def test_what_was_pasted_keeps_its_diagnosis(path: Path) -> None:
    found = report(path.read_text(encoding="utf-8"))
    assert found.verdict in ("broken", "degraded")
    assert found.diagnoses[0].severity in GRAVE


@pytest.mark.parametrize("log", [SICK, "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"])
@pytest.mark.parametrize("ticket", TICKETS)
def test_whatever_stands_around_it_a_sick_log_is_none_of_prose(ticket: str, log: str) -> None:
    assert report(TICKETS[ticket].format(log)).verdict == "broken"


def test_it_says_which_words_make_it_a_description() -> None:
    found = report(RUNBOOK)
    assert '0.txt:6: "if you"' in found.headline
    assert found.diagnoses[0].message.startswith("this document describes, and does not report: GPU 0000:3b:00.0")


def test_a_log_beside_a_runbook_keeps_its_own_causes() -> None:
    found = report(RUNBOOK, SICK)
    assert (found.verdict, found.diagnoses[0].cause) == ("broken", "rdma-retry-exceeded")


def test_a_log_inside_a_runbook_is_not_lost() -> None:
    found = report(f"{RUNBOOK}\nSince yesterday we see on gpu05:\n\n{SICK}")
    assert found.verdict == "broken"
    assert "rdma-retry-exceeded" in [each.cause for each in found.findings]


def test_nothing_is_healthy_beside_what_may_be_a_sick_log() -> None:
    assert report(PORTS).verdict == "healthy"
    assert report(RUNBOOK, PORTS).verdict == "inconclusive"


def test_a_sound_example_is_no_health() -> None:
    found = report(
        f"# How to read ibstat\n\nWhen all is well, the output looks like this:\n\n```\n{PORTS}```\n\nIf not, ask.\n"
    )
    assert (found.verdict, found.facts["proofs"]) == ("inconclusive", [])
    assert "describes and does not report" in found.headline
