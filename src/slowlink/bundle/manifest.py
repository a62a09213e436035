"""The manifest as JSON and back. Writing is exact; reading takes what makes sense and says what does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from slowlink.errors import SlowlinkError
from slowlink.model.bundle import SCHEMA, SCHEMA_FAMILY, SCHEMA_VERSION, Manifest
from slowlink.model.plan import Capture, Ended, Plan, PlannedFile, Step


def manifest_text(manifest: Manifest) -> str:
    """``manifest`` as it stands in the file: JSON of schema ``slowlink.bundle/1``, two spaces deep."""
    return json.dumps({"schema": SCHEMA, **to_builtins(manifest)}, indent=2, ensure_ascii=True) + "\n"


def schema_version(value: object) -> int | None:
    """The version of the bundle schema that a decoded JSON value names; None when it is no manifest."""
    if not isinstance(value, Mapping):
        return None
    schema = value.get("schema")
    if not isinstance(schema, str) or not schema.startswith(SCHEMA_FAMILY):
        return None
    number = schema[len(SCHEMA_FAMILY) :]
    return int(number) if number.isdecimal() and len(number) < 6 else None


def manifest_from(value: object) -> Manifest:
    """A decoded manifest; parts that are damaged are left out.

    Raises SlowlinkError: ``bundle-newer`` for a later schema, ``bundle-manifest`` for what is no manifest at all.
    """
    version = schema_version(value)
    if version is None or not isinstance(value, Mapping):
        raise SlowlinkError(
            "the manifest is not one of slowlink's", hint="its 'schema' must be " + SCHEMA, slug="bundle-manifest"
        )
    if version > SCHEMA_VERSION:
        raise SlowlinkError(
            f"the bundle has schema {SCHEMA_FAMILY}{version}; this slowlink reads up to {SCHEMA}",
            hint="update slowlink; its logs can still be analyzed one by one",
            slug="bundle-newer",
        )
    return Manifest(
        slowlink=_text(value.get("slowlink")) or "",
        created=_text(value.get("created")) or "",
        command=_texts(value.get("command")),
        plan=_plan(value.get("plan")),
        nodes=_texts(value.get("nodes")),
        captures=tuple(capture for item in _items(value.get("captures")) if (capture := _capture(item)) is not None),
        redacted={name: count for name, count in _mapping(value.get("redacted")).items() if type(count) is int},
        anonymized=value.get("anonymized") is True,
        finished=_text(value.get("finished")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in _items(value) if isinstance(item, str))


def _mapping(value: object) -> dict[str, Any]:
    return {key: item for key, item in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def _env(value: object) -> dict[str, str]:
    return {key: item for key, item in _mapping(value).items() if isinstance(item, str)}


def _number(value: object) -> float | None:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15
    return float(value) if usable else None  # type: ignore[arg-type]


def _integer(value: object) -> int | None:
    return value if type(value) is int and abs(value) < 1 << 40 else None


def _capture(value: object) -> Capture | None:
    found = _mapping(value)
    name, kind = _text(found.get("name")), _text(found.get("kind"))
    if name is None:
        return None
    return Capture(
        name=name,
        kind="command" if kind is None else kind,
        argv=_texts(found.get("argv")),
        node=_text(found.get("node")),
        files=_texts(found.get("files")),
        ended=_ended(found.get("ended")),
        env=_env(found.get("env")),
    )


def _ended(value: object) -> Ended | None:
    found = _mapping(value)
    reason = _text(found.get("reason"))
    if reason is None:
        return None
    return Ended(
        status=_integer(found.get("status")),
        signal=_integer(found.get("signal")),
        reason=reason,
        started_at=_number(found.get("started_at")) or 0.0,
        seconds=_number(found.get("seconds")) or 0.0,
        detail=_text(found.get("detail")) or "",
        nodes=_texts(found.get("nodes")),
    )


def _plan(value: object) -> Plan | None:
    found = _mapping(value)
    launcher = _text(found.get("launcher"))
    if launcher is None:
        return None
    return Plan(
        launcher=launcher,
        argv=_texts(found.get("argv")),
        env=_env(found.get("env")),
        files=tuple(_planned_file(_mapping(item)) for item in _items(found.get("files"))),
        stdin=_text(found.get("stdin")),
        timeout_s=_number(found.get("timeout_s")),
        prepare=_steps(found.get("prepare")),
        cleanup=_steps(found.get("cleanup")),
        nodes=_texts(found.get("nodes")),
        note=_text(found.get("note")) or "",
    )


def _planned_file(found: dict[str, Any]) -> PlannedFile:
    mode = _integer(found.get("mode"))
    return PlannedFile(
        _text(found.get("path")) or "", _text(found.get("content")) or "", 0o600 if mode is None else mode
    )


def _steps(value: object) -> tuple[Step, ...]:
    found = (_mapping(item) for item in _items(value))
    return tuple(Step(_texts(step.get("argv")), _number(step.get("timeout_s"))) for step in found)
