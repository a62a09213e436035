"""Secret arguments of known programs whose words stand one on each line (``args:`` of a pod, ``docker inspect``), or
go on behind a backslash."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.command_lines.arguments import PROGRAM, PROGRAM_NAMES, RUNS_PROGRAM, argument_spans
from slowlink.redact.command_lines.command_words import secret_words
from slowlink.redact.command_lines.programs import PROGRAMS
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.replaced import Span, replace_spans

_MOST_WORDS = 60
_LONGEST_PROGRAM = 200
_LONGEST_COMMAND = 4000
_LONGEST_WORD = 200
_LISTS = r"[\"']?(?i:args|command|cmd|entrypoint|path)[\"']?\s{0,4}:\s{0,4}\[?"
_LAST_ON_LINE = regex(
    rf"(?:{_LISTS}\s{{0,4}})?(?:-\s{{1,8}}(?P<quote>[\"'])?|(?P<mark>[\"']))(?:[\w./-]{{0,200}}/)?"
    rf"(?P<program>{PROGRAM_NAMES})(?(quote)(?P=quote))(?(mark)(?P=mark)),?\s*$"
)
_ITEM = regex(r"\s{0,80}(?:-\s{1,8}){0,3}(?P<quote>[\"']?)(?P<word>\S(?:[^\n]{0,8000}?\S)?)(?P=quote),?\s*$")
_BETWEEN = regex(rf"\s{{0,80}}(?:{_LISTS}|\],?)\s*$")
"""The list of the program and that of its arguments may have two names."""
_KEY = regex(r"(?:[\"'][\w.-]{1,100}[\"']|[\w.-]{1,100}):(?:\s|$)")


class ListedArguments:
    """Reads such lines without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"listed": self._item, "continued": self._continued}

    def opening(self, text: str, words: int) -> Left:
        """What a line opens that ends in a known program, or in a backslash behind one. ``words``: what ``held`` says
        of it."""
        if not words & RUNS_PROGRAM:
            return NOTHING_LEFT
        bare = text.rstrip()
        if bare.endswith("\\"):
            return self._command(bare)
        last = bare[-_LONGEST_PROGRAM:].lower().rstrip("\"',").rpartition(" ")[2].rpartition("/")[2]
        if last.strip("\"'[") not in PROGRAMS:
            return NOTHING_LEFT
        low = bare.lower()
        program = _LAST_ON_LINE.search(low, max(0, len(low) - 300))
        if program is None:
            return NOTHING_LEFT
        return Left("listed", "password", at=program.start(), told=(program["program"],))

    def _command(self, text: str) -> Left:
        program = PROGRAM.search(text.lower())
        if program is None:
            return NOTHING_LEFT
        told = text[program.start() : program.start() + _LONGEST_COMMAND].rstrip("\\")
        return Left("continued", "password", at=program.start(), told=(told,))

    def _continued(self, text: str, left: Left) -> tuple[str, Left]:
        """The next line of a command."""
        before = left.told[0] + " "
        spans = [span for span in argument_spans(before + text, len(before)) if span.begin >= len(before)]
        clean = replace_spans(before + text, spans, self._removed)
        text = clean[len(before) :]
        told = (before + text).rstrip()
        goes_on = told.endswith("\\") and len(told) < _LONGEST_COMMAND
        return text, left._replace(told=(told.rstrip("\\"),)) if goes_on else NOTHING_LEFT

    def _item(self, text: str, left: Left) -> tuple[str, Left]:
        """The next word of a list."""
        if _BETWEEN.match(text) is not None:
            return text, left
        item = _ITEM.match(text)
        if item is None or _KEY.match(item["word"]) is not None or len(left.told) >= _MOST_WORDS:
            return text, NOTHING_LEFT
        words = (*left.told, item["word"])
        place = secret_words(words, len(left.told)).get(len(left.told))
        if place is not None:
            begin = item.start("word")
            text = replace_spans(text, [Span(begin + place[0], begin + place[1])], self._removed)
        return text, left._replace(told=(*left.told, item["word"][:_LONGEST_WORD]))
