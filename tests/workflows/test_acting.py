"""Who should not be used, who is good and who is open; and which ports are named to be disabled."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from history_records import report as measured
from slowlink.model.acting import NodesApart
from slowlink.model.report import Diagnosis, Finding, InputSummary, Job, Layer, Report, Suspect
from slowlink.report.acting.ticket import ticket_texts
from slowlink.report.acting.words import apart_text, ports_text
from slowlink.workflows.acting.fabric_ports import ports_at_fault
from slowlink.workflows.acting.nodes_apart import nodes_apart

STATE = {"gpu-uuid": [{"value": "GPU-1", "parts": ["0"], "nodes": "gpu[01-04]"}]}
FABRIC = {
    "link-peer": [
        {"value": "spine0/3", "parts": ["leaf1/5"], "nodes": "gpu01"},
        {"value": "leaf1/5", "parts": ["spine0/3"], "nodes": "gpu01"},
        {"value": "leaf1/2", "parts": ["gpu02 mlx5_0/1"], "nodes": "gpu01"},
    ],
    "fabric-node-type": [{"value": "switch", "parts": ["leaf1", "spine0"], "nodes": "gpu01"}],
    "fabric-node-lid": [
        {"value": 7, "parts": ["leaf1"], "nodes": "gpu01"},
        {"value": 9, "parts": ["spine0"], "nodes": "gpu01"},
    ],
}


def diagnosis(cause: str, *suspects: tuple[str, str], severity: str = "error", **more: str) -> Diagnosis:
    named = tuple(Suspect(*each) for each in suspects)
    layer = more.get("layer", "node")
    return Diagnosis(cause, cause, f"{cause}.", layer, severity, more.get("confidence", "certain"), suspects=named)  # type: ignore[arg-type]


def judged(*diagnoses: Diagnosis, **facts: object) -> Report:
    """Of four nodes that answered."""
    told = {
        "state_nodes": ["gpu01", "gpu02", "gpu03", "gpu04"],
        "node_state": STATE,
        "proofs": ["GPUs: memory without errors"],
        **facts,
    }
    verdict = "degraded" if diagnoses else "healthy"
    return Report("slowlink.report/1", "0.1.0", verdict, f"{verdict}: so", diagnoses=diagnoses, facts=told)  # type: ignore[arg-type]


def apart(report: Report, fail_on: str = "error") -> tuple[list[str], tuple[str, ...], dict[str, str]]:
    found = nodes_apart(report, fail_on)
    return [each.node for each in found.accused], found.good, {each.node: each.why for each in found.open}


def test_who_is_accused_who_is_good_and_who_is_open() -> None:
    found = judged(
        diagnosis("gpu-missing", ("node", "gpu02"), ("gpu", "gpu02 GPU 3")),
        diagnosis("port-rate-low", ("port", "gpu03 mlx5_1/1")),
        diagnosis("cpu-governor-not-performance", ("node", "gpu04"), severity="warning"),
    )
    assert apart(found) == (
        ["gpu02", "gpu03"],
        ("gpu01",),
        {"gpu04": "cpu-governor-not-performance: cpu-governor-not-performance."},
    )
    assert apart(found, "warning")[0] == ["gpu02", "gpu03", "gpu04"]
    assert apart(found, "never")[:2] == ([], ("gpu01",))


def test_a_set_of_nodes_is_all_of_them_and_a_path_accuses_neither_end() -> None:
    assert apart(judged(diagnosis("policy-not-met", ("node", "gpu[01-03]"))))[:2] == (
        ["gpu01", "gpu02", "gpu03"],
        ("gpu04",),
    )
    accused, good, left = apart(judged(diagnosis("slow-path", ("link", "gpu01 - gpu02"))))
    assert (accused, good, set(left)) == ([], (), {"gpu01", "gpu02", "gpu03", "gpu04"})
    assert left["gpu03"] == "slow-path names no node: slow-path."


def test_that_a_run_of_several_nodes_is_slow_accuses_none_of_them() -> None:
    """A sound node would be sent to its vendor."""
    slow = diagnosis("busbw-below-expected", ("node", "gpu01"), ("node", "gpu02"), layer="measure")
    accused, good, left = apart(judged(slow))
    assert (accused, good, list(left)) == ([], ("gpu03", "gpu04"), ["gpu01", "gpu02"])
    assert nodes_apart(judged(slow), "error").unplaced == (slow,)
    assert apart(judged(slow, diagnosis("gdr-disabled", ("node", "gpu02"))))[0] == ["gpu02"]


@pytest.mark.parametrize(
    ("layer", "cause", "one", "two"),
    [
        ("host", "gpu-missing", ["gpu01"], ["gpu01", "gpu02"]),
        ("fabric", "port-down", ["gpu01"], ["gpu01", "gpu02"]),
        ("gpu-net", "peer-memory-missing", ["gpu01"], ["gpu01", "gpu02"]),
        ("node", "rebooted", ["gpu01"], ["gpu01", "gpu02"]),
        ("cluster", "straggler-node", ["gpu01"], ["gpu01", "gpu02"]),
        ("measure", "busbw-below-expected", ["gpu01"], []),
        ("application", "application-error", [], []),
        ("application", "rank-lost", ["gpu01"], []),
        ("config", "ib-disabled-by-env", [], []),
        ("config", "policy-not-met", ["gpu01"], ["gpu01", "gpu02"]),
        ("launch", "duplicate-gpu", [], []),
        ("launch", "tcp-unreachable", [], []),
        ("fabric", "rdma-retry-exceeded", [], []),
        ("cluster", "slow-path", [], []),
        ("gpu-net", "gdr-level-too-strict", [], []),
        ("gpu-net", "gdr-disabled", ["gpu01"], []),
        ("fabric", "socket-fallback", ["gpu01"], []),
    ],
)
def test_whom_each_layer_accuses(layer: str, cause: str, one: list[str], two: list[str]) -> None:
    """The next job need not set what this one did, and either end of a path may be sound."""
    nodes = [("node", "gpu01"), ("node", "gpu02")]
    for named, expected in ((nodes[:1], one), (nodes, two)):
        accused, good, left = apart(judged(diagnosis(cause, *named, layer=layer)))
        assert accused == expected
        assert {*accused, *left} == {name for _, name in named}, "who is named is not good"
        assert {*good} == {"gpu01", "gpu02", "gpu03", "gpu04"} - {name for _, name in named}


def test_every_layer_says_whom_it_accuses() -> None:
    (asked,) = (mark for mark in test_whom_each_layer_accuses.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]
    assert {layer for layer, *_ in asked.args[1]} == set(get_args(Layer))


def test_what_a_ping_alone_told_accuses_nobody() -> None:
    odd = diagnosis("mtu-mismatch", ("node", "gpu01"), layer="fabric")
    assert apart(judged(replace(odd, rules=("pings-lost",))))[0] == []
    assert apart(judged(replace(odd, rules=("mtu-mismatch", "pings-lost"))))[0] == ["gpu01"]


def of_job(label: str, verdict: str = "healthy", *hosts: str, proved: bool = True, **facts: object) -> Job:
    told = {"hosts": list(hosts), "proofs": ["380 GB/s"] if proved else [], **facts}
    return Job(label, "job", hosts, (f"{label}.log",), verdict, "so", (), told)  # type: ignore[arg-type]


def heap(*jobs: Job, diagnoses: tuple[Diagnosis, ...] = ()) -> Report:
    """Every host of every job measured a whole table."""
    sweeps = tuple(sweep for job in jobs for sweep in measured(380.0, hosts=job.hosts).sweeps)
    facts: dict[str, object] = {"proofs": [f"{job.label}: {proof}" for job in jobs for proof in job.facts["proofs"]]}  # type: ignore[attr-defined]
    head = Report("slowlink.report/1", "0.1.0", "degraded", "so", diagnoses=diagnoses, sweeps=sweeps, facts=facts)
    return replace(head, jobs=jobs)


def test_in_a_heap_each_job_speaks_for_its_own_nodes() -> None:
    found = heap(
        of_job("a", "healthy", "gpu01"),
        of_job("b", "inconclusive", "gpu02"),
        of_job("c", "degraded", "gpu03", proved=False),
    )
    accused, good, left = apart(found)
    assert (accused, good) == ([], ("gpu01",))
    assert left == {"gpu02": "inconclusive: b: so", "gpu03": "nothing was shown to be right"}


def test_a_node_of_two_jobs_is_good_by_neither_alone() -> None:
    found = heap(of_job("a", "healthy", "gpu01", "gpu02"), of_job("b", "inconclusive", "gpu02"))
    assert apart(found)[1:] == (("gpu01",), {"gpu02": "inconclusive: b: so"})


def test_what_names_no_node_leaves_the_nodes_of_its_job_open() -> None:
    jobs = (of_job("a", "broken", "gpu01"), of_job("b", "healthy", "gpu02"))
    lost = replace(diagnosis("gpu-missing", ("gpu", "GPU 0000:1b:00.0")), job="a")
    assert apart(heap(*jobs, diagnoses=(lost,)))[1:] == (
        ("gpu02",),
        {"gpu01": "gpu-missing names no node: gpu-missing."},
    )
    assert apart(heap(*jobs, diagnoses=(replace(lost, job=""),)))[1] == ()


def test_a_job_of_which_not_everything_was_read_makes_no_node_good() -> None:
    cut = replace(of_job("a", "healthy", "gpu01"), headline="so; not everything was read: a.log: it ends early")
    assert apart(heap(cut))[1:] == ((), {"gpu01": "not everything was read: a.log: it ends early"})


def test_nodes_that_only_a_job_knows_are_known() -> None:
    asked = of_job("a", "degraded", "gpu01", nodes_asked="gpu[01-02]", state_nodes=["gpu03"])
    part = replace(diagnosis("pcie-link-degraded", ("hca", "gpu03 mlx5_1")), job="a")
    bare = replace(heap(asked, diagnoses=(part,)), sweeps=())
    accused, good, left = apart(bare)
    assert (accused, good, list(left)) == (["gpu03"], (), ["gpu01", "gpu02"])


def test_state_that_stands_with_a_job_counts_as_looked_at() -> None:
    bare = replace(heap(of_job("a", "healthy", "gpu01", node_state=STATE)), sweeps=())
    assert apart(bare)[1] == ("gpu01",)


def test_a_rank_that_is_lost_on_one_node_alone_accuses_it() -> None:
    one, two = ("node", "gpu01"), ("node", "gpu02")
    assert apart(judged(diagnosis("rank-lost", one, layer="application")))[0] == ["gpu01"]
    assert apart(judged(diagnosis("rank-lost", one, two, layer="application")))[0] == []


def test_what_the_application_did_wrong_is_no_nodes_fault() -> None:
    accused, good, left = apart(judged(diagnosis("gpu-out-of-memory", ("node", "gpu01"), layer="application")))
    assert (accused, good, list(left)) == ([], ("gpu02", "gpu03", "gpu04"), ["gpu01"])


def test_a_link_between_switches_is_no_nodes_fault() -> None:
    found = judged(diagnosis("link-errors", ("port", "leaf1/5"), layer="fabric"))
    assert apart(found) == ([], ("gpu01", "gpu02", "gpu03", "gpu04"), {})
    assert nodes_apart(found, "error").unplaced == found.diagnoses


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"verdict": "inconclusive", "headline": "inconclusive: so"}, "inconclusive: so"),
        ({"facts": {"state_nodes": ["gpu01"], "node_state": STATE}}, "nothing was shown to be right"),
        (
            {"facts": {"state_nodes": ["gpu01"], "proofs": ["x"]}},
            "nothing was read of its GPUs or HCAs, and it measured nothing",
        ),
        (
            {"inputs": (InputSummary("gpu01.txt", (), 9, 9, 9, 0, 0, (), partial=True, problem="cut"),)},
            "not everything",
        ),
    ],
)
def test_unknown_is_not_good(change: dict[str, object], why: str) -> None:
    accused, good, left = apart(replace(judged(), **change))
    assert (accused, good) == ([], ())
    assert left["gpu01"].startswith(why)


def test_what_was_asked_and_did_not_answer_is_not_good() -> None:
    _, good, left = apart(judged(nodes_asked="gpu[01-05]"))
    assert (good, list(left)) == (("gpu01", "gpu02", "gpu03", "gpu04"), ["gpu05"])


def test_who_measured_well_is_good_and_who_a_symptom_names_is_open() -> None:
    """Another cause explains it; that does not show that the node is sound."""
    well = replace(measured(380.0), facts={"hosts": ["gpu01", "gpu02"], "proofs": ["380 GB/s"]})
    assert apart(well) == ([], ("gpu01", "gpu02"), {})
    symptom = Finding("straggler-node", "", "gpu02 is late", "node", "error", "likely", (Suspect("node", "gpu02"),))
    sick = replace(well, findings=(symptom,), diagnoses=(diagnosis("gpu-missing", ("node", "gpu01")),))
    assert apart(sick) == (["gpu01"], (), {"gpu02": "straggler-node: gpu02 is late"})


@given(st.lists(st.tuples(st.sampled_from(["node", "gpu", "link"]), st.text(max_size=30)), max_size=4), st.text())
def test_any_names_are_sorted_out(suspects: list[tuple[str, str]], asked: str) -> None:
    found: NodesApart = nodes_apart(judged(diagnosis("gpu-missing", *suspects), nodes_asked=asked), "error")
    names = [*(each.node for each in found.accused), *found.good, *(each.node for each in found.open)]
    assert len(names) == len(set(names))
    text = apart_text(found)
    assert all(line.isprintable() or "\\" in ascii(line) for line in text.splitlines())


def commands(report: Report, fail_on: str = "error") -> list[str]:
    return re.findall(r"ibportstate .*", ports_text(ports_at_fault(report, fail_on)))


def fabric(*ports: str, cause: str = "link-errors", state: dict[str, object] | None = None) -> Report:
    named = [("port", port) for port in ports]
    state = {**FABRIC, **(state or {})}
    return judged(diagnosis(cause, *named, layer="fabric"), node_state=state)


def test_a_link_is_disabled_at_the_switch_once() -> None:
    both = ["ibportstate 7 5 query", "ibportstate 7 5 disable", "ibportstate 7 5 enable"]
    assert commands(fabric("leaf1/5", "spine0/3")) == both
    assert commands(fabric("leaf1/5", "spine0/3", cause="port-rate-low")) == both
    assert commands(fabric("gpu02 mlx5_0/1"))[1] == "ibportstate 7 2 disable"
    assert commands(fabric("leaf1/5"), "critical") == []


def test_what_is_possible_or_down_disables_nothing() -> None:
    assert commands(fabric("leaf1/5", cause="port-down")) == []
    possible = diagnosis("link-errors", ("port", "leaf1/5"), layer="fabric", confidence="possible")
    assert commands(judged(possible, node_state=FABRIC)) == []


@pytest.mark.parametrize(
    "lids",
    [
        [{"value": 7, "parts": ["leaf1", "spine0"], "nodes": "gpu01"}],
        [{"value": 7, "parts": ["leaf1"], "nodes": "gpu01"}, {"value": 8, "parts": ["leaf1"], "nodes": "gpu02"}],
        [{"value": 7, "parts": ["leaf1", "spine0"], "nodes": "gpu01"}, {"value": 9, "parts": ["spine0"], "nodes": "x"}],
        [{"value": value, "parts": ["leaf1"], "nodes": "gpu01"} for value in ("7; reboot",)],
        [{"value": 0xC001, "parts": ["leaf1"], "nodes": "gpu01"}],
        [{"value": True, "parts": ["leaf1"], "nodes": "gpu01"}],
        [{"value": [7], "parts": "leaf1", "nodes": 3}, "x", None],
        "leaf1",
    ],
)
def test_a_port_of_which_one_cannot_be_sure_is_not_named(lids: object) -> None:
    """One LID of two switches, two LIDs of one, and what no LID is."""
    found = fabric("leaf1/5", state={"fabric-node-lid": lids, "link-peer": []})
    assert commands(found) == []
    assert "the LID of leaf1 is not known, or not one; iblinkinfo shows it" in ports_text(
        ports_at_fault(found, "error")
    )


@pytest.mark.parametrize("port", ["leaf1/0", "leaf1/255", "leaf1/U1", "leaf1/\u0665", "leaf1/$(reboot)"])
def test_what_is_no_number_of_a_port_is_in_no_command(port: str) -> None:
    assert commands(fabric(port)) == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["gpu01", "gpu[01-04]", "leaf1/5"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "parts", "nodes"]) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
ATTRIBUTES = ["gpu-uuid", "driver-version", "link-peer", "fabric-node-type", "fabric-node-lid", "unheard-of"]


@given(
    st.dictionaries(st.sampled_from(ATTRIBUTES), JSON) | JSON,
    st.fixed_dictionaries({}, optional=dict.fromkeys(["hosts", "state_nodes", "nodes_asked", "proofs"], JSON)),
)
def test_a_saved_report_may_hold_anything(state: object, facts: dict[str, object]) -> None:
    accused = diagnosis("link-errors", ("port", "leaf1/5"), ("node", "gpu01"), layer="fabric")
    told = judged(accused, **{"node_state": state, **facts})
    found = nodes_apart(told, "error")
    assert "gpu01" in [node for node, _ in ticket_texts(told, found)]
    every = Job("a", "job", ("gpu02",), (), "healthy", "so", (), {"node_state": state, **facts})
    assert nodes_apart(replace(told, jobs=(every,)), "error").accused
    for command in commands(told):
        assert re.fullmatch(r"ibportstate \d+ \d+ (query|disable|enable)", command)
