"""The record on disk: written before a node is touched, replaced as a whole after every answer, checked when read."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, get_args

from msgspec import to_builtins

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Node
from slowlink.model.prepared import Item, ItemState, Prepared, PreparedNode
from slowlink.settings.find import settings
from slowlink.workflows.kept_records import Kind, own_text, write_whole

RECORDS = Kind("slowlink prepare", "prepared")
SCHEMA = "slowlink.prepared/1"
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:%-]{0,254}")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}")
_WAYS = ("local", "ssh", "slurm")


def new_record(way: str, root: str, nodes: Sequence[PreparedNode], now: datetime | None = None) -> Prepared:
    """A record of what is planned."""
    created = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return Prepared(SCHEMA, __version__, created, way, root, tuple(nodes))


def write(record: Prepared, path: Path) -> None:
    """Replaces the file as a whole; it is on the disk afterwards. Raises SlowlinkError: ``record-unwritable``."""
    write_whole(path, f"{json.dumps(to_builtins(record), indent=1)}\n".encode(), record.created)


def read(path: Path) -> Prepared:
    """A record, every value of it checked. Raises SlowlinkError: ``input-not-found``, ``foreign-record`` (somebody else
    wrote it, or could have), ``bad-record``."""
    text = own_text(path)
    try:
        document = json.loads(text)
        if isinstance(document, dict) and document.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {str(document.get('schema'))[:60]!r}, not {SCHEMA!r}")
        return _record(document)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SlowlinkError(
            f"{path} is no record of slowlink prepare: {str(error)[:200]}",
            hint="nothing was touched; the record must be as slowlink wrote it",
            slug="bad-record",
        ) from error


def _record(document: dict[str, Any]) -> Prepared:
    way, root = document["way"], document["root"]
    if way not in _WAYS or not isinstance(root, str) or (root and not root.startswith("/")) or not root.isprintable():
        raise ValueError("way or root")
    created, version = document["created"], document["slowlink"]
    if not all(isinstance(each, str) and each.isascii() and each.isprintable() for each in (created, version)):
        raise ValueError("created or slowlink")
    nodes = tuple(_node(each) for each in document["nodes"])
    if len({each.node.name for each in nodes}) < len(nodes):
        raise ValueError("a node stands in it twice")
    return Prepared(SCHEMA, version, created, way, root, nodes)


def _node(document: dict[str, Any]) -> PreparedNode:
    node = Node(**document["node"])
    named = all(_HOST.fullmatch(each) for each in (node.name, node.address or node.name))
    if not named or (node.user is not None and not _USER.fullmatch(node.user)):
        raise ValueError(f"no node: {node.name!r}"[:80])
    if not (node.port is None or (type(node.port) is int and 0 < node.port < 65536)):
        raise ValueError("no port")
    until, boot = document["until_s"], document["boot"]
    if not isinstance(boot, str) or not (until is None or isinstance(until, int)):
        raise ValueError("no clock")
    return PreparedNode(node, boot, tuple(_item(each) for each in document["items"]), until)


def _item(document: dict[str, Any]) -> Item:
    item = Item(**document)
    setting = settings().get(item.setting)
    if setting is None:
        raise ValueError(f"there is no setting {item.setting!r}"[:80])
    values = [item.before, item.wanted, *([] if item.left is None else [item.left])]
    if not re.fullmatch(setting.parts, item.part) or not all(re.fullmatch(setting.values, each) for each in values):
        raise ValueError(f"no value of {item.setting}: {item.part!r} {values!r}"[:160])
    if item.state not in get_args(ItemState) or not isinstance(item.why, str):
        raise ValueError(f"no state: {item.state!r}"[:80])
    return item
