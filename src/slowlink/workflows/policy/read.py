"""A policy from its file, each name and value of it checked: a word misspelt must not be a check that never runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from slowlink.catalog.attributes import all_attributes
from slowlink.collectors.catalogue import all_collectors
from slowlink.errors import SlowlinkError
from slowlink.facts.policy import parts_of
from slowlink.inputs.small_toml import small_toml
from slowlink.model.policy import ALL_PARTS, COUNT, Expected, Policy
from slowlink.model.state import Value

SCHEMA = "slowlink.policy/1"
_HEAD = ("schema", "written_from", "written_at", "collectors")
_BOUNDS = {"at_least", "at_most"}
_MOST_NUMBER = 1 << 63


def read_policy(path: Path) -> Policy:
    """The policy of a file. Raises SlowlinkError: ``policy-unreadable``, and ``policy-invalid`` for what is none; the
    message names the key."""
    try:
        document = small_toml(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SlowlinkError(
            f"cannot read the policy {path}: {error}",
            hint="slowlink policy from NODE -o FILE writes one",
            slug="policy-unreadable",
        ) from error
    except ValueError as error:
        raise _invalid(path, f"it is not valid TOML: {error}") from error
    if document.get("schema") != SCHEMA:
        raise _invalid(path, f'it does not begin with schema = "{SCHEMA}"')
    tables = {name: table for name, table in document.items() if name not in _HEAD}
    expected = tuple(each for kind, table in tables.items() for each in _of_kind(path, kind, table))
    if not expected:
        raise _invalid(path, "it expects nothing, and a check of nothing passes always")
    return Policy(str(path), expected, _collectors(path, document.get("collectors", [])))


def _collectors(path: Path, names: object) -> tuple[str, ...]:
    known = {each.name for each in all_collectors()}
    if not isinstance(names, list) or not all(isinstance(name, str) and name in known for name in names):
        raise _invalid(path, "collectors is no list of what slowlink snapshot --list shows")
    return tuple(names)


def _of_kind(path: Path, kind: str, table: object) -> Iterator[Expected]:
    kinds = {each.part for each in all_attributes().values()}
    if kind not in kinds:
        raise _invalid(path, f"there is no kind of part {kind[:80]!r}{_nearest(kind, kinds)}")
    if not isinstance(table, Mapping):
        raise _invalid(path, f"{kind} is no table")
    for name, value in table.items():
        if isinstance(value, Mapping) and value.keys() & all_attributes().keys():
            yield from _of_parts(path, kind, name, value)  # also of a part that is called as an attribute is
        elif name == COUNT or name in all_attributes():
            yield _expected(path, f"{kind}.{name}", Expected(name, kind, ALL_PARTS), value)
        elif isinstance(value, Mapping) and not _BOUNDS & value.keys():
            yield from _of_parts(path, kind, name, value)
        else:
            known = [each.id for each in all_attributes().values()]
            raise _invalid(path, f"{kind}.{name[:80]}: there is no such attribute{_nearest(name, known)}")


def _of_parts(path: Path, kind: str, parts: str, table: Mapping[str, Any]) -> Iterator[Expected]:
    where = f'{kind}."{parts[:80]}"'
    try:
        parts_of(parts)
    except SlowlinkError as error:
        raise _invalid(path, f"{where}: {error.message}") from error
    for name, value in table.items():
        if name not in all_attributes():
            raise _invalid(path, f"{where}.{name[:80]}: there is no such attribute{_nearest(name, all_attributes())}")
        yield _expected(path, f"{where}.{name}", Expected(name, kind, parts), value)


def _expected(path: Path, where: str, what: Expected, value: object) -> Expected:
    if isinstance(value, Mapping):
        if not value or not value.keys() <= _BOUNDS or not all(map(_is_bound, value.values())):
            raise _invalid(
                path,
                f"{where}: a bound is {{ at_least = VALUE, at_most = VALUE }}, one of them or both, and has a number",
            )
        return Expected(what.attribute, what.kind, what.parts, (), value.get("at_least"), value.get("at_most"))
    values = tuple(value) if isinstance(value, list) else (value,)
    if not values or not all(map(_is_value, values)):
        raise _invalid(path, f"{where}: a value is a text, a number, true or false, or a list of these")
    return Expected(what.attribute, what.kind, what.parts, values)


def _is_value(value: object) -> bool:
    return isinstance(value, Value) and (not isinstance(value, int) or abs(value) < _MOST_NUMBER)


def _is_bound(value: object) -> bool:
    """What has no number in it would be neither above nor below anything."""
    return _is_value(value) and any(each.isdecimal() for each in str(value))


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _invalid(path: Path, why: str) -> SlowlinkError:
    return SlowlinkError(f"{path} is no policy: {why}", hint="docs/policy.md has the form", slug="policy-invalid")
