"""Which lines only describe: by the nearest claim, and never of what programs print by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

import slowlink
from slowlink.parsers.reading.documents.blocks import Kind, blocks_of, is_prose
from slowlink.parsers.reading.documents.passages import described_passages

VOCABULARY = Path(slowlink.__file__).parent / "catalog" / "vocabulary"
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus."
STAMPED = "".join(f"Nov 20 03:11:4{n} gpu11 kernel: {XID}\n" for n in range(3))


def lines_described(text: str) -> list[int]:
    found = described_passages("x", text.splitlines())
    return [line for each in found for line in range(each.ref.line, each.last + 1)]


def is_described(text: str, line: str = XID) -> bool:
    number = next(n for n, each in enumerate(text.splitlines(), 1) if line in each)
    return number in lines_described(text)


@pytest.mark.parametrize(
    "before",
    [
        "If you see this, the GPU is gone. It must be drained then:",
        "For example, a lost GPU may look like this. Drain the node when it happens:",
        "We had seen this in March. The GPU was replaced, and since then there were no further errors:",
    ],
)
def test_the_paragraph_above_says_what_it_is(before: str) -> None:
    assert is_described(f"# GPUs\n\nThis page is about the GPUs.\n\n{before}\n\n    {XID}\n")


@pytest.mark.parametrize(
    "before",
    [
        "Since yesterday we see this whenever a job starts. What does it mean, if it comes again?",
        "The GPU was replaced on Monday. On Tuesday the job died again with this:",
        "I followed the page that says what to do if you see this. It is still there:",
        "This is the log of our last job on that node:",
    ],
)
def test_who_has_the_trouble_outweighs_conditions(before: str) -> None:
    assert not is_described(f"# GPUs\n\nCheck the cables if you can.\n\n{before}\n\n    {XID}\n")


def test_without_a_claim_it_is_a_log() -> None:
    assert (
        lines_described(
            f"# gpu11\n\nThis is from the kernel of the node.\n\n    {XID}\n\nThe end of the log is here.\n"
        )
        == []
    )


def test_one_condition_makes_no_runbook() -> None:
    assert lines_described(f"# gpu11\n\nWhen the job starts it prints this:\n\n    {XID}\n\nThe job ends then.\n") == []


def test_a_pasted_log_stands_against_the_rest_of_the_document() -> None:
    advice = "Check the riser if you can. You should reseat the board. It may be enough if you clean it."
    assert not is_described(f"# gpu11\n\nThe console of the node had this.\n\n```\n{STAMPED}```\n\n{advice}\n")
    assert is_described(f"# gpu11\n\nThe console of the node had this.\n\n```\n{XID}\n```\n\n{advice}\n")


def test_some_advice_makes_no_runbook_of_a_letter() -> None:
    letter = f"Hello,\n\nthe job of Monday ended with\n\n    {XID}\n\nIf you need more, you should ask. It is the same each time.\n"
    assert lines_described(letter) == []


def test_a_log_in_a_closed_ticket_is_one() -> None:
    ticket = "# Ticket 12 (closed)\n\n## {}\n\n```\n{}\n```\n\nThe node was drained and the GPU was replaced.\n"
    assert not is_described(ticket.format("Log of the job", XID))
    assert not is_described(ticket.format("Finding", STAMPED))
    assert is_described(ticket.format("Finding", XID))


def test_advice_in_a_form_is_nobodys() -> None:
    form = (
        "<!-- Please make sure that you have read the FAQ. If you can,\ngive an example. You should search first. -->"
    )
    assert lines_described(f"{form}\n\n**Describe the bug**\n\nTraining dies at once.\n\n```\n{XID}\n```\n") == []


def test_a_table_of_symptoms_describes() -> None:
    rows = f"| Symptom | Fix |\n|---|---|\n| `{XID}` | drain the node |\n"
    assert is_described(
        f"# Help\n\nThis is what our users see most of all.\n\n{rows}\nIf it is not here, you should ask.\n"
    )


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


@pytest.mark.parametrize("between", ["->", "=>", "\u2192", ":", "-", "--", "\u2014"])
@pytest.mark.parametrize("mark", ["* ", "- ", "1. ", ""])
def test_a_list_of_messages_and_owners_describes_where_its_heading_does(mark: str, between: str) -> None:
    entries = f"{mark}`{XID}` {between} hardware desk\n\n{mark}`CUDA out of memory` {between} the user\n"
    assert lines_described(f"# Runbook: owners\n\n{entries}") == [3, 5]
    assert lines_described(f"# gpu11 since this morning\n\n{entries}") == []
    assert lines_described(entries) == []


@pytest.mark.parametrize("path", sorted(VOCABULARY.rglob("*.toml")), ids=lambda path: path.stem)
def test_what_programs_say_is_no_document(path: Path) -> None:
    """Their sentences advise and explain as people do; nobody set them with headings, fences or names."""
    texts = [line for text in texts_in(tomli.loads(path.read_text(encoding="utf-8"))) for line in text.splitlines()]
    assert described_passages("x", texts) == []


def test_help_between_rulers_is_a_programs() -> None:
    ruler = "-" * 70
    text = f"{ruler}\nThere are not enough slots. If you want more, you should ask:\n\n  ./a.out\n\nEither may be used.\n{ruler}\n"
    assert lines_described(text) == []


def test_who_speaks() -> None:
    assert is_prose("The node was drained because the GPU is gone.")
    for line in (
        XID,
        "slurmd: error: the node is not there and we cannot run",
        "[rank3]: this is what the rank says to us",
    ):
        assert not is_prose(line)


def test_blocks_of_a_document() -> None:
    text = "# Title\n\nThis is a paragraph that\ngoes on.\n\n- an item of a list that is here\n\n```\nprinted\n```\n| a | b |\n"
    assert [(block.kind, block.first, block.last) for block in blocks_of(text.splitlines())] == [
        (Kind.HEADING, 1, 1),
        (Kind.PROSE, 3, 4),
        (Kind.PROSE, 6, 6),
        (Kind.PRINTED, 9, 9),
        (Kind.ROW, 11, 11),
    ]


PIECES = [
    "# Usage",
    "If you see this, it is broken.",
    "    " + XID,
    "```",
    "",
    "- we see this again",
    "> quoted",
    "<!--",
    "| a | b |",
    "---",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=40), max_size=30))
def test_any_text_gives_passages_in_order(lines: list[str]) -> None:
    found = described_passages("x", lines)
    assert all(1 <= each.ref.line <= each.last <= len(lines) for each in found)
    assert all(one.last < other.ref.line for one, other in pairwise(found))


def test_keys_with_values_and_prompts_are_no_document() -> None:
    keys = "        Drain and Reset Recommended       : No\n        Applications Clocks Setting       : Not Active\n"
    assert (
        lines_described(
            f"# nvidia-smi -q | grep -v the\n\n{keys * 5}\n# cat /proc/of/the/node/that/is/not/here\n\n{keys}"
        )
        == []
    )
