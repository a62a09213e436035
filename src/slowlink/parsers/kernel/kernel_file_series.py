"""Several kernel files that one command printed, a line each, in the order in which the command names them::

    [root@gpu07 ~]# cat /sys/class/net/hsn{0,1}/carrier_changes
    2
    58
    $ for i in 0 1; do echo -n "$i "; cat /sys/class/infiniband/mlx5_0/ports/1/pkeys/$i; done
    0 0xffff
    1 0x8021

The shell names the files (``{0,1}``, ``{0..3}``, ``[0-3]``, ``for``), and only it knows how many there are behind
``*``: below a directory of numbered files these are as many as lines. Where ``for`` sends the same ``cat`` to several
hosts, each has as many lines as there are files, below its heading or in the order of the hosts. What ``pdsh`` and
``clush`` print of each node is a stream of its own, which hears the command; ``clush -b`` draws rulers around the names
of nodes that said the same. Other numbers of lines are nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.fronts.node_headings import RULER, section_heading
from slowlink.parsers.forms.gates import Gate, any_of, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.kernel.kernel_file_listing import kernel_path
from slowlink.parsers.kernel.sysfs import file_readings
from slowlink.patterns import regex

_MOST = 512
"""Files of one command."""
_MOST_LINES = Limit(4096, "lines below one command")
_MOST_BETWEEN = 4096
"""Lines of other nodes between two of one."""
_CAT = regex(r"\bcat (?P<paths>(?:[\w./:${}\[\],*-]{5,300} ?){1,16})")
_SEVERAL = regex(r"[$*{\[]|\.\S* /")
_LOOP = regex(r"\bfor (?P<name>\w{1,20}) in (?P<words>[^;$`(]{1,400}) ?; ?do\b")
_SENT = regex(r"\b(?:ssh|rsh) (?:-\S{1,20} (?!\$)){0,4}(?:\w{1,20}@)?\$\{?(?P<name>\w{1,20})\}?")
_GATHERED = regex(r"\b(?:pdsh|clush|ansible|pssh|parallel-ssh|dsh|salt) ")
"""Sends one command to many nodes."""
_ALONE = regex(r"(?:[\w.-]{1,80}: )?0x[0-9a-fA-F]{1,4}\s{0,4}")
"""A partition key, with or without the name of its node: the only content that says nothing of its file, so that
nobody else wants it."""
_BRACES = regex(r"\{(?P<list>[\w.,-]{1,200})\}")
_RANGE = regex(r"(?P<first>\d{1,4})\.\.(?P<last>\d{1,4})")
_BRACKETS = regex(r"\[(?P<first>\d)-(?P<last>\d)\]")
_NUMBERED = regex(r"(?P<head>.*/(?:pkeys|gids|gid_attrs/\w{1,10})/)\*")
_PROMPT = regex(
    r"(?:\[[^\]]{3,160}\][#$]|[\w.-]{1,64}@[\w.-]{1,80}:[^\s#$]{0,200}[#$]|[\w.-]{1,80}:[~/]\S* [#>]|[#$]) "
)
_ECHOED = regex(r"\s{0,8}(?P<name>[\w.-]{1,40})(?: ?[:=] ?| {1,4}|\t)(?P<content>\S.{0,200})")
_EMPTY = regex(r"0x0{1,4}|(?:0000:){7}0000|-1")
"""What an unused entry of a table says."""


class _Series(Struct):
    """The files that a command names, and the lines below it."""

    paths: tuple[str, ...]
    hosts: tuple[str, ...]
    last: int
    """Number of the last line that belongs to it."""
    answers: list[list[tuple[str, Line]]] = field(default_factory=lambda: [[]])
    """For each heading the contents below it."""
    heard: bool = False
    """Was the command sent to many nodes, of which this stream is one? Lines of others stand between its lines."""
    within_rulers: bool = False
    """Was the last line the ruler above the names of nodes, or these names?"""

    def is_next(self, number: int) -> bool:
        """May the line of this number go on with what stands above it?"""
        return 0 < number - self.last <= (_MOST_BETWEEN if self.heard else 1)

    def is_heading(self, text: str) -> bool:
        """Is this line, or the ruler around it, the heading of a node's answers?"""
        if RULER.fullmatch(text) is not None:
            self.within_rulers = not self.within_rulers
            return True
        return self.within_rulers or (section_heading(text) is not None and _PROMPT.match(text) is None)


