"""The last thing before an answer goes out: secrets are taken out of every text, and what steers a terminal or deceives
the eye is written out. Inputs were redacted before anything was read from them; names of files were not."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct, to_builtins

from slowlink.redact import Redaction
from slowlink.report.escape import terminal_safe_lines

_MOST_CHARS = 16_000
"""Of one text; the page of a rule is a third of it."""


def outgoing(answer: Struct) -> dict[str, Any]:
    """The answer in JSON's own types, as it may be shown to a stranger."""
    plain = _plain(to_builtins(answer), Redaction())
    assert isinstance(plain, dict)
    return plain


def outgoing_text(text: str) -> str:
    """One text likewise."""
    return _text(text, Redaction())


def cut(text: str, most: int) -> str:
    """The first ``most`` characters, and how many more there were. Half a secret is not known for one any more, so
    they are taken out before."""
    if len(text) <= most:
        return text
    text = Redaction().text(text)
    rest = len(text) - most
    return f"{text[:most]} ... ({rest:,} more characters)" if rest > 0 else text


def _plain(value: object, redaction: Redaction) -> object:
    if isinstance(value, str):
        return _text(value, redaction)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_plain(item, redaction) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, redaction) for key, item in value.items()}
    return value


def _text(text: str, redaction: Redaction) -> str:
    return cut(terminal_safe_lines(redaction.text(text)), _MOST_CHARS)
