"""All that is taken out of one stream, piece by piece, with a memory of what the pieces before have opened.

To redact a redacted text changes nothing. Two things see to it, whatever is taken out:

- A piece is read again, from the same start, until nothing changes any more. What is open after it *in the result* is
  what that last, unchanged reading says; so whoever reads the result finds the same things open at the same places.
- What only the text itself shows is dealt with before that: the rest of what was cut at a line's end is dropped
  (``Hidden``), and one reading goes by what is open *in the text*, for a value that was taken out may have held the
  words that open something. Where the text is a result already, both say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from slowlink.redact.colours import without_colours
from slowlink.redact.environments.dumps import WAY as DUMP
from slowlink.redact.environments.dumps import (
    ArrayState,
    EnvironmentArrays,
    is_variable,
)
from slowlink.redact.hidden import Hidden
from slowlink.redact.learned import Learned
from slowlink.redact.marks import has_mark
from slowlink.redact.over_lines.leads import Lead, end_of_lead
from slowlink.redact.over_lines.openings import AllOpen, passed_by
from slowlink.redact.pieces import LONGEST_LINE_CHARS, end_of_piece
from slowlink.redact.private_keys import PrivateKeys
from slowlink.redact.reading.allowance import Allowance, TooManyReadingsError
from slowlink.redact.reading.line import LineReaders
from slowlink.redact.reading.memory import LONGEST_CHARS, LineMemory, WasRead
from slowlink.redact.records import LogRecord, holds_variable, in_words, log_record

_MOST_READINGS = 20
"""So often a piece is read until nothing changes; two readings are enough for all but hostile text."""
_DEEPEST = 2
"""So often Base64 is looked for in what was Base64, and escapes in what was escaped."""
MOST_HELD = 500
_LONGEST_HELD = 1 << 14
"""So many lines of variables, of at most this length, wait for the one that shows them to be a whole environment."""
_FEW_OPEN = 4
"""Where more is open, it takes longer to see whether a line goes on with it than to look for marks."""
_MOST_LOOKS = 20
_COSTS = 20
"""So often on average a line that waits is looked at, and so much more it costs to read it anew."""
_WHOLE_LINE = "<redacted:line>"
"""Stands for a piece that no number of readings settles, or that needs too many."""


class Opened(NamedTuple):
    """What the pieces so far have opened."""

    array: ArrayState = "outside"
    following: AllOpen = ()

    def dumps(self) -> frozenset[tuple[str, str, tuple[Lead, ...]]]:
        """The environments that are being printed: whose record each stands in, how it is written, and its leads."""
        return frozenset(
            [(state.record, state.left.quote, state.leads) for state in self.following if state.left.way == DUMP]
        )


_NOTHING_OPEN = Opened()


class BlockRedactor:
    """Redacts the lines of one stream."""

    def __init__(
        self,
        removed: Counter[str],
        longest: int = LONGEST_LINE_CHARS,
        learned: Learned | None = None,
        depth: int = 0,
        allowance: Allowance | None = None,
    ) -> None:
        self._removed = removed
        self._learned = learned or Learned()
        self._depth = depth
        self._allowance = allowance or Allowance()
        self._longest = longest
        self._counted: Counter[str] = Counter()
        self._hidden = Hidden()
        self._in_text = _NOTHING_OPEN
        self._in_result = _NOTHING_OPEN
        self._begun = ""
        """The beginning of a long line that is redacted already, and still too short to be put out."""
        self._held: list[tuple[Opened, str]] = []
        """Redacted lines that may turn out to be of an environment, each with what was open before it."""
        self._lines = self._looked_at = 0
        self._keys = PrivateKeys(self._hidden, self._counted)
        self._arrays = EnvironmentArrays(self._hidden, self._counted)
        self._readers = LineReaders(self._counted, self._learned, self._inner)
        self._openings = self._readers.openings
        self._memory: LineMemory[Opened] = LineMemory()
        self._inside: BlockRedactor | None = None

    def begin_anew(self, removed: Counter[str]) -> None:
        """Read another text, of which nothing was read; what is taken out counts in ``removed``."""
        self._removed = removed
        self._counted.clear()
        self._hidden.become(Hidden())
        self._in_text = self._in_result = _NOTHING_OPEN
        self._begun = ""
        self._held = []
        self._lines = self._looked_at = 0

    def pieces(self, text: str, *, last: bool = False) -> list[str]:
        """What can be put out after ``text``, a line or a part of a very long one, was added.

        With ``last``, nothing follows.
        """
        text = self._with_begun(text)
        out: list[str] = []
        readings = 0
        while (end := end_of_piece(text, self._longest)) is not None or (last and text):
            piece, hidden = text[:end], self._hidden.copy()
            readings += 1
            clean, in_text, in_result = self._bounded(piece if readings < _MOST_READINGS else _instead_of(piece))
            following = text[len(piece) :]
            if self._hidden != hidden:
                following = self._rest(following)
            end = end_of_piece(clean, self._longest)
            if clean == piece or end == len(clean) or (end is None and last and not following):
                before, self._in_text, self._in_result = self._in_result, in_text, in_result
                out += self._held_back(clean, before)
                text, readings = following, 0
            else:
                text = clean + following
        self._begun = text
        return out + self._let_go() if last else out

    def is_idle(self) -> bool:
        """Is nothing open, so that a line without a mark passes as it is?"""
        return not self._held and self.is_calm()

    def is_calm(self) -> bool:
        """Is nothing open but that lines wait, which may turn out to be of an environment?"""
        return self._in_text == self._in_result == _NOTHING_OPEN and not (self._begun or self._hidden)

    def unmarked(self, line: str) -> list[str]:
        """What can be put out after a line without a mark, while all is calm: nothing of it is taken out by itself."""
        return self._held_back(line, self._in_result)

    def _held_back(self, clean: str, before: Opened) -> list[str]:
        """What can be put out after the redacted line ``clean``: variables wait for what shows them to be a dump."""
        self._lines += 1
        is_new = bool(self._held) and self._in_result.following is not before.following
        begun = self._in_result.dumps() - before.dumps() if is_new else frozenset()
        if begun and self._looked_at < _MOST_LOOKS * self._lines:
            for dump in sorted(begun, key=str):  # behind a redacted value, the line may have several readings
                before, clean = self._as_dump(before, clean, dump)
        elif not clean.endswith("\n") or len(clean) > _LONGEST_HELD or not holds_variable(clean):
            return [*self._let_go(), clean]
        self._held.append((before, clean))
        return [self._held.pop(0)[1]] if len(self._held) > MOST_HELD else []

    def _let_go(self) -> list[str]:
        held, self._held = self._held, []
        return [line for _, line in held]

    def _as_dump(self, before: Opened, clean: str, dump: tuple[str, str, tuple[Lead, ...]]) -> tuple[Opened, str]:
        """The lines that waited, without their values, now that ``clean`` shows them to be of an environment.

        From the first of them on that opened anything, all is read anew: a value that was taken out opens nothing in
        the result.
        """
        who, writing, leads = dump
        self._looked_at += len(self._held)
        befores = [*(before for before, _ in self._held), before]
        is_new = False
        for at, (_, line) in enumerate(self._held):
            text = line.removesuffix("\n")
            plain = without_colours(text)
            hidden = in_words(plain, partial(self._of_dump, leads, writing), who)
            if not is_new and hidden != plain and _has_touched(befores[at], befores[at + 1]):
                is_new, self._in_result = True, befores[at]
            text = hidden if hidden != plain else text
            self._held[at] = self._again(text, line) if is_new else (befores[at], text + "\n")
        if is_new:
            before, clean = self._again(clean.removesuffix("\n"), clean)
        self._removed.update(self._counted)
        self._counted.clear()
        return before, clean

    def _again(self, text: str, line: str) -> tuple[Opened, str]:
        """A line that waited, read anew, with its end."""
        before = self._in_result
        self._looked_at += _COSTS
        if not self._depth:
            self._allowance.renew()
        try:
            text, self._in_result = self._settled_result(text)
        except TooManyReadingsError:
            if self._depth:
                raise
            self._counted.clear()
            text = _WHOLE_LINE
        return before, text + line[len(line.removesuffix("\n")) :]

    def _of_dump(self, leads: Iterable[Lead], writing: str, words: str) -> str:
        """A line before the one that has shown a dump: a variable of it, or anything else."""
        end = max((end_of_lead(lead.form, words) for lead in leads), default=-1)
        return words if end < 0 else words[:end] + self._readers.dumps.hidden(words[end:], writing)

    def _with_begun(self, text: str) -> str:
        rest = self._rest(text)
        if self._begun and text.endswith("\n") and not rest.endswith("\n"):
            rest += "\n"  # ends the line that has begun, though all else was dropped
        return self._begun + rest

    def _rest(self, text: str) -> str:
        return self._arrays.rest(self._keys.rest(text)) if self._hidden else text

    def _bounded(self, piece: str) -> tuple[str, Opened, Opened]:
        """As ``_settled``; of a piece that would take too many readings nothing is left."""
        if self._depth:
            return self._settled(piece)
        hidden = self._hidden.copy()
        self._allowance.renew()
        try:
            return self._settled(piece)
        except TooManyReadingsError:
            self._hidden.become(hidden)
            self._counted.clear()
            self._allowance.renew()
            return self._settled(_instead_of(piece))

    def _settled(self, piece: str) -> tuple[str, Opened, Opened]:
        """``piece`` without secrets, and what is open after it in the text and in the result.

        Its line end stays whatever happens.
        """
        text = piece.removesuffix("\n").removesuffix("\r")
        line_end = piece[len(text) :]
        hidden = self._hidden.copy()
        clean, in_text = self._read(text, self._in_text)
        if clean == text:
            self._hidden.become(hidden)
            if self._in_text == self._in_result:
                return piece, in_text, in_text
        hidden = self._hidden.copy()
        clean, in_result = self._settled_result(clean)
        self._hidden.become(hidden)
        return clean + line_end, in_text, in_result

    def _settled_result(self, text: str) -> tuple[str, Opened]:
        """What is left of ``text`` when reading it changes nothing any more, and what is open after it."""
        for _ in range(_MOST_READINGS):
            clean, in_result = self._read(text, self._in_result)
            if clean == text:
                return text, in_result
            text = clean
        return _WHOLE_LINE, self._read(_WHOLE_LINE, self._in_result)[1]

    def _read(self, text: str, opened: Opened) -> tuple[str, Opened]:
        """One reading. What one counts that changes nothing was counted before."""
        if len(text) <= LONGEST_CHARS and not self._hidden:
            return self._remembered(text, opened)
        passed = self._passed_by(text, opened)
        if passed is not None:
            return text, passed
        clean, after = self._taken_out(text, opened)
        if clean != text:
            self._removed.update(self._counted)
        self._counted.clear()
        return clean, after

    def _remembered(self, text: str, opened: Opened) -> tuple[str, Opened]:
        """The same for a short line while nothing is hidden: what it says follows from these two alone."""
        known = self._memory.recall(text, opened, self._learned.marks)
        if known is not None:
            if known.inner:
                self._allowance.take(known.inner)
            if known.counted:
                self._removed.update(known.counted)
            if known.hidden:
                self._hidden.become(known.hidden)
            return known.clean, known.after
        left = self._allowance.left
        passed = self._passed_by(text, opened)
        if passed is not None:
            return text, self._kept(text, opened, text, passed)
        clean, after = self._taken_out(text, opened)
        counted = dict(self._counted) if clean != text else {}
        self._removed.update(counted)
        self._counted.clear()
        return clean, self._kept(text, opened, clean, after, counted, left - self._allowance.left)

    def _kept(
        self,
        text: str,
        opened: Opened,
        clean: str,
        after: Opened,
        counted: dict[str, int] | None = None,
        inner: int = 0,
    ) -> Opened:
        """``after``, remembered as what this reading leaves open."""
        was = WasRead(clean, after, counted or {}, inner, self._hidden.copy(), opened)
        return self._memory.keep(text, was, len(after.following))

    def _passed_by(self, text: str, opened: Opened) -> Opened | None:
        """What is open after a line in which nothing is to be looked for; None where something may be."""
        if opened == _NOTHING_OPEN:
            return None if has_mark(text, self._learned.marks) else opened
        if self._hidden or (len(opened.following) > _FEW_OPEN and has_mark(text, self._learned.marks)):
            return None
        passed = _after_others(text, opened)
        return None if passed is None or has_mark(text, self._learned.marks) else passed

    def _taken_out(self, text: str, opened: Opened) -> tuple[str, Opened]:
        """``text`` without secrets, and without its colours where they stood among secrets."""
        plain = without_colours(text)
        clean, after = self._plain_taken_out(plain, opened)
        return (text if clean == plain else clean), after

    def _plain_taken_out(self, text: str, opened: Opened) -> tuple[str, Opened]:
        text = self._keys.line(text)
        text, array = self._arrays.line(text, opened.array)
        record = log_record(text)
        if record is None:
            text, after = self._line_taken_out(text, opened)
        else:
            text, after = self._record_taken_out(record, opened)
        return text, after._replace(array=array)

    def _record_taken_out(self, record: LogRecord, opened: Opened) -> tuple[str, Opened]:
        """A record: what the program wrote goes on from record to record, what stands beside it does not."""
        after = opened
        lines = record.words.split("\n")
        for at, line in enumerate(lines):
            before = after
            lines[at], after = self._line_taken_out(line, after, record.who)
            if at and is_variable(lines[at - 1]) and after.dumps() - before.dumps():
                self._before_dump(lines, at, after)
        beside, _ = self._line_taken_out(record.frame(), _NOTHING_OPEN)
        return record.framed("\n".join(lines), beside), after

    def _before_dump(self, lines: list[str], at: int, opened: Opened) -> None:
        """The variables before the line at ``at``, which has shown them to be of an environment."""
        while at and is_variable(lines[at - 1]):
            at -= 1
            for _, writing, leads in opened.dumps():
                lines[at] = self._of_dump(leads, writing, lines[at])

    def _line_taken_out(self, text: str, opened: Opened, record: str = "") -> tuple[str, Opened]:
        """A line that a program wrote, or a whole record. ``record``: whose record it stood in."""
        text, following = self._openings.line(text, opened.following, record)
        taken = self._readers.taken_out(text)
        after = self._openings.after(taken.text, following, taken.lefts, record)
        return taken.as_written, Opened(opened.array, after)

    def _inner(self, text: str, removed: Counter[str]) -> str:
        """What is left of ``text``, which stood in the text of this stream in other letters."""
        if self._depth >= _DEEPEST or not has_mark(text, self._learned.marks):
            return text
        self._allowance.take()
        inner = self._inside or BlockRedactor(removed, self._longest, self._learned, self._depth + 1, self._allowance)
        inner.begin_anew(removed)
        self._inside = inner
        clean = "".join(piece for line in text.splitlines(keepends=True) for piece in inner.pieces(line))
        return clean + "".join(inner.pieces("", last=True))


def _has_touched(before: Opened, after: Opened) -> bool:
    """Has the line between these opened or closed anything but an environment?"""
    return (
        before.array != after.array
        or len(after.following) < len(before.following)
        or any(state.passed == 0 and state.left.way != DUMP for state in after.following)
    )


def _after_others(text: str, opened: Opened) -> Opened | None:
    """What is open after a line that goes on with nothing, if nothing is in it by itself; None where it may go on."""
    following = (
        None if opened.array != "outside" or text[:1] == "{" else passed_by(without_colours(text), opened.following)
    )
    return None if following is None else Opened(following=following)


def _instead_of(piece: str) -> str:
    return _WHOLE_LINE + ("\n" if piece.endswith("\n") else "")
