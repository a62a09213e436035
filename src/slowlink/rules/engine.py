"""Runs the rules. A rule is a module of a family below this package with a ``check`` function; it is found by being
there.

The annotations of ``check`` are the rule's needs. A need that was not collected skips the rule, with the reason; of
needs written ``X | None`` alone one at least must be there. Node state is asked for by attribute:
``Annotated[Readings, Of("cpu-governor")]``. ``params: Params`` gets the rule's tolerances. ``CAUSES`` declares what its
findings may name. A rule that raises, or names another cause, is *broken*: a defect of slowlink, never a sick node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import fields, replace

from slowlink.config import checked
from slowlink.errors import SlowlinkError
from slowlink.facts.stretches import joined, told
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Absence, Facts, Hardware, Readings, State
from slowlink.model.report import Finding, Outcome
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.rule import Need, Rule, described, discover, field_of
from slowlink.rules.sizes import sized
from slowlink.rules.standing import Proven, standing
from slowlink.rules.weighing import weighed

__all__ = ["Checked", "Rule", "described", "discover", "run"]

_YARDSTICKS = (Hardware, Expectations)
"""Facts that others are compared with: alone they show nothing."""


class Checked(Struct, frozen=True):
    """Everything that the rules said."""

    findings: tuple[Finding, ...]
    proofs: tuple[Proof, ...]
    """Those that no finding contradicts."""
    outcomes: tuple[Outcome, ...]
    """One for each rule; of a rule that was skipped without its reason, which is a matter of words."""
    absences: Mapping[str, Absence]
    """By rule that was skipped: what it needs."""


def run(
    facts: Facts,
    expectations: Expectations | None,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
    rules: Sequence[Rule] | None = None,
) -> Checked:
    """Every rule over the facts. ``overrides`` are tolerances by rule id (``[rules.<id>]`` of slowlink.toml).

    Raises SlowlinkError for an override of an unknown rule or tolerance.
    """
    rules = discover() if rules is None else rules
    overrides = overrides or {}
    _reject_unknown(rules, overrides)
    findings: list[Finding] = []
    proven: list[Proven] = []
    outcomes: list[Outcome] = []
    absences: dict[str, Absence] = {}
    for rule in rules:
        asked = partial(_arguments, rule, facts, expectations, overrides.get(rule.id, {}))
        arguments = asked()
        if isinstance(arguments, Absence):
            absences[rule.id] = arguments
            outcomes.append(Outcome(rule.id, "skipped"))
            continue
        try:
            said = list(rule.check(**arguments))
        except MemoryError:  # no defect of the rule: what it would have found is unknown
            raise
        except Exception as defect:  # noqa: BLE001  (a broken rule must not take the others with it)
            outcomes.append(Outcome(rule.id, "broken", f"{type(defect).__name__}: {defect}"))
            continue
        mine = [replace(item, rule=rule.id) for item in said if isinstance(item, Finding)]
        findings.extend(mine)
        proofs = tuple(item for item in said if isinstance(item, Proof))
        proven.append(Proven(proofs, rule.denies, asked, rule.check))
        undeclared = {item.cause for item in mine} - {*rule.causes}
        if undeclared:
            outcomes.append(Outcome(rule.id, "broken", f"does not declare {', '.join(sorted(undeclared))}"))
            continue
        outcomes.append(Outcome(rule.id, "found" if mine else "passed"))
    found = sized(weighed(findings, facts), expectations)
    return Checked(found, standing(proven, found), tuple(outcomes), absences)


def _reject_unknown(rules: Sequence[Rule], overrides: Mapping[str, Mapping[str, object]]) -> None:
    by_id = {rule.id: rule for rule in rules}
    for rule_id, values in overrides.items():
        if rule_id not in by_id:
            raise SlowlinkError(f"there is no rule '{rule_id}'", hint="slowlink rules lists them", slug="unknown-rule")
        kind = by_id[rule_id].params
        known = {f.name for f in fields(kind)} if kind is not None else set()
        for name in values:
            if name not in known:
                options = ", ".join(sorted(known)) or "none"
                raise SlowlinkError(
                    f"rule '{rule_id}' has no tolerance '{name}'",
                    hint=f"it has: {options}",
                    slug="unknown-tolerance",
                )
        if kind is not None:
            checked(kind, values, f"[rules.{rule_id}]")


def _arguments(
    rule: Rule, facts: Facts, expectations: Expectations | None, override: Mapping[str, object]
) -> dict[str, object] | Absence:
    """Values for the rule's parameters, or what it needs and does not get."""
    arguments: dict[str, object] = {}
    for need in rule.needs:
        value = _value_of(need, facts, expectations)
        if value is None and not need.optional:
            return _absence(need, facts)
        arguments[need.parameter] = value
    evidence = [need for need in rule.needs if need.type not in _YARDSTICKS]
    if evidence and all(arguments[need.parameter] is None for need in evidence):
        return _absence(evidence[0], facts)
    if rule.params is not None:
        arguments["params"] = rule.params(**override)
    return arguments


def _value_of(need: Need, facts: Facts, expectations: Expectations | None) -> object:
    if need.type is Expectations:
        return expectations
    return _select(facts.state, need.attributes) if need.attributes else getattr(facts, _name_of(need))


def _select(state: State | None, attributes: Sequence[str]) -> Readings | None:
    """Readings of these attributes; None when not one of them was read."""
    found = [state.readings[name] for name in attributes if name in state.readings] if state is not None else []
    if len(found) == 1:
        return found[0]
    if not found:
        return None
    of_each = {name: state.readings[name].all for name in attributes if state is not None and name in state.readings}
    return Readings(joined(told(readings.all) for readings in found), of_each)


def _absence(need: Need, facts: Facts) -> Absence:
    if need.attributes:
        return Absence("state", need.attributes if facts.state is not None else ())
    return Absence(_name_of(need))


def _name_of(need: Need) -> str:
    return "expectations" if need.type is Expectations else field_of(need.type)
