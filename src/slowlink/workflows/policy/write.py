"""The policy that a good node is an example of."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from slowlink import __version__
from slowlink.catalog.attributes import attribute
from slowlink.errors import SlowlinkError
from slowlink.facts.differences import COMPARED
from slowlink.facts.policy import parts_of, parts_seen
from slowlink.facts.readings import latest
from slowlink.model.facts import State
from slowlink.model.policy import COUNT
from slowlink.model.state import Value
from slowlink.nodes import fold
from slowlink.workflows.policy.read import SCHEMA

_KINDS = (
    *("node", "gpu", "gpu-nic", "gpu-pair", "nvlink", "hca", "port", "pkey", "interface", "pci"),
    *("cpu", "numa", "dimm", "module", "package", "library"),
)
"""Parts that a node is made of, in the order of the file. Others come and go (processes, connections) or are not its
own (the fabric)."""
_COUNTED = ("gpu", "nvlink", "hca", "port", "dimm")
_BY_NAME = ("interface", "module", "package", "library")
"""One that is gone is only missed by its name."""
_PASSING_INTERFACES = ("veth", "docker", "br-", "cali", "cni", "flannel", "lxc", "tap", "virbr")
"""Network interfaces that containers bring and take."""
_SURROGATES = ("\ud800", "\udfff")
_Groups = dict[str, dict[str, Value]]
"""Set of parts ("" for all) -> attribute -> value."""


def policy_text(state: State, node: str, at: str, redact: Callable[[str], str] = str) -> str:
    """The file of a policy that ``node`` meets. ``at``: when, in words. ``redact`` takes secrets out of a value: a
    policy is given to others, and settings of the kernel may hold some."""
    head = [
        f"# What nodes like {_one_line(node)} must be, written by slowlink {__version__} from its state of {at}.",
        "# Read it, and take out what may differ. A value may also be a list (each of it is right), or a bound:",
        "# { at_least = ..., at_most = ... }. docs/policy.md has the form.",
        f"schema = {_toml(SCHEMA)}",
        f"written_from = {_toml(node)}",
        f"written_at = {_toml(at)}",
        f"collectors = {json.dumps(_collectors(state, node))}",
    ]
    tables = [table for kind in _KINDS for table in _of_kind(state, node, kind, redact)]
    return "\n\n".join("\n".join(lines) for lines in (head, *tables)) + "\n"


def _of_kind(state: State, node: str, kind: str, redact: Callable[[str], str]) -> Iterator[list[str]]:
    """The tables of a kind of parts, each as its lines."""
    groups = _grouped(state, node, kind)
    if not groups:
        return
    counted = [f"{COUNT} = {len(parts_seen(state, node, kind))}"] if kind in _COUNTED else []
    if lines := [*counted, *_lines(groups.pop("", {}), redact)]:
        yield [f"[{kind}]", *lines]
    for names, values in groups.items():
        yield [f"[{kind}.{_toml(names)}]", *_lines(values, redact)]


def _lines(values: dict[str, Value], redact: Callable[[str], str]) -> Iterator[str]:
    for name, value in values.items():
        unit = attribute(name).unit
        shown = redact(value) if isinstance(value, str) else value
        yield f"{name} = {_toml(shown)}  # {attribute(name).title}{f', {unit}' if unit else ''}"


def _collectors(state: State, node: str) -> list[str]:
    """The questions whose answers hold the values, by their places in the node's transcript."""
    begun: dict[str, list[tuple[int, str]]] = {}
    for each in state.collected:
        begun.setdefault(each.ref.source, []).append((each.ref.line, each.collector))
    found: set[str] = set()
    for name, readings in state.readings.items():
        for reading in readings.all if _is_told(name) else ():
            starts = begun.get(reading.ref.source, [])
            if reading.host == node and (at := bisect_right(starts, (reading.ref.line, "\U0010ffff"))):
                found.add(starts[at - 1][1])
    return sorted(found)


def _is_told(name: str) -> bool:
    return attribute(name).kind in COMPARED and attribute(name).matters > 0


def _grouped(state: State, node: str, kind: str) -> _Groups:
    """What the parts of a node share, and what some of them have."""
    groups: _Groups = {}
    for name in sorted(state.readings, key=lambda name: (-attribute(name).matters, name)):
        if not _is_told(name):
            continue
        values: dict[tuple[type, Value], list[str]] = {}
        for (host, part), reading in latest(state.readings[name].all).items():
            if host == node and part.kind == kind and not _passes(kind, part.name):
                values.setdefault((type(reading.value), reading.value), []).append(part.name)
        for (_, value), parts in values.items():
            shared = len(values) == 1 and kind not in _BY_NAME
            if (names := "" if shared else _set(parts)) is not None:
                groups.setdefault(names, {})[name] = value
    return groups


def _set(parts: Sequence[str]) -> str | None:
    """The parts as the file names them; None for names that cannot stand in a set (with a comma or a bracket)."""
    names = fold(sorted(parts))
    try:
        return names if names and sorted(parts_of(names)) == sorted(parts) else None
    except SlowlinkError:
        return None


def _passes(kind: str, name: str) -> bool:
    return kind == "interface" and name.startswith(_PASSING_INTERFACES)


def _toml(value: Value) -> str:
    """A value as TOML has it. What a terminal would obey or hide is written out: a node may be a stranger's."""
    if isinstance(value, str):
        return '"' + "".join(map(_character, value)) + '"'
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)


def _character(one: str) -> str:
    if one in ('"', "\\"):
        return f"\\{one}"
    if _SURROGATES[0] <= one <= _SURROGATES[1]:  # of bytes that were no text; TOML has no way to write them
        return "\ufffd"
    return one if one.isprintable() else f"\\U{ord(one):08x}"


def _one_line(text: str) -> str:
    return text if text.isprintable() else _toml(text)
