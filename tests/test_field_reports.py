"""docs/field-reports.md: every command there is one that the command line takes."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import click
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "field-reports.md"
COMMANDS = re.findall(r"`slowlink ((?:nodes|run|snapshot|analyze|compare|watch|prepare|expect|manifest|build-tests|isolate)[^`]*)`",
                      PAGE.read_text(encoding="utf-8"))  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_the_field_reports(words: str) -> None:
    name, *rest = shlex.split(words)
    command = import_module(f"slowlink.cli.{name.replace('-', '_')}").command
    assert isinstance(command, click.Command)
    # Alone it names the command; with options they are read, and nothing runs.
    if rest:
        command.make_context(name, rest, resilient_parsing=False)


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 40
