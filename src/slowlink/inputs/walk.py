"""Paths to inputs: directories in order of names; archives and compressed files unfold anywhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import BinaryIO

from slowlink.errors import SlowlinkError
from slowlink.inputs.bundle_check import BundleCheck
from slowlink.inputs.bundles import bundle_top, is_bundle_directory
from slowlink.inputs.directory import Entry, Place, entries_below, kind_of_file
from slowlink.inputs.enclosed import Enclosures
from slowlink.inputs.holes import begins_with_hole, past_hole, skip_zeros
from slowlink.inputs.opened import Input
from slowlink.inputs.progress import Progress
from slowlink.inputs.standard_input import standard_input
from slowlink.inputs.stream import PIECE, SMALL_BYTES, Budget, ByteStream, DamagedError
from slowlink.inputs.tar import is_tar, tar_members
from slowlink.inputs.text import binary_kind, text_of
from slowlink.inputs.unpack import compression, unpacked
from slowlink.inputs.zip import is_zip, zip_members

STDIN = "-"
START_BYTES = 64
"""What a reader of a binary format sees before it takes the whole."""
MOST_TOLD = 20
"""Files of a bundle that are not there: so many are named, the others are counted."""


def open_inputs(paths: Sequence[str], progress: Progress | None = None) -> Iterator[Input]:
    """Every text under ``paths``, in order. ``-`` is standard input. ``progress`` is told of every byte that comes.

    Raises SlowlinkError (``input-not-found``, ``input-not-readable``) at once for a path that the user named
    and that is not there; whatever is met inside a directory or an archive is an Input with a ``problem``.
    """
    for path in paths:
        if path == STDIN:
            standard_input()
        else:
            _require(path)
    return _each(paths, progress or Progress())


def open_bytes(name: str, size: int, data: bytes) -> Iterator[Input]:
    """The texts of one file that came from elsewhere: ``data``, of which there were ``size`` bytes."""
    return open_stream(name, size, BytesIO(data))


def open_place(place: Place) -> Iterator[Input]:
    """Every text of a file or below a directory that is open already. The descriptor stays open, and is left where the
    reading ended."""
    descriptor = os.dup(place.descriptor)
    if place.is_directory:
        yield from _directory(place.name, Progress(), descriptor)
    else:
        yield from _opened(os.fdopen(descriptor, "rb"), place.name, place.size, Progress())


def open_stream(
    name: str, size: int | None, file: BinaryIO | RawIOBase, progress: Progress | None = None
) -> Iterator[Input]:
    """The texts of an open file of ``size`` bytes, which are None where nobody knows."""
    budget = Budget(stated=size or 0)
    yield from _unfold(name, size, _counted(file, size, budget, progress or Progress()), budget)


def _each(paths: Sequence[str], progress: Progress) -> Iterator[Input]:
    for path in paths:
        if path == STDIN:
            yield from open_stream(STDIN, None, standard_input(), progress)
        elif Path(path).is_dir():
            yield from _directory(path, progress)
        else:
            yield from _file(path, progress)


def _require(path: str) -> None:
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise SlowlinkError(
            f"no such file or directory: {path}",
            hint="check the path; use - to read from a pipe",
            slug="input-not-found",
        ) from problem
    except (OSError, ValueError) as problem:
        raise SlowlinkError(
            f"cannot open {path}: {getattr(problem, 'strerror', None) or problem}",
            hint="check the permissions of the file and of the directories above it",
            slug="input-not-readable",
        ) from problem
    if not path:
        raise SlowlinkError(
            "an empty path names no file",
            hint="an unset variable of the shell makes one; use - to read from a pipe",
            slug="input-not-found",
        )
    if not os.access(path, os.R_OK):
        raise SlowlinkError(
            f"cannot read {path}: permission denied",
            hint="run as a user who may read it, or copy it",
            slug="input-not-readable",
        )


def _directory(top: str, progress: Progress, descriptor: int | None = None) -> Iterator[Input]:
    """Everything below ``top``, which is opened unless ``descriptor`` is it; the texts of a bundle are named
    ``bundle!captures/run-1/stdout``."""
    bundle = looked_in = ""
    check = BundleCheck()
    for entry in entries_below(top, descriptor=descriptor):
        if entry.folder != looked_in:
            looked_in = entry.folder
            if not (bundle and looked_in.startswith(bundle + os.sep)):
                bundle = looked_in.rstrip("/") if is_bundle_directory(looked_in) else ""
                if bundle:
                    check.add_bundle(f"{bundle}!")
        shown = f"{bundle}!{entry.path[len(bundle) :].lstrip('/')}" if bundle else entry.path
        if entry.problem:
            yield Input(shown, None, problem=entry.problem, partial=entry.partial)
        else:
            yield from _below(entry, shown, check if bundle else None, progress)
    yield from _not_as_written(top, check)


def _below(entry: Entry, shown: str, check: BundleCheck | None, progress: Progress) -> Iterator[Input]:
    """One file below a directory, named ``shown``; ``check`` hears of those of bundles."""
    try:
        file, size = entry.open()
    except OSError as problem:
        yield Input(shown, None, problem=_why(problem), partial=True)
        return
    yield from _opened(file, shown, size, progress, check)


def _file(path: str, progress: Progress) -> Iterator[Input]:
    """One file that the user named: a link is followed, and a pipe is waited for."""
    try:
        status = Path(path).stat()
        regular = stat.S_ISREG(status.st_mode)
        if not (regular or stat.S_ISFIFO(status.st_mode)):
            yield Input(path, None, problem=f"{kind_of_file(status.st_mode)}, not read", partial=True)
            return
        file = Path(path).open("rb")  # noqa: SIM115 - closed below; only opening it is in this try
    except OSError as problem:
        yield Input(path, None, problem=_why(problem), partial=True)
        return
    yield from _opened(file, path, status.st_size if regular else None, progress)


def _why(problem: OSError) -> str:
    return problem.strerror or "" if problem.errno == 0 else f"cannot be read: {problem.strerror or problem}"


def _opened(
    file: BinaryIO, shown: str, size: int | None, progress: Progress, check: BundleCheck | None = None
) -> Iterator[Input]:
    budget = Budget(stated=size or 0)
    with file:
        counted = _counted(file, size, budget, progress)
        if check is None:
            yield from _unfold(shown, size, counted, budget)
        else:
            yield from _checked(shown, size, ByteStream(counted), budget, 0, check)


def _counted(file: BinaryIO | RawIOBase, size: int | None, budget: Budget, progress: Progress) -> Iterator[bytes]:
    """Bytes as they come, counted: a pipe gives what it has, without waiting for a full piece. Only what is packed in
    one waits until it is known whether there is more of it than of a small file: that may unfold to more."""
    read = getattr(file, "read1", file.read)
    held: list[bytes] | None = [] if size is None else None
    while data := read(PIECE):
        budget.packed += len(data)
        hollow = size is not None and len(data) == PIECE and not data.strip(b"\0")
        progress.add(len(data) + (past_hole(file, size or 0) if hollow else 0))
        if held is None:
            yield data
            continue
        held.append(data)
        if budget.packed > SMALL_BYTES or not _may_unfold(held[0]):
            yield b"".join(held)
            held = None
    yield b"".join(held or ())


def _may_unfold(start: bytes) -> bool:
    stream = ByteStream(iter((start,)))
    return len(start) < START_BYTES or compression(stream) is not None or is_zip(stream) or is_tar(stream)


def _unfold(name: str, size: int | None, pieces: Iterator[bytes], budget: Budget, depth: int = 0) -> Iterator[Input]:
    """The texts in ``pieces``: one, or those of an archive. Damage between them is a problem of ``name``."""
    stream = ByteStream(pieces)
    try:
        if compression(stream):
            if depth >= budget.depth:
                raise DamagedError(f"packed more than {budget.depth} times over")
            yield from _unfold(name, None, unpacked(stream, budget), budget, depth + 1)
        elif is_tar(stream) or is_zip(stream):
            if depth >= budget.depth:
                raise DamagedError(f"packed more than {budget.depth} times over")
            yield from _members(name, stream, budget, depth + 1)
        else:
            enclosures = Enclosures()
            yield _single(name, size, stream, enclosures)
            yield from _enclosed(name, enclosures, budget, depth + 1)
    except DamagedError as broken:
        yield Input(name, size, problem=str(broken), partial=True)
    except OSError as problem:
        yield Input(name, size, problem=f"cannot be read: {problem.strerror or problem}", partial=True)


def _checked(
    name: str, size: int | None, stream: ByteStream, budget: Budget, depth: int, check: BundleCheck
) -> Iterator[Input]:
    """As ``_unfold``, for a file that may be a bundle's: that it is not as it was written is a problem of it."""
    are_sums = check.are_sums(name, stream)
    passing = _judged(name, stream, check)
    told: list[str | None] = []
    for item in () if are_sums else _unfold(name, size, passing, budget, depth):
        yield item
        told.append(item.problem)
    wrong = [*_damage(passing), check.wrong(name)]
    for why in dict.fromkeys(wrong):
        if why and why not in told:
            yield Input(name, size, problem=why, partial=True)


