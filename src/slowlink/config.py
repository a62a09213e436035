"""``slowlink.toml``: what a site knows better than the catalogue.

system = "hgx_h100"
nics = "8x400"

[rules.pair-survey]
slow_share = 0.95
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, get_args, get_type_hints

from msgspec import Struct, ValidationError, convert, field

from slowlink.errors import SlowlinkError
from slowlink.inputs.small_toml import small_toml

FILE_NAME = "slowlink.toml"
T = TypeVar("T")


class Config(Struct, frozen=True):
    """The settings of a site; everything has a default."""

    system: str | None = None
    gpu: str | None = None
    gpus_per_node: int | None = None
    nics: str | None = None
    history: str | None = None
    """A file of SQLite, a URL of PostgreSQL, or ``off``."""
    policy: str | None = None
    """File of what nodes must be (``slowlink policy from NODE``)."""
    rules: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Tolerances by rule id."""


def load_config(path: str | None) -> Config:
    """The configuration of ``path``, of ``slowlink.toml`` in the current directory, or the defaults.

    Raises SlowlinkError when a named file is not there, or when a key or a type is wrong; the message names the key.
    """
    file = Path(path) if path is not None else Path(FILE_NAME)
    # access() first: is_file() raises in a working directory that is locked, as root's is behind `su`.
    if path is None and not (os.access(file, os.F_OK) and file.is_file()):
        return Config()
    try:
        data = small_toml(file)
    except (OSError, UnicodeDecodeError) as error:
        raise SlowlinkError(
            f"cannot read the configuration {file}: {error}",
            hint="give another file with --config",
            slug="config-unreadable",
        ) from error
    except ValueError as error:
        raise SlowlinkError(f"{file} is not valid TOML: {error}", slug="config-invalid") from error
    return checked(Config, data, str(file))


def checked(kind: type[T], values: Mapping[str, object], where: str) -> T:
    """``kind(**values)``, after each value was held against the type of its field.

    Raises SlowlinkError for an unknown key or a value of another type; its message begins with ``where``.
    """
    hints = get_type_hints(kind)
    for name, value in values.items():
        if name not in hints:
            known = ", ".join(hints)
            raise SlowlinkError(f"{where}: unknown key '{name}'", hint=f"known keys: {known}", slug="config-invalid")
        try:
            convert(value, hints[name])
        except ValidationError as error:
            said, _, _ = str(error).partition(" - at ")
            raise SlowlinkError(
                f"{where}: {_misfit(name, value, hints[name])}: {said}", slug="config-invalid"
            ) from error
    return kind(**values)


def _misfit(key: str, value: object, hint: object) -> str:
    """The dotted key of what does not fit: the table's own, or the first in it that is wrong."""
    inner = get_args(hint)
    if isinstance(value, Mapping) and len(inner) == len(("key", "value")):
        for name, item in value.items():
            try:
                convert(item, inner[1])
            except ValidationError:
                return _misfit(f"{key}.{name}", item, inner[1])
    return key
