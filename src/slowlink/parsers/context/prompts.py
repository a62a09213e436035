"""Shell prompts that name a host: what follows, up to the next one, was printed there.

Some of their forms::

    [root@gpu07 ~]# uname -r
    [gpu07 ~]# uname -r
    admin@node-3:~/tests$ hostname
    admin@node-3 ~ $ hostname
    $ kubectl debug -it node/gpu-node-2 --image=busybox

A shell's trace (``set -x``) says which command ran, too: ``+ ibv_devices``. Where no prompt names the host, the answer
to ``hostname`` does. A bare ``$`` names none, but ``$ ssh gpu07 dmesg`` says where its command ran, up to the next one.

Source: the prompts of bash, fish, conda, Gentoo and SUSE; ``oc debug`` and ``kubectl debug``. A mail address
is no prompt: one ends with ``$``, ``#`` or ``%``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_PROMPTS = Limit(50_000, "prompts")
_PROMPT = regex(
    r"^\s{0,40}(?:\([\w. -]{1,40}\) )?"
    r"(?:\[[\w.-]{1,64}@(?P<bracketed>[\w.-]{1,80})[^\]\n]{0,120}\][#$%]|[\w.-]{1,64}@(?P<plain>[\w.-]{1,80}):[^\s#$%:]{0,200}[#$%]"
    r"|[\w.-]{1,64}@(?P<spaced>[\w.-]{1,80}) [~/][^\s#$%>:]{0,200} ?[#$%>](?= )"
    r"|\[(?P<nobody>[A-Za-z][\w.-]{1,80}) (?:[~/][^\]\n]{0,120}|[A-Za-z][\w.-]{0,80})\][#$%](?= )"
    r"|(?P<suse>[A-Za-z][\w.-]{1,80}):[~/][^\s#$%:]{0,200}(?: [#>]|[#$%])(?= ))"
    r"(?: +(?P<command>\S.{0,200})?|$)"
)
_MARKS = Literals(("@", " # ", " > ", "]# ", "]$ ", "]% ", ":~"))
_DEBUG = regex(
    r"^(?:.{0,100}[#$%] )?(?:oc|kubectl) debug (?:-\S{1,60} ){0,6}nodes?/(?P<node>[\w.-]{1,80})(?: .{0,200})?$"
)
"""A shell on a Kubernetes node: what follows was printed there."""
_TRACE = regex(r"^\s{0,8}\+{1,8} (?P<command>[^\s+].{0,200})")
_BARE = regex(r"^\s{0,8}\$ +(?P<command>\S.{0,400})")
_SENDS = regex(r"(?:sudo +)?(?:ssh|srun|pdsh|clush) ")
_ASKS_NAME = regex(r"^\s{0,8}(?:\+{1,8}|(?:ba|z|k|da)?sh-\d\.\d{1,2}[#$]|[#$%]) hostname(?: -[sf])?\s{0,8}$")
_A_NAME = regex(r"^[A-Za-z][\w.-]{0,80}\s{0,8}$")


def is_prompt(text: str) -> bool:
    """Does a prompt with a user or a directory name the host? ``short_prompts`` knows those with less."""
    return _MARKS.in_(text) and _PROMPT.match(text) is not None


class Prompts:
    """Gives one ``Collected`` for each prompt: the host that the lines below it come from, and the command."""

    kind: ClassVar[str] = "prompts"
    literals: ClassVar[Literals] = Literals((*_MARKS.texts, " debug ", "\n+", "\n$", "hostname"))

    def __init__(self) -> None:
        self._found: list[Collected] = []
        self.place: str | None = None
        self._sent = False
        """Did the last bare prompt send its command to a node?"""
        self._asked_in: int | None = None
        """The line of a question for the host's name, whose answer stands below it."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            is_prompt(text)
            or (" debug " in text and _DEBUG.match(text) is not None)
            or _TRACE.match(text) is not None
            or _BARE.match(text) is not None
            or ("hostname" in text and _ASKS_NAME.match(text) is not None)
        )

    @property
    def greedy(self) -> bool:
        return self._asked_in is not None

    def feed(self, line: Line) -> Use:
        node = _DEBUG.match(line.text) if " debug " in line.text else None
        if node is not None:
            self.place = node["node"]
            if MAX_PROMPTS.has_room(len(self._found)):
                self._found.append(Collected("prompt", "ran", "", line.ref(), node["node"]))
            return Use.IGNORED
        if self._is_answer(line):
            return self._add("", line, line.text.strip())
        self._asked_in = line.no if _ASKS_NAME.match(line.text) else None
        match = _PROMPT.match(line.text)
        if match is None:
            self._bare(line)
            traced = _TRACE.match(line.text)
            if traced is not None and self.place is not None:
                self._add(traced["command"].strip(), line, self.place)
            return Use.NOT_MINE  # it is a command, too
        host = next(name for name in match.group("bracketed", "plain", "spaced", "nobody", "suse") if name)
        return self._add((match["command"] or "").strip(), line, host)

    def _bare(self, line: Line) -> None:
        """A command that is sent to one node by its name, and the next one, which is not."""
        bare = _BARE.match(line.text)
        sends = bare is not None and _SENDS.match(bare["command"]) is not None
        if bare is not None and (sends or self._sent) and MAX_PROMPTS.has_room(len(self._found)):
            self._found.append(Collected("prompt", "ran", bare["command"].strip(), line.ref(), self.place))
            self._sent = sends

    def _is_answer(self, line: Line) -> bool:
        return self._asked_in == line.no - 1 and _A_NAME.match(line.text) is not None

    def _add(self, command: str, line: Line, host: str) -> Use:
        """What follows was printed there."""
        self.place, self._asked_in = host, None
        if MAX_PROMPTS.has_room(len(self._found)):
            self._found.append(Collected("prompt", "ran", command, line.ref(), host))
        return Use.IGNORED

    def finish(self) -> Iterable[Collected]:
        return self._found


PARSER = Prompts
