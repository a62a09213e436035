"""A job that writes its files while it is followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from slowlink.workflows.follow.follow import follow

Files = list[tuple[str, list[str]]]


class Machine:
    """A clock that only pauses move, and a job that writes a part of its files during each."""

    def __init__(self, top: Path, files: Files, parts: int) -> None:
        self.now = 0.0
        self.said: list[str] = []
        self._top, self._files, self._parts, self._part = top, files, parts, 0
        self.write()

    def write(self) -> None:
        for name, lines in self._files:
            start, stop = (len(lines) * part // self._parts for part in (self._part, self._part + 1))
            with (self._top / name).open("a") as stream:
                stream.writelines(f"{line}\n" for line in lines[start:stop])
        self._part += 1

    def pause(self, seconds: float) -> None:
        self.now += seconds
        if self._part < self._parts:
            self.write()

    def run(self, seconds: float, pause: Callable[[float], None] | None = None, window: int = 2000) -> list[str]:
        follow(
            self._top,
            self.said.append,
            interval_s=5,
            longest_s=seconds,
            window_calls=window,
            tolerances={},
            clock=lambda: self.now,
            pause=pause or self.pause,
        )
        return self.said
