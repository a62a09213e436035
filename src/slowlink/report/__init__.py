"""Reports: the same answer for a person at a terminal, a ticket, a browser, a pipeline and a script.

A format is one module in this package with a ``FORMAT`` (its name) and a ``render_text``; it is
found by being there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.report import Report


class Renderer(Protocol):
    """What a format's module defines."""

    FORMAT: str

    @staticmethod
    def render_text(report: Report, *, color: bool | None, width: int | None) -> str:
        """The whole document as text. ``color`` and ``width`` mean something to a terminal only."""


@lru_cache(maxsize=1)
def _renderers() -> Mapping[str, Renderer]:
    found: dict[str, Renderer] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "FORMAT"):
            found[module.FORMAT] = module  # type: ignore[assignment]
    return found


def formats() -> tuple[str, ...]:
    """Names of all formats, sorted."""
    return tuple(sorted(_renderers()))


def render(
    report: Report,
    format: str,  # noqa: A002  the word that the command line uses
    *,
    color: bool | None = None,
    width: int | None = None,
) -> str:
    """A report as text in one of ``formats()``.

    ``color`` and ``width`` (columns) are for the terminal; None asks the terminal itself. An unknown format
    is a ``SlowlinkError`` (``format-unknown``).
    """
    renderer = _renderers().get(format)
    if renderer is None:
        raise SlowlinkError(
            f"there is no report format {format!r}",
            hint=f"choose one of {', '.join(formats())}",
            slug="format-unknown",
        )
    return renderer.render_text(report, color=color, width=width)