def _damage(rest: Iterator[bytes]) -> Iterator[str]:
    """Pass over what nobody read of a file: it is summed up, too. Gives the damage that is met there."""
    try:
        for _ in rest:
            pass
    except DamagedError as broken:
        yield str(broken)
    except OSError as problem:
        yield _why(problem)


def _judged(name: str, stream: ByteStream, check: BundleCheck) -> Iterator[bytes]:
    """The bytes of a file, and behind them whether it is as it was written."""
    yield from check.passing(name, stream)
    if why := check.wrong(name):
        raise DamagedError(why)


def _not_as_written(name: str, check: BundleCheck) -> Iterator[Input]:
    """What is known only when all of ``name`` has passed: files that are missing, and those before their sums."""
    wrong = list(check.rest())
    for path, why in wrong[:MOST_TOLD]:
        yield Input(path, None, problem=why, partial=True)
    if (more := len(wrong) - MOST_TOLD) > 0:
        yield Input(
            name, None, problem=f"{more} more of its files are missing, or not as they were written", partial=True
        )


def _enclosed(name: str, enclosures: Enclosures, budget: Budget, depth: int) -> Iterator[Input]:
    """What the text ``name``, which has been read, holds in Base64."""
    for inner, data in enclosures.taken():
        if depth > budget.depth:
            raise DamagedError(f"packed more than {budget.depth} times over")
        budget.member()
        budget.unpack(len(data), data.count(b"\n"))
        yield from _unfold(f"{name}!{inner}", len(data), iter((data,)), budget, depth)


