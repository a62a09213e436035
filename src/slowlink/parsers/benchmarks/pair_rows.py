"""Rows of two hosts and numbers, and when they are a table of pairs: names that are built alike and recur."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.benchmark import PairBandwidth, PairFailure, PairTable
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.fronts.node_headings import are_alike, are_parts, form_of_name, is_part
from slowlink.patterns import regex

FEWEST_ROWS = 6
FEWEST_LABELLED = 3
"""Pairs, where each row says itself that its number is a bandwidth."""
_NO_LATENCY = 10.0
"""Numbers without any name from here on are hardly the microseconds of a small message."""
_HOST = r"(?=[\w.-]{0,60}\d)[A-Za-z][\w.-]{1,60}"
ROW = regex(
    r"\s{0,20}(?:[|*-]\s{1,4}|\[\s?\d{1,6}/\d{1,6}\]\s{1,4}|(?i:pair)[ :]{1,3}\s{0,4})?\(?"
    rf"(?P<a>{_HOST})(?:\s{{0,12}}(?:<-{{1,3}}>|-{{1,3}}>|<=>|=>|↔|→|,|\||&|/|\+|<>)\s{{0,20}}"
    r"| {1,20}(?:-|to|and|vs\.?) {1,20}|\s{1,40})"
    rf"(?P<b>{_HOST})\)?(?P<rest>(?:\s{{0,4}}[:,|=]\s{{0,40}}|\s{{1,60}})\S.{{0,160}})"
)
JOINED = regex(
    rf"\s{{0,20}}(?:[|*-]\s{{1,4}})?(?P<pair>{_HOST}[-_:]{_HOST})(?P<rest>(?:\s{{0,4}}[:,|=]\s{{0,40}}|\s{{1,60}})"
    r"(?:[^\d\n]{0,40}(?:[Bb]andwidth|[Bb][Ww]|BANDWIDTH|[Tt]hroughput)[^\d\n]{1,40})?\d.{0,160})"
)
"""``hx01-hx06: 231.2``; where the one name ends shows only when both are built alike."""
_NUMBER = regex(r"(?P<number>\d{1,9}(?:\.\d{1,6})?)(?P<unit>[A-Za-z][\w/]{0,8})?")
_FAILED = regex(r"(?i)(?:fail(?:ed|ure)?|time[d-]?-?out|hung|hang|error|aborted|killed)[.!]?")
_PLAIN = regex(
    r"(?i)(?:ok|pass(?:ed)?|good|done|slow|low|bad|warn(?:ing)?|n/?a|-{1,3}|[#*!]{1,3}|busbw|algbw|bw|avg|bandwidth|=|:)"
)
_LABEL = regex(r"[\[(#]{0,2}[A-Za-z][A-Za-z/_.()-]{0,24}\]?:?")
_WORDS_OF_A_LABEL = 8
"""Words between two names and their number: ``# Avg bus bandwidth    : 452.118``."""
_IN_GB_PER_SECOND = regex(r"(?i)avg bus bandwidth|(?<![a-z])bus_?bw(?![a-z])")
"""nccl-tests prints these in GB/s."""
_TEST = regex(
    r"(?i)(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|send_?recv|broadcast|reduce|ib_\w{3,20}"
    r"|osu_\w{2,20})(?:_perf)?"
)
_SIZE = regex(r"\d{1,6}(?:[KMGT]i?B?|B)")
_BANDWIDTH_UNIT = regex(r"(?i)g(?:i?b|b?it)(?:/s|ps|/sec)|g(?:i?b)ps|m(?:i?b|bit)(?:/s|ps|/sec)")
_OTHER_UNIT = regex(r"(?i)(?:[um]s|usec|msec|sec|s|%|ns|hops?|ppm|dbm?)")
SAYS_BANDWIDTH = regex(r"(?i)bus ?-?_?bw|alg ?-?_?bw|bandwidth|\bbw\b|_bw\b|throughput|g(?:i?b|bit)(?:/s|ps)|gb/sec")
SAYS_OTHER = regex(
    r"(?i)latency|\blat\b|_lat\b|rtt|ping|\busec\b|\bus\b|\bms\b|loss|hops|jitter|\btime\b|duration|distance"
)
HEADING_WORDS = (
    *("bw", "bandwidth", "throughput", "gb/s", "gib/s", "gbit/s", "gibit/s", "gbps", "gibps", "gbitps", "gb/sec"),
    *("latency", "lat", "rtt", "ping", "usec", "us", "ms", "loss", "hops", "jitter", "time", "duration", "distance"),
)
"""One of these stands in each heading, in small letters."""
HEADING = regex(r"(?i)\W{0,6}(?:node|host|pair|src|source|from|server|client|nodes|hosts|a\b|n1\b)")
_FREE_NUMBER = regex(r"(?<![\w.])\d{1,12}(?![\w])")
_REMARK = regex(r"\s\([^()]{1,40}\)\s{0,8}$")
"""Behind the columns: ``(busbw, GB/s)``."""
_SPLIT = regex(r"[\s|,;=]{1,40}")
_CUT = regex(r"\s{0,8}[|,;]\s{0,8}|\s{2,40}|\t")


