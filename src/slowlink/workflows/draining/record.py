"""The record of what was taken out of use: written before a node is touched, and checked when it is read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from msgspec import DecodeError
from msgspec.json import decode, encode, format  # noqa: A004

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.model.acting import Drain, Drained, DrainedNode
from slowlink.workflows.draining.choice import MARK, is_name
from slowlink.workflows.kept_records import Kind, own_text, write_whole

RECORDS = Kind("slowlink act", "drained")
SCHEMA = "slowlink.drained/1"
_MOST_REASON = 400


def new_record(scheduler: str, drains: Iterable[Drain], now: datetime | None = None) -> Drained:
    """A record of what is planned."""
    created = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    nodes = tuple(DrainedNode(each.node, each.reason) for each in drains)
    return Drained(SCHEMA, __version__, created, scheduler, nodes)  # type: ignore[arg-type]


def write(record: Drained, path: Path) -> None:
    """Replaces the file as a whole. Raises SlowlinkError: ``record-unwritable``."""
    write_whole(path, format(encode(record), indent=1) + b"\n", record.created)


def read(path: Path) -> Drained:
    """Raises SlowlinkError: ``input-not-found``, ``foreign-record``, ``bad-record``."""
    text = own_text(path)
    try:
        record = decode(text, type=Drained)
        if record.schema != SCHEMA:
            raise ValueError(f"its schema is {record.schema[:60]!r}, not {SCHEMA!r}")
        if len({each.node for each in record.nodes}) < len(record.nodes):
            raise ValueError("a node stands in it twice")
        for each in record.nodes:
            _require_plain(each)
    except (DecodeError, ValueError, RecursionError) as error:
        raise SlowlinkError(
            f"{path} is no record of slowlink act: {str(error)[:200]}",
            hint="nothing was touched; the record must be as slowlink wrote it",
            slug="bad-record",
        ) from error
    return record


def _require_plain(each: DrainedNode) -> None:
    if not is_name(each.node):
        raise ValueError(f"no node: {each.node[:60]!r}")
    plain = each.reason.isascii() and each.reason.isprintable() and len(each.reason) <= _MOST_REASON
    if not plain or not each.reason.startswith(MARK):
        raise ValueError(f"no reason of ours: {each.reason[:60]!r}")
    if len(each.identity) > _MOST_REASON:
        raise ValueError("no identity of a node")
