"""Rows of checks with a verdict each, as scripts of all kinds print them, in nobody's format::

    === GPU check on hgx-r3-n12 ===
    [ OK ] GPU count: 8
    [FAIL] NVLink: GPU 5 has 16 of 18 links up
    PASS: ECC without errors
      ✗ nvidia_peermem not loaded
    [3/6] Checking InfiniBand .......... PASS
    NVLink ........ nicht bestanden (GPU 2)
    check=pcie status=fail value="GPU 3 is x8"

The verdict stands in front, in brackets or as a tick, or behind the name of the check; its words are those of
``catalog/words/verdict_words.toml``. Test runners of all kinds print such rows, and so do booting systems: a row counts
where it is about GPUs, links or NICs, or about what they need of their node (memory, ports) beside others that are.
One row alone that says *fail* is told; rows that pass count from two on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import repeat
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.words.check_topics import is_sharp_topic, is_topic
from slowlink.catalog.words.verdict_words import check_texts, is_verdict_heading, verdict_of
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import is_part
from slowlink.parsers.forms.gates import Gate, anywhere, at_start, of_literals
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals, folded
from slowlink.parsers.forms.make_reading import MAX_RESULTS, reading
from slowlink.patterns import regex

TOOL, BARE = "checks", "rows"
"""Below a heading that says that a node is checked, and without one: then the rows may be of anything."""
_MOST_CHARACTERS, _MOST_IN_FRONT = 400, 280
"""Of a line that are looked at; fewer where the verdict stands in front, because any words may follow."""
_FEWEST_PASSED = 2
_FINAL = "final result"
_BELOW_HEADING = 200
"""Lines below the heading of a node's checks that are still of this node."""
_MARK = r"\s{0,12}(?:[-*•|]\s{1,4})?(?:\[?\d{1,3}/\d{1,3}\]?[:.)]?\s{1,4}|\d{1,3}[.)]\s{1,4})?"
_FORMS = (
    # [FAIL] name: words, and the same with a tick
    regex(
        rf"{_MARK}(?:\[\s{{0,4}}(?P<verdict>[^\[\]\s][^\[\]]{{0,20}}?)\s{{0,4}}\]|(?P<tick>[✓✔✅✗✘❌✖])️?)"
        r"\s{0,8}[:-]?\s{0,4}(?P<name>[^\s\[][^\[]{1,300})"
    ),
    # CRITICAL - words | label=value;...: a plugin of Nagios
    regex(
        rf"{_MARK}(?:[A-Z][\w ]{{0,30}} )?(?P<verdict>OK|WARNING|CRITICAL)\s{{0,2}}[:-]\s{{1,4}}"
        r"(?P<name>[^|]{3,300}?)\s{0,4}\|\s{0,2}'?[\w ./%-]{1,40}'?=-?\d[\w.%]{0,30}(?:[;\s].{0,300})?"
    ),
    # FAIL - name: words
    regex(
        rf"{_MARK}(?P<verdict>PASS(?:ED)?|FAIL(?:ED|URE)?|OK|NOK)\s{{1,4}}[-–]\s{{1,4}}(?P<name>[^\s\[][^\[]{{1,300}})"
    ),
    # PASS: name and words; a test of a program has one word, or a path
    regex(
        rf"{_MARK}(?P<verdict>PASS(?:ED)?|FAIL(?:ED|URE)?|OK|NOK):\s{{1,4}}"
        r"(?P<name>(?!test_)[^\s\[/.:]{1,60} (?!\([\w.]{1,200}\)$|::)[^\[]{1,300})"
    ),
    # name ........ PASS (words)
    regex(
        rf"{_MARK}(?P<name>\S.{{1,80}}?)\s{{0,4}}(?:\.{{3,120}}|…{{1,40}}|·{{3,120}}|_{{4,120}}|-{{4,120}}>?)"
        r"\s{0,4}\[?\s{0,4}(?P<verdict>[^\s.\]].{0,200}?)\s{0,4}\]?\s{0,8}"
    ),
    # name  [ FAILED ]
    regex(rf"{_MARK}(?P<name>\S.{{1,90}}?)\s{{1,60}}\[\s{{0,4}}(?P<verdict>[^\[\]]{{1,40}}?)\s{{0,4}}\]\s{{0,8}}"),
    # name: FAIL (words)
    regex(rf"{_MARK}(?P<name>[\w/][\w /().#-]{{1,60}}?)\s{{0,20}}[:=]\s{{1,20}}(?P<verdict>\S.{{0,200}})"),
)
_IN_FRONT, _BEHIND_COLON = _FORMS[:4], _FORMS[-1]
_COLON = _FORMS[3]
"""Alone, such a line that fails is a complaint as any other."""
_CROSS = regex(r"[^\w\s]{1,4}")
"""A verdict without a word: lists of what a program can do have such marks, too."""
_NOT_YET = regex(
    r"(?i)\((?:planned|not yet|todo|tbd|coming soon|roadmap)\)\s*$"
    r"|(?<![a-z])(?:not (?:yet )?(?:implemented|supported)|coming soon)(?![a-z])"
)
"""What a program cannot do so far is no fault of a node."""
_KEYED = regex(
    r".{0,120}?\b(?:check|test|check_name|test_name)=\"?(?P<name>[\w./-]{2,60})\"?\s.{0,120}?"
    r"\b(?:status|result|state|outcome|verdict)=\"?(?P<verdict>[\w-]{2,20})\"?(?P<rest>.{0,300})"
)
_KEYED_NODE = regex(r"\b(?:node|host|hostname|nodename)=\"?(?P<node>[A-Za-z][\w.-]{1,80})")
_KEYED_WORDS = regex(
    r"\b(?:value|msg|message|detail|details|reason|error|output)=(?:\"(?P<quoted>[^\"]{1,300})\"|(?P<bare>\S{1,200}))"
)
_STRONG = regex(
    r"(?i)(?:pass(?:ed)?|ok|fail(?:ed|ure)?|nok|(?:nicht )?bestanden|(?:nicht )?in ordnung|(?:nicht )?abgenommen"
    r"|(?:un|in)?healthy|faulty"
    r"|通过|失败|正常|异常|未通过|réussi|échec|[✓✔✅✗✘❌✖])(?![\w-])"
)
"""Behind a mere colon a verdict is one of these: ``link: good`` says many things."""
_OTHERS = regex(
    r"(?i)(?:started|starting|stopped|stopping|finished|reached target|mounted|mounting|listening on|created slice"
    r"|set up|closed|unmounted|deactivated|failed to (?:start|mount|listen)|dependency failed|activated) .*"
    r"|[\w./-]{1,120}(?:::|\.)\w{1,120}(?:\[.{0,80}\])?(?: \(\d{1,9} ms(?: total)?\))?"
    r"|.{0,80}\b(?:install(?:ed|ing)?|built|build(?:ing)?|compil(?:ed|ing)|configured|written|created|downloaded)\b.{0,200}"
    r"|.{0,200}\(\d{1,9} ms(?: total)?\)|.{0,200}::.{0,200}|\d{1,9} tests?\b.{0,200}|test-?suite .{0,200}"
)
"""What booting systems and test runners put beside such verdicts."""
_HEAD_WORDS = (
    r"(?:check|checks|pre-?flight|health|healthcheck|test|burn-?in|acceptance|validation|report|diagnos\w*"
    r"|node|host|hostname|server|machine)"
)
_HEADING = regex(
    rf"(?i).{{0,40}}?\b{_HEAD_WORDS}\b.{{0,60}}"
    r"|.{0,20}(?:knoten|prüfung|nœud|nodo|节点|检查|主机|服务器).{0,60}"
)
_CHECKED = regex(
    r"(?i)(?<![a-z])(?:(?:health|node|gpu)?checks?|pre-?flight|health|burn-?in|acceptance|diagnos\w*)(?![a-z])"
    r"|prüfung|vérification|comprobaci|检查|巡检|自检"
)
_HEADED = (
    *("check", "preflight", "pre-flight", "health", "burn", "accept", "valid", "report", "diagnos", "node", "host"),
    *("knoten", "prüf", "nœud", "nodo", "节点", "检查", "主机", "服务器", "server", "machine", "test"),
)
_NODE = regex(r"(?<![\w./:%=-])(?=[\w.-]{0,60}\d)[A-Za-z][A-Za-z]{0,30}[\w.-]{1,50}(?<![.:-])(?![\w/%=]|:\S)")
_NUMBERED_NAME = r"(?:^|[^\w./:%=-])[A-Za-z][\w.-]*\d"
"""What each of ``_NODE`` begins with."""
_CUT = regex(r"\s{0,3}[:：]\s{1,4}|：|\s[–—-]\s|\s\((?=[^)]{0,300}\)?\s{0,8}$)")
_LOGGED = regex(
    r"^(?:[\d:T., -]{8,30}\s)?(?:(?:INFO|ERROR|WARN(?:ING)?|DEBUG|CRITICAL):?\s{1,4}(?:\w{0,20}check\w{0,10}:\s{1,4})?"
    r"|\w{0,20}check\w{0,10}:\s{1,4})"
)
"""What a logger puts in front of the name."""
_VERSION = regex(r"(?i)v?\d[\w.]*|cuda\S*|h\d{2,3}\S*|mi\d{3}\w*|a\d{2,3}|b\d{3}|gen\d|pcie\d?|mlx\S*|x\d{1,2}|r\d{3}")
_SKIPPED = ("skip", "skipped", "n/a", "na", "waived", "跳过")
_BESIDE = ("info", "-", "信息")
"""Marks of rows that say something else, where other rows have verdicts."""
_NOT_RUN, _NO_VERDICT = "skipped", "something else"
_LEVELS = ("error", "err")
_WORST = {"fail": 0, "warn": 1, "pass": 2}
_WHOLE = regex(
    r"(?i)(?:overall|final|total|all|gesamt\w*)(?: (?:result|status|verdict|health|checks?))?|结论|结果|总体.{0,4}"
)

