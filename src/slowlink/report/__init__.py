"""Reports: the same answer for a person at a terminal, a ticket, a browser, a pipeline and a script.

A format is one module in this package, named as the format, with a ``FORMAT`` (the name again) and a ``render_text``;
it is found by being there, and loaded when it is asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

from slowlink.errors import SlowlinkError
from slowlink.exits import DEFAULT_FAIL_ON

if TYPE_CHECKING:
    from slowlink.model.report import Report


class Renderer(Protocol):
    """What a format's module defines."""

    FORMAT: str

    @staticmethod
    def render_text(report: Report, *, color: bool | None, width: int | None, fail_on: str) -> str:
        """The whole document as text. ``color`` and ``width`` mean something to a terminal only, ``fail_on`` to a
        format that says whether a pipeline may go on."""


def _modules() -> list[str]:
    return [info.name for info in pkgutil.iter_modules(__path__)]


def _renderer(name: str) -> Renderer | None:
    """The module of the format ``name``; None for a name of no module, or of one that is no format."""
    if name not in _modules():
        return None
    module = importlib.import_module(f"{__name__}.{name}")
    return cast("Renderer", module) if getattr(module, "FORMAT", None) == name else None


def formats() -> tuple[str, ...]:
    """Names of all formats, sorted."""
    return tuple(sorted(name for name in _modules() if _renderer(name) is not None))


def render(
    report: Report,
    format: str,  # noqa: A002  the word that the command line uses
    *,
    color: bool | None = None,
    width: int | None = None,
    fail_on: str = DEFAULT_FAIL_ON,
) -> str:
    """A report as text in one of ``formats()``.

    ``color`` and ``width`` (columns) are for the terminal; None asks the terminal itself. ``fail_on``: the least
    severity that fails, for the formats that a pipeline reads as passed or failed (JUnit). An unknown format
    is a ``SlowlinkError`` (``format-unknown``).
    """
    renderer = _renderer(format)
    if renderer is None:
        raise SlowlinkError(
            f"there is no report format {format!r}",
            hint=f"choose one of {', '.join(formats())}",
            slug="format-unknown",
        )
    return renderer.render_text(report, color=color, width=width, fail_on=fail_on)
