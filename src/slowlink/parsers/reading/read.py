"""The reader: inputs to records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, groupby
from typing import TypeVar, cast

from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.inputs.kinds import unknown
from slowlink.inputs.progress import Progress
from slowlink.model.benchmark import BandwidthMatrix, CollectiveRun, MpiTable, PairTable, PerftestRun
from slowlink.model.blocks import Block, held_readings
from slowlink.model.hang import FaultInjected, FlightDump, RasAsked, RasSnapshot
from slowlink.model.job import Command, JobEvent, Observation, TrainingPace
from slowlink.model.ladder import LadderPlan
from slowlink.model.nccl import EnvSetting, NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Passage, SourceStats
from slowlink.model.state import Collected, Origin, Reading
from slowlink.model.timed_calls import TimedCalls
from slowlink.parsers import binary_parsers
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.forms.limit import Limit, Room, kept_in, not_all_kept
from slowlink.parsers.reading.archive_nodes import origins_below
from slowlink.parsers.reading.chunks import BoundLines, parts
from slowlink.parsers.reading.copies import Copies, without_copies
from slowlink.parsers.reading.documents.passages import MOST_BYTES, described_passages
from slowlink.parsers.reading.early.taken import Taken
from slowlink.parsers.reading.early.whole_texts import read_whole_text, whole_text_reader
from slowlink.parsers.reading.engine import Workers
from slowlink.parsers.reading.held import NO_ROOM, Held
from slowlink.parsers.reading.once.alike import Alike
from slowlink.parsers.reading.once.answers import is_transcript
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.promises import with_promises
from slowlink.parsers.reading.sent_back import Found, FoundParcels, Read, alone
from slowlink.parsers.reading.side_by_side import side_by_side
from slowlink.parsers.reading.source import BROKEN_OFF, Source

R = TypeVar("R", bound=Record)


class _BrokenOff(KeyboardInterrupt):
    """The reading was interrupted inside a source; what was read of it counts."""

    def __init__(self, found: Read) -> None:
        super().__init__()
        self.found = found


def read(
    inputs: Iterable[Input], workers: Workers = None, progress: Progress | None = None, *, guarded: bool = False
) -> Records:
    """All records of ``inputs``, in order of source and line. Any bytes give a result, whatever ``workers``.

    ``workers``: processes for reading, or an engine; None chooses by what there is to read and this machine's cores.
    With ``progress`` an interrupt ends the reading, not the analysis: it is noted there, and what was read is given.
    ``guarded``: a defect of slowlink costs the source in which it shows, and is its problem; else it is raised.
    """
    chosen = _read_guarded if guarded else read_one
    return joined(found_in(inputs, workers, progress, chosen))


def found_in(
    inputs: Iterable[Input], workers: Workers, progress: Progress | None, read_one: Callable[[Input, Workers], Read]
) -> Iterator[Found]:
    """What ``read_one`` finds in each input, in order; ``workers`` and ``progress`` as for ``read``."""
    return _until_broken_off(side_by_side(inputs, read_one, workers, FoundParcels()), progress)


def joined(everything: Iterable[Found]) -> Records:
    """The records of all inputs as one: copies count once, and what all of them hold together is bounded."""
    each: list[tuple[Sequence[Record | Block], SourceStats]] = []
    copies, held = Copies(), Held()
    for found, stats, digest in everything:
        original = copies.original(stats.path, digest, found) if digest else None
        if found and not held.has_room(found):
            found, stats = [], replace(stats, problem=stats.problem or NO_ROOM, partial=True)
        each.append((found, replace(stats, copy_of=original)))
    kept = list(without_copies(with_promises(each)))
    return sorted_out(chain.from_iterable(found for found, _ in kept), [stats for _, stats in kept])


def _until_broken_off(found: Iterator[Found], progress: Progress | None) -> Iterator[Found]:
    """``found``, and in place of what comes behind an interrupt what is to be said of that."""
    try:
        yield from found
    except KeyboardInterrupt as end:
        if progress is None or not progress.passed:
            raise
        progress.broken_off = True
        yield alone(end.found) if isinstance(end, _BrokenOff) else ([], _nothing_of("the inputs"), b"")


def _nothing_of(name: str) -> SourceStats:
    return SourceStats(name, (), 0, 0, 0, 0, 0, problem=BROKEN_OFF, partial=True)


def _read_guarded(item: Input, workers: Workers) -> Read:
    return guarded_by(read_one, item, workers)


_PANIC = "PanicException"
"""Of machine code: PyO3 makes it no ``Exception``, and gives its type no name to import."""


def guarded_by(read_one: Callable[[Input, Workers], Read], item: Input, workers: Workers) -> Read:
    """What ``read_one`` finds; a defect of ours is a problem of this input and of no other."""
    try:
        return read_one(item, workers)
    except BaseException as defect:
        if not isinstance(defect, Exception) and type(defect).__name__ != _PANIC:
            raise
        # Whatever it is, the other sources know nothing of it.
        return [], SourceStats(item.name, (), item.size or 0, 0, 0, 0, 0, problem=_told(defect), partial=True), b""


def _told(defect: BaseException) -> str:
    """Where it is, for whoever mends it; not its text, which may quote a secret."""
    if isinstance(defect, MemoryError):
        return "not read: there is not enough memory for it"
    at = defect.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f"{at.tb_frame.f_globals.get('__name__', '?')}:{at.tb_lineno}" if at is not None else "?"
    return f"not read, by a defect of slowlink ({type(defect).__name__} in {place}; please report it)"


def read_one(item: Input, workers: Workers) -> Read:
    """Everything of one input."""
    unit = None if item.start else whole_text_reader(item.begin())
    pieces = _CountedBytes(item.binary() if item.start else item.chunks())
    found: Sequence[Record | Alike]
    if item.start:
        found, stats = _read_binary(item, pieces)
    elif unit is not None:
        found, stats = read_whole_text(unit, item, pieces)
    else:
        found, stats = _read_text(item, pieces, workers)
    return found, stats, pieces.digest() if pieces.passed else b""


class _CountedBytes:
    """An iterator that hands pieces of bytes on and notes what has passed: its size, and a digest."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._hash = sha256()
        self.passed = 0
        self._whole: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self.passed += len(piece)
        self._hash.update(piece)
        if self.passed <= MOST_BYTES:
            self._whole.append(piece)
        return piece

    def whole(self) -> bytes:
        """Everything that has passed; nothing where it is longer than what people write."""
        return b"".join(self._whole) if self.passed <= MOST_BYTES else b""

    def digest(self) -> bytes:
        """Of everything that has passed."""
        return self._hash.digest()