_TEXTS = Literals(map(folded, check_texts()), fold=True)
_HEADS = Literals(_HEADED, fold=True)


class _Row(Struct):
    name: str
    status: str
    words: str
    line: Line


class CheckRows:
    """Collects rows; of equal names on one node the worst stands."""

    kind: ClassVar[str] = "check-rows"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals((*_TEXTS.texts, *_HEADS.texts, "\nok"), fold=True)
    last_resort: ClassVar[int] = 2

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], _Row] = {}
        """By node and name."""
        self._passed = 0
        self._headed = False
        self._node, self._below = "", 0
        """The node that a heading names, and the line from which it is forgotten."""
        self._silent: _Row | None = None
        """A row that failed and says nothing yet: its reason may stand below it, further in."""

    @staticmethod
    def gate() -> Gate:
        told = anywhere(of_literals(_TEXTS), r"^\s*OK")
        return (told, at_start(*_FORMS, _KEYED)), (anywhere(rf"(?i)\b{_HEAD_WORDS}\b|knoten|nodo"), _NUMBERED_NAME)

    @staticmethod
    def wants(text: str) -> bool:
        text = text[: 2 * _MOST_CHARACTERS]
        told = _TEXTS.in_(text) or text.lstrip()[:2] == "OK"
        return (told and _is_formed(text)) or (_HEADS.in_(text) and _may_head(text))

    @property
    def greedy(self) -> bool:
        return self._silent is not None

    def feed(self, line: Line) -> Use:
        row, silent, self._silent = _row(line, self._passed > 0), self._silent, None
        if row is None:
            return Use.USED if silent is not None and _reason(silent, line) else self._head(line)
        if isinstance(row, str):
            return Use.IGNORED if self._rows or row == _NOT_RUN else Use.NOT_MINE
        if not row.line.host and not line.place and line.no < self._below:
            row.line = replace(row.line, host=self._node)
        if not MAX_RESULTS.has_room(len(self._rows)):
            return Use.NOT_MINE
        self._keep(row)
        return Use.USED

    def _head(self, line: Line) -> Use:
        self._headed |= len(line.text) <= 120 and _CHECKED.search(line.text) is not None
        node = _headed_node(line.text)
        if node:
            self._node, self._below = node, line.no + _BELOW_HEADING
        return Use.NOT_MINE

    def _keep(self, row: _Row) -> None:
        self._passed += row.status == "pass"
        node = row.line.host or row.line.place
        key = node, row.name
        if (old := self._rows.get(key)) is not None and old.status == row.status == "fail" and old.words != row.words:
            key = node, f"{row.name} ({row.words[:40]})"
            row.name = key[1]
        old = self._rows.get(key)
        if old is None or _WORST[row.status] < _WORST[old.status]:
            self._rows[key] = row
            self._silent = row if row.status == "fail" and not row.words else None

    def finish(self) -> Iterable[Reading]:
        names = {row.name for row in self._rows.values()}
        enough = self._passed >= _FEWEST_PASSED or len(self._rows) >= _FEWEST_PASSED
        headed = self._headed or _FINAL in names
        sharp = any(is_sharp_topic(f"{row.name} {row.words}") for row in self._rows.values())
        if not sharp and not headed:
            return  # memory and ports are of any computer
        for row in self._rows.values():
            if (row.status == "pass" and not enough) or (row.name == _FINAL and len(self._rows) < _FEWEST_PASSED):
                continue
            part = Part("test", f"{TOOL if headed and sharp else BARE}/{row.name}")
            yield reading("health-test", part, row.status, row.line)
            if row.words:
                yield reading("health-test-detail", part, row.words, row.line)


