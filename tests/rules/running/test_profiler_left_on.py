from __future__ import annotations

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import discover, run

BEGINS = "slowlink-profiler begins localhost:28028 mask all\nslowlink-profiler ready\n"


def found(text: str) -> list[str]:
    records = read([Input("node.txt", None, [text.encode()])], workers=1)
    (rule,) = (each for each in discover() if each.id == "profiler-left-on")
    return [each.message for each in run(assemble(records), None, rules=[rule]).findings]


def test_what_was_not_switched_off() -> None:
    assert found(BEGINS) == ["the profiler of the job may still be on: localhost:28028 did not confirm that it is off"]


def test_what_was_switched_off_or_never_on() -> None:
    assert found(BEGINS + "slowlink-profiler off localhost:28028 mask none: OK\n") == []
    refused = "slowlink-profiler refused localhost:28028 ERROR: Unknown command control profiler_mask all\n"
    assert found(BEGINS.partition("\n")[0] + "\n" + refused) == []
