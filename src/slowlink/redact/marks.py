"""Which lines are looked at closely: those that hold a mark of something that is taken out.

Nearly every line of a log holds none, and is put out as it came. So that this is cheap, a block of lines is reduced to
its different words first, with one digit for all: a log says the same words over and over.
"""

from __future__ import annotations

import json
import re
from functools import cache
from urllib.parse import quote

from slowlink.redact.colours import COLOUR_MARKS, has_colours, without_colours
from slowlink.redact.command_lines.asked import MARKS as ASKED
from slowlink.redact.command_lines.programs import MARKS as PROGRAMS
from slowlink.redact.forms import FORMS, SIGN
from slowlink.redact.hashes import ELSEWHERE
from slowlink.redact.names import MARKS_OF_TWO
from slowlink.redact.reading.held import one_of
from slowlink.redact.runs import AS_RUNS, RUN, holds_any, runs
from slowlink.redact.shapes import IN_ASCII, OTHER_LANGUAGES

_WORDS = (
    *("pass", "secret", "token", "credential", "webhook", "key", "auth", "bearer", "cookie", "basic"),
    *("pw", "pswd", "psk", "_pat", "creds", "dsn", "_sas", "_jwt", "salt", "_pin", "communit", "setenv"),
    *("connectionstring", "connection_string", "connection-string", "connection.string"),
    *("sig=", "signature=", "://", "data:", 'data"', "data'", '"env', "'env", "jdbc:", "wandb", "slack.com"),
    *("home=", "shell=", "logname=", "shlvl=", "ls_colors=", "mail=", "ssh_", "xdg_", "dbus_session", "openvpn"),
    *(
        "createuser",
        "securestring",
        "setuser",
        "isakmp",
        "realm",
        "stdin",
        "ugfzc0dvcmq0",
        "login",
        "]:00",
        "hex:",
        "ascii:",
        "maas",
    ),
    *("cbc(", "gcm(", "ccm(", "ctr(", "@tcp(", "@tcp0(", "@unix("),
    *("unseal", "clave", "ftp>", "_proxy", "proxy=", "proxy:", 'proxy"', "proxy'"),
    *IN_ASCII,
    *MARKS_OF_TWO,
    *("totp", "mnemonic", "seed_phrase", "superusers"),
    *("assword", "assphr"),  # as expect(1) waits for them
    *("%3a%2f%2f", "%3a//", "sig%3d", "jdbc%3a"),
    *(word.encode("ascii", "backslashreplace").decode() for word in OTHER_LANGUAGES),
    *(json.dumps(word)[1:-1] for word in OTHER_LANGUAGES),
    *(quote(word) for word in OTHER_LANGUAGES),
    *(
        '"7z',
        "'7z",
        "/7z",
        "home&quot;",
        "shell&quot;",
        '"home"',
        "'home'",
        '"shell"',
        "'shell'",
        "home:",
        "shell:",
        "private-lines",
        "private-mac",
        "-----",
        "::add-mask::",
    ),
)
_IN_TWO_WORDS = (
    b"home =",
    b"shell =",
    b"home ->",
    b"shell ->",
    b"| home ",
    b"| shell ",
    b"machine ",
    b"set -",
    b"net ads",
    b"net use",
    b"net.exe use",
    b"alias set",
    b"host add",
    b"user add",
    b"bw unlock",
    b"vault unwrap",
    b" on >",
    b" on #",
    b"http -a",
    b"https -a",
    b"xh -a",
    b"identified by",
    b"---- begin",
    b"<(echo",
    b"<( echo",
    b"<(printf",
    b"0z a ",
    b"0z x ",
    b"0z e ",
    b"rar ",
    b" -p ",
    b" -y ",
    b"pro attach",
    b"ua attach",
    b"new value:",
    b"seed phrase",
)
_BLANK_IN_ADDRESS = b"%00"  # as %20 is reduced
_IN_ADDRESSES = tuple(mark.replace(b" ", _BLANK_IN_ADDRESS) for mark in _IN_TWO_WORDS)
_WITH_BLANKS = (*_IN_TWO_WORDS, *_IN_ADDRESSES)
_REDUCED = bytes(
    48 if 48 <= code < 58 else code + 32 if 65 <= code < 91 else code for code in range(256)
)  # small letters, and 0 for every digit
_FIELDS = re.compile(rb":(?:0000|\*):(?:[a-z_*][^:\s]{0,63}:){2}|an-[0a-f]{8}-")
"""A port, a database and a user, as in PostgreSQL's password file, which holds no word that tells it; and the beginning
of Anaconda's tokens, whose mark alone (``an-``) ends many words of a language."""
_MARKS_IN_WORDS = frozenset({"an-"})
_MOST_KNOWN = 50_000


