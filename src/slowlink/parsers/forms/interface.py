"""How a parser plugs in. A parser is one module in this package with a ``PARSER`` (lines), a ``DOCUMENT`` (JSON), a
``TAKER`` (very many lines that begin alike) or a ``BINARY`` (bytes), each a class below; it is found by being there.

Reading has two stages. The *scan* is stateless and runs on several cores: it cleans lines, folds NCCL's own lines, and
keeps the lines that some parser ``wants``. The *parse* is stateful and sees only those candidates, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import ClassVar, Protocol

from slowlink.model.benchmark import BandwidthMatrix, CollectiveRun, MpiTable, PairTable, PerftestRun
from slowlink.model.hang import FaultInjected, FlightDump, RasAsked, RasSnapshot
from slowlink.model.job import Command, JobEvent, Observation, TrainingPace
from slowlink.model.ladder import LadderPlan
from slowlink.model.nccl import EnvSetting, NcclLog
from slowlink.model.source import Line, Passage
from slowlink.model.state import Collected, Origin, Reading
from slowlink.model.timed_calls import TimedCalls

Record = (
    CollectiveRun
    | PerftestRun
    | BandwidthMatrix
    | MpiTable
    | PairTable
    | NcclLog
    | JobEvent
    | Command
    | EnvSetting
    | Observation
    | TrainingPace
    | Reading
    | Collected
    | Origin
    | RasSnapshot
    | FlightDump
    | FaultInjected
    | RasAsked
    | LadderPlan
    | TimedCalls
    | Passage
)


class Use(Enum):
    """What a parser did with a line."""

    USED = "used"
    """A value was read from it."""
    IGNORED = "ignored"
    """It belongs to this format and says nothing (ruler, legend, units)."""
    NOT_MINE = "not mine"

    __hash__ = object.__hash__  # each is but once; that of Enum is a function of Python's, for every line


class LineParser(Protocol):
    """Reads one format from the lines of one stream. Total: any text gives a result, nothing raises.

    One with ``last_resort`` gets only lines that no other parser used; the higher its number, the later it is asked.

    One that is ``lone`` is never greedy: each of its lines says all that it says, and none is kept for what it begins.

    One whose lines are rows of numbers has a static ``row(text)``, which tells what it takes from all lines of the
    shape of ``text`` (a ``forms.rows.Row``; None where that is not the same for all), and ``feed_rows(rows)``, which
    takes many of them with the result that ``feed`` has of each: both are blind to which digits stand there.

    One that ``searches`` lines for its messages, wherever they stand, is shown an overlong line in parts, too.

    One with ``reads_beside`` takes a word out of a line that may say something else as a whole: it claims none."""

    kind: ClassVar[str]
    """Name of the format in the report: ``nccl-tests``, ``perftest``, ``slurm`` ...

    One to which a command names the columns of its output has a static ``hears(text)``, true of such a command, and
    ``hear(line)``: the command stands above the prefixed lines of many nodes (pdsh), in a stream of its own.

    One that sees that its output is not whole has ``unfinished``, which says so in words behind ``finish``: nothing is
    healthy then. "" for a whole one.

    One bounds its memory by a ``Limit``, which says by itself when something was left out.

    One has ``literals`` where each of its lines holds one of some literal texts, in the line's form (``lines.form_of``:
    every number is one 0): of the others it is not even asked. One whose literals are weak has ``gate()``, too
    (``forms.gates``), which stands open for each line that it wants.

    One that is ``each_alone`` makes of each line what a new one makes of it; where it ``folds``, equal records of
    several lines are one. One whose ``form_decides`` makes records that are alike of lines that are alike: another
    number in the same place of a line, or another UUID, GUID, clock or date, changes the value that is read there and
    nothing else, or it does so for all numbers beyond a bound. So thousands of answers may be read as one
    (``reading.once.moulds``). Nought, and what a full counter shows, may mean what they like.

    One that is ``digits_alike`` takes of all lines that differ by digits alone something, or of none: no number and no
    name with digits is a word to it. So a shape that it refuses is not shown to it again (``reading.once.refusals``).
    Where some of its texts hold numbers, ``knows_numbers(text)`` is true of lines that may be such.

    A parser of what stands between outputs (prompts, headings, frames) also has ``place``: the node that the following
    lines come from, as far as the last line told it. One of frames has ``section``, too: the one that is open."""

    @staticmethod
    def wants(text: str) -> bool:
        """Could a line of this shape be mine? Stateless, fast, and blind to *which* digits stand in it: it gives the
        same answer when every digit is replaced by 0 (the scan asks once for each shape). It does not tell one UUID,
        GUID or digest from another either (``forms.identifiers``), and neither does a new parser by what it refuses."""

    @property
    def greedy(self) -> bool:
        """True while the parser must see the next candidate lines whatever their shape (a torn row, a block without
        own marks). The scan keeps the three lines after each wanted line for this, but not those of ``lone`` ones."""

    def feed(self, line: Line) -> Use:
        """Take one line, or say that it is somebody else's."""

    def finish(self) -> Iterable[Record]:
        """All records, after the last line. Called once."""


class DocumentParser(Protocol):
    """Reads one format from a whole JSON value: a file of its own, or a block inside a log.

    One whose values hold the whole output of other tools also has a static ``texts(value)``: these strings are read as
    if they stood alone, each as a stream of its own. One with a true ``last_resort`` gets only what no other wants."""

    kind: ClassVar[str]

    @staticmethod
    def wants_document(value: object) -> bool:
        """Is this decoded JSON value mine? Decides by its keys."""

    def read(self, value: object, source: str, line: int) -> Iterable[Record]:
        """All records of ``value``, which begins at ``line``. Total: odd values give fewer records, never an error."""


class Taker(Protocol):
    """Takes the lines of one format out of a text as bytes, before anything else looks at them: those of which one file
    has a million, each with a beginning that no other line has."""

    kind: ClassVar[str]
    begins: ClassVar[bytes]

    def __init__(self, source: str) -> None: ...

    def take(self, line: bytes, number: int) -> bool:
        """Take a line that begins with ``begins``; False, and nothing is taken, where it is no whole record."""

    def keep_last(self, most: int) -> None:
        """Forget what is old: of each thing that many records are of, all but the last ``most``."""

    def finish(self) -> Iterable[Record]:
        """All records of the lines so far."""


class BinaryParser(Protocol):
    """Reads one format from the bytes of a whole file: of one that is no text, or, ``of_text``, of a text that is too
    large to be read as lines. That one has ``lines`` and ``used`` afterwards: how many there were, and how many said
    something."""

    kind: ClassVar[str]
    of_text: ClassVar[bool]
    otherwise: ClassVar[str]
    """What a file is that begins so and holds nothing of the format."""

    @staticmethod
    def wants_start(start: bytes) -> bool:
        """Could a file that begins with these bytes (the first 64, fewer of a shorter one) be mine?"""

    def read(self, chunks: Iterator[bytes], source: str) -> tuple[list[Record], str | None]:
        """All records, and why the file could not be read to its end, in words; None where it could. Takes all chunks
        or stops early, bounds its memory, runs nothing of what it reads. Total: any bytes give a result."""