def sorted_out(records: Iterable[Record | Block], sources: list[SourceStats]) -> Records:
    """Records by their types."""
    by_type: dict[type[object], list[Record | Block]] = {}
    readings: list[Reading | Block] = []
    for kind, same in groupby(records, type):
        if kind is Reading or kind is Block:
            readings.extend(cast(Iterable[Reading | Block], same))
        else:
            by_type.setdefault(kind, []).extend(same)

    def of(kind: type[R]) -> list[R]:
        return cast(list[R], by_type.get(kind, []))

    return Records(
        runs=tuple(of(CollectiveRun)),
        perftests=tuple(of(PerftestRun)),
        matrices=tuple(of(BandwidthMatrix)),
        mpi_tables=tuple(of(MpiTable)),
        pair_tables=tuple(of(PairTable)),
        logs=tuple(of(NcclLog)),
        events=tuple(of(JobEvent)),
        commands=tuple(of(Command)),
        env=tuple(of(EnvSetting)),
        observations=tuple(of(Observation)),
        paces=tuple(of(TrainingPace)),
        readings=held_readings(readings),
        collected=tuple(of(Collected)),
        origins=tuple(origins_below(of(Origin), [each.path for each in sources])),
        ras=tuple(of(RasSnapshot)),
        ras_asked=tuple(of(RasAsked)),
        flights=tuple(of(FlightDump)),
        injected=tuple(of(FaultInjected)),
        ladders=tuple(of(LadderPlan)),
        timed=tuple(of(TimedCalls)),
        passages=tuple(of(Passage)),
        sources=tuple(sources),
    )


def _read_text(item: Input, pieces: _CountedBytes, workers: Workers) -> tuple[list[Record | Alike], SourceStats]:
    source, taken = Source(item.name), Taken(item.name)
    lines = BoundLines(taken.passing(pieces))
    try:
        source.read(parts(lines), workers)
    except KeyboardInterrupt as end:
        source.break_off()
        found = [*source.records(), *taken.records()]
        raise _BrokenOff((found, taken.counted(source.stats(pieces.passed, item)), b"")) from end
    records = source.records()
    if records and (whole := pieces.whole()) and not is_transcript(whole):  # what collectors print is no document
        records += described_passages(item.name, lines_of(whole))
    source.note_problem(lines.problem)
    size = pieces.passed if pieces.passed or item.size is None else item.size
    return [*records, *taken.records()], taken.counted(source.stats(size, item))


def _read_binary(item: Input, pieces: _CountedBytes) -> tuple[list[Record], SourceStats]:
    """Records of a file that is no text: the first reader that knows its start takes it. It has bytes and no lines."""
    found: list[Record] = []
    why: str | None = None
    unit = next((unit for unit in binary_parsers() if unit.wants_start(item.start)), None)
    if unit is not None:
        passed: list[Limit] = []
        with kept_in(Room(passed.append)):
            found, why = unit().read(pieces, item.name)
        why = why or next((not_all_kept(limit, unit.kind) for limit in passed), None)
    kinds = (unit.kind,) if unit is not None and found else ()
    length = item.size if item.size is not None else pieces.passed
    # Damage of the archive comes first: it is why the format broke.
    problem = item.problem or why or (unit.otherwise if unit is not None and not found else None)
    # Damaged data may be weights; what a reader knows for its own is not, whatever its name.
    partial = item.partial or (why is not None and (bool(found) or unknown(item.name).may_hold_logs))
    return found, SourceStats(item.name, kinds, length, 0, 0, 0, 0, problem=problem, partial=partial)
