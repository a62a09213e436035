"""What opening a file gives: its texts, with what was not read of them."""

from __future__ import annotations

from pathlib import Path

from slowlink.inputs import open_inputs

Text = tuple[bytes, str | None, bool]
"""Bytes, problem, partial."""


def texts(path: Path) -> dict[str, Text]:
    """Name below ``path`` -> text; "" for the file itself."""
    found: dict[str, Text] = {}
    for item in open_inputs([str(path)]):
        data = b"".join(item.chunks())
        found[item.name.removeprefix(str(path))] = data, item.problem, item.partial
    return found


def text(path: Path, data: bytes) -> Text:
    """The one text of a file that holds ``data``."""
    path.write_bytes(data)
    (found,) = texts(path).values()
    return found
