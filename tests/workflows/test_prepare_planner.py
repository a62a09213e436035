"""The pure part of ``slowlink prepare``: whatever comes of an apply, its rollback restores and touches nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.plan import Node
from slowlink.model.prepared import Change, Item, Observed, Value, Wishes
from slowlink.settings.find import settings
from slowlink.workflows.prepare_nodes.answers import Done, Told, read_changes, read_values
from slowlink.workflows.prepare_nodes.planner import (
    after_apply,
    after_rollback,
    begun,
    changes_of,
    plan_node,
    stands,
    undone,
    unsettled,
)

_VALUES = {
    "governor": ("powersave", "ondemand", "performance"),
    "numa-balancing": ("0", "1", "2"),
    "acs": ("0000", "001d", "005f"),
    "memlock": ("absent", "set"),
    "peermem": ("absent", "loaded"),
}
_PARTS = {"governor": ("policy0", "policy1"), "acs": ("0000:3a:00.0", "0000:85:00.0")}
_WANTED = {"governor": "performance", "numa-balancing": "0", "acs": "0000", "memlock": "set", "peermem": "loaded"}
_ALL = [(name, part) for name in _VALUES for part in _PARTS.get(name, ("-",))]

Machine = dict[tuple[str, str], str]


class Course(Struct, frozen=True):
    """How far a script comes, and what of it is heard."""

    reached: int
    heard: int
    broken: frozenset[tuple[str, str]]
    """Writes that do nothing."""
    clamped: frozenset[tuple[str, str]]
    """Writes that set another value than asked for, and are heard of: unheard, nobody can tell whose value it is."""


courses = st.builds(
    Course,
    st.integers(0, 8),
    st.integers(0, 8),
    st.frozensets(st.sampled_from(_ALL)),
    st.frozensets(st.sampled_from([key for key in _ALL if key[0] in ("governor", "numa-balancing", "acs")])),
)
machines = st.fixed_dictionaries({(name, part): st.sampled_from(_VALUES[name]) for name, part in _ALL})


def execute(machine: Machine, changes: tuple[Change, ...], course: Course) -> Told:
    """What the shell on a node does, on a dict."""
    done: dict[tuple[str, str], Done] = {}
    for number, change in enumerate(changes[: course.reached]):
        key = (change.setting, change.part)
        now = machine[key]
        if now == change.wanted:
            found = Done("same", now)
        elif now not in change.expected:
            found = Done("other", now)
        else:
            if key in course.clamped and number < course.heard:
                machine[key] = next(value for value in _VALUES[change.setting] if value not in (now, change.wanted))
            elif key not in course.broken:
                machine[key] = change.wanted
            found = Done("set" if machine[key] == change.wanted else "failed", machine[key])
        if number < course.heard:
            done[key] = found
    whole = course.reached >= len(changes) and course.heard >= len(changes)
    return Told(done, complete=whole)


def planned(machine: Machine) -> tuple[Item, ...]:
    values = tuple(Value(name, part, value) for (name, part), value in machine.items())
    return plan_node(Observed(Node("a"), "", "boot", 1, 0, values), Wishes(_WANTED, {})).items


_WHOLE = Course(1000, 1000, frozenset(), frozenset())


@given(machines, courses, st.lists(courses, max_size=3))
def test_a_rollback_restores_what_was_whatever_came_between(
    machine: Machine, apply: Course, rollbacks: list[Course]
) -> None:
    before = dict(machine)
    items = planned(machine)
    sent = begun(items)
    assert all(stands(item) for item in sent), "before it is sent, every item counts as touched"
    items = after_apply(sent, execute(machine, changes_of(items), apply), "cut")
    for course in (*rollbacks, _WHOLE):
        earlier, changes = items, undone(items)
        items = after_rollback(
            unsettled(items), earlier, execute(machine, changes, replace(course, clamped=frozenset())), "cut"
        )
    assert machine == before
    assert undone(items) == ()
    assert {item.state for item in items} <= {"restored", "failed"}


@given(machines, courses, st.dictionaries(st.sampled_from(_ALL), st.integers(0, 2)))
def test_what_somebody_else_sets_in_between_is_left_alone(
    machine: Machine, apply: Course, others: dict[tuple[str, str], int]
) -> None:
    before = dict(machine)
    items = planned(machine)
    items = after_apply(begun(items), execute(machine, changes_of(items), apply), "cut")
    listed = {(item.setting, item.part): item for item in items if stands(item)}
    theirs = {key: _VALUES[key[0]][number % len(_VALUES[key[0]])] for key, number in others.items()}
    machine.update(theirs)
    at_rest = dict(machine)
    changes = undone(items)
    items = after_rollback(unsettled(items), items, execute(machine, changes, _WHOLE), "")
    for key, value in machine.items():
        if key not in listed:
            assert value == at_rest[key], "never touched"
        elif at_rest[key] in (listed[key].wanted, listed[key].left):
            assert value == before[key]
        else:
            assert value == at_rest[key]
    left = {(item.setting, item.part) for item in items if item.state == "left-alone"}
    assert all(machine[key] != before[key] for key in left)
    again = dict(machine)
    execute(machine, undone(items), _WHOLE)
    assert machine == again


@given(machines, machines)
def test_nothing_is_overwritten_that_changed_since_it_was_read(machine: Machine, later: Machine) -> None:
    items = planned(machine)
    untouched = dict(later)
    told = execute(later, changes_of(items), _WHOLE)
    items = after_apply(begun(items), told, "")
    for item in items:
        key = (item.setting, item.part)
        assert later[key] == (item.wanted if untouched[key] == item.before else untouched[key])
        assert (item.state == "applied") == (untouched[key] == item.before)


def test_a_node_that_refuses_touched_nothing() -> None:
    items = (Item("numa-balancing", "-", "1", "0"),)
    refused = Told({}, "not begun in time")
    assert after_apply(begun(items), refused, "") == (replace(items[0], state="failed", why="not begun in time"),)
    applied = (replace(items[0], state="applied"),)
    assert after_rollback(unsettled(applied), applied, refused, "") == (
        replace(applied[0], why="rollback: not begun in time"),
    )


def test_a_lock_that_cannot_be_read_is_taken_off_in_doubt() -> None:
    gpu = "00000000:3B:00.0"
    seen = Observed(Node("a"), "", "b", 1, 0, (Value("clocks", gpu, "?", "1980"),))
    (item,) = plan_node(seen, Wishes({"clocks": "1410"}, {})).items
    assert item.before == "unlocked"
    (item,) = after_apply(begun((item,)), Told({("clocks", gpu): Done("failed", "?", "status 3: x")}), "")
    assert (item.state, undone((item,))) == (
        "unknown",
        (Change("clocks", gpu, ("1410",), "unlocked"),),
    )


def test_what_is_not_planned_says_why() -> None:
    gpu = "00000000:3B:00.0"
    seen = Observed(
        Node("a"),
        "",
        values=(
            Value("power", gpu, "700.00", "200.00-700.00"),
            Value("clocks", gpu, "?", "1980"),
            Value("governor", "policy0", "schedutil", "powersave,schedutil"),
            Value("memlock", "-", "other"),
        ),
        missing=(("acs", "no setpci here"), ("peermem", "no HCA here")),
    )
    wishes = Wishes(
        {"power": "900.00", "clocks": "2100", "governor": "performance", "memlock": "set", "acs": "0000"}, {}
    )
    found = plan_node(seen, wishes)
    assert (found.items, found.right) == ((), ())
    assert found.obstacles == snapshot(
        (
            ("acs", "no setpci here"),
            ("clocks", "2100 MHz is more than the 1980 MHz of this GPU"),
            ("power", "900 W is outside of 200 to 700 W"),
            ("governor", "this kernel offers powersave, schedutil"),
            ("memlock", "/etc/security/limits.d/90-slowlink-memlock.conf is there and not as we write it"),
        )
    )


@given(st.text(), st.text())
def test_any_answer_gives_a_result(stdout: str, trouble: str) -> None:
    names = tuple(_WANTED)
    observed = read_values(Node("a"), stdout, trouble, names)
    assert observed.trouble or "slowlink-prepare end" in stdout
    read_changes(stdout)


@given(
    st.lists(
        st.sampled_from(["item", "none", "clock", "done", "end", "refused"]).flatmap(
            lambda kind: st.lists(
                st.sampled_from([*_WANTED, "policy0", "-", "powersave", "0", "$(reboot)", "set", "1 2 3", "", "\t"]),
                max_size=5,
            ).map(lambda words: f"slowlink-prepare {kind} {' '.join(words)}")
        )
    )
)
def test_a_hostile_node_gets_no_value_past_the_patterns(lines: list[str]) -> None:
    observed = read_values(Node("a"), "\n".join(lines) + "\n", "", tuple(_WANTED))
    for value in observed.values:
        assert re.fullmatch(settings()[value.setting].values, value.value)
        assert re.fullmatch(settings()[value.setting].parts, value.part)
    assert {name for name, _ in observed.missing} | {value.setting for value in observed.values} == set(_WANTED)


def test_a_line_that_was_cut_says_nothing() -> None:
    whole = "slowlink-prepare done governor policy0 set performance\n"
    assert read_changes(whole).done == {("governor", "policy0"): Done("set", "performance")}
    assert read_changes("motd slowlink-prepare done governor policy0 set performance\n").done != {}
    for cut in range(1, len(whole)):
        assert read_changes(whole[:-cut]).done == {}
