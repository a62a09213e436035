"""One flight recorder from its decoded dict, the same for pickles and JSON.

Source: ``FlightRecorder::dump`` of PyTorch: ``version``, ``pg_config`` by name of the group, ``pg_status`` by this
process's own number of the group, ``entries`` in the order of enqueueing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from slowlink.model.hang import FlightDump, FlightEntry, GroupStatus, ProcessGroup
from slowlink.model.source import Ref
from slowlink.parsers.forms.json_blocks import is_cut
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.nccl.flight_recorder.values import integer, items, mapping, names, ranks, sizes, text
from slowlink.patterns import regex

MAX_ENTRIES = Limit(50_000, "operations of one rank")
"""The newest are kept; PyTorch's own buffer holds 2000 unless somebody made it larger."""
MAX_GROUPS = Limit(20_000, "process groups of one rank")
_MOST_SHARED = 50_000
MAX_LISTED_RANKS = Limit(4_000_000, "ranks in groups")
"""Ranks in the groups of one dump together: one list may be there many times."""
_OWN_KEYS = ("pg_config", "pg_status", "entries")
_TELLING_KEYS = ("pg_config", "pg_status", "nccl_comm_state")
"""One of them is enough where the others may have been cut off: nothing else has them."""
_P2P = regex(r"(?P<what>send|recv) (?P<me>\d{1,9})(?:->|<-)\d{1,9}$")
_FILE_RANK = regex(r"(\d{1,9})(?:\.[A-Za-z]{1,8}){0,2}$")
_DUMP_NAME = regex(r"trace_rank_\d{1,9}(?:\.[A-Za-z]{1,8}){0,2}$")
"""``nccl_trace_rank_3``, and ``comm_lib_trace_rank_3`` of newer ones (FlightRecorder.cpp, ``getWriter``)."""
_BACKENDS = ("nccl:", "xccl:", "rccl:", "gloo:", "ucc:")


def is_dump(value: object) -> bool:
    """Is this decoded value the dict of one flight recorder?"""
    if not isinstance(value, dict):
        return False
    if is_cut(value) and not value.keys().isdisjoint(_TELLING_KEYS):
        return True
    return sum(key in value for key in _OWN_KEYS) >= 2 or ("entries" in value and _has_entries(value))


def _has_entries(value: Mapping[str, object]) -> bool:
    """For the oldest dumps, which have a version and entries only."""
    entries = items(value.get("entries"))
    return "version" in value and bool(entries) and {"profiling_name", "state"} <= mapping(entries[0]).keys()


def read_dump(value: Mapping[str, object], ref: Ref, rank: int | None = None, partial: bool = False) -> FlightDump:
    """The record of one dump. ``rank``: as its container says; otherwise from its content, then from the file name."""
    groups = _groups(value.get("pg_config"))
    entries = _entries(value.get("entries"))
    basis = "rank" if rank is not None else ""
    if rank is None:
        rank, basis = _own_rank(groups, entries, ref.source)
    return FlightDump(
        ref=ref,
        rank=rank,
        rank_basis=basis,
        version=text(value.get("version")) or None,
        nccl=text(value.get("nccl_version")) or None,
        groups=groups,
        status=_status(value.get("pg_status")),
        entries=entries,
        partial=partial,
    )


def rank_of_file(source: str) -> int | None:
    """The number that a file's name ends with, before its endings: ``nccl_trace_rank_3``, ``rank3.json.gz``."""
    name = re.split(r"[/!\\]", source[-300:])[-1]
    found = _FILE_RANK.search(name)
    return int(found[1]) if found else None


def is_dump_name(source: str) -> bool:
    """Is this the name under which PyTorch writes a dump?"""
    return _DUMP_NAME.search(source[-300:]) is not None


