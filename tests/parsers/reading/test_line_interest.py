"""Of a line without a parser's literal texts the parser is not asked. No line that it wants may be lost by that."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from slowlink.parsers import line_parsers
from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.reading.line_interest import literals_of

ROOT = Path(__file__).parents[3]
MOST_CHARACTERS = 600


@cache
def sample_lines() -> tuple[str, ...]:
    """Every line of every text that this project holds: all samples of all tests and tables are among them."""
    lines: dict[str, None] = {}
    for path in sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "src").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                lines.update(dict.fromkeys(node.value.splitlines()))
    for path in sorted([*(ROOT / "demo").rglob("*"), *(ROOT / "tests").rglob("*"), *(ROOT / "src").rglob("*.toml")]):
        if path.is_file() and path.suffix in (".log", ".txt", ".out", ".toml", ".xml", ".csv"):
            lines.update(dict.fromkeys(path.read_text(encoding="utf-8", errors="replace").splitlines()))
    shapes = {form_of(line.rstrip()[:MOST_CHARACTERS]): line.rstrip()[:MOST_CHARACTERS] for line in lines}
    return tuple(shapes.values())


WITH_LITERALS = [unit for unit in line_parsers() if literals_of(unit) is not None]


@pytest.mark.parametrize("unit", WITH_LITERALS, ids=lambda unit: unit.__name__)
def test_each_wanted_line_and_its_form_hold_a_literal_of_the_parser(unit: type[LineParser]) -> None:
    literals = literals_of(unit)
    assert literals is not None
    wanted = [line for line in sample_lines() if unit.wants(line)]
    assert wanted  # else this proves nothing
    assert [line for line in wanted if not literals.in_(form_of(line).decode())] == []
