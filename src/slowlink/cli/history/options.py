"""Options of commands about the history: where it lies, and which runs of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from slowlink.cli.options import config_option
from slowlink.cli.site_settings import site_settings
from slowlink.errors import SlowlinkError
from slowlink.store.place import OFF, chosen_place

if TYPE_CHECKING:
    from slowlink.store.connect import Store
    from slowlink.store.read import Filter

F = TypeVar("F", bound=Callable[..., object])
_UNITS_S = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_AGO = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([mhdw])")
_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S")


class Moment(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``30d``, ``12h`` ago, or a date in UTC: seconds since the epoch."""

    name = "when"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        ago = _AGO.fullmatch(text)
        seconds = time.time() - float(ago[1]) * _UNITS_S[ago[2]] if ago else _seconds(text)
        if seconds is None:
            self.fail(f"'{text}' is no time: 30d, 12h, 2026-01-31, or 2026-01-31T23:59 (UTC)", param, ctx)
        return seconds


def _seconds(text: str) -> float | None:
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=timezone.utc).timestamp()
        except ValueError:
            continue
    return None


def place_options(function: F) -> F:
    """``--store`` and ``--config``; what is wrong with the place is told before anything of the history is imported."""

    @wraps(function)
    def with_place(**given: Any) -> object:
        place_of(given)
        return function(**given)

    placed = cast("F", with_place)
    for option in (
        config_option,
        click.option("--store", metavar="PLACE", help="Another history: a file of SQLite, or a URL of PostgreSQL."),
    ):
        placed = option(placed)
    return placed


def filter_options(function: F) -> F:
    """Which runs: ``--system --nodes --collective --command --cause --since --until``."""
    for option in (
        click.option("--until", type=Moment(), metavar="WHEN", help="Not later."),
        click.option("--since", type=Moment(), metavar="WHEN", help="Not earlier: 30d, 12h, 2026-01-31 (UTC)."),
        click.option("--cause", metavar="ID", default="", help="Root cause that was found (slowlink rules)."),
        click.option("--command", "of_command", metavar="NAME", default="", help="run, check, watch, snapshot ..."),
        click.option("--collective", metavar="NAME", default="", help="all_reduce ..."),
        click.option("--nodes", "node_set", metavar="SET", default="", help="This very set of nodes: gpu[01-04]."),
        click.option("--system", metavar="ID", default="", help="System of the catalogue: hgx_h100."),
    ):
        function = option(function)
    return function


def filter_of(given: Mapping[str, Any]) -> Filter:
    """What ``filter_options`` said. Raises SlowlinkError for a wrong set of nodes."""
    from slowlink.nodes import expand, fold
    from slowlink.store.read import Filter

    return Filter(
        system=given["system"],
        nodes=fold(expand(given["node_set"])) if given["node_set"] else "",
        collective=given["collective"],
        command=given["of_command"],
        cause=given["cause"],
        since=given["since"],
        until=given["until"],
    )


def place_of(given: Mapping[str, Any]) -> str:
    """Where the history lies. Raises SlowlinkError, also ``history-off`` where none is wanted."""
    config = site_settings(given["config_path"])
    place = chosen_place(given["store"], config.history, os.environ)
    if place == OFF:
        raise SlowlinkError("the history is off", hint="--store FILE names one", slug="history-off")
    return place


@contextmanager
def opened(given: Mapping[str, Any], *, create: bool = False) -> Iterator[Store]:
    """The store, while it is used. Raises SlowlinkError."""
    from slowlink.store.connect import open_store

    store = open_store(place_of(given), create=create)
    try:
        yield store
    finally:
        store.close()
