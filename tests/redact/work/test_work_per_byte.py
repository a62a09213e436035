"""What redaction costs a byte of hostile text, counted in calls of functions (those of patterns and texts among them):
lines of ten characters that each open, close and look like something, alike or all different."""

from __future__ import annotations

import random
import string
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from slowlink.redact import Redactor
from slowlink.redact.blocks import BlockRedactor, Opened

BYTES = 3000
MOST_ALIKE = 24
"""Calls a byte where lines repeat: they are read once."""
MOST_DIFFERENT = 100
MOST_USUAL = 0.5

ALIKE = {
    "variables of an environment": "HOME=/root\nA=b\n",
    "commands that go on": "curl \\\n",
    "arguments in a list": "- curl\n- -u\n",
    "a tree of processes": "  `-curl,12 -u a:b\n",
    "names without values": "password:\n",
    "blocks": "password: |\n  a\n",
    "here-documents": "PASS=<<EOT\n",
    "rows of headings": "| password | a |\n",
    "rows in quotes": 'password,user\n"a\n',
    "questions and answers": 'expect "assword:"\nsend "a\\r"\n',
    "keys that begin": "-----BEGIN PRIVATE KEY-----\n",
    "records of auditd": 'type=EXECVE argc=3 a0="curl" a1="-u" a2="a:b"\n',
    "names alone": "pw\n",
    "lines of source": "    f(token)\n      \u2514 'a'\n",
    "commands that print secrets": "cat /a/token\nx1y2z\n",
    "parts of a form": 'form-data; name="pw"\n\na\n',
    "records": '{"log":"token=abc"}\n',
}
DIFFERENT: dict[str, Callable[[int, str], str]] = {
    "variables of an environment": lambda i, word: f"HOME=/{word}\nA{i}=b\n",
    "commands that go on": lambda i, word: f"curl {word} \\\n",
    "one command that goes on": lambda i, word: ("-" if i % 50 else "curl -") + f"{word} \\\n",
    "arguments in a list": lambda i, word: f"- curl\n- -{word}\n",
    "a tree of processes": lambda i, word: f"  `-curl,{i} -u a:{word}\n",
    "pairs": lambda i, word: f"password={word}\n",
    "blocks": lambda i, word: f"pw: |\n {word}\n",
    "here-documents": lambda i, word: f"PASS{i}=<<{word}\n",
    "rows of headings": lambda i, word: f"| token | {word} |\n",
    "rows in quotes": lambda i, word: f'token,{word}\n"{word}\n',
    "records": lambda i, word: f'{{"log":"token={word}"}}\n',
    "names of many writers": lambda i, word: f"{i}: token:\n",
    "environments of many writers": lambda i, word: f"{i % 61}: HOME=/\n{i % 61}: A={word}\n",
    "mappings": lambda i, word: f"HOME: /{word}\nA{i}: x\n",
    "strings in strings": lambda i, word: '{\\"token\\":\\"' + word,
    "lines of source": lambda i, word: f"    f(token, {word})\n",
    "values below a line of source": lambda i, word: f"    f(token)\n      \u2514 '{word}'\n",
    "commands that print secrets": lambda i, word: f"cat /{word}/token\nx{i}\n",
    "parts of a form": lambda i, word: f'content-disposition: form-data; name="pw"\n\n{word}\n',
    "commands in brackets": lambda i, word: f"(echo {word}; echo {word})|passwd\n",
    "ends of lines in a line": lambda i, word: f"#012password: {word}",
}


def _calls_a_byte(text: str) -> float:
    calls = 0

    def count(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        redactor = Redactor()
        redactor.feed(text)
        redactor.finish()
    finally:
        sys.setprofile(before)
    return calls / len(text)


def _text(line: Callable[[int, str], str]) -> str:
    drawn = random.Random(1)
    lines = (line(i, "".join(drawn.choices(string.ascii_lowercase, k=4))) for i in range(1000, 1000 + BYTES))
    text = ""
    while len(text) < BYTES:
        text += next(lines)
    return text


@pytest.mark.parametrize("line", ALIKE)
def test_lines_that_repeat_are_read_once(line: str) -> None:
    text = ALIKE[line] * (BYTES // len(ALIKE[line]))
    _calls_a_byte(ALIKE[line])  # compiles the patterns
    assert _calls_a_byte(text) < MOST_ALIKE


@pytest.mark.parametrize("line", DIFFERENT)
def test_lines_that_all_differ_cost_so_much_a_byte(line: str) -> None:
    _calls_a_byte(DIFFERENT[line](0, "word"))
    assert _calls_a_byte(_text(DIFFERENT[line])) < MOST_DIFFERENT


@pytest.mark.parametrize(
    "unit", ["http://a:b@", '{\\"token\\":\\"', "password='\\''", "<password><a b=", "neighbor 1.1.1.1 password 7 "]
)
def test_what_grows_is_not_cut_and_read_again_and_again(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is longer than one piece, and longer still when secrets are replaced: counted in characters read."""
    read = 0
    reading = BlockRedactor._read

    def counted(self: BlockRedactor, text: str, opened: Opened) -> tuple[str, Opened]:
        nonlocal read
        read += len(text)
        return reading(self, text, opened)

    monkeypatch.setattr(BlockRedactor, "_read", counted)
    redactor = Redactor(longest_line=1 << 13)
    text = unit * ((3 << 13) // len(unit))
    assert "<redacted:line>" not in redactor.feed(text) + redactor.finish()
    assert read < 20 * len(text)


def test_a_usual_log_costs_next_to_nothing() -> None:
    log = "".join(f"gpu{i}:1:1 [0] NCCL INFO Channel {i % 8:02}/0 : 0[0] -> 1[1] via P2P/IPC\n" for i in range(400))
    _calls_a_byte(log[:200])
    assert _calls_a_byte(log) < MOST_USUAL
