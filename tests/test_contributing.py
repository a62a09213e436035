"""CONTRIBUTING.md names files that exist, and the families that there are."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import slowlink

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(slowlink.__file__).parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGES = PAGE.partition("## Where do I make this change?")[2].partition("\n## ")[0]
TABLE = CHANGES.partition("| change | files |")[2].partition("### Families")[0]
PATHS = sorted({word for word in re.findall(r"`([^`\s]+)`", TABLE) if "/" in word})
SHARED = {"rules": {"evidence"}, "parsers": {"forms", "reading"}}


def test_the_table_names_paths() -> None:
    assert {"parsers/<family>/<name>.py", "rules/<family>/<rule_id>.py", "collectors/<topic>/<name>.sh"} <= {*PATHS}
    assert len(PATHS) > 40


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    """``<...>`` stands for any name; what is not below the checkout is below the package."""
    folder = ROOT if path.partition("/")[0] in ("tests", "docs", "tools") else SOURCE
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
