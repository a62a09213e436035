"""Files that are read as a whole: settings and saved reports. A stranger's may be of any size, or have no end."""

from __future__ import annotations

import errno
from pathlib import Path

MOST_REPORT_BYTES = 64 << 20
"""Of a saved report; one of ten thousand nodes is a tenth of it."""


def small_text(path: Path, most_bytes: int) -> str:
    """The text of a UTF-8 file. Raises OSError, also for more than ``most_bytes``, and UnicodeDecodeError."""
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it holds more than {most_bytes >> 20} MiB")
    return data.decode("utf-8")
