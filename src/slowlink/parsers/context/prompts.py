"""Shell prompts that name a host: what follows, up to the next one, was printed there.

Three of their forms::

    [root@gpu07 ~]# uname -r
    admin@node-3:~/tests$ hostname
    $ kubectl debug -it node/gpu-node-2 --image=busybox

Source: the prompts of bash, of conda and of SUSE; ``oc debug`` and ``kubectl debug``. A mail address is no prompt: one
ends with ``$``, ``#`` or ``%``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.forms.interface import Use
from slowlink.patterns import regex

MAX_PROMPTS = 5000
_PROMPT = regex(
    r"^\s{0,40}(?:\([\w. -]{1,40}\) )?"
    r"(?:\[[\w.-]{1,64}@(?P<bracketed>[\w.-]{1,80})[^\]\n]{0,120}\][#$%]|[\w.-]{1,64}@(?P<plain>[\w.-]{1,80}):[^\s#$%:]{0,200}[#$%]"
    r"|(?P<suse>[A-Za-z][\w.-]{1,80}):[~/][^\s#$%:]{0,200} [#>](?= ))"
    r"(?: +(?P<command>\S.{0,200})?|$)"
)
_DEBUG = regex(
    r"^(?:.{0,100}[#$%] )?(?:oc|kubectl) debug (?:-\S{1,60} ){0,6}nodes?/(?P<node>[\w.-]{1,80})(?: .{0,200})?$"
)
"""A shell on a Kubernetes node: what follows was printed there."""


class Prompts:
    """Gives one ``Collected`` for each prompt: the host that the lines below it come from, and the command."""

    kind: ClassVar[str] = "prompts"

    def __init__(self) -> None:
        self._found: list[Collected] = []
        self.place: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return (("@" in text or " # " in text or " > " in text) and _PROMPT.match(text) is not None) or (
            " debug " in text and _DEBUG.match(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        node = _DEBUG.match(line.text) if " debug " in line.text else None
        if node is not None:
            self.place = node["node"]
            if len(self._found) < MAX_PROMPTS:
                self._found.append(Collected("prompt", "ran", "", line.ref(), node["node"]))
            return Use.IGNORED
        match = _PROMPT.match(line.text)
        if match is None:
            return Use.NOT_MINE
        self.place = host = match["bracketed"] or match["plain"] or match["suse"]
        if len(self._found) < MAX_PROMPTS:
            self._found.append(Collected("prompt", "ran", (match["command"] or "").strip(), line.ref(), host))
        return Use.IGNORED

    def finish(self) -> Iterable[Collected]:
        return self._found


PARSER = Prompts