def _reduced(text: str) -> bytes:
    return text.encode("ascii", "replace").translate(_REDUCED)


_ALL = tuple(
    dict.fromkeys(
        _reduced(mark)
        for mark in (*_WORDS, *ASKED, *PROGRAMS, *(mark for form in (*FORMS, *ELSEWHERE) for mark in form.marks))
        if " " not in mark and mark not in _MARKS_IN_WORDS
    )
)


def _holds_another(mark: bytes, among: frozenset[bytes]) -> bool:
    """By its parts: to look for each in each takes a tenth of the start of slowlink."""
    size = len(mark)
    return any(
        mark[begin:end] in among for begin in range(size) for end in range(begin + 1, size + 1) if end - begin < size
    )


_EACH = frozenset(_ALL)
MARKS = tuple(mark for mark in _ALL if not _holds_another(mark, _EACH))
"""A line that holds none of these, reduced, and no run of Base64, holds nothing that is taken out."""


_EVERYWHERE = (*MARKS, *_WITH_BLANKS)


@cache
def _one_of_all() -> re.Pattern[str]:
    return re.compile(one_of(mark.decode("ascii") for mark in _EVERYWHERE))


_LONGEST_SCANNED = 400
"""In a longer text each mark is looked for by itself: they are found faster so, and there are hundreds."""


def has_mark(text: str, learned: tuple[str, ...] = ()) -> bool:
    """Is this line to be looked at? Its colours are no part of it."""
    plain = without_colours(text)
    low = _reduced(plain)
    if len(low) <= _LONGEST_SCANNED:
        is_marked = _one_of_all().search(low.decode("ascii")) is not None
    else:
        is_marked = holds_any(low, _EVERYWHERE)
    if is_marked or _FIELDS.search(low) is not None or RUN in runs(plain) or SIGN.search(plain) is not None:
        return True
    if not plain.isascii() and holds_any(plain.lower(), OTHER_LANGUAGES):
        return True
    return bool(learned) and any(mark in plain.lower() for mark in learned)


class MarkedLines:
    """Finds the lines of one stream that are to be looked at, with a memory of its words."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def begins(self, text: str, learned: tuple[str, ...] = ()) -> list[int]:
        """Where in ``text`` these lines begin, in order; and some more, where it is not worth to look."""
        if not text.isascii():
            return _one_by_one(text, learned)
        low = _reduced(text)
        words = set(low.split()) - self._known
        together = b" ".join(words)
        found: list[bytes] = [mark for mark in MARKS if mark in together]
        found += {fields[0] for fields in _FIELDS.finditer(together)}
        begins: set[int] = set()
        for mark in (*found, *(_WITH_BLANKS if _BLANK_IN_ADDRESS in low else _IN_TWO_WORDS)):
            _add(low, mark, begins)
        if RUN in together.translate(AS_RUNS):
            _add(runs(text), RUN, begins)
            found.append(RUN)
        begins.update(text.rfind("\n", 0, match.start()) + 1 for match in SIGN.finditer(text))
        if has_colours(text):
            for colour in COLOUR_MARKS:
                _add(text.encode("ascii"), colour.encode("ascii"), begins)
        for name in learned:
            _add(text.lower().encode("ascii"), name.encode("ascii", "replace"), begins)
        self._remember(words, found)
        return sorted(begins)

    def _remember(self, words: set[bytes], found: list[bytes]) -> None:
        """Words without a mark need not be looked at again."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if not found:
            self._known |= words
        else:
            marks = tuple(found)
            self._known.update(
                word for word in words if not any(mark in word for mark in marks) and RUN not in word.translate(AS_RUNS)
            )


def _add(text: bytes, mark: bytes, begins: set[int]) -> None:
    """Add the lines of ``text`` that hold ``mark``, each once."""
    at = text.find(mark)
    while at >= 0:
        begins.add(text.rfind(b"\n", 0, at) + 1)
        end = text.find(b"\n", at)
        at = text.find(mark, end) if end >= 0 else -1


def _one_by_one(text: str, learned: tuple[str, ...]) -> list[int]:
    begins: list[int] = []
    at = 0
    for line in text.split("\n"):
        if has_mark(line, learned):
            begins.append(at)
        at += len(line) + 1
    return begins
