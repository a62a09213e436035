"""A bundle that is gone on with: what was not finished in it is taken out, and it can be written again."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from slowlink.bundle import disk
from slowlink.bundle.paths import safe_relative
from slowlink.bundle.reader import read_bundle
from slowlink.bundle.writer import BundleWriter
from slowlink.errors import SlowlinkError
from slowlink.model.bundle import CAPTURES_NAME, SUMS_NAME, Manifest
from slowlink.model.plan import Capture


def own_manifest(directory: Path) -> Manifest:
    """The manifest of a bundle of ours. Raises SlowlinkError: ``bundle-not-found``, ``bundle-not-ours`` (an archive, or
    somebody else's: what is gone on with is run), ``bundle-anonymized``, ``bundle-damaged`` (also links among its
    captures: slowlink makes none, and what they lead to would be removed and written over)."""
    if directory.exists() and not directory.is_dir():
        raise SlowlinkError(f"{directory} is no directory", hint="unpack it first", slug="bundle-not-ours")
    manifest = read_bundle(directory).manifest
    if directory.stat().st_uid != os.geteuid():
        raise SlowlinkError(
            f"{directory} belongs to another user, and what it says would be run",
            hint="begin anew, into a bundle of your own",
            slug="bundle-not-ours",
        )
    if manifest is None or any(safe_relative(each.name) != each.name for each in manifest.captures):
        raise SlowlinkError(f"the manifest of {directory} is damaged", hint="begin anew", slug="bundle-damaged")
    if found := _no_file_of_ours(directory):
        raise SlowlinkError(
            f"{found} is neither a file nor a folder: slowlink did not make it",
            hint="begin anew",
            slug="bundle-damaged",
        )
    if manifest.anonymized:
        raise SlowlinkError(
            f"the names of nodes in {directory} were replaced", hint="begin anew", slug="bundle-anonymized"
        )
    return manifest


def _no_file_of_ours(directory: Path) -> str:
    """A link, a pipe or the like among the captures, or in the place of their folder; "" where there is none."""
    top = directory / CAPTURES_NAME
    if not stat.S_ISDIR(_kind_at(CAPTURES_NAME, directory)):
        return str(top)
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            if not (stat.S_ISDIR(mode := _kind_at(name, Path(folder))) or stat.S_ISREG(mode)):
                return str(Path(folder, name))
    return ""


def _kind_at(name: str, folder: Path) -> int:
    try:
        return (folder / name).lstat().st_mode
    except OSError:
        return stat.S_IFDIR  # it is not there: nothing was captured yet


def _remove_others(directory: Path, kept: Collection[str]) -> None:
    """Files of captures that are not kept; also those that the manifest of a killed run does not know yet. Each folder
    is opened below the one above it and never through a link, also where one is put there meanwhile."""
    if not (directory / CAPTURES_NAME).exists():
        return
    top = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder, folders, names, inside in os.fwalk(CAPTURES_NAME, topdown=False, dir_fd=top):
            for name in names:
                if f"{folder}/{name}" not in kept:
                    os.unlink(name, dir_fd=inside)
            for name in folders:
                with suppress(OSError):
                    os.rmdir(name, dir_fd=inside)  # goes where it is empty
    finally:
        os.close(top)


def reopened(directory: Path, keep: Callable[[Capture], bool], command: Sequence[str] = ()) -> BundleWriter:
    """A writer that goes on with the bundle in ``directory``; captures that are not to be kept are removed from it.

    Raises SlowlinkError as ``own_manifest``, and when the disk does not take it.
    """
    manifest = own_manifest(directory)
    kept = tuple(capture for capture in manifest.captures if keep(capture))
    try:
        _remove_others(directory, {path for capture in kept for path in capture.files})
        (directory / SUMS_NAME).unlink(missing_ok=True)
    except OSError as problem:
        raise disk.trouble(problem, directory) from problem
    writer = BundleWriter(directory, command=command, known=replace(manifest, captures=kept, finished=None))
    writer.redaction.learn(manifest.nodes)
    return writer
