"""A bundle as one file, and back. Unpacking trusts nothing: an archive may come from anywhere."""

from __future__ import annotations

import secrets
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from msgspec import Struct

from slowlink.bundle import disk
from slowlink.bundle.paths import LONGEST_PATH
from slowlink.bundle.sums import entries_of, opened
from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import Entry
from slowlink.inputs.stream import ONLY_SUMMED, UNBOUNDED, Budget, ByteStream, DamagedError
from slowlink.inputs.tar import is_tar, tar_members
from slowlink.inputs.unpack import compression, unpacked
from slowlink.model.bundle import MANIFEST_NAME, SUMS_NAME

SUFFIXES = (".tar.zst", ".tar.gz", ".tgz")
_SCRATCH = ".unpacking-"
MOST_BYTES = 64 << 30
LeftOut = Callable[[str, str], None]
"""Is told of a file that stays out: its name, and why."""
DEEPEST = 12
"""Directories above a member."""


class Unpacked(Struct, frozen=True):
    """What came out of an archive."""

    directory: Path
    files: int
    size_bytes: int
    left_out: tuple[tuple[str, str], ...]
    """Members that were not unpacked: name as Python writes it, and why."""


def pack(directory: Path, target: Path, left_out: LeftOut = lambda _name, _why: None) -> Path:
    """Write the bundle ``directory`` to ``target`` (``.tar.zst``, ``.tar.gz``), which must not be there yet.

    ``left_out`` is told of links and pipes, and why they stay out. Raises SlowlinkError: ``bundle-not-found``,
    ``bundle-unreadable``, ``archive-suffix``, ``archive-exists``, ``disk-full``.
    """
    if not any(name == MANIFEST_NAME and not entry.problem for name, entry in entries_of(directory)):
        raise SlowlinkError(
            f"{directory} is no bundle: it has no {MANIFEST_NAME}",
            hint="name a directory that slowlink wrote",
            slug="bundle-not-found",
        )
    if not target.name.endswith(SUFFIXES):
        raise SlowlinkError(
            f"cannot tell the format of {target.name}",
            hint=f"its name must end in {' or '.join(SUFFIXES[:2])}",
            slug="archive-suffix",
        )
    try:
        with disk.nothing_stays(), disk.whole_file(target) as file, _compressed(file, target.name) as stream:
            _write_members(directory, stream, left_out)
    except FileExistsError as problem:
        raise SlowlinkError(
            f"{target} is there already", hint="name another file with --output", slug="archive-exists"
        ) from problem
    return target


@contextmanager
def _compressed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if name.endswith(".zst"):
        import zstandard

        with zstandard.ZstdCompressor(level=9).stream_writer(file, closefd=False) as stream:
            yield cast("IO[bytes]", stream)
    else:
        import gzip

        with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as stream:
            yield cast("IO[bytes]", stream)


def _write_members(directory: Path, stream: IO[bytes], left_out: LeftOut) -> None:
    """The manifest first, so that a reader of the stream knows what follows. Owners and times are not kept."""
    top = directory.resolve().name.lstrip("-") or "bundle"  # what begins so is an option to what is started beside it
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for first in (MANIFEST_NAME, SUMS_NAME):
            firsts = ((name, entry) for name, entry in entries_of(directory) if name == first)
            _add(archive, top, directory, firsts, left_out)
        others = ((name, entry) for name, entry in entries_of(directory) if name not in (MANIFEST_NAME, SUMS_NAME))
        _add(archive, top, directory, others, left_out)


