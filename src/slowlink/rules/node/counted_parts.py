"""A node's GPUs and ports were counted: all of a board of eight are there, or one port too few.

``nvidia-smi -L | wc -l`` and ``ibstat | grep -c "State: Active"`` each give a number, which alone says nothing of what
is missing. Eight GPUs and as many ports that are up are what the usual board has; with a whole kernel log of the same
node that tells of no fault since its start, they are sound. Seven ports that are up beside eight GPUs are one too few
on nearly all boards.

Why it matters: a port that is down takes its rail out of every ring.
How to confirm: ``ibstat`` without ``grep -c``: it shows every port with its state.
What to do: look at the port that is not among them.
When it is wrong: a board may have fewer ports than GPUs by design, and a port for storage is counted as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.catalog.vocabulary import meaning_of
from slowlink.facts.readings import latest, node_of
from slowlink.model.facts import Events, Of, Readings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.node.short_waits import was_short

CAUSES = ("port-down",)
DENIES = ("port-down", "gpu-missing", "hca-missing")

_BOARD = 8
"""GPUs of the usual board, which has a port for each."""
_OF_A_START = ("kernel-link-up", "hca-driver-started", "driver-step-failed")
"""What happens whenever a node starts; of a device that is not there afterwards the counts tell."""
_SHORT_S = 60.0
"""Seconds without a file server that are no stall."""


def check(
    gpus: Annotated[Readings, Of("gpu-count")],
    ports: Annotated[Readings, Of("ports-up")],
    logs: Annotated[Readings, Of("kernel-log-whole")] | None,
    events: Events | None,
) -> Iterator[Finding | Proof]:
    """One finding for all nodes that lack a port, or the proof for those of which a whole kernel log is there."""
    boards = {node for node, reading in _by_node(gpus).items() if reading.value == _BOARD}
    up = {node: reading for node, reading in _by_node(ports).items() if node in boards}
    low = [reading for reading in up.values() if reading.value == _BOARD - 1]
    if low:
        yield finding(
            "port-down",
            f"{on_nodes(low)}{_BOARD - 1} ports are up beside {_BOARD} GPUs: hardly a node is built so",
            severity="warning",
            confidence="possible",
            evidence=reading_evidence(low, expected=str(_BOARD)),
            suspects=node_suspects(low),
            explains=("busbw-below-expected",),
            remedy=[("See the state of all ports.", "ibstat")],
        )
    whole = {node_of(log) for log in logs.all if _is_quiet(log, events)} if logs is not None else set()
    sound = {node: reading for node, reading in up.items() if reading.value == _BOARD and node in whole}
    if sound and len(sound) == len(_by_node(ports)):
        names = [name for name in sound if name]
        yield Proof(
            f"{f'{fold(names)}: ' if names else ''}{_BOARD} GPUs answer and {_BOARD} ports are up, and the kernel has "
            "logged no fault of theirs since its start",
            reading_evidence(list(sound.values())),
        )


def _is_quiet(log: Reading, events: Events | None) -> bool:
    """Did nothing happen in this log that may be a fault?"""
    mine = [event for event in events.all if event.ref.source == log.ref.source] if events is not None else []
    return all(_is_harmless(event) for event in mine)


def _is_harmless(event: JobEvent) -> bool:
    """Of the kernel itself a few kinds alone: a parser's kinds may be facts in one place and faults in another."""
    if event.kind in _OF_A_START or was_short(event, _SHORT_S, _SHORT_S):
        return True
    meaning = meaning_of(event.origin, event.kind) if event.origin != "kernel" else None
    return meaning is not None and meaning.sort in ("fact", "harmless")


def _by_node(readings: Readings) -> dict[str, Reading]:
    return {node: reading for (node, _), reading in latest(readings.all).items()}
