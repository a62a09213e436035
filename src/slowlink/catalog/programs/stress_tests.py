"""Programs that load GPUs on purpose, from ``stress_tests.toml``."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args

from msgspec import Struct

from slowlink.catalog.load import CatalogueError, table

Kind = Literal["diagnostic", "benchmark"]

_KEPT = 15
"""Characters of a name that the kernel keeps (TASK_COMM_LEN without the closing zero)."""


class Suite(Struct, frozen=True):
    """One entry of ``stress_tests.toml``: programs that come together."""

    id: str
    kind: Kind
    names: tuple[str, ...]
    """In lower case."""


def suite_of(program: str) -> Suite | None:
    """Where a program belongs, by its base name; None for one that is not in the catalogue."""
    name = program.lower()
    return next((suite for suite in _suites() if any(_is(name, known) for known in suite.names)), None)


def is_stress_test(program: str) -> bool:
    """Is it a diagnostic or a burn-in test, which has no business beside a job?"""
    suite = suite_of(program)
    return suite is not None and suite.kind == "diagnostic"


def _is(name: str, known: str) -> bool:
    """The name itself, with a version or an ending behind it, or cut by the kernel."""
    if name.startswith(known):
        return not name[len(known) : len(known) + 1].isalpha()
    return len(name) >= _KEPT and name == known[: len(name)]


@cache
def _suites() -> tuple[Suite, ...]:
    return tuple(_suite(name, entry) for name, entry in table("programs/stress_tests.toml").items())


def _suite(name: str, entry: dict[str, Any]) -> Suite:
    if entry["kind"] not in get_args(Kind):
        raise CatalogueError(f"stress_tests.toml: {name}: unknown kind {entry['kind']!r}")
    return Suite(name, entry["kind"], tuple(each.lower() for each in entry["names"]))