class _Whole:
    """A file that is as long as it was when it was opened."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name

    def read(self, size: int) -> bytes:
        """Exactly so much. Raises SlowlinkError: ``bundle-unreadable``."""
        data = self._file.read(size)
        if len(data) < size:
            raise SlowlinkError(
                f"{self._name} became shorter while it was packed",
                hint="something still writes there: pack it when that has ended",
                slug="bundle-unreadable",
            )
        return data


def _add(
    archive: tarfile.TarFile, top: str, directory: Path, entries: Iterable[tuple[str, Entry]], left_out: LeftOut
) -> None:
    for name, entry in entries:
        if entry.problem and not entry.partial:
            left_out(name, entry.problem)  # a link, a pipe
            continue
        with opened(directory / name, entry) as (file, size):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mode = size, 0o600
            archive.addfile(member, cast("IO[bytes]", _Whole(file, name)))


def unpack(archive: Path, parent: Path, budget: Budget | None = None) -> Unpacked:
    """Unpack ``archive`` to a new directory in ``parent``.

    Regular files only, with safe names, below one directory that was not there before. Raises SlowlinkError:
    ``input-not-found``, ``archive-damaged`` (nothing is left behind then), ``archive-exists``, ``disk-full``.
    """
    budget = budget or Budget(
        total_bytes=MOST_BYTES, share_of_bytes=ONLY_SUMMED, share_of_lines=UNBOUNDED, share_of_members=UNBOUNDED
    )
    try:
        file = archive.open("rb")
    except OSError as problem:
        raise SlowlinkError(
            f"cannot open {archive}: {problem.strerror}", hint="check the path", slug="input-not-found"
        ) from problem
    with file, disk.nothing_stays():
        return _into_place(archive, ByteStream(_pieces(file, budget)), parent, budget)


def _pieces(file: IO[bytes], budget: Budget) -> Iterator[bytes]:
    while data := file.read(disk.PIECE):
        budget.packed += len(data)
        yield data


def _into_place(archive: Path, stream: ByteStream, parent: Path, budget: Budget) -> Unpacked:
    """Unpack beside the final place, then rename: what is at the final place is always whole."""
    scratch = parent / f"{_SCRATCH}{secrets.token_hex(8)}"
    missing = [each for each in (parent, *parent.parents) if not each.exists()]
    try:
        parent.mkdir(parents=True, exist_ok=True)
        disk.forget_directories(parent, _SCRATCH)
        scratch.mkdir(mode=0o700)
        members = _Members(scratch)
        members.take_all(archive, stream, budget)
        top = members.top()
        final = parent / (top or _stem(archive))
        if final.exists() or final.is_symlink():
            raise SlowlinkError(f"{final} is there already", hint="choose another place with -C", slug="archive-exists")
        (scratch / top).rename(final)
    except OSError as problem:
        raise disk.trouble(problem, parent) from problem
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):  # they hold what was unpacked
            for made in missing:
                made.rmdir()
    return Unpacked(final, len(members.taken), members.size_bytes, tuple(members.left_out))


def _stem(archive: Path) -> str:
    name = archive.name
    for suffix in (*SUFFIXES, ".tar"):
        name = name.removesuffix(suffix)
    return name if name != archive.name else f"{name}-unpacked"


class _Members:
    """The members of one archive, written below ``scratch``."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self.taken: set[str] = set()
        self._folders: set[str] = set()
        self.left_out: list[tuple[str, str]] = []
        self.size_bytes = 0

    def take_all(self, archive: Path, stream: ByteStream, budget: Budget) -> None:
        """Write every member that is safe."""
        try:
            if compression(stream):
                stream = ByteStream(unpacked(stream, budget))
            if not is_tar(stream):
                raise DamagedError("it is no tar archive")
            for name, _, body in tar_members(stream, budget, self._leave_out):
                self._take(name, body, budget)
        except DamagedError as problem:
            raise SlowlinkError(
                f"cannot unpack {archive}: {problem}",
                hint="nothing was unpacked; slowlink analyze reads what is left of it",
                slug="archive-damaged",
            ) from problem

    def _take(self, name: str, body: ByteStream, budget: Budget) -> None:
        why = self._objection(name)
        if why:
            self._leave_out(name, why)
            return
        self.taken.add(name)
        parts = name.split("/")
        for folder in ("/".join(parts[:count]) for count in range(1, len(parts))):
            if folder not in self._folders:
                budget.member()  # each takes room on the disk, as a file does
                self._folders.add(folder)
        with disk.open_new(self._scratch / name) as file:
            for piece in body:
                self.size_bytes += len(piece)
                file.write(piece)

    def _objection(self, name: str) -> str:
        parts = name.split("/")
        if not name or not name.isprintable() or "\\" in name or "\ufffd" in name:
            return "odd characters in its name"
        if name.startswith((".", "/")) or any(part in ("", ".", "..") for part in parts):
            return "its name leads out of the directory"
        if any(part.startswith("-") for part in parts):
            return "its name is an option to whatever is started beside it"
        if len(name) > LONGEST_PATH or len(parts) > DEEPEST or any(len(part.encode()) > 255 for part in parts):
            return "its name is too long"
        if name in self.taken:
            return "a second file of this name"
        if name in self._folders or any("/".join(parts[:count]) in self.taken for count in range(1, len(parts))):
            return "a file and a directory of one name"
        return ""

    def _leave_out(self, name: str, why: str) -> None:
        if len(self.left_out) < 1000:
            self.left_out.append((ascii(name)[:LONGEST_PATH], why))

    def top(self) -> str:
        """The directory of the archive that is the bundle; "" when it is the archive itself."""
        for manifest in sorted(self.taken & {f"{name.split('/', 1)[0]}/{MANIFEST_NAME}" for name in self.taken}):
            top = manifest.split("/", 1)[0]
            if all(name.startswith(top + "/") for name in self.taken):
                return top
        if MANIFEST_NAME in self.taken:
            return ""
        raise SlowlinkError(
            f"the archive holds no bundle: no {MANIFEST_NAME} where it should be",
            hint="nothing was unpacked; slowlink analyze reads archives of plain logs as they are",
            slug="bundle-not-found",
        )
