"""Templates, style sheets and scripts of pages, and what fills templates in: whatever is put into one is escaped."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def resource(name: str) -> str:
    """One of our templates, style sheets or scripts."""
    return (resources.files("slowlink.report") / "templates" / name).read_text(encoding="utf-8")


def new_environment(finalize: Callable[[object], object] | None = None) -> Environment:
    """A name that nobody gave a value is an error. ``finalize``: what becomes of each value before it is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