class KernelFileSeries:
    """Gives each line below such a command to its file."""

    kind: ClassVar[str] = "sysfs"
    literals: ClassVar[Literals] = Literals(("/sys/", "/proc/", "\n0x", ": 0x"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._open: _Series | None = None

    @staticmethod
    def gate() -> Gate:
        return (as_whole(_ALONE),), (anywhere(r"cat "), anywhere(any_of(("/sys/", "/proc/"))))

    @staticmethod
    def wants(text: str) -> bool:
        if text[:81].find("0x") >= 0 and _ALONE.fullmatch(text) is not None:
            return True
        if "cat " not in text or ("/sys/" not in text and "/proc/" not in text):
            return False
        command = _CAT.search(text)
        several = command is not None and (_SEVERAL.search(command["paths"]) or _SENT.search(text))
        return command is not None and (several or _GATHERED.search(text)) is not None

    @staticmethod
    def hears(text: str) -> bool:
        return "cat " in text and _GATHERED.search(text) is not None and _series(text, 0) is not None

    def hear(self, line: Line) -> None:
        """A command that was typed once for many nodes."""
        self._close()
        self._open = _series(line.text, line.no)
        if self._open is not None:
            self._open.heard = True

    @property
    def greedy(self) -> bool:
        return self._open is not None

    def feed(self, line: Line) -> Use:
        if "cat " in line.text and (begun := _series(line.text, line.no)) is not None:
            self._close()
            self._open = begun
            return Use.NOT_MINE  # it is a command, too
        if self._open is None:
            return Use.NOT_MINE
        if self._belongs(self._open, line):
            self._open.last = line.no
            return Use.USED
        if self._open.is_next(line.no) and self._open.is_heading(line.text):
            self._open.last = line.no
            self._open.answers.append([])
            return Use.NOT_MINE
        self._close()
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        self._close()
        return self._found

    @staticmethod
    def _belongs(series: _Series, line: Line) -> bool:
        """Is this line what the next file may hold? It is kept then."""
        below = series.answers[-1]
        if series.within_rulers or not series.is_next(line.no) or not _MOST_LINES.has_room(len(below)):
            return False
        path = series.paths[len(below) % len(series.paths)].replace("*", "0")
        for content in _contents(line.text, path):
            if _EMPTY.fullmatch(content) or any(True for _ in file_readings(path, content, line)):
                below.append((content, line))
                return True
        return False

    def _close(self) -> None:
        series, self._open = self._open, None
        for answers in series.answers if series is not None else ():
            for path, host, (content, line) in _shared_out(series, answers) if series is not None else ():
                if MAX_READINGS.has_room(len(self._found)):
                    said = file_readings(path, content, line)
                    self._found.extend(replace(each, host=host) if host else each for each in said)


def _contents(text: str, path: str) -> Iterator[str]:
    """The line, and what stands behind a name that the command may have printed before it."""
    yield text.strip()
    echoed = _ECHOED.fullmatch(text)
    if echoed is not None and echoed["name"] in re.split(r"[/_]", path):
        yield echoed["content"].strip()


def _shared_out(
    series: _Series, answers: Sequence[tuple[str, Line]]
) -> Iterator[tuple[str, str | None, tuple[str, Line]]]:
    """Each content with its file, and its host where the command names it and no heading does."""
    hosts = series.hosts if len(series.answers) == 1 and series.hosts else (None,)
    if len(answers) % len(hosts):
        return
    paths = _numbered(series.paths, len(answers) // len(hosts))
    if len(paths) * len(hosts) == len(answers):
        for (host, path), answer in zip(product(hosts, paths), answers, strict=True):
            yield path, host, answer


def _numbered(paths: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The shell lists ``pkeys/*`` in the order of letters: 0, 1, 10, 11, 2."""
    if len(paths) != 1 or (directory := _NUMBERED.fullmatch(paths[0])) is None:
        return paths
    return tuple(directory["head"] + name for name in sorted(map(str, range(count))))


def _series(text: str, number: int) -> _Series | None:
    """The files of a command line; None where it reads fewer than two, or where nobody can tell which."""
    text = text.replace("\\$", "$")  # kept from this shell, for that of the node
    command = _CAT.search(text)
    if command is None or "|" in text[command.end() :]:
        return None
    loops = {loop["name"]: tuple(islice(_words(loop["words"]), _MOST + 1)) for loop in _LOOP.finditer(text)}
    sent = _SENT.search(text)
    hosts = loops.pop(sent["name"], ()) if sent is not None else ()
    every = (path for word in command["paths"].split() for path in _each(word.rstrip("'\""), loops))
    named = tuple(islice(every, _MOST + 1))  # a few braces beside one another stand for millions
    known = [kernel_path(path) for path in named]
    paths = tuple(path for path in known if path is not None)
    sent_to_many = hosts or _GATHERED.search(text) is not None
    many = len(paths) > 1 or (len(paths) == 1 and (sent_to_many or "*" in paths[0]))
    if not many or len(paths) < len(known) or len(paths) > _MOST:
        return None
    if any("$" in path or ("*" in path and _NUMBERED.fullmatch(path) is None) for path in paths):
        return None
    return _Series(paths, hosts, number)


def _each(word: str, loops: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A path for each value of its variables, braces and brackets."""
    names = [name for name in loops if f"${name}" in word or f"${{{name}}}" in word]
    for values in product(*(loops[name] for name in names)):
        path = word
        for name, value in zip(names, values, strict=True):
            path = path.replace(f"${{{name}}}", value).replace(f"${name}", value)
        yield from _words(path)


def _words(text: str) -> Iterator[str]:
    """Words with their braces and brackets written out."""
    for word in text.split()[:_MOST]:
        yield from _written_out(word, 0)


def _written_out(word: str, depth: int) -> Iterator[str]:
    found = _BRACES.search(word) or _BRACKETS.search(word)
    if found is None or depth > 3 or word[max(found.start() - 1, 0)] == "$":
        yield word
        return
    for value in _values(found):
        yield from _written_out(word[: found.start()] + value + word[found.end() :], depth + 1)


def _values(found: re.Match[str]) -> Iterable[str]:
    said = found.groupdict()
    counted = _RANGE.fullmatch(said["list"]) if "list" in said else found
    if counted is None:
        return said["list"].split(",")
    first, last = int(counted["first"]), int(counted["last"])
    return map(str, range(first, min(last, first + _MOST) + 1))


PARSER = KernelFileSeries
