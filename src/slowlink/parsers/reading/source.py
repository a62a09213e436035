"""One source: each candidate of its scan is offered to the parsers of its stream, and every line is accounted for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers import document_parsers, line_parsers
from slowlink.parsers.context.collector_frames import CollectorFrames
from slowlink.parsers.forms.interface import LineParser, Record, Use
from slowlink.parsers.forms.json_blocks import Block
from slowlink.parsers.forms.limit import Limit, Room, kept_in, not_all_kept
from slowlink.parsers.forms.lines import Dialect, learn_dialect, shape_of
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.parsers.reading.account import Account
from slowlink.parsers.reading.engine import Workers
from slowlink.parsers.reading.once.alike import Alike, Moved, spelt_out
from slowlink.parsers.reading.once.answers import (
    KEPT,
    LIBRARY_NAMES,
    Answer,
    apart,
    can_be_moved,
    is_transcript,
)
from slowlink.parsers.reading.once.known_moulds import MOULDS
from slowlink.parsers.reading.once.moulds import Asking, Fed, Mould
from slowlink.parsers.reading.once.refusals import refusals_of
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.records.known import wanting
from slowlink.parsers.reading.rows.looking import must_look
from slowlink.parsers.reading.rows.row_runs import RowRun, RowStretch
from slowlink.parsers.reading.scan import MAX_STREAMS, Scanner
from slowlink.parsers.reading.scanned import Candidate, Scanned, better
from slowlink.parsers.reading.sections import line_of, with_sure_headings
from slowlink.parsers.reading.streams import Stream, behind_lead, kinds_of, note_greed
from slowlink.parsers.reading.told_commands import ToldCommands
from slowlink.parsers.reading.workers import scan_all

BROKEN_OFF = "the reading was interrupted; what comes behind was not read"
NCCL_KIND = "nccl-log"


class Source(Account):
    """Reads one source."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._parsers = line_parsers()
        self._streams: dict[str, Stream] = {}
        self._fold = NcclFold()
        self._found: list[Record | Alike] = []
        self._room = Room(self._note_limit)
        self._open: Block | None = None
        """A JSON value of no known kind that the last part ended inside of."""
        self._after = 0
        self._place = ""
        """The node that the last prompt, heading or frame names."""
        hearing, self._last_resort, self._beside = kinds_of(self._parsers)
        self._commands = ToldCommands(hearing)
        self._only_beside = False
        """Was the last line read by parsers alone that claim none? It may be a caption as well."""
        self._frames = next(
            (index for index, unit in enumerate(self._parsers) if unit.kind == CollectorFrames.kind), None
        )
        self._placing: set[int] = set()
        """Parsers that say of which node the following lines are."""
        self._reading = ""
        """The kind whose parser is at work."""
        self._refusals = refusals_of(self._parsers)
        self._fed: list[Fed] | None = None
        """Who was offered which line, where that is to be known."""

    def read(self, source_parts: Iterator[bytes], workers: Workers) -> None:
        first = next(source_parts, b"")
        read = self._read_transcript(first) if is_transcript(first) else 0
        others = source_parts if read or not first else chain((first,), source_parts)
        for scanned in scan_all(others, self._name, self._fold, workers, first_line=read + 1):
            self._take(scanned)

    def _read_transcript(self, part: bytes) -> int:
        """Read each answer of a transcript by itself. Gives the number of lines."""
        lines = lines_of(part)
        dialect = learn_dialect(lines)
        scanner = Scanner(self._name, dialect)
        mentioned = b"".join(name for name in LIBRARY_NAMES if name in part) if b"CCL " in part else b""
        for place, some, piece in apart(lines):
            taken = (piece == "answer" and self._take_answer(place, some, scanner, dialect)) or (
                piece == "frames" and self._take_frames(place, some)
            )
            if not taken:
                self._take(scanner.scan(mentioned, place + 1, self._fold, list(some)))
        return len(lines)

    def _take_frames(self, place: int, lines: Sequence[str]) -> bool:
        """Take frames, which are lines of ours and of nobody else; False, and nothing is taken, where something that
        goes on must hear of them."""
        stream = self._stream("")
        if self._frames is None or stream.greedy or stream.leads or self._fold.expects_more:
            return False
        for number, text in enumerate(lines, place + 1):
            line = Line(self._name, number, text)
            use = self._feed(self._frames, stream, line)
            self._counts[use] += 1
            if use is Use.NOT_MINE:
                self._unclaimed(line, stream)
        stream.left, stream.before_no, stream.before = self._after, place + len(lines), ""
        self._open = None
        self._lines += len(lines)
        self._texts += len(lines)
        return True

    def _take_answer(self, place: int, lines: Sequence[str], scanner: Scanner, dialect: Dialect) -> bool:
        """Take an answer that begins at this place; False, and nothing is taken, where it cannot be read alone."""
        answer = self._answer(lines, scanner, dialect)
        if answer is None:
            return False
        move = Moved(self._name, place, None if answer.parted else self._section(place))
        self._found.extend(answer.found_at(move))
        for use, count in answer.counts.items():
            self._counts[use] += count
        for kind, line in answer.kinds.items():
            self._kinds.setdefault(kind, line + place)
        for shape, ref in answer.samples.items():
            self._sample(shape, move.ref(ref))
        self._lines += answer.lines
        self._texts += answer.texts
        return True

    def _answer(self, lines: Sequence[str], scanner: Scanner, dialect: Dialect) -> Answer | None:
        """What these lines say by themselves: known, cast in a mould, or read; None where they cannot be read alone."""
        key = dialect, "\n".join(lines)
        answer = KEPT.get(key)
        if answer is None and (answer := (kind := MOULDS.kind_of(dialect, lines)).cast(lines)) is None:
            fed: list[Fed] = []
            answer = _read_answer(self._name, self._place, scanner, lines, None if kind.hopeless else fed)
            if answer is not None and answer.is_anybodys(self._name, self._place):
                KEPT.met(key, answer)
                found = answer
                MOULDS.met(kind, lines, fed, lambda: Mould(lines, found, self._asking(dialect)))
        return answer

    def _section(self, line: int) -> Collected | None:
        """The frame that begins in this line, where the parser of frames takes it for one."""
        parsers = self._streams[""].parsers if "" in self._streams else {}
        open_now = (getattr(parsers.get(index), "section", None) for index in self._placing)
        return next((each for each in open_now if each is not None and each.ref.line == line), None)

    def _asking(self, dialect: Dialect) -> Asking:
        """How lines are read at this place."""
        name, place, scanner = self._name, self._place, Scanner(self._name, dialect)
        return Asking(
            self._parsers,
            scanner.plan_of,
            lambda lines, fed: _read_answer(name, place, scanner, lines, fed),
            lambda number, text: Line(name, number, text, place=place),
        )

    def records(self) -> list[Record | Alike]:
        """Everything found, in order of lines; the log of NCCL first."""
        if self._open is not None:
            self.note_problem(self._open.problem())
        self._finish()
        for limit in self._fold.passed():
            self.note_problem(not_all_kept(limit, NCCL_KIND))
        self._found.sort(key=line_of)
        return [*self._fold.result(self._name, last=True), *with_sure_headings(self._found)]

    def _finish(self) -> None:
        for stream in self._streams.values():
            self._commands.catch_up(stream)
            for _, parser in sorted(stream.parsers.items()):
                self._reading = parser.kind
                with kept_in(self._room):
                    self._found.extend(parser.finish())
                self.note_problem(getattr(parser, "unfinished", ""))

    def _note_limit(self, limit: Limit) -> None:
        """What was left out may be what is wrong: it is said, and nothing is healthy then."""
        self.note_problem(not_all_kept(limit, self._reading))

    def break_off(self) -> None:
        """Nothing more comes. What was scanned and not yet offered counts as not read."""
        self.note_problem(BROKEN_OFF)
        self._lines = sum(self._counts.values())

    def _take(self, scanned: Scanned) -> None:
        self._lines += scanned.lines
        self._after = scanned.after
        self._counts[Use.USED] += scanned.used
        self._counts[Use.IGNORED] += scanned.ignored
        self._counts[Use.NOT_MINE] += scanned.unread
        if scanned.logged:
            self._kinds.setdefault(NCCL_KIND, scanned.logged)
        for block in scanned.blocks:
            self._take_block(block)
        if scanned.many_torn:
            self.note_problem("holds thousands of JSON values that are cut; of others among them some were not read")
        # Cut before its kind can be told, a value that is all there is may have been of any kind.
        if scanned.texts or scanned.blocks:
            self._open = scanned.cut if self._texts + scanned.texts == scanned.cut_texts else None
        self._texts += scanned.texts
        with kept_in(self._room):
            self._offer_all(scanned)
        for use in scanned.mixed.values():
            self._counts[use] += 1
        for shape, ref in scanned.samples.items():
            self._sample(shape, ref)
        for name, (number, text) in scanned.last_text.items():
            stream = self._stream(name)
            if number >= stream.before_no:  # equal: a later piece of the same line
                stream.before_no, stream.before = number, text

    def _offer_all(self, scanned: Scanned) -> None:
        for candidate in scanned.candidates:
            if isinstance(candidate, RowStretch):
                self._offer_rows(candidate)
                continue
            use = self._offer(candidate)
            number = candidate.line.no
            if number in scanned.mixed:
                scanned.mixed[number] = better(use, scanned.mixed[number])
            else:
                self._counts[use] += 1

    def _offer_rows(self, rows: RowStretch) -> None:
        """Offer rows to those who take them: all at once, or one by one where somebody must look."""
        if any(must_look(run, self._stream(run.stream), self._is_as_new) for run in rows.runs):
            for one in rows.candidates():
                self._counts[self._offer(one)] += 1
        else:
            for run in rows.runs:
                self._offer_run(run)

    def _offer_run(self, run: RowRun) -> None:
        stream = self._stream(run.stream)
        for index, (use, first) in run.parsers().items():
            parser: Any = stream.parsers.get(index) or self._new(index, stream)
            self._reading = parser.kind
            parser.feed_rows(run.rows_for(index, self._place))
            if use is Use.USED:
                self._kinds[parser.kind] = min(first, self._kinds.get(parser.kind, first))
        for use, count in run.uses():
            self._counts[use] += count
        for each in run.untaken():
            self._sample(shape_of(each.text[:400]), each.ref())
        taken = run.plans[run.kinds[-1]].rows
        stream.before_no, stream.before = run.last_line, "" if taken else run.line(len(run) - 1).text[:400]

    def _take_block(self, block: Block) -> None:
        for unit in wanting(document_parsers(), block.value):
            self._kinds.setdefault(unit.kind, block.line)
            self.note_problem(block.problem())
            self._reading = unit.kind
            with kept_in(self._room):
                self._found.extend(unit().read(block.value, self._name, block.line))

    def _stream(self, name: str) -> Stream:
        stream = self._streams.get(name)
        if stream is None:
            if len(self._streams) >= MAX_STREAMS:
                self.note_problem(
                    f"holds the lines of more than {MAX_STREAMS:,} nodes or ranks; not all were told apart"
                )
                name = ""
            stream = self._streams.setdefault(name, Stream())
        self._commands.catch_up(stream)
        return stream

    def _offer(self, candidate: Candidate) -> Use:
        """Offer a line to the parsers of its stream: as it stands, and where nobody takes it so, behind the lead that a
        logger may have put before it. The lines that follow a line behind such a lead are read behind it, too."""
        line, stream = candidate.line, self._stream(candidate.line.stream)
        heard_by_greedy = True
        if candidate.lone:
            heard_by_greedy = stream.left > 0
        elif not candidate.is_wanted():
            if not stream.left:
                return self._unclaimed(line, stream)
            stream.left -= 1
        else:
            stream.left = self._after
        if stream.before_no > candidate.before_no:
            line.before = stream.before
        use = Use.NOT_MINE
        readings = candidate.readings(stream.leads) if candidate.behind else ((None, candidate.wanted_by),)
        for lead, wanted in readings:
            reading = behind_lead(lead, line) if lead else line
            use = self._offer_reading(reading, wanted, stream, heard_by_greedy, candidate.refusing)
            if use is not Use.NOT_MINE:
                if lead:
                    stream.leads.add(lead.form)
                break
        else:
            return self._unclaimed(line, stream)
        stream.before_no, stream.before = line.no, line.text[:400] if self._only_beside else ""
        return use

    def _offer_reading(
        self,
        line: Line,
        wanted: tuple[int, ...],
        stream: Stream,
        heard_by_greedy: bool,
        refusing: AbstractSet[int] | None,
    ) -> Use:
        """The greedy parsers first and alone, then all that want the line's shape."""
        self._only_beside = False
        if not line.text:
            return Use.IGNORED
        use = claimed = Use.NOT_MINE
        greedy = tuple(stream.greedy) if heard_by_greedy else ()
        for index in greedy:
            use = self._feed(index, stream, line)
            if use is not Use.NOT_MINE:
                return use
        if refusing is None and wanted:
            refusing = self._refusals.of(line.text, wanted, ranked=line.rank is not None)
        for index in wanted:
            if refusing and index in refusing and self._is_as_new(index, stream):
                continue
            if index not in greedy and (claimed is Use.NOT_MINE or index not in self._last_resort):
                fed = self._feed(index, stream, line)
                if fed is not Use.NOT_MINE:
                    use = better(use, fed)
                    claimed = claimed if index in self._beside else better(claimed, fed)
        self._only_beside = use is not Use.NOT_MINE and claimed is Use.NOT_MINE
        if use is Use.NOT_MINE and any(getattr(stream.parsers[index], "kept", 0) == line.no for index in greedy):
            return Use.IGNORED  # nobody knows its form; it is compared with that of other nodes
        return use

    def _new(self, index: int, stream: Stream) -> LineParser:
        """The parser of this number for ``stream``."""
        parser = stream.parsers[index] = self._parsers[index]()
        self._commands.made(index, parser)
        if hasattr(parser, "place"):
            self._placing.add(index)
        return parser

    def _feed(self, index: int, stream: Stream, line: Line) -> Use:
        parser = stream.parsers.get(index) or self._new(index, stream)
        line.place = self._place
        self._reading = parser.kind
        greedy, was_new = index in stream.greedy, self._fed is not None and self._is_as_new(index, stream)
        use = parser.feed(line)
        if self._fed is not None:
            self._fed.append(Fed(line.no, "" if stream.leads else line.text, index, use, was_new, greedy))
        if use is not Use.NOT_MINE:
            stream.as_new[index] = False
        elif stream.as_new.get(index):
            del stream.as_new[index]
        if parser.greedy != greedy:
            note_greed(index, stream)
        self._commands.tell(index, line, stream)
        if use is not Use.NOT_MINE:
            if index in self._placing and (place := getattr(parser, "place", None)) is not None:
                self._place = place
            if use is Use.USED:
                self._kinds.setdefault(self._parsers[index].kind, line.no)
        return use

    def _is_as_new(self, index: int, stream: Stream) -> bool:
        known = stream.as_new.get(index)
        if known is None:
            parser = stream.parsers.get(index) or self._new(index, stream)
            known = stream.as_new[index] = self._refusals.is_as_new(index, parser)
        return known

    def _unclaimed(self, line: Line, stream: Stream) -> Use:
        stream.before_no, stream.before = line.no, line.text[:400]
        self._sample(shape_of(line.text[:400]), line.ref())
        return Use.NOT_MINE


def _read_answer(name: str, place: str, scanner: Scanner, lines: Sequence[str], fed: list[Fed] | None) -> Answer | None:
    """None where there is more in it than lines for the parsers of one stream of text. ``fed``: gets who was offered
    which line."""
    scanned = scanner.scan(b"", 1, NcclFold(), list(lines))
    if scanned.blocks or scanned.cut or scanned.logged or scanned.many_torn:
        return None
    alone = Source(name)
    alone._place, alone._fed = place, fed
    alone._take(scanned)
    alone._finish()
    found: list[Record] = sorted(spelt_out(alone._found), key=line_of)
    if alone._limit or not all(map(can_be_moved, found)):
        return None
    parted = any(isinstance(each, Collected) for each in found)
    return Answer(found, alone._kinds, alone._counts, alone._lines, alone._texts, alone._samples, parted)
