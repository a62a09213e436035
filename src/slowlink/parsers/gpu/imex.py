"""IMEX, which shares GPU memory between the nodes of one NVLink domain: its state, its nodes and its channels::

    Node #0   - 10.9.8.7   - READY                - Version: 570.1.2
    Node #1   - tray2 (10.9.8.8) - INITIALIZING - Version: 570.1.2
    Domain State: DEGRADED
    /dev/nvidia-caps-imex-channels/channel0

The first three lines are of ``nvidia-imex-ctl -N``, the last of a listing. Without a channel device no process of this
node can use IMEX; a listing that fails ("No such file or directory") is therefore a reading, too::

    tray2 ls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory

Source: NVIDIA's IMEX guide (commands of the IMEX service), releases 550 to 580.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_DOMAIN = regex(r"\s{0,20}Domain State:\s{0,8}(?P<state>[A-Z][A-Z_]{1,30})\s*$")
_NODE = regex(
    r"\s{0,20}Node #\d{1,5}\s{1,8}[-*] (?P<name>[\w.:-]{1,80})\s[^-]{0,60}- (?P<state>[A-Z][A-Z_]{2,40})"
    r"\s{1,40}- Version: (?P<version>[\w.]{1,40})"
)
_CHANNEL = regex(r".{0,400}/dev/nvidia-caps-imex-channels/channel\d{1,6}\s*$")
_MISSING = regex(
    r"\s{0,20}(?:(?P<host>[A-Za-z0-9][\w.-]{0,80})(?::| {0,20}\||) {1,20})?(?:\S{0,80}/)?(?:ls|stat|find|bash|sh): "
    r".{0,400}/dev/nvidia-caps-imex-channels(?:/|/\*|/channel\d{1,6})?\W{0,3}: No such file or directory\W{0,3}$"
)
"""The host's name stands before it where a loop, pdsh or a step of srun asked several nodes."""
_NOISE = regex(
    r"\s{0,20}(?:Connectivity Table Legend:|(?:[INRDAC]|![VM]!) - [A-Z]|Nodes:\s*$|Nodes From\\To\s"
    r"|\S{0,400}/dev/nvidia-caps-imex-channels\s*$)"
)


class Imex:
    """Reads each line alone: the domain, a node of it, or a channel device that is there or missing."""

    kind: ClassVar[str] = "imex"
    literals: ClassVar[Literals] = Literals(
        (
            *("imex-channels", "\nDomain State:", "\nNode #0", "\nConnectivity Table Legend:", "\nNodes:"),
            "\nNodes From\\To",
            *(f"\n{mark} - " for mark in ("I", "N", "R", "D", "A", "C", "!V!", "!M!")),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        if "imex-channels" in text and (_CHANNEL.match(text) or _MISSING.match(text)):
            return True
        return any(pattern.match(text) for pattern in (_DOMAIN, _NODE, _NOISE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        domain, node, missing = _DOMAIN.match(text), _NODE.match(text), _MISSING.match(text)
        if not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        if domain is not None:
            self._found.append(reading("imex-domain-state", NODE, domain["state"], line))
        elif node is not None:
            part = Part("fabric-node", node["name"])
            self._found.append(reading("imex-node-state", part, node["state"], line))
            self._found.append(reading("imex-version", part, node["version"], line))
        elif missing is not None:
            self._found.append(reading("imex-channels", NODE, False, replace(line, host=missing["host"] or line.host)))
        elif _CHANNEL.match(text):
            self._found.append(reading("imex-channels", NODE, True, line))
        else:
            return Use.IGNORED if _NOISE.match(text) else Use.NOT_MINE
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = Imex