def _reason(row: _Row, line: Line) -> bool:
    """Is this the line below a row that failed, further in? Then it says why."""
    text, above = line.text[:_MOST_CHARACTERS], row.line.text
    if line.no > row.line.no + 1 or not text.strip() or _depth(text) < _depth(above) + 2:
        return False
    row.words = text.strip()
    return True


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _is_formed(text: str) -> bool:
    return any(map(_formed, _FORMS, repeat(text))) or _KEYED.match(text) is not None


def _formed(form: re.Pattern[str], text: str) -> re.Match[str] | None:
    return form.fullmatch(text[: _MOST_IN_FRONT if form in _IN_FRONT else _MOST_CHARACTERS].rstrip())


def _row(line: Line, beside: bool) -> _Row | str | None:
    """A row; a word where it is one of a check that was skipped; None where it is none. ``beside`` others that pass,
    ``[ERROR]`` is a verdict, too."""
    text = line.text[:_MOST_CHARACTERS].rstrip()
    if _KEYED.match(text) is not None:
        return _keyed_row(text, line)
    for form in _FORMS:
        found = _formed(form, text)
        if found is None:
            continue
        cell = (found["tick"] if form is _FORMS[0] else None) or found["verdict"]
        if form is _FORMS[0] and (mark := cell.lower().strip(" *")) in (*_SKIPPED, *_BESIDE):
            return _NOT_RUN if mark in _SKIPPED and is_topic(found["name"]) else _NO_VERDICT
        told = ("fail", "") if beside and cell.lower() in _LEVELS else verdict_of(cell)
        if told is None or (form is _BEHIND_COLON and not _STRONG.match(cell)):
            continue
        if (form in _IN_FRONT and told[1]) or (form is _COLON and told[0] == "fail" and not beside):
            continue  # [OK: ...] is no mark of a row
        if told[0] == "fail" and _CROSS.fullmatch(cell.strip()) and _NOT_YET.search(text):
            return _NO_VERDICT
        return _made(form in _IN_FRONT, found["name"].strip(), told, cell, line)
    return None