class PairRow(Struct, frozen=True):
    """Two hosts, and what stands behind them."""

    a: str
    b: str
    test: str
    numbers: tuple[tuple[float, str, bool], ...]
    """(value, unit or "", printed with decimals)."""
    failed: bool
    ref: Ref
    label: str = ""
    """What the row itself calls its number, where that is a bandwidth."""


def read_row(line: Line) -> PairRow | None:
    """None where the line is anything else than two hosts and numbers."""
    found = ROW.match(_taken_apart(line.text))
    if found is None or not _may_be_pair(found["a"], found["b"]):
        return None
    test, numbers, failed = "", [], False
    before: list[str] = []
    words = 0
    for word in [word for word in _SPLIT.split(found["rest"]) if word][:12]:
        number = _NUMBER.fullmatch(word.strip("()[]:="))
        if number is not None and not _SIZE.fullmatch(word):
            numbers.append((float(number["number"]), number["unit"] or "", "." in number["number"]))
        elif numbers and not numbers[-1][1] and (_BANDWIDTH_UNIT.fullmatch(word) or _OTHER_UNIT.fullmatch(word)):
            numbers[-1] = (numbers[-1][0], word, numbers[-1][2])
        elif _TEST.fullmatch(word.strip("():")):
            test = word.strip("():").lower()
        elif _FAILED.fullmatch(word):
            failed = True
        elif not (_PLAIN.fullmatch(word) or _SIZE.fullmatch(word)):
            if numbers or not _LABEL.fullmatch(word):
                return None
            words += 1
        if not numbers:
            before.append(word)
    if not numbers and not failed:
        return None
    label = _label(before, words, numbers)
    if words and not _is_labelled(label, words, numbers):
        return None
    return PairRow(found["a"], found["b"], test, tuple(numbers), failed, line.ref(), label)


def _may_be_pair(a: str, b: str) -> bool:
    """Two nodes; not one and a part of it."""
    return a != b and not are_parts((a, b)) and (not is_part(b) or are_alike((a, b)))


def _label(before: Sequence[str], words: int, numbers: Sequence[object]) -> str:
    """What stands before the first number, where words do that are no column's, or one that says bandwidth."""
    label = " ".join(before)
    return label if words or (numbers and SAYS_BANDWIDTH.search(label) is not None) else ""


def _is_labelled(label: str, words: int, numbers: Sequence[tuple[float, str, bool]]) -> bool:
    """Other words than those of tables stand only before the one number of a row, which they, or its unit, call a
    bandwidth; else the line is about anything."""
    if words > _WORDS_OF_A_LABEL or len(numbers) != 1:
        return False
    unit = numbers[0][1]
    if unit:
        return _BANDWIDTH_UNIT.fullmatch(unit) is not None
    return SAYS_BANDWIDTH.search(label) is not None and SAYS_OTHER.search(label) is None


def with_numbers(row: re.Pattern[str]) -> str:
    """The same without look-ahead: where two names are joined, the number may stand in the second alone."""
    joined = row.pattern.replace(f"{_HOST}[-_:]", r"[A-Za-z][\w.-]*[-_:]")
    return joined.replace(_HOST, r"[A-Za-z][\w.-]*\d[\w.-]*")


def could_be_row(text: str) -> bool:
    """Could this line be a row? Blind to which digits stand in it."""
    return ROW.match(text) is not None or JOINED.match(text) is not None


def _taken_apart(text: str) -> str:
    """The line with a blank between two joined names that are built alike; as it is where there are none."""
    found = JOINED.match(text)
    pair = joined_names(found["pair"]) if found is not None else None
    return f"{pair[0]} {pair[1]}{found['rest']}" if found is not None and pair is not None else text


def joined_names(text: str) -> tuple[str, str] | None:
    """``hx01-hx06``: where the one name ends shows only when both are built alike."""
    for at in (index for index, char in enumerate(text) if char in "-_:"):
        if form_of_name(text[:at]) == form_of_name(text[at + 1 :]):
            return text[:at], text[at + 1 :]
    return None


def is_heading(text: str) -> bool:
    """Columns of a table of pairs: names of two nodes first, and what was measured."""
    return len(text) < 200 and HEADING.match(text) is not None and bool(heading_cells(text))


def heading_cells(text: str) -> list[str]:
    """The columns that a heading names; empty where it says nothing of a measurement, or is a row or a sentence."""
    if _FREE_NUMBER.search(text) is not None or not (SAYS_BANDWIDTH.search(text) or SAYS_OTHER.search(text)):
        return []
    cells = [cell for cell in _CUT.split(text.strip().strip("|#").strip()) if cell]
    if len(cells) < 2:
        cells = text.strip().strip("|#").split()
    return cells if len(cells) <= 12 else []


