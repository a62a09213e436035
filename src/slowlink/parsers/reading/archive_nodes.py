"""Whose files an archive or a directory of diagnostics holds: the node that its file ``hostname`` names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slowlink.model.state import Origin


def origins_below(found: Sequence[Origin], sources: Iterable[str]) -> list[Origin]:
    """``found``, and one for each source that lies beside or below a file ``hostname`` and has none of its own.

    Two that name different nodes for one top name none: then it is no archive of one node.
    """
    own = {origin.source for origin in found}
    tops: dict[str, set[str | None]] = {}
    said: dict[str, Origin] = {}
    for origin in found:
        top = _top_of(origin.source)
        if top:
            tops.setdefault(top, set()).add(_short(origin.node))
            said.setdefault(top, origin)
    more = []
    for source in sources:
        nearest = next((top for top in _above(source) if top in tops), None) if source not in own else None
        if nearest is not None and len(tops[nearest]) == 1 and "/nodes/" not in source:
            more.append(replace(said[nearest], source=source))
    return [*found, *more]


def _short(node: str | None) -> str:
    return (node or "").partition(".")[0]


def _top_of(source: str) -> str:
    """``a.tar!sos-7/`` of ``a.tar!sos-7/etc/hostname``; "" where the file is no such one or stands alone."""
    folder, _, name = source.replace("!", "/").rpartition("/")
    if not name.startswith("hostname") or not folder:
        return ""
    parts = folder.split("/")
    if "sos_commands" in parts:
        parts = parts[: parts.index("sos_commands")]
    elif parts[-1] == "etc":
        parts = parts[:-1]
    return "/".join(parts)


def _above(source: str) -> Iterable[str]:
    """Folders above a source, the nearest first."""
    folder = source.replace("!", "/")
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield folder
