"""A long line costs what it holds: nothing reads the rest of it anew for each name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from slowlink.redact import Redaction
from slowlink.redact.command_lines import commands
from slowlink.redact.reading import allowance
from slowlink.redact.values import redact_named


class Line(str):
    """Counts the characters that are copied out of it."""

    __slots__ = ("copied",)
    copied: int

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.copied = getattr(self, "copied", 0) + len(part)
        return part


@pytest.mark.parametrize(
    "part",
    ['password="a" -> ', "token=17 ", "the token; ", "password= x ", "--token ", "secret-. ", "dsn=", "auth=none&"],
)
def test_no_name_copies_the_rest_of_the_line(part: str) -> None:
    line = Line(part * 400)
    redact_named(line, Counter())
    assert line.copied < 30 * len(line)


@pytest.mark.parametrize("part", ['\\"mysql -p"l', 'a"\\""mysql -p"look.', '"\\"password=', "%22mysql%20-p"])
def test_a_piece_of_too_many_strings_in_strings_is_taken_out_whole(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "_MOST_INNER", 50)
    line = "{" + part * 500 + "\n"
    once = Redaction().text(f"rank 0\n{line}rank 1\n")
    assert once.splitlines()[0] == "rank 0"
    assert once.splitlines()[-1] == "rank 1"
    assert Redaction().text(once) == once


def test_as_many_strings_as_a_document_has_are_read() -> None:
    line = "{" + ", ".join(f'"log{n}": "say \\"password=Quartz{n}-Vel\\""' for n in range(300)) + "}\n"
    assert Redaction().text(line).count("<redacted:password>") == 300


@pytest.mark.parametrize("part", ["\\a", "''", '""', "'a\\'", '"a\\"', "'a'", "\\\\"])
def test_a_row_that_fits_no_form_is_read_once(part: str) -> None:
    """If a part could be read in two ways, this would not end."""
    for row in (f"'{part * 200}' || f(g(x)), 'b')", f"{part * 200} (g(x)), 'b')"):
        line = f"INSERT INTO t (path, password) VALUES ({row}"
        assert len(Redaction().text(line)) <= len(line) + len("<redacted:password>")


def test_an_escaped_quote_opens_nothing() -> None:
    """What is stepped over is not read again; each of these quotes would be read up to the end."""
    line = "\\\"\\'," * 500
    assert sum(len(found[0]) for found in commands._QUOTED.finditer(line)) == 4 * 500
    assert Redaction().text(f'curl "{line}\n') == f'curl "{line}\n'
