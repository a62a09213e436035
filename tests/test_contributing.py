"""CONTRIBUTING.md names files that exist and the families that there are; every document names commands that exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import click
import pytest

import slowlink
from slowlink.cli.main import cli

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(slowlink.__file__).parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGES = PAGE.partition("## Where do I make this change?")[2].partition("\n## ")[0]
TABLE = CHANGES.partition("| change | files |")[2].partition("### Families")[0]
PATHS = sorted({word for word in re.findall(r"`([^`\s]+)`", TABLE) if "/" in word})
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for folder in (ROOT, ROOT / "docs") for path in folder.glob("*.md")
)
SHARED = {"rules": {"evidence"}, "parsers": {"forms", "reading"}}


def test_the_table_names_paths() -> None:
    assert {"parsers/<family>/<name>.py", "rules/<family>/<rule_id>.py", "collectors/<topic>/<name>.sh"} <= {*PATHS}
    assert len(PATHS) > 40


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    """``<...>`` stands for any name; what is not below the checkout is below the package."""
    folder = ROOT if path.partition("/")[0] in ("bench", "tests", "docs", "tools") else SOURCE
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    assert [*folder.glob(pattern)] != []


@pytest.mark.parametrize("kind", sorted(SHARED))
def test_all_families_are_listed_in_their_own_words(kind: str) -> None:
    table = CHANGES.partition(f"| {kind}/ | about |")[2].partition("\n\n")[0]
    listed = dict(re.findall(r"^\| `(\w+)/` \| (.+) \|$", table, re.MULTILINE))
    there = {path.parent.name for path in (SOURCE / kind).glob("*/__init__.py")} - SHARED[kind]
    assert listed.keys() == there
    pages = {family: import_module(f"slowlink.{kind}.{family}").__doc__ or "" for family in listed}
    assert [family for family, words in listed.items() if not pages[family].startswith(words)] == []


def commands_of(text: str) -> list[str]:
    """Every ``slowlink ...`` in code: in backticks, or in an indented line."""
    lines = re.findall(r"^ {4,}(.+)$", text, re.MULTILINE)
    code = [*re.findall(r"`([^`]+)`", text), *(part for line in lines for part in re.split(r" && |; |\| ", line))]
    return [command.removeprefix("$ ") for command in code if re.match(r"(?:\$ )?slowlink [a-z-]", command)]


def unknown_word(command: str) -> str:
    """The word that names no command or subcommand; "" when all do."""
    found: click.Command = cli
    context = click.Context(cli)
    for word in command.split()[1:]:
        if not isinstance(found, click.Group) or not re.fullmatch(r"[a-z][a-z-]*", word):
            break
        known = found.list_commands(context)
        inner = found.get_command(context, word) if word in known else None
        if inner is None:
            return word
        found = inner
    return ""


def test_commands_are_found_in_documents() -> None:
    assert commands_of(
        "Use `slowlink run` or:\n\n    $ slowlink rules && slowlink lab up  # a lab\n\nslowlink is.\n"
    ) == [
        "slowlink run",
        "slowlink rules",
        "slowlink lab up  # a lab",
    ]
    words = (
        "slowlink run all_reduce",
        "slowlink explain CAUSE",
        "slowlink rules explain X",
        "slowlink lab upp --nodes 4",
    )
    assert [unknown_word(command) for command in words] == ["", "explain", "", "upp"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_names_commands_that_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert [command for command in commands_of(text) if unknown_word(command)] == []
