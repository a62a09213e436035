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
from typing import NamedTuple

from slowlink.redact.dumps import ArrayState, EnvironmentArrays, EnvironmentDumps
from slowlink.redact.hidden import Hidden
from slowlink.redact.kubernetes import KubernetesSecrets, KubernetesState
from slowlink.redact.pieces import LONGEST_LINE_CHARS, end_of_piece
from slowlink.redact.private_keys import PrivateKeys
from slowlink.redact.shapes import redact_shapes
from slowlink.redact.values import redact_headers, redact_named

_MARKS = (
    *("pass", "secret", "token", "credential", "webhook", "connection", "key", "auth", "bearer", "cookie"),
    *("_pwd", "pwd=", "pwd:", "_psk", "_pat", "_creds", "_dsn", "_sas", "_salt", "_pin", "sig=", "signature="),
    *("akia", "asia", "aroa", "aida", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "hf_", "api_org"),
    *("xox", "xapp", "aiza", "ya29", "sk-", "sk_", "rk_", "nvapi", "npm_", "pypi", "dckr", "dop_", "eyj", "slack.com"),
    *("://", "curl", "wget", "data", '"env', "'env"),
    *("home=", "shell=", "logname=", "shlvl=", "ls_colors=", "mail=", "ssh_", "xdg_session"),
)
"""A line that holds none of these, in small letters, holds nothing that is taken out."""
_MOST_READINGS = 20
"""So often a piece is read until nothing changes; two readings are enough for all but hostile text."""
_WHOLE_LINE = "<redacted:line>"
"""Stands for a piece that no number of readings settles."""


class Opened(NamedTuple):
    """What the pieces so far have opened."""

    array: ArrayState = "outside"
    dump: bool = False
    kubernetes: KubernetesState = KubernetesState()


_NOTHING_OPEN = Opened()


class BlockRedactor:
    """Redacts the lines of one stream."""

    def __init__(self, removed: Counter[str], longest: int = LONGEST_LINE_CHARS) -> None:
        self._removed = removed
        self._longest = longest
        self._counted: Counter[str] = Counter()
        self._hidden = Hidden()
        self._in_text = _NOTHING_OPEN
        self._in_result = _NOTHING_OPEN
        self._begun = ""
        """The beginning of a long line that is redacted already, and still too short to be put out."""
        self._keys = PrivateKeys(self._hidden, self._counted)
        self._arrays = EnvironmentArrays(self._hidden, self._counted)
        self._dumps = EnvironmentDumps(self._counted)
        self._kubernetes = KubernetesSecrets(self._counted)

    def passes(self, text: str) -> bool:
        """Can ``text`` (whole lines) stay as it is: nothing is open, and nothing in it is a mark of a secret?"""
        return self._is_idle() and not _has_mark(text)

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
            clean, in_text, in_result = self._settled(piece if readings < _MOST_READINGS else _instead_of(piece))
            following = text[len(piece) :]
            if self._hidden != hidden:
                following = self._rest(following)
            end = end_of_piece(clean, self._longest)
            if end == len(clean) or (end is None and last and not following):
                out.append(clean)
                self._in_text, self._in_result, text, readings = in_text, in_result, following, 0
            else:
                text = clean + following
        self._begun = text
        return out

    def _is_idle(self) -> bool:
        return self._in_text == self._in_result == _NOTHING_OPEN and not (self._begun or self._hidden)

    def _with_begun(self, text: str) -> str:
        rest = self._rest(text)
        if self._begun and text.endswith("\n") and not rest.endswith("\n"):
            rest += "\n"  # ends the line that has begun, though all else was dropped
        return self._begun + rest

    def _rest(self, text: str) -> str:
        return self._arrays.rest(self._keys.rest(text)) if self._hidden else text

    def _settled(self, piece: str) -> tuple[str, Opened, Opened]:
        """``piece`` without secrets, and what is open after it in the text and in the result.

        Its line end stays whatever happens.
        """
        text = piece.removesuffix("\n")
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
        if opened == _NOTHING_OPEN and not _has_mark(text):
            return text, opened
        clean, after = self._taken_out(text, opened)
        if clean != text:
            self._removed.update(self._counted)
        self._counted.clear()
        return clean, after

    def _taken_out(self, text: str, opened: Opened) -> tuple[str, Opened]:
        text = self._keys.line(text)
        text, array = self._arrays.line(text, opened.array)
        text, dump = self._dumps.line(text, opened.dump)
        text, kubernetes = self._kubernetes.line(text, opened.kubernetes)
        text = redact_headers(text, self._counted)
        text = redact_named(text, self._counted)
        text = redact_shapes(text, self._counted)
        return text, Opened(array, dump, kubernetes)


def _has_mark(text: str) -> bool:
    low = text.lower()
    return any(mark in low for mark in _MARKS)


def _instead_of(piece: str) -> str:
    return _WHOLE_LINE + ("\n" if piece.endswith("\n") else "")
