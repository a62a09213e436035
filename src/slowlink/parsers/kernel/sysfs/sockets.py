"""What sockets and TCP may take, in /proc/sys/net."""

from __future__ import annotations

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.kernel.sysfs.paths import Convert, PathFact


def _buffers(content: str) -> str | None:
    """Three numbers, which tabs part."""
    parts = content.split()
    return " ".join(parts) if len(parts) == 3 and all(part.isdecimal() for part in parts) else None


def _word(content: str) -> str | None:
    return content if content.isidentifier() else None


def _file(path: str, attribute: str, convert: Convert, content: str, value: Value | None) -> PathFact:
    return PathFact(f"proc/sys/net/{path}", attribute, "", convert, {f"/proc/sys/net/{path}:{content}": value})


PATHS = (
    _file("ipv4/tcp_rmem", "tcp-receive-buffers", _buffers, "4096\t131072\t6291456", "4096 131072 6291456"),
    _file("ipv4/tcp_wmem", "tcp-send-buffers", _buffers, "4096\t16384\t4194304", "4096 16384 4194304"),
    _file("ipv4/tcp_congestion_control", "tcp-congestion-control", _word, "cubic", "cubic"),
    _file("core/rmem_max", "socket-receive-most", whole, "212992", 212992),
    _file("core/wmem_max", "socket-send-most", whole, "212992", 212992),
    _file("core/somaxconn", "socket-backlog", whole, "4096", 4096),
)
