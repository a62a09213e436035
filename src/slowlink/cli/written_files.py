"""Reports that ``-o`` asks for: beside the place first, then renamed, so that no name ever holds half a report."""

from __future__ import annotations

from pathlib import Path

from slowlink.errors import SlowlinkError


def write_report(path: Path, text: str) -> None:
    """Put ``text`` at ``path``, readable by its owner alone. A symbolic link there is replaced, not followed.

    Raises SlowlinkError: ``output-unwritable``.
    """
    from slowlink.bundle.disk import replace_text

    try:
        replace_text(path, text)
    except SlowlinkError as error:
        raise SlowlinkError(
            error.message, hint="choose another place with --output", slug="output-unwritable"
        ) from error
