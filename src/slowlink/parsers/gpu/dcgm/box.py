"""Boxes of text that dcgmi prints: rulers, one or more header rows, rows of two cells.

Source: ``dcgmi/DcgmiOutput.cpp`` and ``Diag.cpp`` of DCGM 1.7 to 4.6.
"""

from __future__ import annotations

from msgspec import Struct, field

from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm.tree import Node, Tree
from slowlink.patterns import regex

RULER = regex(r"\s*\+[-=]{8,120}(?:\+[-=]{4,120}){0,3}\+\s*$")
SECTION = regex(r"\s*[|+]-{3,9}  (?P<name>[A-Z][A-Za-z ]{2,24}?)  -{1,20}\+-{8,90}[|+]\s*$")
ROW = regex(r"\s*\| ?(?P<left>[^|]{3,60})\|(?P<right>[^|]{2,160})\|\s*$")
WIDE_ROW = regex(r"\s*\| ?(?P<text>[^|]{8,200})\|\s*$")
_ARROW = regex(r"(?P<indent> {0,24})-> (?P<label>.*)")
OUTCOME = regex(r"(?P<status>Pass|Fail|Warn|Skip|Not Run) - (?P<whom>All|GPUs?: [\d, ]{1,160})\s*$")
"""The outcome of some GPUs of a test. DCGM to 3.3 prints a row for each outcome, first of those that pass, and the name
of the test before the first alone."""
NAMELESS = "a test whose name is not in the text"
"""For the outcome of the test whose first row ``grep`` left out."""

HEADERS = (
    ("Diagnostic", "diag"),
    ("NVLINK Error Counts", "tree"),
    ("Health Monitor Report", "tree"),
    ("Topology Information", "tree"),
    ("GROUPS", "tree"),
    ("GROUP INFO", "tree"),
    ("GPU ID", "discovery"),
    ("CPU ID", "discovery"),
    ("Switch ID", "tree"),
    ("NvLink Link Status", "tree"),
    ("Policy Information", "quiet"),
)
"""First words of a box that is read here, and how."""
TOP_RULER = regex(
    r"\s{0,20}\+(?:-{27}\+-{48}|-{27}\+-{58}|-{17}\+-{57}|-{8}\+-{70}|-{11}|-{22}|-{30}\+-{50}|-{19}\+-{56}|-{36}\+-{41})\+\s*$"
)
"""The upper border of dcgmi's boxes, by their widths: it comes before the header that says what follows."""
_OLD_HEALTH = regex(r"\s*\|.{0,40}Overall Health: (?:Healthy|Warning|Failure)\s{1,120}\|\s*$")
"""The health of a group, as DCGM 1 printed it."""


def kind_of(text: str) -> str:
    """How to read the box whose header row this is: ``diag``, ``tree``, ``discovery``, ``health``, ``quiet``; "" when
    it is not dcgmi's."""
    if _OLD_HEALTH.match(text):
        return "health"
    row = ROW.match(text)
    wide = WIDE_ROW.match(text)
    left = (row["left"] if row else wide["text"] if wide else "").strip()
    right = row["right"].strip() if row else ""
    for words, kind in HEADERS:
        if left == words and (kind != "diag" or right == "Result") and (kind == "tree") == (row is None or not right):
            return kind
    return ""


class Box(Struct):
    """One box that is being read: ``add`` takes its lines and grows ``tree``."""

    kind: str
    tree: Tree
    body: bool = False
    """Has the ruler below the header gone by, so that rows follow?"""
    stack: list[Node] = field(default_factory=list)
    """The path to the node that the last row made."""
    filled: bool = False
    """Did the last cell end at its border? Then a diagnostic broke its text there, also inside a word."""

    def add(self, line: Line) -> bool:
        """One more line of the box; False when it is none."""
        text = line.text
        section = SECTION.match(text)
        if section is not None:
            self._section(section["name"].strip(), line)
            return True
        if RULER.match(text):
            self.body = self.body or "=" in text
            return True
        row = ROW.match(text)
        wide = WIDE_ROW.match(text)
        if row is not None and self.body:
            self._row(row["left"], row["right"], line)
        elif wide is not None and not self.body:
            self.tree.header.append(wide["text"].strip())
        elif row is None and wide is None:
            return False
        return True

    def _section(self, name: str, line: Line) -> None:
        """``-----  Hardware  -----``: the tests below belong to it."""
        node = Node(name, "", line)
        self.tree.sections.append(node)
        self.stack = [node]

    def _row(self, left: str, right: str, line: Line) -> None:
        label, value = left.strip(), right.strip()
        if not label:
            if self.kind == "diag" and OUTCOME.match(value):
                self._outcome(value, line)
            elif self.stack and value:
                self._continue(self.stack[-1], right[1:].rstrip())
            self.filled = _fills(right)
            return
        if self.kind == "tree":
            self._leaf(left, value, line)
        else:
            top = self.stack[0] if self.stack and self.kind == "diag" and _is_section(self.stack[0]) else None
            node = Node(label, value, line)
            (top.children if top is not None else self.tree.sections).append(node)
            self.stack = [top, node] if top is not None else [node]
        self.filled = _fills(right)

    def _continue(self, node: Node, text: str) -> None:
        """More of a value. Trees break theirs between words."""
        if self.kind != "diag" or not self.filled:
            node.overflow.append(text.strip())
        elif node.overflow:
            node.overflow[-1] += text
        else:
            node.value += text

    def _outcome(self, text: str, line: Line) -> None:
        """Other GPUs of the same test. It is no more of a longer text, however full the cell above was."""
        if not self.stack or _is_section(self.stack[-1]):
            node = Node(NAMELESS, text, line)
            (self.stack[-1].children if self.stack else self.tree.sections).append(node)
            self.stack.append(node)
            return
        test = self.stack[-1]
        test.overflow.append(text)
        if text.startswith("Fail"):
            test.line = line

    def _leaf(self, left: str, value: str, line: Line) -> None:
        """A row of a tree: the indent before the arrow shows its depth, three blanks for each level."""
        arrow = _ARROW.match(left)
        depth = len(arrow["indent"]) // 3 + 1 if arrow else 0
        node = Node((arrow["label"] if arrow else left).strip(), value, line)
        self.stack = self.stack[:depth]
        (self.stack[-1].children if self.stack else self.tree.sections).append(node)
        self.stack.append(node)


def _fills(right: str) -> bool:
    """Does the text of a diagnostic's cell end at its border? DCGM breaks a text after 45 characters and leaves two
    blanks; a break at a blank leaves more, or begins the next row with it."""
    return len(right) - len(right.rstrip()) <= 2


def _is_section(node: Node) -> bool:
    return SECTION.match(node.line.text) is not None
