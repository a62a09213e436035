"""Where a value comes from."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct


class Ref(Struct, frozen=True, gc=False):
    """One input line that a record was read from."""

    source: str
    """The input's name as the user would find it: a path, ``archive.tar.gz!member``, or ``-``."""
    line: int
    """1-based line number in that source; 0 when the source has no lines (a JSON document as a whole)."""
    text: str = ""
    """The line as it stood, without launcher prefix and colours, cut at 400 characters."""


class LogProcess(Struct, frozen=True, gc=False):
    """Who logged a message."""

    host: str | None
    pid: int | None
    rank: int | None = None
    """Rank from the launcher's prefix, when there was one."""


class Line(Struct):
    """One line of a source after the launcher's prefix, colours and line ends were taken off."""

    source: str
    no: int
    text: str
    rank: int | None = None
    """Rank from ``mpirun --tag-output`` or ``srun -l``; None when the prefix named none."""
    host: str | None = None
    """Host, pod or container from a pdsh, clush, kubectl or docker prefix."""
    stream: str = ""
    """Identity of the stream inside the source that wrote this line (the prefix without what varies from line
    to line); lines of different streams may be interleaved and are read apart."""
    stamp: str | None = None
    """A time stamp that was taken off the front, as printed."""
    before: str = ""
    """The last line of this stream that no parser claimed: a table's caption, a prompt."""
    place: str = ""
    """The node that a prompt, a heading or a frame above names: equal messages below different ones are not one."""
    torn: bool = False
    """Another program's line was glued to this one's end; its rest may follow on a later line."""
    part: bool = False
    """A part of an overlong line, from behind its front."""

    def ref(self) -> Ref:
        """The line as evidence: one object, however many values it gives."""
        return _evidence(self.source, self.no, self.text)


@lru_cache(maxsize=16)
def _evidence(source: str, line: int, text: str) -> Ref:
    return Ref(source, line, text[:400])


class Passage(Struct, frozen=True, gc=False):
    """Lines of a document that only describe failures: they accuse nobody."""

    ref: Ref
    """Its first line."""
    last: int
    """Number of its last line."""
    why: str
    """The document's own words that say so: ``if you see``, ``was replaced``."""


class SourceStats(Struct, frozen=True):
    """What became of every line of one source: ``used + ignored + unread == lines``."""

    path: str
    kinds: tuple[str, ...]
    """What was recognised in it: parser kinds, in order of first appearance."""
    size_bytes: int
    lines: int
    used: int
    """Lines that a record was read from."""
    ignored: int
    """Lines that a parser knows and that say nothing (rulers, legends, blank lines)."""
    unread: int
    """Lines that no parser knows."""
    unread_samples: tuple[Ref, ...] = ()
    problem: str | None = None
    """Why the source could not be read to its end (truncated archive, no permission, limit reached)."""
    partial: bool = False
    """Evidence is missing that was meant to be here: a limit, damage, no permission; ``problem`` says which."""
    copy_of: str | None = None
    """The input that has the same content: this one is a copy, and nothing in it was counted a second time."""
    node: str | None = None
    """The node that it was read on, where it lies there. A plain file is that node's; what an archive holds may be of
    others."""
