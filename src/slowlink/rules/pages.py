"""The page of a rule or a cause, made from the rule's docstring, its needs and tolerances, and the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import fields

from slowlink.catalog.causes import Cause, all_causes
from slowlink.errors import SlowlinkError
from slowlink.rules.engine import Rule, discover

_MOST_NEAR = 5
"""Names that are offered for one that nobody knows."""


def page(name: str) -> str:
    """Plain text for a rule id or a cause id. Raises SlowlinkError for an unknown name, with the nearest ones."""
    rules = {rule.id: rule for rule in discover()}
    causes = all_causes()
    finders = [rule for rule in discover() if name in rule.causes]
    parts = []
    if name in rules:
        parts.append(rule_page(rules[name]))
    elif name in causes:
        parts.append(_cause_page(causes[name]))
    if name in causes:
        parts.append(_finders(name, finders))
    if parts:
        return "\n\n".join(parts)
    known = list(dict.fromkeys([*rules, *causes]))
    close = get_close_matches(name, known, n=3)
    holding = [each for each in known if len(name) > 1 and name in each]
    near = list(dict.fromkeys([*close, *holding]))[:_MOST_NEAR]
    hint = f"did you mean {' or '.join(near)}?" if near else "slowlink rules lists them"
    raise SlowlinkError(f"there is no rule or cause '{name}'", hint=hint, slug="unknown-rule")


def _cause_page(cause: Cause) -> str:
    return "\n".join(
        [
            f"{cause.id}: {cause.title}",
            "",
            cause.meaning,
            "",
            f"Layer: {cause.layer}.",
            f"Shown by: {cause.proof}",
        ]
    )


def _finders(cause: str, rules: Sequence[Rule]) -> str:
    if not rules:
        return f"No rule finds the cause {cause} yet."
    width = max(len(rule.id) for rule in rules)
    return "\n".join(
        [f"Rules that find the cause {cause}:", *(f"  {rule.id:<{width}}  {rule.title}" for rule in rules)]
    )


def rule_page(rule: Rule) -> str:
    """What the rule means, why it matters, how to confirm it, what to do, when it is wrong, and what it needs."""
    parts = [f"{rule.id}: {rule.page}", ""]
    needs = [need.parameter + (" (optional)" if need.optional else "") for need in rule.needs]
    parts.append(f"Needs: {', '.join(needs)}.")
    parts.append(
        f"Causes: {', '.join(rule.causes)}." if rule.causes else "Causes: none; it proves that things are right."
    )
    if rule.params is not None:
        parts.append("Tolerances, set in slowlink.toml:")
        parts.append(f"  [rules.{rule.id}]")
        defaults = rule.params()
        parts.extend(f"  {entry.name} = {getattr(defaults, entry.name)!r}" for entry in fields(rule.params))
    return "\n".join(parts)
