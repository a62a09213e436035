"""The settings of the site that a command works with, and a word on standard error where nobody asked for them: a
``slowlink.toml`` in the current directory may be a stranger's, and it can change what counts as healthy."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from slowlink.cli.pipes import note
from slowlink.config import FILE_NAME, Config, load_config


def site_settings(path: str | None) -> Config:
    """The configuration of ``path``; without one that of the current directory, where it is ours or root's.

    Raises SlowlinkError as ``load_config`` does.
    """
    if path is None and os.access(FILE_NAME, os.F_OK) and Path(FILE_NAME).is_file():
        found = Path(FILE_NAME).resolve()
        if why := _why_not_ours(found):
            note(f"slowlink: {found} {why} and was not read; --config reads it")
            return Config()
        settings = load_config(None)
        kept = f", which keep reports in {_without_login(settings.history)}" if settings.history else ""
        note(f"slowlink: with the settings of {found}{kept}")
        return settings
    return load_config(path)


def _why_not_ours(found: Path) -> str:
    """Who else may have said what ``found`` says, or that it is read here: a link may be another user's, too."""
    file = found.stat()
    if {file.st_uid, Path(FILE_NAME).lstat().st_uid} - {os.geteuid(), 0}:
        return "is another user's"
    return "may be written by everybody" if file.st_mode & stat.S_IWOTH else ""


def _without_login(place: str) -> str:
    """Where a history is, without the name and the password in its URL."""
    scheme, found, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if found else place
