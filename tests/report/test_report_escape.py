from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_reports import hostile

from slowlink.model.report import Remedy, Suspect
from slowlink.report.escape import cleaned, terminal_safe, terminal_safe_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("node07: plain", "node07: plain"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\rc", "a\\nb\\rc"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("pass\u200bword", "pass\\u200bword"),
        ("a\tb", "a       b"),
        ("\udc80", "\\x80"),
        ("\U000e0041", "\\U000e0041"),
        ("\uffff", "\\uffff"),
        ("节点07 é", "节点07 é"),
        ("Z" + "\u0300" * 5, "Z" + "\u0300" * 3 + "\\u0300\\u0300"),
    ],
)
def test_what_steers_a_terminal_is_shown(text: str, shown: str) -> None:
    assert terminal_safe(text) == shown


@given(st.text(st.characters()))
def test_nothing_invisible_is_left(text: str) -> None:
    shown = terminal_safe(text)
    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}]
    assert terminal_safe(shown) == shown
    shown.encode("utf-8")


def test_a_command_keeps_its_lines() -> None:
    assert terminal_safe_lines("a\r\nb\x1b\n") == "a\nb\\x1b\n"


def test_cleaning_reaches_every_field() -> None:
    assert "\x1b" not in repr(cleaned(hostile())).replace("\\x1b", "")
    suspects = cleaned((Suspect("node", "a\x07"), Remedy("b\n", "c\nd")))
    assert suspects == (Suspect("node", "a\\x07"), Remedy("b\\n", "c\nd"))
