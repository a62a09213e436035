"""The words for what was not collected."""

from __future__ import annotations

from inline_snapshot import snapshot
from msgspec.structs import fields

from slowlink.model.facts import Absence, Facts
from slowlink.report.not_collected import reason

NAMES = [entry.name for entry in fields(Facts) if entry.name != "sources"]


def test_each_fact_that_can_be_absent_has_words_of_its_own() -> None:
    said = {reason(Absence(name)) for name in (*NAMES, "expectations")}
    assert len(said) == len(NAMES) + 1


def test_a_fact_is_named_with_what_to_do_for_it() -> None:
    assert [reason(Absence(name)) for name in ("transports", "hardware", "state")] == snapshot(
        [
            "no channel lines; run with NCCL_DEBUG=INFO (and one collective: connections are made at the first)",
            "the input names neither GPU nor system; say it with --system, --gpu or --nics",
            "no state of a node; slowlink snapshot asks for it, or give what nvidia-smi -q, ibstat or lspci print",
        ]
    )


def test_of_node_state_the_attribute_is_named_with_who_prints_it() -> None:
    asked = [("cpu-governor",), ("numa-balancing", "cpu-governor")]
    assert [reason(Absence("state", attributes)) for attributes in asked] == snapshot(
        [
            "no reading of frequency governor; slowlink snapshot asks every node (cpupower frequency-info, sysfs scaling_governor)",
            "no reading of automatic NUMA balancing; slowlink snapshot asks every node (/proc/sys/kernel/numa_balancing)",
        ]
    )


def test_expectations_are_absent_for_the_reason_of_the_first_sweep_where_one_could_not_be_judged() -> None:
    unjudged = [("job.log:12", "no expectation: the GPU"), ("job.log:90", "no expectation: the NICs of a node")]
    assert [reason(Absence("expectations"), sweeps) for sweeps in ((), unjudged)] == snapshot(
        [
            "no sweep or link could be compared with a bound: hardware unknown",
            "what was measured cannot be judged: the input does not say the GPU",
        ]
    )
    assert reason(Absence("sweeps"), unjudged) == reason(Absence("sweeps"))
