"""From the arguments of a call to the bytes of its answer. Whatever happens, the answer says it in words."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import Struct, ValidationError, convert
from msgspec import json as fast_json

from slowlink.errors import SlowlinkError
from slowlink.workflows.agents.outgoing import outgoing, outgoing_text
from slowlink.workflows.agents.reports import Readable
from slowlink.workflows.agents.tools import AgentTool


class Reply(Struct, frozen=True):
    """What one call gave."""

    answer: dict[str, object] | None = None
    error: str = ""
    """Why there is no answer, and what to try."""


def reply(tool: AgentTool, arguments: Mapping[str, object], readable: Readable) -> bytes:
    """A ``Reply`` as JSON: redacted, bounded, and without what a terminal would obey."""
    try:
        return fast_json.encode(Reply(outgoing(tool.answer(convert(arguments, tool.asked), readable))))
    except ValidationError as wrong:
        return _error(f"these arguments do not fit the tool {tool.name}: {wrong}")
    except SlowlinkError as told:
        return _error(told.message + (f" ({told.hint})" if told.hint else ""))
    except MemoryError:
        return _error("there is not enough memory for this; give it less to read")
    except Exception as defect:  # noqa: BLE001  (its text may quote a log; where it is says enough)
        return _error(f"a defect of slowlink ({type(defect).__name__} in {_place(defect)}; please report it)")


def answer_text(answer: Mapping[str, object]) -> str:
    """The answer for clients that show texts alone. As JSON: no text of a log can look like a part of it."""
    return json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False)


def _error(text: str) -> bytes:
    return fast_json.encode(Reply(error=outgoing_text(text)))


def _place(defect: Exception) -> str:
    at = defect.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return f"{at.tb_frame.f_globals.get('__name__', '?')}:{at.tb_lineno}" if at is not None else "?"
