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
    """Causes stand as literals: first argument of ``finding``, and in ``explains``."""
    named = _literals(inspect.getsource(inspect.getmodule(rule.check) or rule.check))
    assert named - all_causes().keys() == set()


def _literals(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "finding":
            explains = [keyword.value for keyword in node.keywords if keyword.arg == "explains"]
            for part in (node.args[0], *explains):
                found |= {leaf.value for leaf in ast.walk(part) if isinstance(leaf, ast.Constant) and leaf.value}
    return {value for value in found if isinstance(value, str)}


def test_shared_lists_of_consequences_exist() -> None:
    from slowlink.rules.evidence import messages as seen

    for consequences in (seen.FAILED_RUN, seen.BROKEN_PATH, seen.LOST_PEER):
        assert set(consequences) <= all_causes().keys()
