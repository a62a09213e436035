"""What a Python process does at this moment, as ``py-spy dump`` prints it: threads with their frames, innermost first::

    Process 4711: /usr/bin/python3 -u train.py
    Python v3.12.3 (/usr/bin/python3.12)

    Thread 4711 (idle): "MainThread"
        wait (threading.py:359)
        main (train.py:540)

Only the main thread is kept: it is the one that calls collectives. On Linux its number is the process's, so a dump
whose head was cut says whose it is all the same.

Source: py-spy 0.3.8 to 0.4.2 (``src/dump.rs``, ``src/stack_trace.rs``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_STACKS = Limit(10_000, "stacks of processes")
_INNERMOST = 64
"""Frames of a stack that are kept, from the innermost: what a process does shows in these."""
_PROCESS = regex(r"\s{0,40}Process (?P<pid>\d{1,9}): \S.{0,400}")
_PYTHON = regex(r"\s{0,40}(?:Python v\d+\.\d+\S{0,40} \(\S{1,300}\)|Parent Process \d{1,9}: \S.{0,400})\s{0,8}")
_THREAD = regex(
    r"\s{0,40}Thread (?P<id>0x[0-9A-Fa-f]{1,16}|\d{1,9}) \((?:active|idle|gil|active\+gil)\)"
    r"(?:: \"(?P<name>[^\"]{1,120})\")?\s{0,8}"
)
_FRAME = regex(r"\s{4,44}(?P<frame>[\w.<>$:~*&, ]{1,120} \((?P<file>[^()]{1,300}?)(?::(?P<line>\d{1,9}))?\))\s{0,8}")
_MAIN = "MainThread"


class PySpy:
    """Reads dumps from one stream; a stack ends with the next thread, or with a line that is no frame."""

    kind: ClassVar[str] = "py-spy"
    literals: ClassVar[Literals] = Literals(("Thread 0", "Process 0: ", "Python v0", ":0)"))

    def __init__(self) -> None:
        self._found: list[Observation] = []
        self._pid = ""
        """Of the head above; "" where it was cut."""
        self._thread = ""
        self._host: str | None = None
        self._frames: list[str] | None = None
        """Of the main thread whose frames follow."""
        self._ref: Ref | None = None

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > 600:
            return False
        if any(each.fullmatch(text) for each in (_PROCESS, _PYTHON, _THREAD)):
            return True
        frame = _FRAME.fullmatch(text)
        return frame is not None and frame["line"] is not None  # without a number only among others

    @property
    def greedy(self) -> bool:
        return self._frames is not None

    def feed(self, line: Line) -> Use:
        thread = _THREAD.fullmatch(line.text)
        if thread is not None:
            self._close()
            if thread["name"] == _MAIN or thread["id"] == self._pid:
                self._frames, self._ref, self._host = [], line.ref(), line.host
                self._thread = thread["id"]
            return Use.USED
        process = _PROCESS.fullmatch(line.text)
        if process is not None:
            self._close()
            self._pid = process["pid"]
            return Use.USED
        if _PYTHON.fullmatch(line.text):
            return Use.IGNORED
        frame = _FRAME.fullmatch(line.text)
        if self._frames is None or frame is None:
            self._close()
            return Use.NOT_MINE
        self._frames = [*self._frames, frame["frame"].strip()][:_INNERMOST]
        return Use.USED

    def finish(self) -> Iterable[Observation]:
        self._close()
        return self._found

    def _close(self) -> None:
        if self._frames and self._ref is not None and MAX_STACKS.has_room(len(self._found)):
            frames = " < ".join(self._frames)
            self._found.append(Observation("python-stack", self._pid or self._thread, frames, self._host, self._ref))
            self._pid = ""
        self._frames = None


PARSER = PySpy