def _made(in_front: bool, text: str, told: tuple[str, str], cell: str, line: Line) -> _Row | None:
    name, words = text, ""
    if in_front:
        cut = _CUT.search(text)
        if cut is not None:
            name, words = text[: cut.start()], text[cut.end() :]
            words = words.rstrip(") ") if "(" in cut[0] else words
    elif told[1]:
        at = cell.lower().find(told[1][:20])
        words = cell[at:].rstrip(") .") if at >= 0 else told[1]
    name = _LOGGED.sub("", name.strip(" *`:-"), count=1).removeprefix("Checking ").removeprefix("Check ").strip()[:80]
    if _OTHERS.fullmatch(text) or _OTHERS.fullmatch(name):
        return None
    if _WHOLE.fullmatch(name) or is_verdict_heading(name):
        return _Row(_FINAL, told[0], words, line)
    return _Row(name, told[0], words, line) if name and is_topic(text) else None


def _keyed_row(text: str, line: Line) -> _Row | None:
    keyed = _KEYED.match(text)
    told = verdict_of(keyed["verdict"]) if keyed is not None else None
    if keyed is None or told is None or not is_topic(keyed["name"]):
        return None
    words = _KEYED_WORDS.search(keyed["rest"])
    node = _KEYED_NODE.search(text)
    of_node = replace(line, host=line.host or (node["node"] if node is not None else None))
    return _Row(keyed["name"], told[0], (words["quoted"] or words["bare"]) if words is not None else "", of_node)


def _may_head(text: str) -> bool:
    return len(text) <= 120 and _HEADING.fullmatch(text) is not None and _NODE.search(text) is not None


def _headed_node(text: str) -> str:
    """The one name of a node in a heading; "" where there is none, or a sentence."""
    if not _may_head(text):
        return ""
    names = [name for name in _NODE.findall(text) if not is_part(name) and not _VERSION.fullmatch(name)]
    return names[0] if len(set(names)) == 1 else ""


PARSER = CheckRows
