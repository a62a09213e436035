"""Every rule is a page, its tolerances are frozen, and the causes that it names exist."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields, is_dataclass

import pytest

from slowlink.catalog.causes import all_causes
from slowlink.rules.engine import Rule, discover

PARTS = ("How to confirm:", "What to do:", "When it is wrong:")


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
    assert is_dataclass(rule.params)
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
