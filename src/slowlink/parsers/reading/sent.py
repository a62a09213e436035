"""What was found in one input, written out for another machine: MessagePack of the records' own types, compressed.

Whoever takes it back believes nothing: it is read by type and bounded in size, no object is made but records, and whose
lines they are says the reader, not the writer. Both must have the same records (``shape``).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from sys import byteorder
from typing import Any, get_args, get_origin

from msgspec import DecodeError, Struct, ValidationError, convert, msgpack, to_builtins
from msgspec.structs import fields, force_setattr, replace

from slowlink.catalog.attributes import all_attributes
from slowlink.model.records import Records
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Origin, Reading
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.reading.read import sorted_out
from slowlink.parsers.reading.room import Room
from slowlink.parsers.reading.sent_back import Found, SpeltOut

NO_ROOM = "read there and left out: what it says takes more room than an answer may; name fewer files"
_LONGEST_NAME = 4096
_LONGEST_TEXT = 400
"""Characters of a line that are evidence, as ``Line.ref`` cuts it."""
_LEVEL = 6
_MOST_INTEGER = 1 << 63


class Sent(Struct, frozen=True):
    """One input as it travels."""

    records: Records
    """Without sources: ``stats`` is the only one."""
    stats: SourceStats
    digest: bytes
    file: tuple[int, int] | None = None
    """Inode and time of change of the file itself, which show one that several nodes share; None inside an archive."""


class NotSentError(ValueError):
    """Bytes that are no ``Sent``."""


_ENCODER = msgpack.Encoder()


def packed(
    found: Found, file: tuple[int, int] | None = None, most_bytes: int | None = None, room: Room | None = None
) -> bytes:
    """Bytes for ``taken_out``; no records, and the reason, where they would be more than ``most_bytes`` or than the
    other side has ``room`` for.

    Total: what a value cannot be written as is written as near as can be.
    """
    records, stats, digest = found
    unpacked = _written(Sent(sorted_out(records, []), stats, digest, file))
    data = zlib.compress(unpacked, _LEVEL) if (room or Room()).has_taken(unpacked) else None
    if data is None or (most_bytes is not None and len(data) > most_bytes):
        told = replace(stats, unread_samples=(), problem=stats.problem or NO_ROOM, partial=True)
        data = zlib.compress(_written(Sent(Records(), told, digest, file)), _LEVEL)
    return data


def _written(sent: Sent) -> bytes:
    try:
        return _ENCODER.encode(sent)
    except (UnicodeEncodeError, OverflowError):  # half a surrogate pair out of JSON; a number of more than 64 bits
        return _ENCODER.encode(_writable(to_builtins(sent, builtin_types=(bytes,))))


def taken_out(data: bytes, room: Room | None = None) -> Sent:
    """What ``packed`` has written. Raises NotSentError for anything else and for more than there is ``room`` for, which
    all that one sender sent shares; alone it has as much as a sender may have."""
    room = room or Room()
    stream = zlib.decompressobj()
    try:
        unpacked = stream.decompress(data, room.bytes_left + 1)
        if stream.unconsumed_tail or not stream.eof or not room.has_taken(unpacked):
            raise NotSentError("too long, or cut")
        sent = _decoder().decode(unpacked)
    except (zlib.error, DecodeError, ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise NotSentError(type(error).__name__) from error
    edges, calls = (log.edges for log in sent.records.logs), sent.records.timed
    if not (all(each.is_sound() for each in edges) and all(each.is_sound() for each in calls)):
        raise NotSentError("columns that do not go together")
    if not 0 < len(sent.stats.path) <= _LONGEST_NAME or sent.records.sources or sent.stats.copy_of is not None:
        raise NotSentError("it names no input")
    return sent


def found_by(sent: Sent, place: str, node: str | None) -> SpeltOut:
    """What was sent, with every line of it named as one of ``place`` (``node07:``), whatever the sender called it. A
    reading of an attribute that nobody knows is left out.

    ``node``: whose the input is; None where several nodes have it. The records are changed in place: nobody else has
    them.
    """
    name = f"{place}{sent.stats.path}"
    known = all_attributes()
    records = [each for each in _all_of(sent.records) if type(each) is not Reading or each.attribute in known]
    for one in _structs_in([records, sent.stats.unread_samples]):
        if type(one) is Origin:  # a manifest speaks of the files beside it
            force_setattr(one, "source", f"{place}{one.source}")
        elif type(one) is Ref:
            force_setattr(one, "source", name)
            if one.line < 0 or len(one.text) > _LONGEST_TEXT:
                force_setattr(one, "line", max(0, one.line))
                force_setattr(one, "text", one.text[:_LONGEST_TEXT])
        elif "source" in one.__struct_fields__:
            force_setattr(one, "source", name)
    return records, replace(sent.stats, path=name, node=node), sent.digest


@cache
def shape() -> str:
    """A digest of the records' types, in which two builds of one version may differ, and of the order of the bytes of a
    number: columns are as they lie in memory."""
    known: dict[str, str] = {}
    todo: list[type[Struct]] = [Sent]
    while todo:
        kind = todo.pop()
        if kind.__qualname__ not in known:
            known[kind.__qualname__] = repr([(field.encode_name, str(field.type)) for field in fields(kind)])
            todo += [inner for field in fields(kind) for inner in _kinds_in(field.type)]
    return sha256(repr((byteorder, sorted(known.items()))).encode()).hexdigest()[:16]


@cache
def _decoder() -> msgpack.Decoder[Sent]:
    return msgpack.Decoder(Sent)


def _kinds_in(hint: Any) -> Iterator[type[Struct]]:
    """Structs that a type speaks of."""
    if get_origin(hint) is not None or get_args(hint):
        for inner in get_args(hint):
            yield from _kinds_in(inner)
    elif isinstance(hint, type) and issubclass(hint, Struct):
        yield hint


@cache
def _holding(kind: type[Struct]) -> tuple[str, ...]:
    """Fields in which there may be other structs."""
    return tuple(field.name for field in fields(kind) if any(_kinds_in(field.type)))


def _structs_in(value: Sequence[object]) -> Iterator[Struct]:
    """Every struct in ``value``, however deep."""
    todo: list[object] = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, Struct):
            yield one
            todo.extend(getattr(one, name) for name in _holding(type(one)))
        elif isinstance(one, (list, tuple, frozenset)):
            todo.extend(one)
        elif isinstance(one, dict):
            todo.extend(one.values())


def _writable(value: Any) -> Any:
    """A plain value with texts that are UTF-8 and numbers that fit."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not -_MOST_INTEGER <= value < 2 * _MOST_INTEGER:
        return _MOST_INTEGER - 1 if value > 0 else -_MOST_INTEGER
    if isinstance(value, dict):
        return {_writable(name): _writable(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(inner) for inner in value]
    return value


def with_texts(found: SpeltOut, change: Callable[[str], str]) -> SpeltOut:
    """The same with ``change`` made to every text of its records, for formats that are no text."""
    records, stats, digest = found
    plain = _changed(to_builtins(sorted_out(records, [])), change)
    return _all_of(convert(plain, Records)), stats, digest


def _all_of(records: Records) -> list[Record]:
    return [record for field in Records.__struct_fields__ for record in getattr(records, field)]


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _changed(inner, change) for name, inner in value.items()}
    return [_changed(inner, change) for inner in value] if isinstance(value, (list, tuple)) else value
