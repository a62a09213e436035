"""Tags and anchors of YAML, which stand before a value; a password may begin so, too."""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret

_SKIPPED = regex(r"(?:(?:!!?|&)(?![&!])[\w:/.-]{1,60}\s{1,4}){1,2}")


def behind_tags(text: str, begin: int) -> int:
    """Where the value begins behind the tags at ``begin``."""
    tags = _SKIPPED.match(text, begin)
    if tags is None or any(looks_secret(tag.strip("!&")) for tag in tags[0].split()):
        return begin
    return tags.end()
