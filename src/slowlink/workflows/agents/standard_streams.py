"""Standard input and output for the protocol alone. No thread waits for them: a question is answered by a process
that is forked, which is safe with one thread only, and Ctrl-C must not wait for a line.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import anyio

from slowlink.errors import SlowlinkError

MOST_MESSAGE_BYTES = 32 << 20
"""A text of a log in JSON, each character of which may take six."""
_PIECE = 1 << 16
_AT_ONCE = 4096
"""So much goes into a pipe that is ready without waiting (PIPE_BUF)."""
_NO_JSON, _NO_REQUEST = (-32700, "Parse error"), (-32600, "Invalid Request")


class Lines:
    """Lines of a descriptor as they come."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._waits = descriptor, _waits(descriptor)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Raises SlowlinkError (``message-too-long``)."""
        waiting = bytearray()
        while piece := await self._piece():
            begun = len(waiting)
            waiting += piece
            while (end := waiting.find(b"\n", begun)) >= 0:
                yield waiting[:end].decode("utf-8", "replace")
                del waiting[: end + 1]
                begun = 0
            if len(waiting) > MOST_MESSAGE_BYTES:
                raise SlowlinkError(
                    f"a message of more than {MOST_MESSAGE_BYTES >> 20} MiB",
                    hint="put long logs into a file and give its path",
                    slug="message-too-long",
                )

    async def _piece(self) -> bytes:
        while True:
            if self._waits:
                await anyio.wait_readable(self._descriptor)
            with suppress(BlockingIOError):
                return os.read(self._descriptor, _PIECE)


class Writer:
    """Texts into a descriptor, as fast as they are read; each as a whole, whoever else writes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._waits = descriptor, _waits(descriptor)
        self._one_by_one = anyio.Lock()

    async def write(self, text: str) -> None:
        """Raises BrokenPipeError when nobody reads any more."""
        view = memoryview(text.encode("utf-8", "replace"))
        async with self._one_by_one:
            while view:
                if self._waits:
                    await anyio.wait_writable(self._descriptor)
                with suppress(BlockingIOError):
                    view = view[os.write(self._descriptor, view[:_AT_ONCE]) :]

    async def flush(self) -> None:
        """Nothing waits here."""


class Messages:
    """The lines that are messages of the protocol. Any other is answered here: the library drops it, and whoever sent
    it would wait."""

    def __init__(self, lines: Lines, writer: Writer) -> None:
        self._lines, self._writer = lines, writer

    async def __aiter__(self) -> AsyncIterator[str]:
        """Raises SlowlinkError (``message-too-long``)."""
        async for line in self._lines:
            if (answer := refusal(line)) is None:
                yield line
            elif answer:
                await self._writer.write(answer)


def refusal(line: str) -> str | None:
    """The answer to a line that is no message, without an id: none can be told. Empty for an empty line, None for a
    message. Source: JSON-RPC 2.0, 5.1."""
    from mcp_types import jsonrpc_message_adapter

    if not line.strip():
        return ""
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        code, words = _NO_REQUEST if _is_json(line) else _NO_JSON
        answer = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}
        return json.dumps(answer) + "\n"
    return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@contextmanager
def streams_of_the_protocol() -> Iterator[tuple[Lines, Writer]]:
    """Meanwhile whatever else reads standard input finds its end, and whatever prints goes to standard error."""
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        yield Lines(wire_in), Writer(wire_out)
    finally:
        sys.stdout.flush()
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
        os.close(wire_in)
        os.close(wire_out)


def _waits(descriptor: int) -> bool:
    """Is it a pipe, a socket or a terminal? A selector knows no files and no /dev/null, and they have no need of one:
    what is in them is there, and what goes into them goes at once."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