def _single(name: str, size: int | None, stream: ByteStream, enclosures: Enclosures) -> Input:
    """What is neither packed nor an archive that we read: a text, or something else that is named. What a text holds
    in Base64 is in ``enclosures`` when it has been read."""
    hole = skip_zeros(stream) if begins_with_hole(stream) else 0
    kind = binary_kind(stream, name)
    if kind is None:
        return Input(name, size, text_of(stream, hole, enclosures))
    problem = f"{kind.words}, {'not read' if kind.may_hold_logs else 'not a log'}"
    start = stream.peek(START_BYTES)
    return Input(name, size, stream, problem=problem, start=start, partial=kind.may_hold_logs)


def _members(name: str, stream: ByteStream, budget: Budget, depth: int) -> Iterator[Input]:
    check = BundleCheck()
    if is_tar(stream):
        yield from _tar_members(name, stream, budget, depth, check)
    else:
        for member, length, body, problem in zip_members(stream, budget):
            if problem:
                yield Input(f"{name}!{member}", length, problem=problem, partial=True)
            else:
                yield from _checked(f"{name}!{member}", length, body, budget, depth, check)
    yield from _not_as_written(name, check)


def _tar_members(name: str, stream: ByteStream, budget: Budget, depth: int, check: BundleCheck) -> Iterator[Input]:
    """What a tar archive holds. Links and the like are named: what they stand for is a member too, or not here."""
    top: str | None = None
    others: list[tuple[str, str]] = []

    def passed_over() -> Iterator[Input]:
        for member, kind in others:
            yield Input(f"{name}!{member.removeprefix(top or '')}", None, problem=f"{kind}, not read")
        others.clear()

    for member, size, body in tar_members(stream, budget, lambda member, kind: others.append((member, kind))):
        top = bundle_top(member, body) if top is None else top
        yield from passed_over()
        yield from _checked(f"{name}!{member.removeprefix(top)}", size, body, budget, depth, check)
    yield from passed_over()
