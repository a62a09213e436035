"""The pages that people begin with: every command there is one that the command line takes, every link leads somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from slowlink.catalog.causes import all_causes
from slowlink.cli.main import cli

CHECKOUT = Path(__file__).parents[1]
PAGES = ("README.md", *(f"docs/{path.name}" for path in sorted((CHECKOUT / "docs").glob("*.md"))))
BEGINNINGS = ("README.md", "docs/quickstart.md", "docs/symptoms.md", "docs/bundle.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


def text_of(page: str) -> str:
    return (CHECKOUT / page).read_text(encoding="utf-8")


def commands_of(page: str) -> Iterator[str]:
    """Lines that are set apart, and what stands between backticks; without comments and what the shell does."""
    for line in text_of(page).splitlines():
        set_apart = re.match(r" {4}(?:\$ )?(.*\bslowlink .*)", line)
        for words in [set_apart[1]] if set_apart else re.findall(r"`(slowlink [^`]*)`", line):
            for part in re.split(r"&&|\|\||[|<>;]", words):
                said = re.sub(r"\s+#.*|\s{3,}.*", "", part.strip())
                if said.startswith("slowlink ") and "..." not in said:
                    yield said.removeprefix("slowlink ")


def given(words: list[str]) -> None:
    """Reads the words as the command line would; nothing runs."""
    context = click.Context(cli)
    command: click.Command | None = cli.get_command(context, words[0])
    if command is None:
        assert not words[0].startswith("-"), words
        command, words = cli.get_command(context, "analyze"), ["analyze", *words]
    while isinstance(command, click.Group) and len(words) > 1 and not words[1].startswith("-"):
        inner = command.get_command(context, words[1])
        assert inner is not None or command.no_args_is_help is False, words
        if inner is None:
            break
        command, words = inner, words[1:]
    assert command is not None
    if len(words) > 1:
        command.make_context(words[0], words[1:])


COMMANDS = sorted({(page, said) for page in PAGES for said in commands_of(page)})


@pytest.mark.parametrize(("page", "said"), COMMANDS)
def test_a_command_is_one(page: str, said: str) -> None:
    words = shlex.split(said)
    if not words or words == ["--help"] or words[0].isupper() or "--schema" in words:
        return
    try:
        given(words)
    except (click.MissingParameter, click.BadOptionUsage):
        # Within a sentence of the other pages a command may go without its arguments: `slowlink run --repeat 4`.
        assert page not in BEGINNINGS


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 200


def anchor(heading: str) -> str:
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_page_leads_there(page: str) -> None:
    broken = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, part = target.partition("#")
        there = (CHECKOUT / page).parent / path if path else CHECKOUT / page
        anchors = map(anchor, HEADING.findall(there.read_text("utf-8"))) if part and there.is_file() else ()
        if not there.exists() or (part and part not in anchors):
            broken.append(target)
    assert broken == []


def test_causes_of_the_page_of_symptoms_are_known() -> None:
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*)(?: alone)? \|", text_of("docs/symptoms.md"), re.M)
    named = [name for row in rows for name in re.findall(r"`([a-z-]+)`", row)]
    assert len(named) > 9
    assert [name for name in named if name not in all_causes()] == []