def table_of(rows: Sequence[PairRow], heading: str) -> PairTable | None:
    """None where these rows are no survey of pairs, or what they measured is no bandwidth."""
    measured = [row for row in rows if row.numbers]
    label = Counter(row.label for row in measured).most_common(1)[0][0] if measured else ""
    says = label or (measured and all(_BANDWIDTH_UNIT.fullmatch(row.numbers[0][1]) for row in measured))
    pairs = {frozenset((row.a, row.b)) for row in measured}
    hosts = [(row.a, row.b) for row in rows]
    if len(pairs) < (FEWEST_LABELLED if says else FEWEST_ROWS) or not (are_hosts(hosts) or (says and _apart(hosts))):
        return None
    width, _ = Counter(len(row.numbers) for row in measured).most_common(1)[0]
    full = [row for row in measured if len(row.numbers) == width and row.label == label]
    column = _bandwidth_column(full, heading, width)
    if column is None:
        return None
    printed = Counter(row.numbers[column][1] for row in full).most_common(1)[0][0]
    sound = [row for row in full if row.numbers[column][1] in ("", printed)]
    unit = printed or unit_of(label) or unit_of(heading)
    unit = unit or ("GB/s" if _IN_GB_PER_SECOND.search(f"{label} {heading}") else "")
    kept = {id(row) for row in sound}
    return PairTable(
        rows=tuple(PairBandwidth(row.a, row.b, row.test, row.numbers[column][0], row.ref) for row in sound),
        failed=tuple(PairFailure(row.a, row.b, row.test, row.ref) for row in rows if row.failed and not row.numbers),
        unit=unit,
        ref=rows[0].ref,
        told=bool(unit or label) or says_bandwidth(heading, median(row.numbers[column][0] for row in sound)),
        # More or fewer numbers than the others, or another unit: nobody knows which is the bandwidth.
        unread=tuple(row.ref for row in measured if id(row) not in kept),
    )


def lonely_rows(rows: Sequence[PairRow], heading: str) -> PairTable | None:
    """Rows that say bandwidth and are too few for a table, kept so that they do not vanish."""
    said = HEADING.match(heading) is not None and SAYS_BANDWIDTH.search(heading) is not None
    refs = tuple(row.ref for row in rows if said or any(_BANDWIDTH_UNIT.fullmatch(unit) for _, unit, _ in row.numbers))
    return PairTable((), (), "", refs[0], told=False, unread=refs) if refs else None


def says_bandwidth(heading: str, middle: float) -> bool:
    """Do a heading, or numbers with this one in their middle, say that they are of bandwidth?"""
    return middle >= _NO_LATENCY or SAYS_BANDWIDTH.search(heading) is not None


def are_hosts(pairs: Sequence[tuple[str, str]]) -> bool:
    """Are the names built alike, and do most of them come again with another partner?"""
    names = [name for pair in pairs for name in pair]
    partners: dict[str, set[str]] = {}
    for a, b in pairs:
        partners.setdefault(a, set()).add(b)
        partners.setdefault(b, set()).add(a)
    recur = sum(len(others) > 1 for others in partners.values())
    return are_alike(names) and 2 * recur >= len(partners)


def _apart(pairs: Sequence[tuple[str, str]]) -> bool:
    """Nodes that are built alike, each in one pair: tested side by side."""
    names = [name for pair in pairs for name in pair]
    return are_alike(names) and len(set(names)) == len(names)


def _bandwidth_column(rows: Sequence[PairRow], heading: str, width: int) -> int | None:
    """By its unit, by the heading, or the first with decimals; None where it is no bandwidth."""
    units = [Counter(row.numbers[column][1] for row in rows).most_common(1)[0][0] for column in range(width)]
    by_unit = next((column for column, unit in enumerate(units) if _BANDWIDTH_UNIT.fullmatch(unit)), None)
    if by_unit is not None:
        return by_unit
    cells = heading_cells(_REMARK.sub("", heading))[-width:]
    positive = [column for column in range(width) if median(row.numbers[column][0] for row in rows) > 0]
    named = [column for column, cell in enumerate(cells) if SAYS_BANDWIDTH.search(cell) and column in positive]
    if named and len(cells) == width:
        bus = [column for column in named if "bus" in cells[column].lower()]
        return (bus or named)[0]
    if heading and SAYS_OTHER.search(heading) and not SAYS_BANDWIDTH.search(heading):
        return None
    free = [column for column in positive if not units[column]]
    decimal = [column for column in free if any(row.numbers[column][2] for row in rows)]
    return next(iter(decimal or (free if width == 1 else [])), None)


def unit_of(heading: str) -> str:
    """The unit of bandwidth in a heading, as printed; "" where there is none."""
    found = _BANDWIDTH_UNIT.search(heading)
    return found[0] if found is not None else ""
