"""Private keys: from BEGIN to END, on one line or over many."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.colours import without_colours
from slowlink.redact.hidden import Hidden
from slowlink.redact.replaced import replace_with

LONGEST_BLOCK_LINES = 400
_KIND = r"(?:[A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d)"
_BEGIN = regex(rf"-{{4,5}} ?BEGIN {_KIND} ?-{{4,5}}|\bPrivate-Lines: \d{{1,5}}(?!\d)")
_END = regex(rf"-{{4,5}} ?END {_KIND} ?-{{4,5}}|\bPrivate-MAC: [\da-f]{{8,128}}")
_BODY = regex(
    r"=?[A-Za-z\d+/=]{1,200}\\?|[A-Za-z-]{1,30}: \S.{0,200}|(?:.{0,120}[^A-Za-z\d+/=])?[A-Za-z\d+/]{40,200}={0,2}"
    r"|(?:.{0,120}[^A-Za-z\d+/=])?[A-Za-z\d+/]{2,200}={1,2}"
    r"|(?:\[\d{1,6},\d{1,6}\]<\w{1,10}>:|[\w.-]{1,64}: ?)[A-Za-z\d+/]{16,200}={0,2}"
)
_LONG_RUN = regex(r"(?<![A-Za-z\d+/=])[A-Za-z\d+/]{40,200}={0,2}(?![A-Za-z\d+/=])")
_ANY_RUN = regex(r"(?<![A-Za-z\d+/=])[A-Za-z\d+/]{2,200}={0,2}(?![A-Za-z\d+/=])")
_LAST_RUN = regex(r"[A-Za-z\d+/=]{1,200}\Z")
_NUMBERS = regex(r"\d{1,40}")
_AROUND = " \t\r\n\"',"
_IN_JSON = regex(
    r"\s{0,20}\{.{0,200}?\"(?:log|message|msg|MESSAGE|text|line|body)\"\s{0,4}:\s{0,4}"
    r"\"(?P<body>[^\"]{0,400}?)(?:\\[rn])*\".{0,400}"
)


class PrivateKeys:
    """Takes key blocks out of one stream. Other lines between those of a key stay."""

    def __init__(self, hidden: Hidden, removed: Counter[str]) -> None:
        self._hidden = hidden
        self._removed = removed

    def rest(self, text: str) -> str:
        """What an open block leaves of ``text``, the next line: nothing of the key, all of any other line."""
        if not self._hidden.key_lines:
            return text
        self._hidden.key_lines -= 1
        begin, end = _BEGIN.search(text), _END.search(text)
        if begin is not None or end is not None:
            self._hidden.key_lines = 0
            return text if begin is not None or end is None else text[end.end() :]
        plain = without_colours(text)
        body = plain.strip(_AROUND)
        if self._is_between_same(plain):
            return ""
        inside = _IN_JSON.fullmatch(body)
        return "" if _BODY.fullmatch(inside["body"] if inside else body) or self._is_behind_lead(body) else text

    def _is_between_same(self, line: str) -> bool:
        """Does the line hold a long run of Base64 among quotes, bars or code; or a shorter one, its last, among what
        stood around the long ones?"""
        escaped = line.replace("\\n", "\n")
        run = _LONG_RUN.search(escaped)
        if run is not None:
            self._hidden.key_around = _around(escaped, run)
            return True
        around = self._hidden.key_around
        return around is not None and any(_around(escaped, run) == around for run in _ANY_RUN.finditer(escaped[:400]))

    def _is_behind_lead(self, body: str) -> bool:
        """Are whole groups of Base64 all that stands behind what also stood before the key? Its last line is short."""
        run = _LAST_RUN.search(body, max(0, len(body) - 200))
        return run is not None and len(run[0]) % 4 == 0 and _shape(body[: run.start()]) == self._hidden.key_lead

    def line(self, text: str) -> str:
        """``text`` without keys; the block that begins on it and does not end is open from then on."""
        if "BEGIN" not in text and "Private-Lines" not in text:
            return text
        out: list[str] = []
        at = 0
        while (begin := _BEGIN.search(text, at)) is not None:
            out += [text[at : begin.start()], replace_with("private-key", self._removed)]
            end = _END.search(text, begin.end())
            if end is None:
                self._hidden.key_lines = LONGEST_BLOCK_LINES
                self._hidden.key_around = None
                self._hidden.key_lead = _shape(without_colours(text[at : begin.start()]).lstrip(_AROUND))
                return "".join(out) + text[len(text.rstrip("\r\n")) :]
            at = end.end()
        return "".join((*out, text[at:])) if at else text


def _around(text: str, run: re.Match[str]) -> tuple[str, str]:
    """What stands before and behind a run, whatever the numbers and the blanks."""
    before, behind = _shape(text[: run.start()]), _shape(text[run.end() :])
    return " ".join(before.split()), " ".join(behind.split())


def _shape(text: str) -> str:
    """``text`` with 0 for each number, as stamps and line numbers differ."""
    return _NUMBERS.sub("0", text)
