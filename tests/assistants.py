"""Assistants as tests play them: a real server over stdio, asked by the official library's own client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Call = tuple[str, dict[str, Any]]
COMMAND = ("-m", "slowlink", "mcp")
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


def asked(roots: Sequence[Path], calls: Sequence[Call], *options: str, side_by_side: bool = False) -> list[Any]:
    """The result of each call, in order. The client holds structured answers against the schemas of their tools."""
    import anyio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    arguments = [*COMMAND, *(word for root in roots for word in ("--root", str(root))), *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    results: dict[int, Any] = {}

    async def one(session: Any, number: int) -> None:
        results[number] = await session.call_tool(*calls[number])

    async def talk() -> None:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            if side_by_side:
                async with anyio.create_task_group() as tasks:
                    for number in range(len(calls)):
                        tasks.start_soon(one, session, number)
            else:
                for number in range(len(calls)):
                    await one(session, number)

    anyio.run(talk)
    return [results[number] for number in range(len(calls))]


def told(result: Any) -> str:
    """The text of an answer or of an error."""
    assert len(result.content) == 1
    return str(result.content[0].text)


def started(root: Path, *options: str, program: Sequence[str] = COMMAND) -> subprocess.Popen[bytes]:
    """A server to which a test writes what it likes."""
    return subprocess.Popen(
        [sys.executable, *program, "--root", str(root), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def request(number: int, method: str, parameters: dict[str, Any]) -> bytes:
    """One line of the protocol."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode() + b"\n"


def begin(server: subprocess.Popen[bytes]) -> None:
    """Shake hands."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(request(0, "initialize", INITIALIZE))
    server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "slowlink"
