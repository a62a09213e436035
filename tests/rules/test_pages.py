"""Every rule is a page, its tolerances are frozen, and the causes that it names exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import fields

import slowlink.rules
from slowlink.catalog.causes import all_causes
from slowlink.rules.engine import Rule, discover

PARTS = ("How to confirm:", "What to do:", "When it is wrong:")
MODULES = Path(slowlink.rules.__file__).parent
CHECKOUT = Path(__file__).parents[2]
DOCUMENTS = {f"docs/{path.name}" for path in (CHECKOUT / "docs").glob("*.md")}
CITATION = re.compile(r'(docs/[\w/-]+\.md)(?:(?:,? section |, | (?=\d))("[^"]+"|(?:[^,;)".]|\.(?=\w))+))?')
"""A document, and the section that follows it after a comma, as a word or as a number: docs/physics.md, "Bands"."""


@pytest.fixture(params=discover(), ids=lambda rule: rule.id)
def rule(request: pytest.FixtureRequest) -> Rule:
    found = request.param
    assert isinstance(found, Rule)
    return found


def test_the_page_has_a_title_and_all_parts(rule: Rule) -> None:
    title, blank, *_ = rule.page.split("\n")
    assert title.endswith(".")
    assert blank == ""
    assert [part for part in PARTS if not any(line.startswith(part) for line in rule.page.split("\n"))] == []


def test_tolerances_are_frozen_and_have_defaults(rule: Rule) -> None:
    if rule.params is None:
        return
    assert issubclass(rule.params, Struct)
    tolerances = rule.params()
    with pytest.raises(AttributeError):
        setattr(tolerances, fields(rule.params)[0].name, 0)


def test_causes_named_by_a_rule_exist(rule: Rule) -> None:
    """Literals: first argument of ``finding``, ``explains``, and what the rule declares."""
    named, explained = _literals(rule)
    assert (named | explained | {*rule.causes}) - all_causes().keys() == set()


def test_a_rule_declares_each_cause_that_it_names(rule: Rule) -> None:
    named, _ = _literals(rule)
    assert named - {*rule.causes} == set()


@pytest.mark.parametrize("module", sorted(MODULES.rglob("*.py")), ids=lambda path: path.stem)
def test_documents_and_sections_that_a_module_cites_exist(module: Path) -> None:
    """The page, the reasons beside tolerances and the comments alike."""
    cited = citations(module.read_text())
    assert [each for each in cited if each[0] not in DOCUMENTS or each[1] not in ("", *headings(each[0]))] == []


def test_a_section_is_what_follows_a_document_after_a_comma_as_a_word_or_as_a_number() -> None:
    text = """
        See docs/a.md. It says (docs/b.md) that docs/c.md does, by docs/d.md, "Bands"; docs/e.md section 6.2, or
        docs/f.md 4.
        # docs/g.md, run to
        # run.
    """
    assert citations(text) == [
        ("docs/a.md", ""),
        ("docs/b.md", ""),
        ("docs/c.md", ""),
        ("docs/d.md", "Bands"),
        ("docs/e.md", "6.2"),
        ("docs/f.md", "4"),
        ("docs/g.md", "run to run"),
    ]


def test_headings_are_those_of_the_document() -> None:
    assert "Bands" in headings("docs/physics.md")


def citations(text: str) -> list[tuple[str, str]]:
    """(document, section or "") of each place that cites one; lines and comments are joined."""
    joined = re.sub(r"\s*\n[\s#]*", " ", text)
    return [(path, section.strip('". ')) for path, section in CITATION.findall(joined)]


def headings(document: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", (CHECKOUT / document).read_text(), re.MULTILINE)


def _literals(rule: Rule) -> tuple[set[str], set[str]]:
    """Causes that calls of ``finding`` name, and those that they explain."""
    named, explained = set(), set()
    for node in ast.walk(ast.parse(inspect.getsource(inspect.getmodule(rule.check) or rule.check))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "finding":
            named |= _texts(node.args[0])
            explained |= {text for kw in node.keywords if kw.arg == "explains" for text in _texts(kw.value)}
    return named, explained


def _texts(part: ast.AST) -> set[str]:
    return {leaf.value for leaf in ast.walk(part) if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)}


def test_shared_lists_of_consequences_exist() -> None:
    from slowlink.rules.evidence import messages as seen

    for consequences in (seen.FAILED_RUN, seen.BROKEN_PATH, seen.LOST_PEER):
        assert set(consequences) <= all_causes().keys()
