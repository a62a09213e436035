"""Texts that carry others, as mail does: what is in Base64 is kept apart, quoted-printable is undone in place.

A piece without any sign of it passes as it is, and costs a few searches. Lines keep their numbers.

Source: RFC 2045, 6; RFC 2046, 5.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slowlink.inputs import quoted_printable
from slowlink.inputs.enclosed import MOST_BYTES, Enclosures
from slowlink.inputs.stream import DamagedError

LEAST_WIDTH = 60
"""Programs write lines of 64 or 76 characters, and whole files in one line. A shorter word may be any name."""
LONGEST_LINE = 4 << 20
"""A longer line is not searched as one."""
_MOST_HELD = 3000
"""Lines that quoted-printable cuts one into."""
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_AS_ONE = bytes(0x41 if code in _LETTERS else code for code in range(256))
_RUN = b"A" * LEAST_WIDTH
_IN_LINE = re.compile(rb"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{%d,}(?:(?:\\r)?\\n[A-Za-z0-9+/]+)*={0,2}" % LEAST_WIDTH)
_ESCAPED_END = re.compile(rb"(?:\\r)?\\n")
_LAST = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_HEXADECIMAL = re.compile(rb"[0-9a-f]+|[0-9A-F]+")
"""Sums of files and ids of containers: no text in Base64 does with so few letters."""
_CODING = re.compile(rb"(?i)content-transfer-encoding:\s*\"?(base64|quoted-printable)")
_CODING_SIGNS = (b"ransfer-", b"RANSFER-")
_FILE_NAME = re.compile(rb"(?i)\b(?:file)?name=\"?([^\";\r\n]{1,200})")
_BOUNDARY = re.compile(rb"(?i)\bboundary=\"?([^\";\r\n]{1,100})")
_LABEL = re.compile(rb"-----BEGIN (?!PGP MESSAGE|AGE )")
_DIGITS = re.compile(rb"[0-9]+")
_LEAST_FORM, _LONGEST_FORM = 30, 200
_MBOX = b"From "
_BASE64, _QUOTED = "base64", "quoted-printable"
_MOST_BOUNDARIES = 100


def unwrapped(pieces: Iterable[bytes], enclosures: Enclosures) -> Iterator[bytes]:
    """``pieces`` (of any length) with quoted-printable undone; what they hold in Base64 goes to ``enclosures``.

    What ends ``pieces`` early is raised behind the last of them; DamagedError also where not all could be kept.
    """
    lines = _Lines(enclosures)
    held: list[bytes] = []
    length = 0
    broken: BaseException | None = None
    waiting = iter(pieces)
    while True:
        try:
            piece = next(waiting, None)
        except (DamagedError, OSError, KeyboardInterrupt) as end:
            piece, broken = None, end
        if piece is None:
            break
        cut = piece.rfind(b"\n") + 1
        if cut:
            held.append(piece[:cut])
            yield lines.passed(b"".join(held))
            held, length = [], 0
        held.append(piece[cut:])
        length += len(piece) - cut
        if length > LONGEST_LINE:
            yield lines.long(b"".join(held))
            held, length = [], 0
    yield lines.passed(b"".join(held))
    yield lines.end()
    if broken is not None:
        raise broken
    if enclosures.problem:
        raise DamagedError(enclosures.problem)


class _Lines:
    """Follows the lines of one text."""

    def __init__(self, enclosures: Enclosures) -> None:
        self._enclosures = enclosures
        self._number = 0
        self._block: list[bytes] = []
        """Lines of Base64 that stand together, and the number of the first."""
        self._block_line = self._block_bytes = 0
        self._labelled = False
        self._cut: list[bytes] = []
        """Lines with their ends, of which each goes on in the next, if they are quoted-printable."""
        self._quoted = False
        self._coming = self._body = ""
        """What the header says of the body that comes, and of the one that is passing."""
        self._file = ""
        self._boundaries: list[bytes] = []

    def passed(self, text: bytes) -> bytes:
        """Whole lines (the last one may lack its end), as they go on."""
        busy = self._block or self._cut or self._coming or self._body or self._boundaries
        if not busy and not _has_sign(text) and not (self._quoted and quoted_printable.SURE in text):
            self._number += text.count(b"\n")
            return text
        if not self._number and quoted_printable.is_whole(text):
            self._body = _QUOTED
        return b"".join(map(self._line, text.splitlines(keepends=True) if b"\r" not in text else _split(text)))

    def long(self, text: bytes) -> bytes:
        """A part of a line that is longer than any that is searched."""
        if any(
            _has_run(edge) and not _HEXADECIMAL.fullmatch(edge) for edge in (text[:LEAST_WIDTH], text[-LEAST_WIDTH:])
        ):
            self._enclosures.unsearched(LONGEST_LINE)
        return self.passed(text)

    def end(self) -> bytes:
        self._close()
        return self._flushed()

    def _line(self, line: bytes) -> bytes:
        bare = line.rstrip(b"\r\n")
        self._number += line.endswith(b"\n")
        if bare[:5] == _MBOX or self._is_boundary(bare):
            self._close()
            self._coming = self._body = self._file = ""
            return self._flushed() + line
        if not self._body:
            self._header(bare)
        if self._body == _QUOTED and not quoted_printable.is_coded(bare):
            self._body = ""  # somebody decoded it already, and kept its header
        if self._body == _QUOTED:
            return self._undone(line, bare)
        self._base64(bare.strip())
        return self._maybe_undone(line, bare)

    def _is_boundary(self, bare: bytes) -> bool:
        return (
            bare[:2] == b"--"
            and bool(self._boundaries)
            and bare[2:].rstrip(b" \t").removesuffix(b"--") in self._boundaries
        )

    def _header(self, bare: bytes) -> None:
        if not bare.strip():
            self._body, self._coming = self._coming, ""
            if not self._body:
                self._file = ""
            return
        if bare[7:15].lower() == b"-transfe" and (coding := _CODING.match(bare)) is not None:
            self._coming = coding[1].decode().lower()
        if b"name=" in bare and (name := _FILE_NAME.search(bare)) is not None:
            self._file = name[1].decode("utf-8", "replace").strip()
        if b"oundary=" in bare and (boundary := _BOUNDARY.search(bare)) is not None:
            known = boundary[1] in self._boundaries or len(self._boundaries) >= _MOST_BOUNDARIES
            self._boundaries += [] if known else [boundary[1]]

    # Base64

    def _base64(self, word: bytes) -> None:
        """Takes the line that is ``word`` between its blanks."""
        if self._block:
            width = len(self._block[0])
            if len(word) <= width and not self._block[-1].endswith(b"=") and _LAST.fullmatch(word) is not None:
                self._keep(word)
                if len(word) == width:
                    return
                word = b""
            self._close()
        if self._body == _BASE64:
            if _LAST.fullmatch(word) is not None:
                self._begin(word)
            elif word:
                self._body = ""
        elif len(word) >= LEAST_WIDTH and _LAST.fullmatch(word) is not None and not _HEXADECIMAL.fullmatch(word):
            self._begin(word)
        elif len(word) >= LEAST_WIDTH:
            self._runs(word)
        if word[:5] == b"-----":
            self._labelled = _LABEL.match(word) is not None

    def _begin(self, word: bytes) -> None:
        self._block, self._block_line, self._block_bytes = [word], self._number, len(word)

    def _keep(self, word: bytes) -> None:
        self._block_bytes += len(word)
        if self._block_bytes > 2 * MOST_BYTES:
            self._enclosures.left_out()
        else:
            self._block.append(word)

    def _close(self) -> None:
        if self._block:
            is_file = self._body == _BASE64
            name = (is_file and self._file) or f"Base64 in line {self._block_line}"
            self._enclosures.add(
                name, b"".join(self._block), lines=len(self._block), is_file=is_file, has_label=self._labelled
            )
            self._block = []
            if is_file:
                self._body = ""

    def _runs(self, line: bytes) -> None:
        """What stands in Base64 among other things of a line: as values of JSON and YAML do."""
        if _has_run(line):
            for run in _IN_LINE.finditer(line):
                if _HEXADECIMAL.fullmatch(run[0]) is not None:
                    continue
                lines = _ESCAPED_END.split(run[0])
                whole = next((at for at, each in enumerate(lines) if len(each) != len(lines[0])), len(lines))
                last = whole < len(lines) and len(lines[whole]) < len(lines[0])
                self._enclosures.add(
                    f"Base64 in line {self._number}",
                    b"".join(lines[: whole + last]),
                    lines=whole + last,
                    has_label=self._labelled,
                    form=_form_of(line[: run.start()]),
                )

    # Quoted-printable

    def _undone(self, line: bytes, bare: bytes) -> bytes:
        """A line of a body that is surely quoted-printable."""
        self._cut.append(line)
        return b"" if quoted_printable.goes_on(bare) and len(self._cut) < _MOST_HELD else self._flushed(sure=True)

    def _maybe_undone(self, line: bytes, bare: bytes) -> bytes:
        if len(self._cut) < _MOST_HELD and quoted_printable.is_cut(bare):
            self._cut.append(line)
            return b""
        if self._cut and len(bare) <= quoted_printable.WIDEST and quoted_printable.is_coded(bare):
            self._cut.append(line)
            return self._flushed()
        before = self._flushed()
        if self._quoted and quoted_printable.is_surely_coded(bare):
            return before + quoted_printable.plain(bare) + line[len(bare) :]
        return before + line

    def _flushed(self, *, sure: bool = False) -> bytes:
        """What was held, as one line and as many blank ones behind it as it was cut, if it is quoted-printable."""
        if not self._cut:
            return b""
        held, self._cut = self._cut, []
        bare = [line.rstrip(b"\r\n") for line in held]
        if not (sure or self._body == _QUOTED or quoted_printable.is_sign(bare)):
            return b"".join(held)
        self._quoted = True
        return b"".join(map(quoted_printable.plain, bare)) + b"\n" * sum(line.endswith(b"\n") for line in held)


def _split(text: bytes) -> list[bytes]:
    """Lines with their ends, which are newlines alone."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _form_of(before: bytes) -> bytes:
    """By what the records of a log are alike, of what stands before a value; b"" for a key alone, as manifests have."""
    return _DIGITS.sub(b"0", before[:_LONGEST_FORM]) if len(before) >= _LEAST_FORM else b""


def _has_run(text: bytes) -> bool:
    return _RUN in text.translate(_AS_ONE)


def _has_sign(text: bytes) -> bool:
    return _has_run(text) or any(sign in text for sign in _CODING_SIGNS) or _has_cut(text)


def _has_cut(text: bytes) -> bool:
    """Does a line end with an equals sign, and is no ruler?"""
    return any(
        b"=" + end in text and text.count(b"=" + end) > text.count(b"==" + end)
        for end in ((b"\n", b"\r\n") if b"\r" in text else (b"\n",))
    )
