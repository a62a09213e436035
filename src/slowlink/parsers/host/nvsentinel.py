"""NVSentinel: what its monitors write into the conditions of a Kubernetes node::

    GpuXidError     True   GpuXidErrorIsNotHealthy  ErrorCode:79 GPU:3 XID error Recommended Action=RESTART_BM;
    GpuNvlinkWatch  False  GpuNvlinkWatchIsHealthy  No Health Failures

``kubectl describe node`` has times between these columns. The reason names the check, and the message the code of the
error (an Xid, or one of DCGM), the parts, and what to do. Both stand in events of the node, too, and each on a line of
its own in ``kubectl get node -o yaml``.

Source: github.com/NVIDIA/NVSentinel, ``platform-connectors/pkg/connectors/kubernetes``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_REASON = regex(r"\b(?P<check>[A-Z][A-Za-z\d]{3,60}?)Is(?P<state>Not)?Healthy\b")
_MESSAGE = regex(
    r"\bErrorCode:(?P<code>[A-Z\d_,]{1,120}) (?P<words>.{1,300}?) ?Recommended Action=(?P<action>[A-Z_]{2,40}|NONE);?"
)
_GAP = 4
"""Lines between a reason and its message where each has a line of its own."""


class NvSentinel:
    """A failing or passing test for each check, with its message in its own words."""

    kind: ClassVar[str] = "nvsentinel"
    literals: ClassVar[Literals] = Literals(("Healthy", "Recommended Action="))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._last: tuple[str, int] = ("", 0)
        """(check, line) of the last reason."""

    @staticmethod
    def wants(text: str) -> bool:
        return (("Healthy" in text) and _REASON.search(text[:1000]) is not None) or (
            "Recommended Action=" in text and _MESSAGE.search(text[:1000]) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:1000]
        reason, message = _REASON.search(text), _MESSAGE.search(text)
        if (reason is None and message is None) or not MAX_READINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        if reason is not None:
            self._last = reason["check"], line.no
            self._add(reason["check"], "fail" if reason["state"] else "pass", line)
        if message is not None:
            check, number = self._last
            near = bool(check) and line.no - number <= _GAP
            name = check if near else "node condition"
            if not near:
                self._add(name, "fail", line)
            words = f"ErrorCode:{message['code']} {message['words']} Recommended Action={message['action']}"
            self._found.append(reading("health-test-detail", Part("test", f"health/{name}"), words, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _add(self, check: str, status: str, line: Line) -> None:
        self._found.append(reading("health-test", Part("test", f"health/{check}"), status, line))


PARSER = NvSentinel
