"""Environment variables as ``env`` prints them, or as a script prints them in its header (``Env: A=1 B=2``).

Only variables that matter to a collective or describe the job are kept::

    NCCL_DEBUG=INFO
    NCCL_IB_HCA=mlx5_0,mlx5_1
    SLURM_NTASKS=16

Where a loop asks several nodes, their names stand before it, and a node's variables may stand on one line::

    gpu07 NCCL_PROTO=Simple
    gpu08: NCCL_DEBUG=INFO NCCL_PROTO=LL

A script has such lines, too: a value with ``$``, a backquote or a semicolon is no dump.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase
from typing import ClassVar

from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Line
from slowlink.parsers.forms.carried_variables import describes_job, is_carried
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_SETTINGS = Limit(50_000, "settings")

_LINE = regex(r"^\s*(?P<name>[A-Z][A-Z\d_]{1,100})=(?P<value>.{0,2000})$")
_ALL = regex(
    r"^\s{0,8}(?:(?P<host>(?=[\w.-]{0,60}\d)[a-z][\w.-]{1,60}):?\s)?\s{0,8}(?P<pairs>[A-Z][A-Z\d_]{1,100}=[^\s=]\S{0,500}"
    r"(?:\s{1,4}[A-Z][A-Z\d_]{1,100}=[^\s=]\S{0,500}){0,40})\s{0,8}$"
)
"""A node's name before one variable or many, or many alone. The name has a digit: ``export`` has none."""
_HEADER = regex(r"^\s*#{0,3} ?(?:Env|ENV|env|Environment)(?: vars| variables)?: (?P<pairs>\S.{0,2000})$")
_PAIR = regex(r"(?:^|\s)(?P<name>[A-Z][A-Z\d_]{1,100})=(?P<value>[^\s\"']{1,500})")
_PAIR_BEHIND = regex(r"\s[A-Z][A-Z\d_]{1,100}=")
_MEASURED = regex(r"\s{2,80}\|?\s{0,8}\d{1,6}(?:\.\d{1,4})?\s{0,8}\|?(?:\s[GM]i?[Bb](?:it)?/s)?$")
"""A number in a column behind a setting: what was measured with it."""
_QUOTES = "\"'"
_SHELL = ("$", "`", ";")
"""Marks of a script: its text is no dump."""


class EnvDump:
    """``NAME=value`` lines. A value of several words counts only inside a block of such lines: a sentence may begin
    with ``NCCL_X=1``, and a command may."""

    kind: ClassVar[str] = "env-dump"
    literals: ClassVar[Literals] = Literals(
        (
            *("Env: ", "ENV: ", "env: ", "Environment: ", " vars: ", " variables: "),
            *(f"{last}=" for last in f"{ascii_uppercase}0_"),
        )
    )

    def __init__(self) -> None:
        self._settings: list[EnvSetting] = []
        self._last = -2

    @staticmethod
    def wants(text: str) -> bool:
        return "=" in text and (
            _LINE.match(text.rstrip()) is not None or _ALL.match(text) is not None or _HEADER.match(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        header = _HEADER.match(line.text)
        if header:
            found = [self._emit(match["name"], match["value"], line) for match in _PAIR.finditer(header["pairs"])]
            return Use.USED if any(found) else Use.NOT_MINE
        listed = _ALL.match(line.text)
        if listed is not None and (listed["host"] or _PAIR_BEHIND.search(listed["pairs"])):
            return self._listed(listed["pairs"], listed["host"], line)
        match = _LINE.match(line.text.rstrip())
        if match is None or _MEASURED.search(match["value"]) is not None:
            return Use.NOT_MINE
        in_block, self._last = line.no - self._last == 1, line.no
        value = match["value"]
        if " " in value and value[:1] not in _QUOTES and not in_block:
            return Use.NOT_MINE
        if value.endswith("\\") or any(mark in value for mark in _SHELL):
            return Use.NOT_MINE
        return Use.USED if self._emit(match["name"], value, line) else Use.NOT_MINE

    def _listed(self, pairs: str, host: str | None, line: Line) -> Use:
        """One or more variables on a line of their own, of the node that stands before them."""
        if any(mark in pairs for mark in _SHELL):
            return Use.NOT_MINE
        found = [self._emit(match["name"], match["value"], line, host) for match in _PAIR.finditer(pairs)]
        return Use.USED if any(found) else Use.NOT_MINE

    def finish(self) -> Iterable[EnvSetting]:
        return list(self._settings)

    def _emit(self, name: str, value: str, line: Line, host: str | None = None) -> bool:
        if not is_carried(name) and not describes_job(name):
            return False
        if MAX_SETTINGS.has_room(len(self._settings)):
            process = LogProcess(line.host or host, None, line.rank)
            self._settings.append(EnvSetting(name, value.strip(_QUOTES), "dump", process, line.ref()))
        return True


PARSER = EnvDump
