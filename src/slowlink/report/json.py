"""The report as JSON (``docs/report.schema.json``), and back again for baselines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct, ValidationError, convert

from slowlink.errors import SlowlinkError
from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.patterns import regex

FORMAT = "json"
SCHEMA = "slowlink.report/1"
"""Name and version of the format. The number changes when a key changes its meaning or goes."""

_VERSION = regex(r"slowlink\.report/([0-9]{1,6})")
_LATE_KEYS = ("message", "rules", "job")
"""Keys that the contract does not list; they follow those that it does."""


def _text(value: str) -> str:
    # A lone surrogate (a byte that was no UTF-8) has no form in UTF-8, so strict readers refuse it.
    return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value


def _plain(value: object) -> object:
    """The value in JSON's own types; what is not finite becomes null."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Struct):
        names = sorted(value.__struct_fields__, key=lambda name: _LATE_KEYS.index(name) if name in _LATE_KEYS else -1)
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {_text(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [_plain(item) for item in sorted(value, key=str)]
    return _text(str(value))


def report_to_dict(report: Report) -> dict[str, Any]:
    """The report as a JSON object: the names and the order of ``docs/report.schema.json``.

    Numbers are finite; NaN and infinities become null.
    """
    return cast("dict[str, Any]", _plain(report))


def plain_json(value: object) -> str:
    """Any of our records as JSON in pure ASCII, written like a report."""
    return json.dumps(_plain(value), indent=2, allow_nan=False) + "\n"


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """JSON in pure ASCII with two spaces of indentation: safe in any terminal, pipe and encoding."""
    del color, width, fail_on
    return plain_json(report)


def _check_version(obj: Mapping[str, Any]) -> None:
    named = obj.get("schema")
    match = _VERSION.fullmatch(named) if isinstance(named, str) else None
    if match is None:
        raise SlowlinkError(
            "this JSON is no slowlink report: its 'schema' is not 'slowlink.report/N'",
            hint="give a file that `slowlink analyze --format json` wrote",
            slug="report-unknown",
        )
    ours = int(SCHEMA.rpartition("/")[2])
    if int(match.group(1)) > ours:
        raise SlowlinkError(
            f"this report has schema {named}, which is newer than the {SCHEMA} that this slowlink reads",
            hint="read it with the version of slowlink that wrote it, or upgrade slowlink",
            slug="report-too-new",
        )


def report_from_json(obj: Mapping[str, Any] | str | bytes) -> Report:
    """A JSON report, as text or decoded, as a ``Report``; for baselines. Unknown keys are ignored.

    An expectation whose value was not finite is left out, since null says nothing. Raises ``SlowlinkError``
    for what is no report (``report-unknown``), is of a newer schema (``report-too-new``) or does not fit the
    schema (``report-invalid``, naming the key).
    """
    if isinstance(obj, str | bytes):
        obj = _decoded(obj)
    if not isinstance(obj, Mapping):
        raise SlowlinkError("this JSON is no slowlink report: it is no object", slug="report-unknown")
    _check_version(obj)
    known = dict(obj)
    if isinstance(known.get("expectations"), list):
        known["expectations"] = [item for item in known["expectations"] if not _has_null(item)]
    try:
        return convert(known, Report)
    except (ValidationError, UnicodeEncodeError) as error:  # half a surrogate pair is no text that a key may have
        raise SlowlinkError(
            f"this report does not fit its schema: {error}",
            hint="slowlink report --schema prints the schema",
            slug="report-invalid",
        ) from error


def _decoded(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SlowlinkError(
            f"this is no JSON: {error}",
            hint="give what `slowlink analyze --format json` wrote, not where it lies",
            slug="report-unknown",
        ) from error


def _has_null(item: object) -> bool:
    return isinstance(item, Mapping) and any(item.get(key) is None for key in ("value", "low", "high"))
