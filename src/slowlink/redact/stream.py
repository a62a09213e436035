"""Text in pieces of any length to redacted lines."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from slowlink.redact.blocks import MOST_HELD, BlockRedactor
from slowlink.redact.learned import Learned
from slowlink.redact.marks import MarkedLines
from slowlink.redact.pieces import LONGEST_LINE_CHARS
from slowlink.redact.records import holds_variable

if TYPE_CHECKING:
    from slowlink.redact.other_names.anonymize import Anonymizer


class Redactor:
    """Redacts one stream of text. How the text was cut into pieces makes no difference to the result, and to redact
    the result again changes nothing."""

    def __init__(
        self,
        removed: Counter[str] | None = None,
        anonymizer: Anonymizer | None = None,
        *,
        longest_line: int = LONGEST_LINE_CHARS,
        learned: Learned | None = None,
    ) -> None:
        self.removed: Counter[str] = Counter() if removed is None else removed
        """Kind -> how many values were replaced."""
        self._longest = longest_line
        self._learned = learned or Learned()
        self._blocks = BlockRedactor(self.removed, longest_line, self._learned)
        self._marked = MarkedLines()
        self._anonymizer = anonymizer
        self._waiting: list[str] = []
        self._length = 0

    def feed(self, text: str) -> str:
        """The lines that ``text`` completes, redacted; the rest waits for its end."""
        cut = text.rfind("\n") + 1
        ready = ""
        if cut:
            ready = self._lines("".join(self._waiting) + text[:cut])
            self._waiting, self._length = [], 0
        if cut < len(text):
            self._waiting.append(text[cut:])
            self._length += len(text) - cut
        if self._length >= self._longest:
            whole = "".join(self._waiting)
            kept = self._length % self._longest
            ready += self._put_out(whole[: self._length - kept])
            self._waiting, self._length = [whole[len(whole) - kept :]], kept
        return ready

    def finish(self) -> str:
        """The last line, when it has no end."""
        rest = "".join(self._waiting)
        self._waiting, self._length = [], 0
        return self._lines(rest, last=True)

    def _lines(self, text: str, *, last: bool = False) -> str:
        """Whole lines; with ``last`` the last one may have no end. While nothing is open, only marked ones are read."""
        out: list[str] = []
        at = 0
        begins = deque(self._marked.begins(text, self._learned.marks)) if self._anonymizer is None else deque()
        while at < len(text):
            while begins and begins[0] < at:
                begins.popleft()
            if self._anonymizer is None and self._blocks.is_idle():
                passed = before_variables(text, at, begins[0] if begins else len(text))
                if passed > at:
                    out.append(text[at:passed])
                    at = passed
                    continue
            end = text.find("\n", at) + 1 or len(text)
            is_marked = self._anonymizer is not None or (bool(begins) and begins[0] == at)
            if not is_marked and end - at < self._longest // 2 and self._blocks.is_calm() and text[end - 1] == "\n":
                out += self._blocks.unmarked(text[at:end])
            else:
                out.append(self._put_out(text[at:end]))
            at = end
        return "".join([*out, *([self._put_out("", last=True)] if last else [])])

    def _put_out(self, line: str, *, last: bool = False) -> str:
        """What can be put out after one more line, or as many parts of a longer one."""
        parts = [line[at : at + self._longest] for at in range(0, len(line), self._longest)] or [""]
        ready = [piece for part in parts for piece in self._blocks.pieces(part, last=last)]
        return "".join(ready if self._anonymizer is None else map(self._anonymizer.line, ready))


def before_variables(text: str, begin: int, end: int) -> int:
    """Where the last variables begin with which ``text[begin:end]`` ends; ``end`` when there are none."""
    for _ in range(MOST_HELD):
        if end == begin:
            break
        line = text.rfind("\n", begin, end - 1) + 1 or begin
        if not holds_variable(text[line:end]):
            return end
        end = line
    return end
