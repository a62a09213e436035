"""The engine: needs, outcomes, tolerances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pytest
from msgspec import Struct
from msgspec.structs import fields, replace

from slowlink.catalog.attributes import all_attributes
from slowlink.catalog.causes import all_causes
from slowlink.errors import SlowlinkError
from slowlink.model.expectations import Expectations
from slowlink.model.facts import (
    Absence,
    Calls,
    Facts,
    Hardware,
    Of,
    Readings,
    Sources,
    State,
    Sweeps,
    Transports,
)
from slowlink.model.report import Finding, Outcome
from slowlink.rules.engine import Rule, described, discover, run
from slowlink.rules.evidence.findings import Proof, finding

EMPTY = Facts(sources=Sources(()))


class _Module:
    """A rule module made up for a test; it may name every cause."""

    __name__ = "slowlink.rules.made_up"

    def __init__(self, check: object, params: type | None = None) -> None:
        self.__doc__ = "A made-up rule.\n\nMore."
        self.check = check
        self.CAUSES = tuple(all_causes())
        if params is not None:
            self.Params = params


def _rule(check: object, params: type | None = None) -> Rule:
    return described(_Module(check, params))  # type: ignore[arg-type]


class Limits(Struct, frozen=True):
    most: int = 3


def test_a_rule_without_its_facts_is_skipped_with_what_it_needs() -> None:
    def check(transports: Transports) -> Iterator[Finding]:
        raise AssertionError("must not run")

    checked = run(EMPTY, None, rules=[_rule(check)])
    assert checked.outcomes == (Outcome("made-up", "skipped"),)
    assert checked.absences == {"made-up": Absence("transports")}


def test_of_needs_that_are_all_optional_one_at_least_must_be_there() -> None:
    def check(hardware: Hardware | None, sweeps: Sweeps | None, calls: Calls | None) -> Iterator[Finding]:
        raise AssertionError("must not run: hardware alone shows nothing")

    known = replace(EMPTY, hardware=Hardware("hgx_h100", None, None, (), "given"))
    assert run(known, None, rules=[_rule(check)]).absences == {"made-up": Absence("sweeps")}


def test_expectations_that_nobody_could_derive_are_absent_by_name() -> None:
    def check(expectations: Expectations) -> Iterator[Finding]:
        raise AssertionError("must not run")

    assert run(EMPTY, None, rules=[_rule(check)]).absences == {"made-up": Absence("expectations")}


def test_of_node_state_the_attributes_are_absent_where_there_is_some_and_all_of_it_where_there_is_none() -> None:
    def check(governors: Annotated[Readings, Of("cpu-governor")]) -> Iterator[Finding]:
        raise AssertionError("must not run")

    rule = _rule(check)
    assert run(EMPTY, None, rules=[rule]).absences == {"made-up": Absence("state")}
    asked = replace(EMPTY, state=State({}, ("node07",), frozenset()))
    assert run(asked, None, rules=[rule]).absences == {"made-up": Absence("state", ("cpu-governor",))}


def test_optional_need_gets_none_and_params_get_overrides() -> None:
    seen: list[object] = []

    def check(sources: Sources, sweeps: Sweeps | None, params: Limits) -> Iterator[Finding | Proof]:
        seen.append((sources, sweeps, params))
        yield Proof("measured")

    checked = run(EMPTY, None, {"made-up": {"most": 7}}, [_rule(check, Limits)])
    assert seen == [(Sources(()), None, Limits(most=7))]
    assert checked.outcomes[0].outcome == "passed"
    assert checked.proofs == (Proof("measured"),)


def test_a_rule_that_got_no_memory_is_not_broken() -> None:
    def greedy(sources: Sources) -> Iterator[Finding]:
        raise MemoryError

    with pytest.raises(MemoryError):
        run(EMPTY, None, rules=[_rule(greedy)])


def test_a_rule_that_raises_is_broken_and_takes_no_other_with_it() -> None:
    def bad(sources: Sources) -> Iterator[Finding]:
        if not sources.all:
            raise ZeroDivisionError("no ranks")
        yield from ()

    def good(sources: Sources) -> Iterator[Finding]:
        yield finding("port-down", "port 1 of mlx5_0 is down", severity="error", confidence="certain")

    checked = run(EMPTY, None, rules=[_rule(bad), _rule(good)])
    assert [o.outcome for o in checked.outcomes] == ["broken", "found"]
    assert checked.outcomes[0].reason == "ZeroDivisionError: no ranks"
    assert checked.findings[0].rule == "made-up"
    assert checked.findings[0].title == all_causes()["port-down"].title


@pytest.mark.parametrize(
    ("overrides", "slug"),
    [({"no-such-rule": {}}, "unknown-rule"), ({"made-up": {"least": 1}}, "unknown-tolerance")],
)
def test_unknown_overrides_are_the_users_error(overrides: dict[str, dict[str, object]], slug: str) -> None:
    def check(sources: Sources, params: Limits) -> Iterator[Finding]:
        yield from ()

    with pytest.raises(SlowlinkError) as error:
        run(EMPTY, None, overrides, [_rule(check, Limits)])
    assert error.value.slug == slug


@pytest.mark.parametrize("rule", discover(), ids=lambda rule: rule.id)
def test_every_rule_is_well_formed(rule: Rule) -> None:
    assert rule.page.count("\n\n") >= 1, "a title line and a page below it"
    assert len(rule.title) <= 100
    assert "When it is wrong" in rule.page
    for need in rule.needs:
        assert need.type.__module__.startswith("slowlink.model"), need
    if rule.params is not None:
        assert issubclass(rule.params, Struct)
        assert rule.params.__struct_config__.frozen
        assert not any(f.required for f in fields(rule.params))


def test_no_fact_at_all_breaks_no_rule() -> None:
    checked = run(EMPTY, None)
    assert {o.outcome for o in checked.outcomes} <= {"skipped", "passed"}
    assert checked.findings == ()
    assert checked.proofs == ()


def test_rules_need_attributes_that_the_catalogue_has() -> None:
    needed = {name for rule in discover() for need in rule.needs for name in need.attributes}
    assert len(needed) > 20
    assert needed - set(all_attributes()) == set()
