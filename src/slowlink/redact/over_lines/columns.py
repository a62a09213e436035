"""Secrets under the heading of a column: tables of psql and Markdown, CSV, columns of a tool (``USER  PASSWORD``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from slowlink.patterns import regex
from slowlink.redact.cells import value_in
from slowlink.redact.harmless import is_drawn, is_heading, looks_secret
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.leads import split_lead
from slowlink.redact.over_lines.left import NOTHING_LEFT, Left
from slowlink.redact.over_lines.lone_headings import SAYS_VALUE, LoneHeadings
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import replaced
from slowlink.redact.shapes import IN_ASCII
from slowlink.redact.value_ends.phrases import is_phrase, phrase_in

_BETWEEN = {
    "\u2502": regex(r"(?P<sign>[\u2502\u2503])"),
    " | ": regex(r"(?P<sign>(?<!\S)\||\|(?!\S))"),
    "|": regex(r"(?P<sign>[|\u2502\u2503])"),
    ",": regex(r"(?:^|(?<=,))\"(?:[^\"]|\"\")*\"(?=,|$)|(?P<sign>,)"),
    ";": regex(r"(?:^|(?<=;))\"(?:[^\"]|\"\")*\"(?=;|$)|(?P<sign>;)"),
    ",;": regex(r"(?P<sign>[,;])"),
    "\t": regex(r"(?P<sign>\t)"),
    "  ": regex(r"(?P<sign>(?<=\S) {2,}(?=\S))"),
}
"""What stands between cells: the first of these with which a line is a row of headings. A bar between two that are no
blanks is a sign of the word in which it stands, where others have blanks; so is a comma in quotes."""
_OTHERWISE = {" | ": "|", "\u2502": "|", ",": ",;", ";": ",;"}
"""What may stand between the cells of a row that has others than its headings."""
_SIGNS = {"\u2502": "\u2502\u2503", " | ": "|", "|": "|\u2502\u2503", "  ": ("  ",)}
_ANY_SIGN = regex(r"[\u2502\u2503|,;\t]|  ")
_IN_WORDS = frozenset(",;|")
_OF_SENTENCES = frozenset(",;")
_MOST_IN_WORD = 4
_MARK = "[\"'`*]{0,2}"
_WORD = r"[A-Za-z][\w.-]{0,40}"
_HEADING = regex(rf"(?:#\s?)?{_MARK}(?P<name>{_WORD}(?: {_WORD}){{0,2}}){_MARK}")
_FIRST = regex(rf"(?:^|(?<=[\s:\]>|#+)}}%$\u2502\u2503-])){_MARK}(?:{_WORD} )?(?P<last>{_WORD}){_MARK}\s*$")
"""The first heading at the end of its cell; the word before it is of the lead or of the heading."""
_LONGEST_FIRST = 100
_INSTANCE = regex(r"[\w.-]{1,60}[-_]\d{1,6} {1,20}\|")
"""One of several of a service of Compose; as likely as not what stands behind it is all that it says."""
_FEWEST_CELLS = 2
_NAMES = SECRET_NAME | SAYS_VALUE | ask_for(IN_ASCII)
_RULES = " \t|:+=-" + "".join(map(chr, range(0x2500, 0x2580)))
_SHORTEST_RULE = 3
_LONGEST_CHARS = 4000
_BLANK = regex(r"\s")
_OF_KUBEADM = "bootstrap_token"
_BESIDE_ITS_TOKENS = frozenset({"TTL", "EXPIRES"})
_BOOTSTRAP = regex(r"[a-z\d]{6}\.[a-z\d]{16}")
"""A token in the table of ``kubeadm token list``: elsewhere such a word may be a host."""
_FEWEST_CHARS = 16
"""Of a key or a token in a table: what is shorter is a piece of text, or a name, unless chance has made it."""


class Columns:
    """Replaces the cells of such columns, in lines without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"column": self._row}
        self._alone = LoneHeadings(removed)
        self.ways_behind: dict[str, GoesOn] = {"column behind": self._row, **self._alone.ways}
        """A line may be read in both ways: ``trainer-1 | ...`` begins with a lead, or with the name of a column."""

    def openings(self, text: str, words: int) -> list[Left]:
        """The columns of secrets, where ``text`` is a row of headings, or ends in one behind anything at all: whether
        that is a lead, the rows tell by repeating it. ``words``: what ``held`` says of it."""
        if not words & _NAMES:
            return []
        text = text.rstrip("\r\n")
        opened: dict[str, Left] = {}
        has_cells = len(text) <= _LONGEST_CHARS and _ANY_SIGN.search(text) is not None
        for sign in _BETWEEN if has_cells else ():
            last = max(map(text.rfind, _SIGNS.get(sign, sign)), default=-1)
            if last < 0 or _name(text[last + 1 :]) is None:
                continue  # nearly every line: not to be cut into cells
            for at, or_at in _begins(text, sign):
                way = "column behind" if at else "column"
                if way not in opened and (left := _opened(text, at, sign)).way:
                    opened[way] = left._replace(or_at=or_at)
        return list(opened.values()) or self._alone.openings(text)

    def _row(self, text: str, left: Left) -> tuple[str, Left]:
        """A row below them; a line with another number of cells is none."""
        sign, count, *columns = left.told
        spans = _cells(text, sign, int(count), [int(column.split(":")[0]) for column in columns])
        if len(spans) != int(count):
            return text, left if _is_rule(text) else NOTHING_LEFT
        for column in reversed(columns):
            at, name = column.split(":")
            begin, end = spans[int(at)]
            text = text[:begin] + self._clean(text[begin:end], name, sign) + text[end:]
        return text, left

    def _clean(self, cell: str, name: str, sign: str) -> str:
        kind, place = kind_of(name), value_in(cell)
        if place is None:
            begin, end = phrase_in(cell)
            in_sentence = sign in _OF_SENTENCES and cell[begin - 1 : begin] != '"'
            if kind != "password" or not is_phrase(cell[begin:end], name, headed=True, bare=in_sentence):
                return cell
            return cell[:begin] + replaced(cell[begin:end], kind, self._removed) + cell[end:]
        begin, end = place
        value = cell[begin:end]
        if name == _OF_KUBEADM and _BOOTSTRAP.fullmatch(value) is not None:
            return cell[:begin] + replaced(value, kind, self._removed) + cell[end:]
        if kind != "password" and (is_heading(value) or (len(value) < _FEWEST_CHARS and not is_drawn(value))):
            return cell
        return cell[:begin] + replaced(value, kind, self._removed, weak=True) + cell[end:]


