"""Questions that count, and the number below them::

    [root@gpu07 ~]# ibstat | grep -c "Rate: 400"
    8
    [root@gpu07 ~]# for h in gpu08 gpu09; do ssh $h "nvidia-smi -L | wc -l"; done
    8
    7

Several such questions in one command have their numbers one below the other, or, behind ``echo $h $(...)``, side by
side. A number may have the name of its node before it (``gpu08: 8``), or stand behind an arrow in the question's own
line. A loop over hosts has one number a host, in their order; where the hosts are not listed, or the numbers are not as
many, only a number on which all agree is taken, for no node. What pdsh prints of each node is a stream of its own,
which hears the question; below headings of nodes (``clush -b``, Ansible) each node has all its numbers, or none is
taken.

What many nodes were asked need not be known: the same question has the same answer where they are built alike
(``counts-differ``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import ClassVar, NamedTuple

from msgspec.structs import replace

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.context.counted_questions import Counted, compared, questions
from slowlink.parsers.forms.fronts.node_headings import RULER, kind_of_name, section_heading
from slowlink.parsers.forms.gates import Gate, any_of, anywhere, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TOOLS = (
    *("ibstat", "ibv_devinfo", "ibdev2netdev", "nvidia-smi", "fi_info", "/sys/class/infiniband", "lspci"),
    *("ibv_devices", "show_gids", "mst status", "rdma ", "rocm-smi", "amd-smi", "lsmod", "lscpu", "lsblk", "numactl"),
    *("/dev/", "/sys/", "/proc/"),
)
COUNTED = {"hca": "counted-hcas", "gpu": "counted-gpus", "": "counted-lines"}
"""``Observation.kind`` of a count that is only compared between nodes, by what is counted; ``subject`` is the question,
``value`` the number."""
_OTHERS = (
    "nproc",
    "_NPROCESSORS_ONLN",
    "grep -c processor /",
    "grep -c ^processor /",
    "grep -c '^processor' /",
    "/mtu",
)
_HOST = r"(?P<host>[A-Za-z][\w.-]{0,60}|\d{1,3}(?:\.\d{1,3}){3})"
_NUMBER = regex(r"\s{0,8}(?P<number>\d{1,4})\s{0,8}")
_NAMED = regex(rf"\s{{0,8}}{_HOST}(?: ?[:=] ?| +|\t)(?P<numbers>\d{{1,4}}(?: {{1,4}}\d{{1,4}}){{0,7}})\s{{0,8}}")
_NAME = regex(rf"\s{{0,8}}(?:[=#*-]{{1,8}} ?)?{_HOST}:?(?: ?[=#*-]{{1,8}})?\s{{0,8}}")
_BEHIND = regex(r"['\"`)]? {0,3}(?:->|=>|\u2192|[:=]) {0,3}`?(?P<number>\d{1,4})`?\s{0,8}$")
_LOOP = regex(r"\bfor \w{1,20} in (?P<hosts>[^;$`(]{1,400}); ?do\b")
_EACH = regex(r"\b(?:for \w{1,20} in |while read |pdsh |clush |parallel-ssh |pssh |ansible |srun )")
_BRACES = regex(r"(?P<head>[\w.-]{0,40})\{(?P<first>\d{1,4})\.\.(?P<last>\d{1,4})\}(?P<tail>[\w.-]{0,40})")
_MOST_HOSTS = 4096


class _Answer(NamedTuple):
    """One number."""

    host: str | None
    asked: int
    """Which of the questions it answers."""
    number: int
    line: Line


class CountedAnswers:
    """Readings of nodes from questions and the numbers directly below them."""

    kind: ClassVar[str] = "counted-answers"
    literals: ClassVar[Literals] = Literals(
        ("\n0\n", " 0\n", "\t0\n", "=0\n", ":0\n", "grep -", "wc -l", "nproc", "_NPROCESSORS_ONLN", "/mtu")
    )

    def __init__(self) -> None:
        self._found: list[Reading | Observation] = []
        self._asked: tuple[Counted, ...] = ()
        self._hosts: tuple[str, ...] = ()
        self._each = False
        self._last = 0
        self._host: str | None = None
        self._heard = False
        """Was the question sent to many nodes, of which this stream is one?"""
        self._answers: list[_Answer] = []
        self._headed = False
        """Do headings of nodes stand above the numbers?"""
        self._within_rulers = False
        self._begun = 0
        """Answers above the last heading."""

    @staticmethod
    def gate() -> Gate:
        asked = (anywhere(any_of(("grep -", "wc -l"))), anywhere(any_of(_TOOLS)))
        return (as_whole(_NUMBER, _NAMED),), asked, (anywhere(any_of(_OTHERS)),)

    @staticmethod
    def wants(text: str) -> bool:
        return _NUMBER.fullmatch(text) is not None or _NAMED.fullmatch(text) is not None or _asks(text)

    @staticmethod
    def hears(text: str) -> bool:
        return _asks(text) and _EACH.search(text) is not None and bool(compared(text))

    def hear(self, line: Line) -> None:
        """A question that was typed once for many nodes."""
        self._close()
        self._asked, self._last, self._heard = compared(line.text), line.no, True

    @property
    def greedy(self) -> bool:
        return bool(self._asked)

    def feed(self, line: Line) -> Use:
        if self._asked and self._heard:
            return self._next_of_node(self._asked, line)
        if self._asked and self._each and line.no == self._last + 1 and self._heads(line.text):
            self._last = line.no
            return Use.NOT_MINE
        if self._asked and line.no == self._last + 1 and self._answer(line):
            self._last = line.no
            return Use.USED
        if self._asked:
            self._close()
        asks = _asks(line.text)
        self._each = asks and _EACH.search(line.text) is not None
        counted = compared(line.text) if self._each else questions(line.text) if asks else ()
        if not counted:
            return Use.NOT_MINE
        self._asked, self._last, self._host = counted, line.no, None
        self._headed, self._within_rulers, self._begun = False, False, 0
        self._hosts = _hosts(line.text)
        behind = _BEHIND.search(line.text)
        if behind is None:
            return Use.NOT_MINE  # it is a command, too
        self._answers.append(_Answer(None, 0, int(behind["number"]), line))
        self._close()
        return Use.USED

    def finish(self) -> Iterable[Reading | Observation]:
        self._close()
        return self._found

    def _next_of_node(self, asked: tuple[Counted, ...], line: Line) -> Use:
        """The next line of this node's below the question: its next answer, or there are no more."""
        number = _NUMBER.fullmatch(line.text)
        if number is None or line.no > self._last + _MOST_HOSTS * len(asked):
            self._asked, self._heard = (), False
            return self.feed(line)
        self._add(asked[0], None, int(number["number"]), line)
        self._asked = asked[1:]
        self._heard = bool(self._asked)
        return Use.USED

    def _heads(self, text: str) -> bool:
        """Is this line, or the ruler around it, the heading of a node? Numbers begin anew below it."""
        if RULER.fullmatch(text) is not None:
            self._within_rulers = not self._within_rulers
        elif not self._within_rulers:
            heading = section_heading(text)
            if heading is None or heading.name in self._hosts:
                return False
        self._end_of_node()
        self._headed, self._begun = True, len(self._answers)
        return True

    def _end_of_node(self) -> None:
        """Of a node that gave fewer numbers than were asked for nobody knows which they are."""
        if self._headed and len(self._answers) - self._begun != len(self._asked):
            del self._answers[self._begun :]

    def _answer(self, line: Line) -> bool:
        """Is this line a number, with or without a name, or the name above one?"""
        given = len(self._answers) - self._begun
        if self._within_rulers or (given >= len(self._asked) and (self._headed or not self._each)):
            return False
        number, named = _NUMBER.fullmatch(line.text), _NAMED.fullmatch(line.text)
        if number is not None:
            asked = given % len(self._asked)
            self._answers.append(_Answer(self._host, asked, int(number["number"]), line))
            self._host = self._host if asked + 1 < len(self._asked) else None
            return True
        numbers = named["numbers"].split() if named is not None else []
        if named is not None and len(numbers) == len(self._asked) and self._may_be_asked(named["host"]):
            self._answers += [_Answer(named["host"], n, int(each), line) for n, each in enumerate(numbers)]
            return True
        name = _NAME.fullmatch(line.text)
        if name is not None and name["host"] in self._hosts:
            self._host = name["host"]
            return True
        return False

    def _may_be_asked(self, name: str) -> bool:
        """One of the hosts that were listed; else a name that may be a host's: not ``exit 1``, ``real 3``."""
        return name in self._hosts if self._hosts else kind_of_name(name) is not None

    def _close(self) -> None:
        """Give each number its node."""
        self._end_of_node()
        asked, answers = self._asked, self._answers
        self._asked, self._answers = (), []
        if not asked or not answers:
            return
        if self._each and not self._headed and all(answer.host is None for answer in answers):
            answers = self._in_order_of_hosts(answers, len(asked))
        for answer in answers:
            self._add(asked[answer.asked], answer.host, answer.number, answer.line)

    def _in_order_of_hosts(self, answers: list[_Answer], questions: int) -> list[_Answer]:
        """Numbers without a name: where they are as many as the hosts, in the order of these; else one on which all
        agree, for no node."""
        if len(answers) == len(self._hosts) * questions:
            return [answer._replace(host=self._hosts[n // questions]) for n, answer in enumerate(answers)]
        agree = questions == 1 and len({answer.number for answer in answers}) == 1
        return answers[:1] if agree else []

    def _add(self, asked: Counted, host: str | None, number: int, line: Line) -> None:
        if not MAX_READINGS.has_room(len(self._found)):
            return
        if not asked.attribute:
            self._found.append(
                Observation(COUNTED[asked.devices], asked.text, str(number), host or line.host, line.ref())
            )
        else:
            value = f"{number} {asked.unit}" if asked.unit else number
            found = reading(asked.attribute, asked.part, value, line)
            self._found.append(found if host is None else replace(found, host=host))


def _asks(text: str) -> bool:
    """Could this line be a question? Blind to its numbers."""
    pipeline = "|" in text and ("grep -" in text or "wc -l" in text) and any(tool in text for tool in _TOOLS)
    return pipeline or any(command in text for command in _OTHERS)


def _hosts(text: str) -> tuple[str, ...]:
    """The hosts that a loop lists, with numbers in braces counted out."""
    loop = _LOOP.search(text)
    return tuple(islice(_counted_out(loop["hosts"].split() if loop is not None else ()), _MOST_HOSTS))


def _counted_out(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        braces = _BRACES.fullmatch(word)
        if braces is None:
            yield word
            continue
        first, last, width = int(braces["first"]), int(braces["last"]), len(braces["first"])
        for number in range(first, last + 1):
            yield f"{braces['head']}{number:0{width}}{braces['tail']}"


PARSER = CountedAnswers
