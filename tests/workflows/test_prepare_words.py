"""The plan and the outcome of ``slowlink prepare`` as people read them: folded over nodes, harmless to a terminal."""

from __future__ import annotations

from inline_snapshot import snapshot

from slowlink.model.plan import Node
from slowlink.model.prepared import Item, ItemState, NodePlan, Observed, PreparedNode, Value
from slowlink.workflows.prepare_nodes.record import new_record
from slowlink.workflows.prepare_nodes.words import plan_lines, record_lines

_WRONG = (1, 2, 3, 7)
_SIX_FAILED: tuple[ItemState, ...] = ("failed",) * 6


def a_plan(number: int) -> NodePlan:
    node = Node(f"gpu{number:02d}")
    if number == 16:
        return NodePlan(Observed(node, "no answer\x1b[31m on the ssh port"), (), (), ())
    policies = [f"policy{count}" for count in range(64 if number != 7 else 48)]
    return NodePlan(
        Observed(node, "", "b", 1, 1000 if number == 3 else 0),
        tuple(Item("governor", policy, "powersave", "performance") for policy in policies) if number in _WRONG else (),
        () if number in _WRONG else (Value("governor", "policy0", "performance"),),
        (("peermem", "no HCA here"),),
    )


def test_a_plan_for_sixteen_nodes() -> None:
    lines = plan_lines([a_plan(number) for number in range(1, 17)], ("governor", "peermem"))
    assert "\n".join(lines) == snapshot("""\
16 nodes: gpu[01-16]

governor: powersave -> performance on gpu[01-03,07] (48 to 64 each); already right on 11
    echo performance > /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    echo performance > /sys/devices/system/cpu/cpufreq/policy1/scaling_governor
    echo performance > /sys/devices/system/cpu/cpufreq/policy2/scaling_governor
    ... and 61 like these (--format json has all)
peermem: nothing to set
    not on gpu[01-15]: no HCA here
not read: gpu16: no answer\\x1b[31m on the ssh port
needs root on gpu03: log in as root, or --sudo\
""")


def test_what_came_of_it() -> None:
    def node(name: str, *states: ItemState) -> PreparedNode:
        items = [
            Item(
                "governor", f"policy{count}", "powersave", "performance", state, "why\x07" if state == "failed" else ""
            )
            for count, state in enumerate(states)
        ]
        return PreparedNode(Node(name), "b", tuple(items))

    record = new_record(
        "ssh",
        "",
        [
            node("gpu01", "applied", "applied"),
            node("gpu02", "applied", "applied"),
            node("gpu03", "applied", "failed"),
            node("gpu04", "unknown", "unknown"),
            node("gpu05", "applied", *_SIX_FAILED),
        ],
    )
    assert "\n".join(record_lines(record)) == snapshot(
        """\
governor: set on gpu[01-02], gpu03 (policy0), gpu05 (policy0)
    not set on gpu03 (policy1), gpu05 (policy1, policy2, policy3, policy4 and 2 more): why\\x07
    not known whether set on gpu04\
"""
    )
