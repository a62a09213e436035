"""Plain values of node state for ``Report.facts``: a module a topic with ``summarise(state)``, found by being here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.model.facts import State


@cache
def _topics() -> tuple[Callable[[State], dict[str, object]], ...]:
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    return tuple(module.summarise for module in modules)


def summarise_state(state: State | None) -> dict[str, object]:
    """Values by name (text, numbers, lists and dicts of them); nothing when no state was collected."""
    values: dict[str, object] = {}
    if state is not None:
        for summarise in _topics():
            values.update(summarise(state))
    return values
