"""The scan: one part of a source to what is worth parsing. Stateless between parts, so parts can be scanned apart.

Most lines are NCCL's and go to its fold; of the others, only lines whose shape some parser wants are kept. Both tests
are memoised, so a line usually costs a partition and some dictionary look-ups.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from slowlink.inputs.joined import lines_in
from slowlink.model.source import Line, Ref
from slowlink.parsers import document_parsers, line_parsers
from slowlink.parsers.forms.data_sets import is_data_set
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.json_blocks import LONGEST_CHARS, Block, LogText, find_block, log_text, opens_block
from slowlink.parsers.forms.lines import NO_PREFIX, Dialect, Prefix, shape_of
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS
from slowlink.parsers.nccl.nccl_log import registry
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.parsers.reading.around import NOTHING_AROUND, Around, around_behind
from slowlink.parsers.reading.leads.before_nccl import NcclLeads, rank_of
from slowlink.parsers.reading.leads.unknown import with_frames_of, without_closings
from slowlink.parsers.reading.line_interest import Plan, asked_of
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.plans import Plans
from slowlink.parsers.reading.records.collected import collected_line, line_in
from slowlink.parsers.reading.records.known import LogRecords
from slowlink.parsers.reading.rows.heard import Heard, Hears
from slowlink.parsers.reading.rows.row_plans import RowPlan, RowPlans
from slowlink.parsers.reading.rows.row_runs import NOTHING, RowStretch, Said
from slowlink.parsers.reading.scanned import Candidate, Scanned, better
from slowlink.parsers.reading.sieve import AllLines, Lines, SiftedLines, sieve_for, sift_into
from slowlink.parsers.reading.told_texts import Told, quoted_lines, texts_in, told_in
from slowlink.patterns import regex

SAMPLES = 8
"""Unread lines kept as samples, of different shapes."""
MAX_STREAMS = 10_000
MOST_TORN = 4_000
"""Values of JSON in one part that are cut, or none after all, and that nobody wants: each takes a hundred times as long
as a line of text."""
LIBRARIES = (" NCCL ", " MCCL ", " RCCL ")
_LEVEL = regex(r"(?:INFO|WARN|TRACE|CALL|VERSION) |version \d")


class Scanner:
    """Scans the parts of one source, keeping only memos from one to the next."""

    def __init__(self, source: str, dialect: Dialect) -> None:
        self._source = source
        self._dialect = self._own_dialect = dialect
        self._parsers = line_parsers()
        self._documents = document_parsers()
        self._leads = NcclLeads(dialect)
        self._plans = Plans(self._parsers, dialect)
        self._asked = asked_of(self._parsers)
        self._rows = RowPlans(self._parsers, self._documents, self._plans, dialect)
        self._records = LogRecords(self._documents)
        self._out = Scanned()
        self._fold = NcclFold()
        self._heard: Hears = Heard(0, is_first=True)
        self._no_json_before = self._torn = 0

    def scan(self, part: bytes, first_line: int, fold: NcclFold, lines: list[str] | None = None) -> Scanned:
        """Everything in ``part``, which begins at line ``first_line`` and ends at a line end (or at the source's).

        NCCL's lines go into ``fold``, which has seen nothing of what comes later. ``lines``: of ``part``, if split.
        """
        self._learn(with_frames_of(part, self._own_dialect, self._parsers))
        self._out = out = Scanned(after=self._dialect.after)
        self._fold = fold
        self._heard = Heard(self._dialect.after, is_first=first_line == 1)
        self._no_json_before = self._torn = 0
        source = self._lines(part, first_line, lines)
        out.lines = len(source)
        named = b"CCL " in part
        library = next((name for name in LIBRARIES if named and name.encode() in part), LIBRARIES[0])
        plain, feed = self._leads.plain, fold.feed
        used, ignored = Use.USED, Use.IGNORED
        fed = skipped = 0
        for number, line in source:
            before, found, message = line.partition(library)
            if found and "\r" not in message:
                use: Use | None
                if before in plain:
                    use = feed(before, message, number, line)
                else:
                    use = self._feed(before, message, number, line, library)
                if use is used:
                    fed += 1
                    continue
                if use is not None:
                    if use is ignored:
                        skipped += 1
                    else:
                        self._keep(number, line, self.plan_of(line))
                    continue
            if not line:
                skipped += 1
            elif fold.expects_more and fold.continuation(self._cleaned(line), number) is used:
                fed += 1
            else:
                source.skip(self._other(number, line, source, first_line) - 1)
        out.used += fed
        out.ignored += skipped
        out.texts = source.texts - sum(source.texts_of(block.line - first_line, block.span) for block in out.blocks)
        if out.cut is not None:
            out.cut_texts = len(list(filter(None, source.all()[out.cut.line - first_line :])))
        return out

    def _learn(self, dialect: Dialect) -> None:
        """Go by this dialect from now on."""
        if dialect != self._dialect:
            self._dialect, self._plans = dialect, Plans(self._parsers, dialect)
            self._rows = RowPlans(self._parsers, self._documents, self._plans, dialect)
            self._leads = NcclLeads(dialect)

    def _lines(self, part: bytes, first_line: int, lines: list[str] | None) -> Lines:
        if lines is None and (sieve := sieve_for(self._parsers, self._dialect)) is not None:
            sifted = sift_into(sieve, part, self._fold.edges)
            lines_left = SiftedLines(part, sifted, first_line, self, self._dialect.after)
            self._heard = lines_left.heard
            return lines_left
        return AllLines(without_closings(lines_of(part) if lines is None else lines, self._dialect), first_line)

    def needs_all(self) -> bool:
        """Must the scan look at the next line, whatever it is? It may go on with NCCL's last message, or stand close
        behind a line that was wanted."""
        return self._fold.expects_more or self._heard.goes_on()

    def goes_on(self) -> bool:
        return self._fold.expects_more

    def sampled(self) -> bool:
        return len(self._out.samples) >= SAMPLES

    def take_sifted(self, sifted: Any, places: tuple[int, int], first_line: int) -> None:
        """Take lines of NCCL's that were taken apart, with all that repeat them."""
        out = self._out
        out.logged = out.logged or first_line + sifted.first(places)
        lines, ignored = self._fold.take_sifted(sifted, places, first_line)
        out.ignored += ignored
        out.used += lines - ignored

    def how_read(self, line: str) -> RowPlan | None:
        return self._rows.of(line)

    def take_rows(self, rows: RowStretch) -> None:
        for run in rows.runs:
            run.source, run.dialect = self._source, self._dialect
        self._out.candidates.append(rows)

    def said(self, line: str) -> str:
        return self._rows.said(line)

    def last_said(self, stream: str) -> Said:
        return self._out.last_text.get(stream, NOTHING)

    def passed_over(self, blank: int, nobodys: int, last: Iterable[tuple[str, Said]]) -> None:
        """Count lines that the sieve keeps from the scan: they are blank, or nobody's."""
        self._out.ignored += blank
        self._out.unread += nobodys
        for stream, (number, text) in last:
            self._note_last(number, text, stream)

    def _feed(self, before: str, message: str, number: int, line: str, library: str) -> Use | None:
        """Feed a line with a launcher's prefix; None when there is more in it than that."""
        lead = self._leads.of(before)
        if lead.special:
            return None
        self._out.logged = self._out.logged or number
        return self._fold.feed(
            lead.prefix, message, number, line[lead.cut :], lead.stream, lead.rank, lead.host, library.strip()
        )

    def _cleaned(self, line: str) -> str:
        return line[self.plan_of(line).prefix.cut :]

    def _other(self, number: int, line: str, lines: Lines, first_line: int) -> int:
        """Take a line that is not plainly NCCL's. Gives the number of lines taken."""
        if "\r" in line:
            return self._apart(number, line.split("\r"))
        if line.startswith("{") and number >= self._no_json_before and not self._dialect.frames:
            record = self._records.of(line)
            if record is not None:
                self._record(number, record, "")
                return 1
        plan = self.plan_of(line)
        if plan.json_at is not None and number >= self._no_json_before and self._tries_json():
            found = find_block(lines.all(), number - first_line, plan.json_at, first_line)
            if isinstance(found, Block) and self._take_block(found, plan.prefix.stream_of(line)):
                return found.span
            if isinstance(found, Block) and found.cut == "end":
                self._out.cut = found
            self._no_json_before = number + (found.span if isinstance(found, Block) else found)
            self._torn += not isinstance(found, Block) or bool(found.cut) or found.span > 1  # else it costs one line
        if pieces := quoted_lines(line):
            return self._apart(number, pieces)
        self._piece(number, line, plan=plan)
        return 1

    def _tries_json(self) -> bool:
        """Is a line looked at that may begin a JSON value? Not where too many were cut, or none, and for nobody."""
        self._out.many_torn = self._out.many_torn or self._torn >= MOST_TORN
        return self._torn < MOST_TORN

    def _apart(self, number: int, pieces: list[str]) -> int:
        """Take each of the pieces of one line. What stands before its front stands before all that have no own."""
        self._out.mixed[number] = Use.NOT_MINE
        around = NOTHING_AROUND
        for piece in filter(str.strip, pieces):
            plan = self.plan_of(text := piece.rstrip())
            self._piece(number, text, NOTHING_AROUND if plan.prefix.cut else around, plan)
            if plan.prefix.cut and around is NOTHING_AROUND:
                around = around_behind(text, plan.prefix)
        return 1

    def _take_block(self, block: Block, stream: str) -> bool:
        """Keep a JSON value that some parser wants; read the line inside a JSON log record."""
        readers = self._records.readers(block)
        if readers:
            self._out.blocks.append(block)
            self._out.used += block.span - 1
            self._out.mixed[block.line] = Use.USED
            for number, text in enumerate(text for parser in readers for text in texts_in(parser, block.value)):
                self._pieces(block.line, text, Around(f"{stream} text {number} at {block.line}".strip()))
            return True
        if block.cut == "inside":
            return False
        if is_data_set(block.value):
            self._unread(block.line, "(a record of a data set)", NO_PREFIX, stream)
            self._out.unread += block.span - 1
            return True
        record = log_text(block.value) if block.span == 1 else None
        told = [each for each in told_in(block.value) if record is None or each.text.strip() not in record.text]
        if record is None and not told and block.span == 1 and (line := collected_line(block.value)) is not None:
            self._out.mixed[block.line] = Use.NOT_MINE
            self._pieces(block.line, line.text, Around(f"{stream} collected {line.host or ''}".strip(), line.host))
            return True
        if record is None and not told:
            return False
        self._out.mixed[block.line] = Use.NOT_MINE
        self._out.ignored += block.span - 1
        if record is not None:
            if opens_block(record.text):
                self._told(block, Told(record.text, record.host), f"{stream} {record.stream}".strip())
            else:
                self._record(block.line, record, stream)
        for number, each in enumerate(told):
            self._told(block, each, f"{stream} told {number} at {block.line}".strip())
        return True

    def _record(self, number: int, record: LogText, stream: str) -> None:
        """Read what a record of a log says."""
        self._out.mixed[number] = Use.NOT_MINE
        self._pieces(number, record.text, Around(f"{stream} {record.stream}".strip(), record.host, record.stamp))

    def _told(self, block: Block, told: Told, stream: str) -> None:
        """Read what a tool printed, in a string of a JSON value: it may be JSON in turn."""
        lines = lines_in(told.text[:LONGEST_CHARS])
        inner = find_block(lines, 0, 0, block.line) if opens_block(told.text) else 0
        if isinstance(inner, Block) and self._take_block(inner._replace(line=block.line, span=1), stream):
            return
        line = line_in(inner.value, 0) if isinstance(inner, Block) else None
        self._pieces(block.line, told.text if line is None else line, Around(stream, told.host))

    def _pieces(self, number: int, text: str, around: Around) -> None:
        for piece in lines_in(text[:LONGEST_CHARS]) or [""]:
            if piece.strip():
                self._piece(number, piece.rstrip(), around)
            else:
                self._settle(number, Use.IGNORED)

    def _piece(self, number: int, text: str, around: Around = NOTHING_AROUND, plan: Plan | None = None) -> None:
        """One text that may hold an NCCL line behind something else. ``plan``: where it is known."""
        for library in LIBRARIES if "CCL " in text else ():
            before, found, message = text.partition(library)
            # A line that begins with the library's name has its own parser (nccl_log.bare).
            if (
                found
                and before.strip(" \t>|")
                and _LEVEL.match(message)
                and self._glued(number, text, before, message, library.strip(), around)
            ):
                return
        self._keep(number, text, plan or self.plan_of(text), around)

    def _glued(self, number: int, text: str, before: str, message: str, library: str, around: Around) -> bool:
        """Feed the NCCL line inside ``text`` and keep what stands before it when a parser wants that."""
        lead = self._leads.of(before)
        if not lead.prefix:
            level, _, body = message.strip("`'\" ").partition(" ")
            if registry.find(level, body) is None:
                return False
            message = f"{level} {body}"
        head = before[: lead.cut].rstrip() if lead.prefix else before
        use = self._fold.feed(
            lead.prefix,
            message,
            number,
            text[lead.cut :],
            lead.stream,
            lead.rank,
            lead.host or around.host,
            library,
        )
        if use is Use.NOT_MINE and not lead.prefix:
            return False
        self._out.logged = self._out.logged or number
        plan = self.plan_of(head) if head.strip() else None
        if plan is not None and plan.wanted_by:
            self._settle(number, use, several=True)
            self._keep(number, head, plan, around._replace(torn=bool(lead.prefix)))
        else:
            self._settle(number, use)
        return True

    def _settle(self, number: int, use: Use, several: bool = False) -> None:
        """Count a line, or note the use of one part of it."""
        out = self._out
        if several or number in out.mixed:
            out.mixed[number] = better(use, out.mixed.get(number, use))
        elif use is Use.USED:
            out.used += 1
        elif use is Use.IGNORED:
            out.ignored += 1
        else:
            out.unread += 1

    def plan_of(self, line: str) -> Plan:
        """What is done with lines of this shape."""
        return self._plans.of(line)

    def _keep(self, number: int, text: str, plan: Plan, around: Around = NOTHING_AROUND) -> None:
        """Keep a line that is wanted, or close behind such a one; count the others. An overlong one has parts, too."""
        if len(text) > MATCH_CHARACTERS:
            self._out.mixed.setdefault(number, Use.NOT_MINE)
            self._keep_whole(number, text, plan, around)
            self._keep_parts(number, text, plan.prefix, around)
        else:
            self._keep_whole(number, text, plan, around)

    def _keep_whole(self, number: int, text: str, plan: Plan, around: Around) -> None:
        prefix, wanted = plan.prefix, plan.is_wanted()
        stream = f"{around.stream} {prefix.stream_of(text)}".strip() if prefix.cut else around.stream
        if prefix.cut >= len(text):
            self._settle(number, Use.IGNORED)
            return
        plan = self._plans.tried(text, plan)
        if wanted and not plan.lone:
            self._heard.begin(stream)
        elif not plan.is_wanted() and not self._heard.hears(stream, quiet=plan.quiet):
            self._unread(number, text, prefix, stream)
            return
        before_no, line = self._line(number, text, prefix, stream, around)
        lone = plan.lone and (wanted or plan.quiet)
        self._out.candidates.append(Candidate(plan.wanted_by, line, before_no, plan.behind, lone))

    def _keep_parts(self, number: int, text: str, prefix: Prefix, around: Around) -> None:
        """Keep the parts of an overlong line, behind its front, that somebody wants who searches lines."""
        stream = f"{around.stream} {prefix.stream_of(text)}".strip()
        for part, wanted in self._asked.parts_wanted_of(text[prefix.cut :]):
            before_no, line = self._line(number, text, prefix, stream, around)
            line.text, line.part = part, True
            self._out.candidates.append(Candidate(wanted, line, before_no, lone=True))

    def _line(self, number: int, text: str, prefix: Prefix, stream: str, around: Around) -> tuple[int, Line]:
        """The line without what stands before it; first the number of the line before it."""
        before_no, before = self._out.last_text.get(stream, (0, ""))
        return before_no, Line(
            self._source,
            number,
            text[prefix.cut :],
            rank=rank_of(text, prefix),
            host=text[prefix.host] if prefix.host else around.host,
            stream=stream,
            stamp=text[prefix.stamp] if prefix.stamp else around.stamp,
            before=before,
            torn=around.torn,
        )

    def _unread(self, number: int, text: str, prefix: Prefix, stream: str) -> None:
        out = self._out
        cleaned = text[prefix.cut : prefix.cut + 400]
        self._note_last(number, cleaned, stream)
        self._settle(number, Use.NOT_MINE)
        if len(out.samples) < SAMPLES:
            shape = shape_of(cleaned)
            if shape not in out.samples:
                out.samples[shape] = Ref(self._source, number, cleaned)

    def _note_last(self, number: int, cleaned: str, stream: str) -> None:
        last = self._out.last_text
        last[stream] = number, cleaned
        if len(last) > MAX_STREAMS:
            del last[next(iter(last))]
