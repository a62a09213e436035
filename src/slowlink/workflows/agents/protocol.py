"""The Model Context Protocol over standard input and output, by its official library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

import msgspec

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.report.schema import answer_schema, question_schema
from slowlink.workflows.agents.outgoing import outgoing_text
from slowlink.workflows.agents.replies import Reply, answer_text, reply
from slowlink.workflows.agents.reports import Readable
from slowlink.workflows.agents.tools import INSTRUCTIONS, TOOLS, AgentTool

if TYPE_CHECKING:
    import asyncio

    import anyio
    import mcp_types
    from mcp.server.lowlevel import Server

_SHORT = 4
"""Questions that read no file, at the same time. Those that do come one after another: each may take what one command
may take of the machine."""


def require_library() -> None:
    """Raises SlowlinkError ``mcp-extra`` where it is not installed."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise SlowlinkError(
            "slowlink mcp needs the package mcp, which is not installed here",
            hint="pip install 'slowlink[mcp]'",
            slug="mcp-extra",
        )


def serve(readable: Readable, seconds: float) -> None:
    """Answer until standard input ends or nobody reads standard output; each question has ``seconds``.

    Raises SlowlinkError where a message is too long, and KeyboardInterrupt.
    """
    import anyio

    # Relative paths are below the first root, for questions and for whatever looks beside an open file.
    os.chdir(readable.beneath.directories[0])
    with suppress(BrokenPipeError, ConnectionResetError):
        try:
            anyio.run(_serve, readable, seconds)
        except BaseException as ended:  # noqa: BLE001  (it is raised again)
            raise _innermost(ended) from None


async def _serve(readable: Readable, seconds: float) -> None:
    import asyncio

    from mcp.server.stdio import stdio_server

    from slowlink.workflows.agents.standard_streams import Messages, streams_of_the_protocol

    asyncio.get_running_loop().set_exception_handler(told_by_the_loop)
    server = _server(readable, seconds)
    with streams_of_the_protocol() as (lines, writer):
        async with stdio_server(cast("Any", Messages(lines, writer)), cast("Any", writer)) as (
            read_stream,
            write_stream,
        ):
            await server.run(read_stream, write_stream, server.create_initialization_options())


def told_by_the_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An interrupt that comes while tasks are being ended is told by whoever ends, not by a traceback as well."""
    ended = context.get("exception")
    if not isinstance(ended, BaseException) or not isinstance(_innermost(ended), KeyboardInterrupt):
        loop.default_exception_handler(context)


def _innermost(ended: BaseException) -> BaseException:
    """What ended the tasks; the library puts it into groups."""
    while inner := getattr(ended, "exceptions", None):
        ended = inner[0]
    return ended


def _server(readable: Readable, seconds: float) -> Server[Any]:
    import anyio
    from mcp.server.lowlevel import Server
    from mcp_types import ListToolsResult

    reading, short = anyio.CapacityLimiter(1), anyio.CapacityLimiter(_SHORT)

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])

    async def call_tool(_context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            return _failed(f"there is no tool {params.name[:100]!r}; there are {', '.join(TOOLS)}")
        return await _called(tool, params.arguments or {}, readable, seconds, reading if tool.reads else short)

    return Server(
        "slowlink",
        version=__version__,
        title="slowlink",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: AgentTool) -> mcp_types.Tool:
    from mcp_types import Tool, ToolAnnotations

    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=question_schema(tool.asked),
        output_schema=answer_schema(tool.answered),
        annotations=ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


async def _called(
    tool: AgentTool, arguments: Mapping[str, object], readable: Readable, seconds: float, places: anyio.CapacityLimiter
) -> mcp_types.CallToolResult:
    from mcp_types import CallToolResult, TextContent

    from slowlink.workflows.agents.apart import done_apart

    try:
        async with places:
            data = await done_apart(partial(reply, tool, arguments, readable), seconds)
    except SlowlinkError as told:
        return _failed(f"{told.message} ({told.hint})")
    found = msgspec.json.decode(data, type=Reply)
    if found.answer is None:
        return _failed(found.error)
    return CallToolResult(
        content=[TextContent(type="text", text=answer_text(found.answer))], structured_content=found.answer
    )


def _failed(why: str) -> mcp_types.CallToolResult:
    from mcp_types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(type="text", text=outgoing_text(why))], is_error=True)
