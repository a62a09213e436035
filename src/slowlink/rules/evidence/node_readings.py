"""Readings of node state in words, as evidence and as suspects: rules about node state begin here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import nodes_of
from slowlink.model.report import Evidence, Suspect
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_nodes, command
from slowlink.rules.evidence.findings import Step, suspects


def on_nodes(readings: Sequence[Reading]) -> str:
    """``node[1-5,7]: `` before a message, or nothing when no node is known by name."""
    names = nodes_of(readings)
    return f"{fold(names)}: " if names else ""


def node_suspects(readings: Sequence[Reading]) -> tuple[Suspect, ...]:
    """The nodes of these readings that are known by name."""
    return suspects("node", nodes_of(readings))


def part_suspects(kind: str, readings: Sequence[Reading]) -> tuple[Suspect, ...]:
    """Parts as suspects of ``kind``: ``node07 mlx5_0/1``, or ``mlx5_0/1`` where the node has no name."""
    names = (" ".join((*nodes_of([reading]), reading.part.name)) for reading in readings)
    return suspects(kind, names)


def by_prepare(setting: str, readings: Sequence[Reading]) -> Step:
    """The step that corrects one setting of ``slowlink prepare`` (its name in ``settings/``) on these nodes."""
    names = nodes_of(readings)
    where = ["--nodes", as_nodes(fold(names))] if names else []
    words = ["slowlink", "prepare", *where, "--only", setting, "--apply"]
    return Step("Or on all of them, with a record to go back by.", command(*words))


def reading_evidence(readings: Iterable[Reading], expected: str = "", most: int = 4) -> tuple[Evidence, ...]:
    """The first ``most`` readings as evidence, each with what it says."""
    found: list[Evidence] = []
    for reading in readings:
        if len(found) >= most:
            break
        ref = reading.ref
        found.append(Evidence(ref.source, ref.line, ref.text, observed=in_words(reading), expected=expected))
    return tuple(found)


def in_words(reading: Reading) -> str:
    """``persistence mode of gpu 3: off``."""
    entry = attribute(reading.attribute)
    part = f" of {reading.part.kind} {reading.part.name}" if reading.part.name else ""
    value = {True: "on", False: "off"}[reading.value] if isinstance(reading.value, bool) else str(reading.value)
    return f"{entry.title}{part}: {value}{f' {entry.unit}' if entry.unit else ''}"
