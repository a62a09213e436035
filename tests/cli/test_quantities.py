"""Numbers on the command line and in settings: what is no number is in no range."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from slowlink.cli.expect import command as expect
from slowlink.cli.main import cli
from slowlink.inputs.small_toml import small_toml


@pytest.mark.parametrize("word", ["nan", "inf", "1e999", "-inf"])
def test_what_is_no_number_is_refused(word: str) -> None:
    given = ["--system", "hgx_h100", "--nodes", "4", "--threshold", word]
    found = CliRunner().invoke(expect, given)
    assert found.exit_code == 2
    assert word in found.output


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999"])
def test_so_it_is_in_settings(tmp_path: Path, word: str) -> None:
    (tmp_path / "slowlink.toml").write_text(f"[rules.bandwidth-unstable]\nslow_share = {word}\n")
    with pytest.raises(ValueError, match="is no number"):
        small_toml(tmp_path / "slowlink.toml")


def test_every_range_of_the_command_line_is_one_of_numbers() -> None:
    plain = []
    todo: list[click.Command] = [cli]
    while todo:
        command = todo.pop()
        plain += [f"{command.name} {each.name}" for each in command.params if type(each.type) is click.FloatRange]
        if isinstance(command, click.Group):
            context = click.Context(command)
            todo += [found for name in command.list_commands(context) if (found := command.get_command(context, name))]
    assert plain == []
