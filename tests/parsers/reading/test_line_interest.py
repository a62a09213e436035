"""One search for the literal texts of all parsers tells which to ask about a line: no line that one wants may be missed."""

from __future__ import annotations

import ast
import random
import re
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink import parsers
from slowlink.model.source import Line
from slowlink.parsers import line_parsers
from slowlink.parsers.forms.identifiers import blind_to_identifiers, spells_a_word
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import Dialect, form_of, shape_of
from slowlink.parsers.reading.line_interest import Asked
from slowlink.parsers.reading.scan import Scanner

TESTS = Path(__file__).resolve().parents[1]
SAMPLES = Path(parsers.__file__).parent


@cache
def texts() -> list[str]:
    """Lines of all formats: everything that the files of our tests and the words of our sources hold."""
    found: dict[bytes, str] = {}
    for path in sorted((*TESTS.rglob("*"), *SAMPLES.rglob("*.py"))):
        if path.suffix in {".py", ".txt", ".log", ".out", ".md", ".json", ".yaml"}:
            content = path.read_text(encoding="utf-8", errors="replace")
            for part in words_of(content) if path.suffix == ".py" else [content]:
                for line in part.splitlines():
                    found.setdefault(shape_of(line), line)
    return list(found.values())


def words_of(code: str) -> list[str]:
    """The texts that stand in Python code."""
    found = (node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    return [value for value in found if isinstance(value, str)]


def form(text: str) -> str:
    return form_of(text).decode("utf-8", "replace")


def by_asking_all(text: str) -> tuple[int, ...]:
    return tuple(number for number, unit in enumerate(line_parsers()) if unit.wants(text))


def test_the_search_misses_no_parser() -> None:
    """All parsers are asked for all lines, which takes its time, once for both questions."""
    asked, wanted = Asked(line_parsers()), set[int]()
    for text in texts():
        by_all = by_asking_all(text)
        assert asked.wants_of(text)[0] == by_all, text
        wanted.update(by_all)
    # Every format has a line here: else nothing was said of it.
    assert [unit.kind for number, unit in enumerate(line_parsers()) if number not in wanted] == []


@given(st.data())
def test_nor_where_numbers_are_of_another_size(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts()))
    # Numerals of other scripts are digits to a pattern and no number to a form: no tool prints them.
    number = st.from_regex(r"(?a)\A(?:\d{1,12}|\d{1,4}\.\d{1,6}|\d\.\d{1,3}e[+-]\d{1,2})\Z")
    changed = re.sub(r"\d+", lambda _: data.draw(number), text)
    assert Asked(line_parsers()).wants_of(changed)[0] == by_asking_all(changed)


def test_lines_that_differ_in_numbers_have_one_form() -> None:
    lines = [
        "step 1 loss 0.5 lr 1e-05 reward -3",
        "step 12345 loss 10.25 lr 3.125e-4 reward 0.0",
        "step 7 loss 2 lr 1 reward 0",
    ]
    assert {form(line) for line in lines} == {"step 0 loss 0 lr 0 reward 0"}


@pytest.mark.parametrize(
    "line",
    [
        "timestamp, name, utilization.gpu [%], clocks.current.video2, ecc.errors.sram_v2",
        " " * 90 + "\\-10.0-[41]----00.0  Mellanox Technologies MT2910",
        "GPU0\t X \tC2C\tSYS",
        '<c2c bw="372.4" start_bw="186.2" width="128">',
    ],
)
def test_names_with_numbers_of_their_own(line: str) -> None:
    wanted = by_asking_all(line)
    assert wanted
    assert Asked(line_parsers()).wants_of(line)[0] == wanted


PARSERS: tuple[Any, ...] = line_parsers()
GATED = [unit for unit in PARSERS if unit.gate]


@cache
def gate_of(unit: Any) -> list[list[re.Pattern[str]]]:
    return [[re.compile(each) for each in group] for group in unit.gate]


