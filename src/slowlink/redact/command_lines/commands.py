"""Where the words of a command stand in a text, and which of them are secret.

Some texts are a shell's, where quotes and signs (``;``, ``|``, ``)``) end a word. Lists of processes, sudo's log and
/proc are not: no shell has parsed them, and a word ends at a blank alone. A line seldom says which of both it is. So
signs end words and commands, but a word that is secret goes on to the next blank, unless its quotes end it.
"""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.command_lines.command_words import MOST_WORDS, secret_words
from slowlink.redact.harmless import looks_secret
from slowlink.redact.replaced import REPLACED, Span

_WORD = regex(
    r"(?<![\w`])`[^`\n]{1,8000}`(?![\w`])"
    r"|(?:<redacted:[a-z-]{1,30}>|\"(?:[^\"\\\n]|\\.){0,8000}\"|'[^'\n]{0,8000}'|\\.|,(?=[^\s\"'])|[^\s\0|;&<>\"'\\,\[\](){}])+"
    r"|[|;&\n]|<{1,3}|>"
)
_SIGNS = frozenset("|;&\n<>")
_QUOTED = regex(r"\\.|\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>[^'\n]*)'")
"""Steps over a quote that is escaped: it opens nothing, and would be read to the end of the line."""
_BLANK = regex(r"[\s\0]")
_LONG = regex(r"(?:(?!</[A-Za-z][\w-]{0,20}>|<br ?/?>)[^\s\0])*")
"""All up to a blank, or to what ends an element of a page."""
_CLOSING = ")]},;\"'`&|<>"
_DEEPEST_QUOTE = 2


def secrets_in_commands(text: str, since: int = 0) -> list[Span]:
    """Where the secret words of the commands in ``text`` stand; at least those that end behind ``since``."""
    found = _in_commands(text, 0, len(text), 0, since)
    return found + _between_nulls(text) if "\0" in text else found


def _between_nulls(text: str) -> list[Span]:
    """/proc/PID/cmdline: a word may hold blanks there."""
    words: list[Span] = []
    at = 0
    for word in text.split("\0"):
        words.append(Span(at, at + len(word)))
        at += len(word) + 1
    return _in_command(text, words)


def _in_commands(text: str, begin: int, end: int, depth: int, since: int = 0) -> list[Span]:
    """Secrets in the commands of a text, also of those in quotes (``sh -c "..."``)."""
    found: list[Span] = []
    command: list[Span] = []
    last = begin
    wholes = _WholeWords(text, end)
    for match in _WORD.finditer(text, begin, end):
        start, stop = match.span()
        if start < last or (text[start] == "&" and _is_query(text, command, match.span())):
            continue
        is_apart = start > last and text[start - 1] in " \t\0" and text[start] not in _SIGNS
        if command and not is_apart and (whole := wholes.at(command, last, match.span())):
            found += _last_of(text, whole)
            command[-1:] = whole[-2:] if whole[-1].begin == start else whole[-1:]
            last = whole[-1].end
            continue
        last = stop
        if text[start] in _SIGNS and REPLACED.match(text, start) is None:
            found += _in_command(text, command, since)
            command = []
            continue
        if stop <= since:
            pass
        elif text[start] == "`":
            found += _in_commands(text, start + 1, stop - 1, depth)
        else:
            found += _in_quotes(text, start, stop, depth)
        if text[start] in "\"'`" and text[stop - 1] == text[start] and stop - start > 1:
            start, stop = start + 1, stop - 1
        command.append(Span(start, stop))
    return found + _in_command(text, command, since)


def _in_quotes(text: str, start: int, stop: int, depth: int) -> list[Span]:
    found: list[Span] = []
    if '"' not in text[start:stop] and "'" not in text[start:stop]:
        return found
    for quoted in _QUOTED.finditer(text, start, stop) if depth < _DEEPEST_QUOTE else ():
        begin, end = quoted.span(quoted.lastgroup or 0)
        if quoted.lastgroup is not None and _BLANK.search(text, begin, end) is not None:
            found += _in_commands(text, begin, end, depth + 1)
    return found


class _WholeWords:
    """Reads words up to the next blank, where they are secret; each is looked at once."""

    def __init__(self, text: str, end: int) -> None:
        self._text, self._end = text, end
        self._read_to = -1

    def at(self, command: list[Span], last: int, place: tuple[int, int]) -> list[Span]:
        """The words of a command, where what stands at ``place`` is no word of its own but the rest of the last one,
        which is secret, or a secret word behind it that begins with a sign; none where it is neither."""
        start, stop = place
        is_joined = start == last or _BLANK.search(self._text, last, start) is None
        is_sign = self._text[start] in _SIGNS
        if start < self._read_to or not (is_joined or is_sign) or (is_joined and self._text[last - 1] in "\"'`"):
            return []
        match = _LONG.match(self._text, start, self._end)
        self._read_to = match.end() if match is not None else start
        whole_end = start + len(self._text[start : self._read_to].rstrip(_CLOSING))
        before = command[-MOST_WORDS:]
        if is_joined:
            words = [*before[:-1], Span(before[-1].begin, whole_end)]
            is_whole = whole_end > before[-1].end
        else:
            words = [*before, Span(start, whole_end)]
            is_option = self._text[before[-1].begin] == "-" and whole_end > stop
            is_whole = (
                is_option and self._text[start : start + 2] not in ("<(", "<<") and _is_mixed(self._text, words[-1])
            )
        return words if is_whole and _last_of(self._text, words) else []


def _is_mixed(text: str, word: Span) -> bool:
    return looks_secret(text[word.begin : word.end]) and REPLACED.match(text, word.begin) is None


def _last_of(text: str, command: list[Span]) -> list[Span]:
    """Where in the last word of a command something is secret."""
    inside = secret_words([text[word.begin : word.end] for word in command], len(command) - 1, ends=True).get(
        len(command) - 1
    )
    begin = command[-1].begin
    return [] if inside is None else [Span(begin + inside[0], begin + inside[1])]


def _is_query(text: str, command: list[Span], place: tuple[int, int]) -> bool:
    """Does ``&`` stand in an address? Shells want quotes around it, lists of processes have none."""
    start, stop = place
    if text[start:stop] != "&" or not text[stop : stop + 1].isalnum() or not command or command[-1].end != start:
        return False
    return "?" in text[command[-1].begin : start]


def _in_command(text: str, words: list[Span], since: int = 0) -> list[Span]:
    first = next((at for at, word in enumerate(words) if word.end > since), len(words))
    inside = secret_words([text[word.begin : word.end] for word in words], first) if first < len(words) else {}
    return [Span(words[at].begin + begin, words[at].begin + end) for at, (begin, end) in inside.items()]
