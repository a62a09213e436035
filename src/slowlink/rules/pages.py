"""The page of a rule or a cause, made from the rule's docstring, its needs and tolerances, and the catalogue."""

from __future__ import annotations

from dataclasses import fields
from difflib import get_close_matches

from slowlink.catalog.causes import all_causes
from slowlink.errors import SlowlinkError
from slowlink.rules.engine import Rule, discover


def page(name: str) -> str:
    """Plain text for a rule id or a cause id. Raises SlowlinkError for an unknown name, with the nearest ones."""
    rules = {rule.id: rule for rule in discover()}
    causes = all_causes()
    if name in rules:
        return _rule_page(rules[name])
    if name in causes:
        cause = causes[name]
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
    near = get_close_matches(name, [*rules, *causes], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "slowlink rules lists them"
    raise SlowlinkError(f"there is no rule or cause '{name}'", hint=hint, slug="unknown-rule")


def _rule_page(rule: Rule) -> str:
    parts = [f"{rule.id}: {rule.page}", ""]
    needs = [need.parameter + (" (optional)" if need.optional else "") for need in rule.needs]
    parts.append(f"Needs: {', '.join(needs)}.")
    if rule.params is not None:
        parts.append("Tolerances, set in slowlink.toml:")
        parts.append(f"  [rules.{rule.id}]")
        defaults = rule.params()
        parts.extend(f"  {entry.name} = {getattr(defaults, entry.name)!r}" for entry in fields(rule.params))
    return "\n".join(parts)