def _own_rank(
    groups: Mapping[str, ProcessGroup], entries: tuple[FlightEntry, ...], source: str
) -> tuple[int | None, str]:
    """A process lists only groups that it is in, so its rank is in all of them; its sends name its rank in a group."""
    for entry in entries:
        found = _P2P.match(entry.operation)
        members = groups[entry.group].ranks if entry.group in groups else ()
        if found and int(found["me"]) < len(members):
            return members[int(found["me"])], "send and recv"
    possible: set[int] = set()
    for members in sorted((group.ranks for group in groups.values() if group.ranks), key=len):
        possible = possible & set(members) if possible else set(members)
        if len(possible) == 1:
            return possible.pop(), "process groups"
    named = rank_of_file(source)
    if named is not None and (not possible or named in possible):
        return named, "file name"
    return None, ""


def _groups(value: object) -> dict[str, ProcessGroup]:
    found: dict[str, ProcessGroup] = {}
    listed = 0
    for key, item in MAX_GROUPS.first(mapping(value).items()):
        entry = mapping(item)
        name = text(entry.get("name")) or text(key)
        members = ranks(entry.get("ranks")) if MAX_LISTED_RANKS.has_room(listed) else ()
        listed += len(members)
        found[name] = ProcessGroup(name, text(entry.get("desc")), members)
    return found


def _status(value: object) -> dict[str, GroupStatus]:
    found = {}
    for key, item in MAX_GROUPS.first(mapping(value).items()):
        numbers = mapping(item)
        found[text(key)] = GroupStatus(
            *(integer(numbers.get(f"last_{what}_collective")) for what in ("enqueued", "started", "completed"))
        )
    return found


def _entries(value: object) -> tuple[FlightEntry, ...]:
    listed = items(value)
    shared: dict[object, object] = {}
    read = (_entry(mapping(item), order, shared) for order, item in enumerate(MAX_ENTRIES.last(listed)))
    return tuple(entry for entry in read if entry is not None)


def _entry(item: Mapping[str, object], order: int, shared: dict[object, object]) -> FlightEntry | None:
    """One operation; None where it has no number or no name. Equal parts of entries are kept once."""
    operation = text(item.get("profiling_name"))
    p2p = item.get("is_p2p") is True or any(word in operation for word in (":send ", ":recv "))
    seq = integer(item.get("p2p_seq_id" if p2p else "collective_seq_id"))
    if seq is None:
        seq = integer(item.get("seq_id"))  # dumps before 2.3
    if seq is None or not operation:
        return None
    group = (*(text(part) for part in items(item.get("process_group"))[:2]), "", "")
    record = integer(item.get("record_id"))

    def once(part: object) -> object:
        return shared.setdefault(part, part) if len(shared) < _MOST_SHARED else part

    return FlightEntry(
        group=sys.intern(group[0] or text(item.get("pg_id"))),
        description=sys.intern(group[1]),
        seq=seq,
        operation=sys.intern(_plain(operation)),
        state=sys.intern(text(item.get("state"))),
        p2p=p2p,
        order=order if record is None else record,
        group_id=integer(item.get("pg_id")),
        input_sizes=once(sizes(item.get("input_sizes"))),  # type: ignore[arg-type]
        output_sizes=once(sizes(item.get("output_sizes"))),  # type: ignore[arg-type]
        input_dtypes=once(names(item.get("input_dtypes"))),  # type: ignore[arg-type]
        output_dtypes=once(names(item.get("output_dtypes"))),  # type: ignore[arg-type]
        retired=item.get("retired") is True,
        created_ns=integer(item.get("time_created_ns")),
        timeout_ms=integer(item.get("timeout_ms")),
        frame=sys.intern(_frame(item.get("frames"))),
    )


def _plain(operation: str) -> str:
    """``nccl:_all_gather_base`` without the backend."""
    return next((operation[len(b) :] for b in _BACKENDS if operation.startswith(b)), operation)


def _frame(frames: object) -> str:
    """The innermost frame outside PyTorch: the line of the program that called."""
    for item in items(frames)[:60]:
        frame = mapping(item)
        file, line = text(frame.get("filename")), integer(frame.get("line"))
        if file and line is not None and "/torch/" not in file and not file.endswith((".cpp", ".h", ".cc")):
            return f"{file}:{line} in {text(frame.get('name'))}"
    return ""
