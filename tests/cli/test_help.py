"""Help texts: whole sentences, each command below what it is for, options of one kind together."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from slowlink.cli.main import cli
from slowlink.cli.shown.overview import SECTIONS, sections

CONTEXT = click.Context(cli)
COMMANDS = [name for name in cli.list_commands(CONTEXT) if name != "read-here"]
WITH_REPORT = ("analyze", "attach", "check", "follow", "report", "run", "snapshot", "watch")


def helped(*words: str) -> str:
    done = CliRunner().invoke(cli, [*words, "--help"], terminal_width=100)
    assert done.exit_code == 0, done.output
    return done.output


def test_every_command_stands_below_a_heading_once() -> None:
    told = [name for rows in SECTIONS.values() for name in rows]
    assert sorted(told) == sorted(COMMANDS)


def test_a_command_that_nobody_sorted_is_shown_all_the_same() -> None:
    assert sections(["analyze", "newest"])[-1] == ("More", [("newest", "")])


def test_no_line_of_the_overview_is_cut() -> None:
    shown = helped()
    assert "..." not in shown.partition("\n")[2]
    assert all(text in shown for rows in SECTIONS.values() for text in rows.values())
    assert "read-here" not in shown


@pytest.mark.parametrize("name", WITH_REPORT)
def test_commands_that_answer_with_a_report_have_one_way_to_show_it(name: str) -> None:
    shown = helped(name)
    assert all(word in shown for word in ("--format", "-v, --verbose", "-q, --quiet", "--color", "--no-color"))


@pytest.mark.parametrize("name", [name for name in WITH_REPORT if name not in ("report", "follow")])
def test_commands_that_measure_or_read_write_reports(name: str) -> None:
    assert "-o, --output" in helped(name)


def test_options_of_one_kind_stand_together() -> None:
    shown = helped("run")
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        *("Options:", "Nodes:", "The answer:", "Slurm:", "Kubernetes:", "perftest:"),
        "Hardware, where the input does not tell it:",
    ]
    below = shown.partition("\nKubernetes:\n")[2].partition("\nperftest:\n")[0]
    assert "--image" in below
    assert "Kubernetes" not in below


def test_few_options_are_one_list() -> None:
    shown = helped("bundle", "show")
    assert [line for line in shown.splitlines() if line.endswith(":")] == ["Options:"]


@pytest.mark.parametrize("name", ["baseline", "bundle", "history", "lab", "policy", "rules"])
def test_no_line_of_a_group_is_cut(name: str) -> None:
    below = helped(name).partition("\nCommands:\n")[2]
    assert below
    assert not re.search(r"\w\.\.\.$", below, re.M)