def _cells(text: str, sign: str, count: int, columns: list[int]) -> list[tuple[int, int]]:
    """Where each cell of a row stands, of which there should be so many."""
    before = len(text) - len(text.lstrip(" ")) if sign == "  " else 0
    spans = [(begin + before, end + before) for begin, end in _spans(text[before:], sign)]
    if sign in _OTHERWISE and len(spans) != count:
        otherwise = _spans(text, _OTHERWISE[sign])
        spans = otherwise if len(otherwise) == count or sign == " | " else spans
    more = len(spans) - count
    if sign in _IN_WORDS and 0 < more <= _MOST_IN_WORD and len(columns) == 1:
        at = columns[0]
        begin, end = spans[at][0], spans[at + more][1]
        if looks_secret(text[begin:end]) and _BLANK.search(text, begin, end) is None:
            spans[at : at + more + 1] = [(begin, end)]
    return spans


def _begins(text: str, sign: str) -> Iterator[tuple[int, int]]:
    """Where a row of headings may begin that ends with ``text``: with it, and behind what may be a lead; and where it
    begins if a word before it is no lead's, but of its first heading."""
    cells = _spans(text, sign)
    number = len(cells)
    while number and _name(text[slice(*cells[number - 1])]) is not None:
        number -= 1
    if number == len(cells) or len(cells) < _FEWEST_CELLS:
        return
    if number == 0 and (len(cells) > _FEWEST_CELLS or _INSTANCE.match(text) is None):
        yield 0, 0
    known = len(split_lead(text)[0])
    first = max(number - 1, 0, *(at for at, (begin, _) in enumerate(cells) if begin < known))
    begin, end = cells[first]
    if known > begin and _name(text[known:end]) is not None:
        yield known, known
    else:
        yield from _first(text, begin, end)


def _first(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the first heading begins, at the end of the cell that holds a lead, too; or only the lead ends there."""
    match = _FIRST.search(text, max(begin, end - _LONGEST_FIRST), end)
    at = begin + len(text[begin:end].rstrip()) if match is None else match.start("last")
    if not at:  # a line that is a row of headings, or of a word and a row
        at, match = len(text[:end].rstrip()), None
    yield at, at if match is None else match.start() or at


def _opened(text: str, at: int, sign: str) -> Left:
    """The columns of secrets of a row of headings that begins at ``at``."""
    words = text[at:]
    words = words.strip(" ") if sign == "  " else words
    names = [_name(words[begin:end]) for begin, end in _spans(words, sign)]
    if _BESIDE_ITS_TOKENS.issubset(names):
        names = [_OF_KUBEADM if name == "TOKEN" else name for name in names]
    secrets = [f"{number}:{name}" for number, name in enumerate(names) if name and _is_secret(name.replace(" ", "_"))]
    if not secrets or len([name for name in names if name]) < _FEWEST_CELLS:
        return NOTHING_LEFT
    way = "column behind" if at else "column"
    return Left(way, at=at, plain=not at, told=(sign, str(len(names)), *secrets))


def _name(cell: str) -> str | None:
    """The heading in ``cell``; empty where the cell is, None where it holds something else."""
    bare = cell.strip()
    match = _HEADING.fullmatch(bare)
    return match["name"] if match is not None else None if bare else ""


def _is_secret(heading: str) -> bool:
    return is_secret_name(heading) or heading.lower() in IN_ASCII


def _is_rule(text: str) -> bool:
    """Does a row of lines end here that parts rows from one another? A word of a lead may stand before it."""
    return len(text[len(text.rstrip(_RULES)) :].strip()) >= _SHORTEST_RULE


def _spans(text: str, sign: str) -> list[tuple[int, int]]:
    """Where each cell of a row begins and ends."""
    signs = [found.span() for found in _BETWEEN[sign].finditer(text) if found["sign"]]
    return list(zip([0, *(end for _, end in signs)], [*(begin for begin, _ in signs), len(text)], strict=True))