def is_open(unit: Any, text: str) -> bool:
    return any(all(each.search(text) for each in group) for group in gate_of(unit))


def takes(unit: Any, text: str) -> bool:
    """One that is never greedy may want lines that it makes nothing of: its gate may be shut for them."""
    return unit.wants(text) and (not unit.lone or unit().feed(Line("a.log", 1, text)) is not Use.NOT_MINE)


@pytest.mark.parametrize("unit", GATED, ids=lambda unit: unit.kind)
def test_a_gate_is_open_for_what_its_parser_wants(unit: Any) -> None:
    for text in texts():
        if text.isascii() and not is_open(unit, text):
            assert not takes(unit, text), text


@given(st.data())
def test_also_where_numbers_differ(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([text for text in texts() if text.isascii()]))
    changed = re.sub(r"\d+", lambda _: str(data.draw(st.integers(0, 10**12))), text)
    for unit in GATED:
        assert is_open(unit, changed) or not takes(unit, changed)


def test_a_parser_without_literals_has_a_gate() -> None:
    assert [unit.kind for unit in PARSERS if unit.literals is None and not unit.gate] == []


def test_no_parser_tells_identifiers_apart() -> None:
    found = [text for text in texts() if len(text) <= 400 and blind_to_identifiers(shape_of(text)) != shape_of(text)]
    assert len(found) > 100
    for text in found:
        blind = blind_to_identifiers(shape_of(text)).decode("utf-8", "replace")
        assert by_asking_all(blind) == by_asking_all(text), text


IDENTIFIER = re.compile(
    r"(?<![0-9A-Za-z_:-])(?:GPU-)?(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{16}|[0-9a-f]{4}(?::[0-9a-f]{4}){3})"
    r"(?![0-9A-Za-z_:-])"
)
"""UUIDs and GUIDs."""


def test_nor_does_a_new_one_by_what_it_refuses() -> None:
    """Of the lines of a thousand nodes that differ by an identifier, it is shown a few (``once.moulds``)."""
    chance = random.Random(11)
    found = [text for text in texts() if len(text) <= 400 and IDENTIFIER.search(text)]
    assert len(found) > 100
    for text in found:
        changed = IDENTIFIER.sub(lambda match: other_than(match[0], chance), text)
        for index in by_asking_all(text):
            assert refuses(index, changed) == refuses(index, text), (PARSERS[index].kind, text, changed)


def other_than(identifier: str, chance: random.Random) -> str:
    """One of the same form, which spells no word."""
    start = next((front for front in ("GPU-", "0x") if identifier.startswith(front)), "")
    digits = re.sub("[0-9a-f]", lambda _: chance.choice("0123456789abcdef"), identifier[len(start) :])
    return other_than(identifier, chance) if spells_a_word(digits) else start + digits


def refuses(index: int, text: str) -> bool:
    return bool(PARSERS[index]().feed(Line("a.log", 1, text)) is Use.NOT_MINE)


def test_lines_that_differ_in_identifiers_alone_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    wants_of = Asked.wants_of

    def wants(self: Asked, text: str) -> Any:
        asked.append(text)
        return wants_of(self, text)

    monkeypatch.setattr(Asked, "wants_of", wants)
    digits = random.Random(7)
    scanner = Scanner("gpus.txt", Dialect())
    for _ in range(500):
        scanner.how_read(f"A GPU that never was (UUID: GPU-{UUID(int=digits.getrandbits(128))})")
    assert len(asked) < 250  # one for each way in which its five groups may begin and be mixed


def test_where_names_of_hosts_are_known_each_shape_is_asked_for() -> None:
    """Of two names in hexadecimal digits one may be known to stand before each line."""
    known = Scanner("job.log", Dialect(tags=frozenset({b"ab0cd00e0:"})))
    assert known.plan_of("ab1cd22e3: Rank 7 is here").prefix.cut == len("ab1cd22e3: ")
    assert known.plan_of("fb1cd22e3: Rank 7 is here").prefix.cut == 0
