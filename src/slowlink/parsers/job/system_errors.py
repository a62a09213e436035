"""Operating system errors as any program prints them: limits, full file systems, TCP that does not connect.

From libibverbs, and from Python::

    libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.
    ConnectionRefusedError: [Errno 111] Connection refused

Only lines that carry the system's own error text, printed by no source that has its own parser, are taken.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser
from slowlink.patterns import regex

_PEER = r"(?:(?P<peer>(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?)\D{0,40}|^\s*|[:\]] ?)(?:\[Errno \d{1,4}\] )?"
_OF_A_SERVICE = regex(
    r"\s{0,8}(?:requests|urllib3|httpx|httpcore|aiohttp|botocore|huggingface_hub|wandb|mlflow|redis|pymongo|psycopg\w?"
    r"|sqlalchemy|kubernetes|s3fs|gcsfs|grpc|docker)\b[\w.]{1,100}: "
)
"""Exceptions of clients of some service: a model hub, a database. No rank is at the other end."""

MESSAGES = (
    EventPattern(
        "memlock-limit",
        "RLIMIT_MEMLOCK",
        r"RLIMIT_MEMLOCK is (?P<limit>\d+) bytes",
        ("libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.",),
    ),
    EventPattern(
        "memlock-limit",
        "registered memory",
        r"(?:less than the maximum amount of locked|too little|insufficient) (?:registered|locked) mem"
        r"ory|registered memory may be limited",
        ("WARNING: the host has too little locked memory for registered memory",),
    ),
    EventPattern(
        "no-space",
        "No space left on device",
        r"(?:(?<![\w.])(?P<path>/[\w./-]{1,120})[^/]{0,60})?No space left on device(?:: '(?P<file>[^']{1,120})')?",
        (
            "OSError: [Errno 28] No space left on device: '/dev/shm/x'",
            "write /dev/shm/seg: No space left on device",
        ),
    ),
    EventPattern(
        "quota-exceeded",
        "isk quota exceeded",
        r"(?:(?<![\w.])(?P<path>/[\w./-]{1,120})[^/]{0,60})?Disk quota exceeded(?:: '(?P<file>[^']{1,120})')?",
        (
            "OSError: [Errno 122] Disk quota exceeded: '/home/x/ckpt.pt'",
            "cp: error writing '/home/x': Disk quota exceeded",
        ),
    ),
    EventPattern(
        "read-only-file-system",
        "ead-only file system",
        r"(?:(?<![\w.])(?P<path>/[\w./-]{1,120})[^/]{0,60})?[Rr]ead-only file system(?:: '(?P<file>[^']{1,120})')?",
        (
            "OSError: [Errno 30] Read-only file system: '/local/job'",
            "mkdir: cannot create directory '/local/job': Read-only file system",
        ),
    ),
    EventPattern(
        "stale-file-handle",
        "tale file handle",
        r"(?:(?<![\w.])(?P<path>/[\w./-]{1,120})[^/]{0,60})?Stale file handle",
        ("df: /home: Stale file handle", "OSError: [Errno 116] Stale file handle"),
    ),
    EventPattern(
        "address-in-use",
        "ddress already in use",
        r"(?:bind|listen|EADDRINUSE|errno: 98|Errno 98).{0,160}[Aa]ddress already in use",
        (
            "OSError: [Errno 98] Address already in use",
            "bind to 0.0.0.0:29500 failed: Address already in use",
        ),
    ),
    EventPattern(
        "connection-refused",
        "onnection refused",
        _PEER + r"Connection refused",
        (
            "ConnectionRefusedError: [Errno 111] Connection refused",
            "connect to 10.0.0.9:29500: Connection refused",
        ),
    ),
    EventPattern(
        "no-route",
        "o route to host",
        _PEER + r"No route to host",
        ("OSError: [Errno 113] No route to host",),
    ),
)


class SystemErrors(MessageParser):
    """Events of the operating system's own error texts."""

    kind: ClassVar[str] = "system-errors"
    origin: ClassVar[str] = "shell"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES

    @staticmethod
    def is_foreign(text: str) -> bool:
        """Programs with their own parser (ssh, Open MPI, perftest) report these texts in their own words."""
        owned = any(owner in text for owner in _OWNERS) or _OF_A_SERVICE.match(text) is not None
        return owned or MessageParser.is_foreign(text)


_OWNERS = ("ssh:", "connect() to ", "Couldn't connect to", "NET/", "UCX ", "libfabric:")

PARSER = SystemErrors
