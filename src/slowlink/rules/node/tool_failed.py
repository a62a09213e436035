"""A tool gives no answer on a node, fails there, or is missing there alone.

``slowlink snapshot`` asks the same tools on every node. One that blocks for ever, ends with an error or is not
installed where its peers have it leaves this node unknown; and a tool that reads a sick device often hangs with it.

Why it matters: unknown is not healthy. nvidia-smi that hangs is often the first sign of a GPU whose driver stopped.
How to confirm: run the tool on the node by hand with a limit: ``timeout 30 nvidia-smi; echo $?``; then ``dmesg -T``.
What to do: read the kernel log of the node; drain it if the tool hangs, and collect its driver's report; install what
is missing.
When it is wrong: nvidia-smi takes half a minute where persistence mode is off and the node is busy: give it more time
(``slowlink snapshot --timeout 300``). A login node is no peer: ask it apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from slowlink.facts.tools import CUT_SHORT, Outcome, ToolAnswer, nodes_without, tool_answers
from slowlink.model.facts import Events, State
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.rules.evidence.commands import command
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import counted

CAUSES = ("tool-failed",)

_TOLD = frozenset({"nvidia-smi", "amd-smi", "cuda", "loader"})
"""Origins of messages that rules of their own explain: the words say more than the status."""
_OF_GPUS = ("nvidia-gpu", "amd-gpu", "metax-gpu", "mthreads-gpu")
_STATUS = regex(r"exit status (\d{1,3})")
_NVIDIA_SMI = {
    "6": "it does not find what was asked for",
    "8": "a GPU's power cables are not connected",
    "9": "the driver is not loaded",
    "10": "the driver has a problem with interrupts of a GPU",
    "12": "the NVML library is not there",
    "14": "the infoROM of a GPU is corrupted",
    "15": "a GPU has fallen off the bus, or cannot be reached",
    "255": "an internal error of the driver",
}
"""Exit statuses of nvidia-smi. Source: its manual page, "Return value", drivers 450 to 580."""
_SIGNALS = {"132": "SIGILL", "134": "SIGABRT", "135": "SIGBUS", "136": "SIGFPE", "139": "SIGSEGV"}


class Params(Struct, frozen=True):
    """When a tool that is not there is missed."""

    fewest_peers: int = 2
    """Nodes on which it answers; fewer do not say what is usual."""


def check(state: State, events: Events | None, params: Params) -> Iterator[Finding]:
    """One finding for each tool and each way in which it fails, with all nodes where it does."""
    told = {event.host for event in events.all if event.origin in _TOLD} if events is not None else set()
    by_tool: dict[str, list[ToolAnswer]] = {}
    for each in tool_answers(state):
        by_tool.setdefault(each.tool, []).append(each)
    for answers in by_tool.values():
        yield from _silent(answers)
        yield from _failed([each for each in answers if each.about not in _OF_GPUS or each.node not in told])
        yield from _missing(answers, state, params)


def _silent(answers: Sequence[ToolAnswer]) -> Iterator[Finding]:
    for words, found in _alike(answers, "silent"):
        what = f"{found[0].tool} gives no answer: {words}{_elsewhere(answers)}"
        if CUT_SHORT in words:
            yield _finding(found, what, "warning", "possible")
        else:
            yield _finding(found, what, "error", "likely")


def _failed(answers: Sequence[ToolAnswer]) -> Iterator[Finding]:
    for words, found in _alike(answers, "failed"):
        grave = found[0].about in _OF_GPUS
        if grave or len(found) < len(answers) or len(answers) == 1:  # else it fails everywhere, and is not collected
            what = f"{found[0].tool} fails: {_meaning(found[0].tool, words)}{_elsewhere(answers)}"
            yield _finding(found, what, "error" if grave else "warning", "certain")


def _missing(answers: Sequence[ToolAnswer], state: State, params: Params) -> Iterator[Finding]:
    """Missing where the peers have it, unless the node has nothing that it could tell of."""
    answered = sum(each.outcome == "answered" for each in answers)
    for words, found in _alike(answers, "missing"):
        without = nodes_without(state, found[0].about) if found[0].about else frozenset()
        missed = [each for each in found if each.node not in without]
        if missed and answered >= params.fewest_peers and len(missed) < answered:
            yield _finding(missed, f"{words}{_elsewhere(answers)}", "warning", "likely")


def _alike(answers: Iterable[ToolAnswer], outcome: Outcome) -> Iterator[tuple[str, list[ToolAnswer]]]:
    by_words: dict[str, list[ToolAnswer]] = {}
    for each in answers:
        if each.outcome == outcome:
            by_words.setdefault(each.detail, []).append(each)
    yield from by_words.items()


def _elsewhere(answers: Sequence[ToolAnswer]) -> str:
    peers = sum(each.outcome == "answered" for each in answers)
    return f"; on {counted(peers, 'other node')} it answers" if peers else ""


def _meaning(tool: str, words: str) -> str:
    status = _STATUS.match(words)
    number = status[1] if status is not None else ""
    if number in _SIGNALS:
        return f"it crashed ({_SIGNALS[number]})"
    meaning = _NVIDIA_SMI.get(number) if tool == "nvidia-smi" else None
    return f"{words} ({meaning})" if meaning is not None else words


def _finding(found: Sequence[ToolAnswer], what: str, severity: Severity, confidence: Confidence) -> Finding:
    first = found[0]
    nodes = list(dict.fromkeys(each.node for each in found))
    by_hand = [Step("Run it there by hand, with a limit.", command("timeout", "60", first.tool))]
    return finding(
        "tool-failed",
        f"{fold(nodes)}: {what}",
        severity=severity,
        confidence=confidence,
        suspects=suspects("node", nodes),
        evidence=lines_evidence(each.ref for each in found),
        remedy=[
            *(by_hand if first.tool != first.collector else []),
            Step("Read what the kernel says there.", "dmesg -T | tail -n 100"),
            Step("Give a slow tool more time.", "slowlink snapshot --timeout 300"),
        ],
    )
