"""Folds the NCCL lines of one source while they stream by.

Speed is a contract here: most lines of a log repeat one of few texts (channels of one edge, calls on one
communicator), so a line costs some slices and dictionary look-ups, and a pattern runs only for a text that is new.
What is kept grows with ranks and peers, not with lines. Values are read in `result`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache
from typing import Any

from msgspec.structs import replace

from slowlink.model.nccl import NcclLog
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.nccl.nccl_log import registry
from slowlink.parsers.nccl.nccl_log.calls import CALL, COLLECTIVES
from slowlink.parsers.nccl.nccl_log.channels import (
    COLLNET,
    EDGE,
    EdgeValues,
    read_collnet,
    read_edge,
)
from slowlink.parsers.nccl.nccl_log.crowd import Crowd
from slowlink.parsers.nccl.nccl_log.edge_rows import MOST_EDGES, RowsState
from slowlink.parsers.nccl.nccl_log.kept_lines import MOST_TEXTS, Seen, Thread
from slowlink.parsers.nccl.nccl_log.message import Keep
from slowlink.parsers.nccl.nccl_log.native_rows import NativeRows
from slowlink.parsers.nccl.nccl_log.prefix import SECOND_ANCHOR, read_prefix
from slowlink.parsers.nccl.nccl_log.records import log_of
from slowlink.parsers.nccl.nccl_log.rows import Rows, new_rows, rows_of

_USED, _IGNORED, _NOT_MINE = Use.USED, Use.IGNORED, Use.NOT_MINE
_CALL, _QUIET = 1, 2
_HEAD = 12
"""Characters of ``INFO <message>`` by which the frequent lines are told apart."""
_MAX_THREADS = Limit(100_000, "threads")
_MAX_SPLIT = 8192
"""Characters of a line in which a second prefix is looked for."""
_REMEMBERED = 1 << 16
"""Texts of edges that are remembered, of all threads together; the edges themselves are told apart by their values."""


@cache
def _heads() -> dict[str, int]:
    heads = {f"INFO {head}": _QUIET for head in registry.quiet_heads()}
    for name in COLLECTIVES:
        heads[f"CALL nccl{name}("[:_HEAD]] = _QUIET
        heads[f"INFO {name}: opCount"[:_HEAD]] = _CALL
    return heads


def quiet_heads() -> set[str]:
    """How messages begin of which nothing is read but that they are there."""
    return {head for head, kind in _heads().items() if kind == _QUIET}


_Key = str | tuple[str, int | None, str | None]


class NcclFold:
    """Reads NCCL's lines one by one (`feed`), joins with the fold of the next part (`merge`), gives records (`result`).

    It is a plain value: it can be pickled and sent to another process.
    """

    def __init__(self) -> None:
        self._threads: dict[_Key, Thread] = {}
        self._unknown = 0
        self._ignored = 0
        self._subsystems: set[str] = set()
        self._quiet: dict[str, int] = {}
        self._heads = _heads()
        self._open: Seen | None = None
        self._open_line = 0
        self._rows: Rows | RowsState = new_rows()
        self._recent = 0
        self._crowd: Crowd | None = None

    def __getstate__(self) -> dict[str, object]:
        self._forget_recent()
        state = {**self.__dict__, "_rows": self._sent_rows(), "_crowd": None}
        del state["_heads"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._heads = _heads()

    @property
    def lines(self) -> int:
        """NCCL lines taken so far; a line in which another begins counts as two."""
        kept = sum(thread.kept_lines for thread in self._threads.values())
        return kept + self.edges.lines + sum(self._quiet.values()) + self._ignored + self._unknown

    @property
    def edges(self) -> Rows:
        """Where the sieve puts what it takes apart, too."""
        if isinstance(self._rows, RowsState):
            self._rows = rows_of(self._rows)
        return self._rows

    def _sent_rows(self) -> RowsState:
        return self._rows if isinstance(self._rows, RowsState) else self._rows.state()

    def passed(self) -> Iterator[Limit]:
        """The limits that were reached, in this process or in one that read a part: behind them there may be more."""
        threads = self._threads.values()
        if len(self._everyone()) >= _MAX_THREADS:
            yield _MAX_THREADS
        if any(len(kept) >= MOST_TEXTS for thread in threads for kept in (thread.once, thread.calls, thread.each)):
            yield MOST_TEXTS
        if self.edges.is_full:
            yield MOST_EDGES

    def feed(
        self,
        prefix: str,
        message: str,
        line: int,
        text: str,
        stream: str = "",  # noqa: ARG002
        rank: int | None = None,
        host: str | None = None,
        library: str = "NCCL",  # noqa: ARG002
    ) -> Use:
        """Take one line: ``prefix`` is the text before `` NCCL ``, ``message`` the text after it (``INFO ...``),
        ``line`` its number and ``text`` the whole line. Any text is accepted; a message that no family knows is
        NOT_MINE.

        ``stream`` and ``library`` are part of the scan's interface: processes are told apart by their own prefix, and
        the library names itself in its version line.
        """
        try:
            thread = self._threads[prefix if rank is None and host is None else (prefix, rank, host)]
        except KeyError:
            thread = self._new_thread(prefix, rank, host, line)
        if message[5:6] == "C":
            # "INFO Channel 00" is cut off: the rest is the same text for all channels of an edge.
            row = thread.recent.get(message[15:])
            if row is not None:
                self.edges.again(row)
                return _USED
        kind = self._heads.get(message[:_HEAD])
        if kind == _CALL:
            seen = thread.calls.get(message[message.rfind(" comm ") :][:24])
            if seen is not None and " NCCL " not in message:
                seen.count += 1
                seen.line = line
                seen.message = message
                seen.text = text
                return _USED
        elif kind == _QUIET and " NCCL " not in message:
            self._quiet[message[5:12]] = self._quiet.get(message[5:12], 0) + 1
            return _IGNORED
        seen = thread.once.get(message)
        if seen is not None:
            seen.count += 1
            if seen.continues is not None:
                self._open, self._open_line = seen, line + 1
            return _USED
        if " NCCL " in message:
            return self._take_torn(thread, message, line, text, rank, host)
        return self._take(thread, message, line, text)

    def take_sifted(self, sifted: Any, places: tuple[int, int], first_line: int) -> tuple[int, int]:
        """As ``feed``, for lines that machine code took apart: those at ``places`` of a part that begins at
        ``first_line``. Before their prefix stands no more than a stamp. Says how many lines they are with those that
        repeat them, and of how many of them nothing is read."""
        rows = self.edges
        if not isinstance(rows, NativeRows):
            raise TypeError(rows)  # nobody takes lines apart for others
        lines, quiet = sifted.take(rows.table, places, first_line, self._most_owners(sifted.count(places)))
        for head, count in quiet:
            self._quiet[head[5:]] = self._quiet.get(head[5:], 0) + count
        return lines, sum(count for _, count in quiet)

    def _new_thread(self, prefix: str, rank: int | None, host: str | None, line: int) -> Thread:
        key: _Key = prefix if rank is None and host is None else (prefix, rank, host)
        if self._is_crowded(key):  # no log has so many: these are pieces of torn lines
            key, prefix, rank, host = "", "", None, None
            if key in self._threads:
                return self._threads[key]
        return self._keep(key, _thread(_name_of(key), line))

    def _keep(self, key: _Key, thread: Thread) -> Thread:
        self._threads[key] = thread
        if self._crowd is not None:
            self._crowd.add(thread.owner)
        return thread

    def _most_owners(self, more: int) -> int:
        """How many owners of edges there may be, where so many more come at most."""
        names = self._names_of_crowd(more)
        return _MAX_THREADS if names is None else self.edges.owners + max(0, _MAX_THREADS - len(names))

    def _is_crowded(self, key: _Key) -> bool:
        """No room for one more thread, and ``key`` is none of those that are known by their edges."""
        names = self._names_of_crowd(1)
        return names is not None and len(names) >= _MAX_THREADS and _name_of(key) not in names

    def _names_of_crowd(self, more: int) -> Set[str] | None:
        """The names of all threads; None where ``more`` find room, whoever they are."""
        edges = self.edges
        if self._crowd is None:
            if len(self._threads) + edges.owners + more <= _MAX_THREADS:
                return None
            self._crowd = Crowd(thread.owner for thread in self._threads.values())
        return self._crowd.names(edges)

    def _everyone(self) -> dict[str, Thread]:
        """All threads by name, in order of their first lines; of those of which only edges are known, new ones."""
        known = {thread.owner: thread for thread in self._threads.values()}
        for owner in self.edges.of_owners():
            thread = known.get(owner.name)
            if thread is None:
                known[owner.name] = _thread(owner.name, owner.first)
            else:
                thread.first = min(thread.first, owner.first)
        return dict(sorted(known.items(), key=lambda each: each[1].first))

    def _take_torn(self, thread: Thread, message: str, line: int, text: str, rank: int | None, host: str | None) -> Use:
        """Another rank's line begins inside this one: take both."""
        anchors = list(SECOND_ANCHOR.finditer(message[:_MAX_SPLIT]))
        if not anchors:
            return self._take(thread, message, line, text)
        use = self._take(thread, message[: anchors[0].start()], line, text)
        ends = [anchor.start() for anchor in anchors[1:]] + [len(message)]
        for anchor, end in zip(anchors, ends, strict=True):
            prefix = anchor["prefix"]
            key: _Key = prefix if rank is None and host is None else (prefix, rank, host)
            other = self._threads.get(key) or self._new_thread(prefix, rank, host, line)
            second = self._take(other, message[anchor.end() : end], line, text)
            use = _USED if _USED in (use, second) else second
        return use

    def _take(self, thread: Thread, message: str, line: int, text: str) -> Use:
        """Take a message that was not seen before."""
        level, _, body = message.partition(" ")
        if level == "CALL":
            return self._ignore()
        found = registry.find(level, body)
        if found is None:
            return self._take_unknown(thread, level, message, line, text)
        kind, match = found
        if kind.subsystem:
            self._subsystems.add(kind.subsystem)
        if kind is EDGE:
            return self._take_edge(thread, read_edge(match), message, line, text)
        if kind is COLLNET:
            return self._take_edge(thread, read_collnet(match), message, line, text)
        if kind is CALL:
            _count(thread.calls, _comm_of(message), Seen(1, line, message, text), MOST_TEXTS)
            return _USED
        if kind.keep is Keep.NOTHING:
            return self._ignore()
        seen = Seen(1, line, message, text, kind.continues, registry.number_of(kind))
        if kind.keep is Keep.EACH:
            if len(thread.each) < MOST_TEXTS:
                thread.each.append(seen)
            return _USED
        _count(thread.once, message, seen, MOST_TEXTS)
        if kind.continues is not None:
            self._open, self._open_line = seen, line + 1
        return _USED

    def _take_edge(self, thread: Thread, values: EdgeValues | None, message: str, line: int, text: str) -> Use:
        if values is None:
            self._unknown += 1
            return _NOT_MINE
        row = self.edges.add(thread.owner, values, line, text)
        if row is not None and message[15:16] in ("/", " "):  # of a channel of two digits, as nearly all are
            if self._recent >= _REMEMBERED:
                self._forget_recent()
            self._recent += 1
            thread.recent[message[15:]] = row
        return _USED

    def _forget_recent(self) -> None:
        self._recent = 0
        for thread in self._threads.values():
            thread.recent.clear()

    def _take_unknown(self, thread: Thread, level: str, message: str, line: int, text: str) -> Use:
        if level == "WARN":
            known = registry.meaning_of(level, message[5:])
            if known is not None and known[0].sort == "harmless":
                return self._ignore()
            _count(thread.once, message, Seen(1, line, message, text), MOST_TEXTS)
            return _USED
        if level == "TRACE":
            return self._ignore()
        self._unknown += 1
        return _NOT_MINE

    def _ignore(self) -> Use:
        self._ignored += 1
        return _IGNORED

    @property
    def expects_more(self) -> bool:
        """True when the last message taken may go on in a line without a prefix."""
        return self._open is not None

    def continuation(self, text: str, line: int) -> Use:
        """Take a line without a prefix that follows a message of several lines (or a wrapped one)."""
        seen = self._open
        if seen is None or seen.continues is None:
            return _NOT_MINE
        if line != self._open_line or re.compile(seen.continues).match(text) is None:
            self._open = None
            return _NOT_MINE
        self._open_line = line + 1
        if seen.count == 1 and len(seen.message) < _MAX_SPLIT:
            seen.message += " " + text.strip()
            seen.kind = -1
        return _USED

    def merge(self, other: NcclFold) -> None:
        """Add what ``other`` read later in the same source."""
        for key, thread in other._threads.items():
            own = self._threads.get(key)
            if own is None and self._is_crowded(key):
                own = self._new_thread(*_parts_of(thread.owner), thread.first)
            if own is None:
                self._keep(key, replace(thread, recent={}))
            else:
                own.absorb(thread)
        sent = other._sent_rows()
        self.edges.merge(sent, self._most_owners(len(sent.firsts) // 8))
        self._unknown += other._unknown
        self._ignored += other._ignored
        for head, count in other._quiet.items():
            self._quiet[head] = self._quiet.get(head, 0) + count
        self._subsystems |= other._subsystems
        self._open, self._open_line = other._open, other._open_line

    def result(self, source: str, *, last: bool = False) -> tuple[NcclLog, ...]:
        """What was read, as records with references into ``source``; nothing when no NCCL line was seen. ``last``: the
        fold is asked no more, and lets go what has become a record."""
        lines = self.lines
        if not lines:
            return ()
        self.edges.forget_known()
        subsystems = {registry.quiet_heads().get(head) for head in self._quiet} | self._subsystems
        known = frozenset(name for name in subsystems if name)
        return (log_of(self._everyone(), self.edges, source, (lines, self._unknown), known, last=last),)


def _name_of(key: _Key) -> str:
    """A thread's name as one text: NUL stands between its parts alone."""
    parts = (key,) if isinstance(key, str) else key
    return "\0".join("" if part is None else str(part).replace("\0", " ") for part in parts)


def _parts_of(name: str) -> tuple[str, int | None, str | None]:
    """Prefix, rank and host."""
    prefix, *around = name.split("\0")
    if len(around) != 2:
        return name, None, None
    return prefix, int(around[0]) if around[0] else None, around[1] or None


def _thread(name: str, line: int) -> Thread:
    process, location = read_prefix(*_parts_of(name))
    return Thread(process, location, name, line)


def _comm_of(message: str) -> str:
    """`` comm 0x<up to 16 digits>``: enough of the text after the operands to tell communicators apart."""
    return message[message.rfind(" comm ") :][:24]


def _count(kept: dict[str, Seen], key: str, seen: Seen, limit: int) -> None:
    first = kept.get(key)
    if first is not None:
        first.count += 1
    elif len(kept) < limit:
        kept[key] = seen
