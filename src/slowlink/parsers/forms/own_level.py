"""The level that a message carries itself. Launchers pass on what others print, under a level of their own::

    slurmstepd: error: pyxis:     [INFO] Querying registry for permission grant

What the message says of itself is nearer to the truth than what was put before it.
"""

from __future__ import annotations

from slowlink.patterns import regex

_WHO = r"^\s{0,12}(?:[\w./@-]{1,40}(?:\[\d{1,9}\])?: {1,8}){0,3}"
"""Programs that stand before it; none of them is a level."""
_MILDER = regex(
    rf"{_WHO}(?:"
    r"[\[(<]\s?(?i:info|information|debug|notice|trace|verbose|warn|warning|note|success|ok|passed)\s?[\])>]"
    r"|(?:INFO|DEBUG|NOTICE|TRACE|VERBOSE|WARN|WARNING|SUCCESS)\b"
    r"|(?i:info|debug|notice|warning|trace): "
    r"|[IWDV]\d{4,8} \d\d:\d\d:\d\d"
    r"|(?:time|ts)=\S{1,60} level=(?:info|debug|warn|warning|trace|notice)\b"
    r"|level=(?:info|debug|warn|warning|trace|notice)\b)"
)


def is_milder(text: str) -> bool:
    """Does the message call itself less than an error, whatever stands before it?"""
    return _MILDER.match(text) is not None
