"""Searches that found nothing: a question, and a prompt where its answer would stand::

    [root@gpu07 ~]# lsmod | grep -E 'nvidia_peermem|nv_peer_mem'
    [root@gpu07 ~]# grep -w mm_kobj /lib/modules/5.14.0/build/Module.symvers; echo rc=$?
    rc=1
    [root@gpu07 ~]# uname -r

Only a prompt says that nothing was printed: a file that ends below the question may have been cut. Where the question
prints a word of its own for "nothing", that line says so. What a search for several things did not print is not there,
either, when a prompt follows what it printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.context.silent_questions import Question, not_in, question
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_PROMPT = regex(
    r"\s{0,8}(?:\([\w. -]{1,40}\) )?(?:\[[^\]]{3,160}\] ?[#$%]|[\w.-]{1,64}@[\w.-]{1,80}[: ~][^\s#$%]{0,200} ?[#$%]"
    r"|[A-Za-z][\w.-]{1,80}(?::[~/][^\s#$%:]{0,200})? ?[#$%>]|[#$%❯➜]|\+{1,8})(?: |$)"
)
_FAILED = regex(
    r"(?i).*(?:not found|no such|denied|refused|timed out|unreachable|cannot|could not|unable|invalid|usage:|error)"
)
_MOST_LINES = 40
"""That a search may print; a longer answer was none to such a question."""


class SilentAnswers:
    """Readings of what a search did not find."""

    kind: ClassVar[str] = "silent-answers"
    literals: ClassVar[Literals] = Literals(("peermem", "peer_mem", "nvidia_peer", "mm_kobj"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._asked: tuple[Question, Line] | None = None
        self._last = 0

    @classmethod
    def wants(cls, text: str) -> bool:
        return "grep" in text and cls.literals.in_(text) and question(text) is not None

    @property
    def greedy(self) -> bool:
        return self._asked is not None

    def feed(self, line: Line) -> Use:
        use = Use.NOT_MINE
        if self._asked is not None:
            asked, at = self._asked
            use = self._answer(asked, at, line) if line.no == self._last + 1 else self._end()
        self._last = line.no
        new = question(line.text) if self.wants(line.text) else None
        if new is not None:
            self._asked = (new, line)
        return use  # the question is a prompt, too

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _end(self) -> Use:
        self._asked = None
        return Use.NOT_MINE

    def _answer(self, asked: Question, at: Line, line: Line) -> Use:
        """The word for "nothing", a prompt, or a line that was found. A prompt is not used up by that."""
        text = line.text.strip()
        if asked.none:
            self._end()
            if text != asked.none:
                return Use.NOT_MINE
            self._add(asked, at)
            return Use.USED
        if _PROMPT.match(line.text):
            self._add(asked, at)
            return self._end()
        left = not_in(text, asked.sought)
        if not left or not text or _FAILED.match(text) or line.no > at.no + _MOST_LINES:
            return self._end()
        self._asked = (asked._replace(sought=left), at)
        return Use.NOT_MINE

    def _add(self, asked: Question, at: Line) -> None:
        for each in asked.sought:
            if MAX_READINGS.has_room(len(self._found)):
                found = reading(each.attribute, each.part, False, at)
                self._found.append(found if asked.host is None else replace(found, host=asked.host))


PARSER = SilentAnswers
