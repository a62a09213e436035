"""Folding symptoms under causes, ranking, verdict and headline."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.catalog.causes import all_causes
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.source import Ref
from slowlink.rules.diagnosis import CONFIDENCES, SEVERITIES, diagnose, headline, verdict
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects


def _low(severity: str = "error") -> Finding:
    return finding(
        "busbw-below-expected",
        "all_reduce reaches 9.4 GB/s of an expected 38",
        severity=severity,  # type: ignore[arg-type]
        confidence="likely",
        evidence=[line_evidence(Ref("job.log", 90, "8589934592 ... 9.40"))],
    )


def _gdr(host: str) -> Finding:
    return finding(
        "gdr-disabled",
        f"{host}: GPUDirect RDMA is off",
        severity="error",
        confidence="certain",
        suspects=suspects("node", [host]),
        evidence=[
            line_evidence(
                Ref("job.log", 12, f"{host}:1:1 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0")
            )
        ],
        explains=["busbw-below-expected"],
    )


def _peermem() -> Finding:
    return finding(
        "peer-memory-missing",
        "nvidia_peermem is not loaded",
        severity="error",
        confidence="likely",
        explains=["gdr-disabled"],
    )


def test_a_cause_swallows_its_symptom_through_any_number_of_steps() -> None:
    (only,) = diagnose([_low(), _gdr("node07"), _peermem()])
    assert only.cause == "peer-memory-missing"
    assert only.explains == ("busbw-below-expected", "gdr-disabled")
    assert [e.line for e in only.evidence] == [90, 12], "the symptoms' lines are shown under the cause"


def _setting(
    cause: str,
    severity: Severity,
    confidence: Confidence,
    line: int = 26,
    name: str = "NCCL_P2P_DISABLE",
    node: str | None = None,
) -> Finding:
    return finding(
        cause,
        f"{name}=1",
        severity=severity,
        confidence=confidence,
        suspects=(*suspects("setting", [name]), *suspects("node", [node] if node else [])),
        evidence=[line_evidence(Ref("job.log", line, f"{name} set by environment to 1"), observed=f"{name}=1 {cause}")],
    )


def test_one_setting_is_told_once_and_as_surely_as_it_can_be() -> None:
    sure, vague = _setting("p2p-disabled", "error", "certain"), _setting("tuning-harmful", "warning", "possible")
    (only,) = diagnose([vague, sure])
    assert (only.cause, only.explains) == ("p2p-disabled", ("tuning-harmful",))
    assert [evidence.line for evidence in only.evidence] == [26]


def test_settings_of_other_lines_names_or_weight_are_told_beside_one_another() -> None:
    vague = _setting("tuning-harmful", "warning", "possible")
    for other in (
        _setting("p2p-disabled", "error", "certain", line=27),
        _setting("p2p-disabled", "error", "certain", name="NCCL_ALGO"),
        _setting("p2p-disabled", "error", "possible"),
        _setting("p2p-disabled", "info", "certain"),
    ):
        assert len(diagnose([vague, other])) == 2
    of_a_node = _setting("tuning-harmful", "warning", "possible", node="node07")
    assert len(diagnose([of_a_node, _setting("p2p-disabled", "error", "certain")])) == 2


def test_findings_of_one_cause_are_joined() -> None:
    (only,) = diagnose([_gdr("node07"), _gdr("node08"), _gdr("node07")])
    assert [s.name for s in only.suspects] == ["node07", "node08"]
    assert len(only.evidence) == 2


def test_a_diagnosis_names_the_rules_that_found_its_cause_and_the_worst_leads() -> None:
    def down(rule: str, severity: Severity, confidence: Confidence) -> Finding:
        return replace(finding("port-down", rule, severity=severity, confidence=confidence), rule=rule)

    found = [
        down("port-not-active", "warning", "certain"),
        down("port-down", "error", "likely"),
        down("bond-leg-down", "error", "certain"),
        down("port-down", "error", "certain"),
    ]
    (only,) = diagnose(found)
    assert only.message == "bond-leg-down"
    assert only.rules == ("bond-leg-down", "port-not-active", "port-down")


def test_rules_of_folded_symptoms_are_not_those_of_the_root() -> None:
    (only,) = diagnose([replace(_low(), rule="busbw-below-expected"), replace(_gdr("node07"), rule="gdr-disabled")])
    assert (only.cause, only.rules, only.explains) == ("gdr-disabled", ("gdr-disabled",), ("busbw-below-expected",))


def test_a_symptom_leads_only_when_nothing_explains_it() -> None:
    alone = diagnose([_low()])
    assert [d.cause for d in alone] == ["busbw-below-expected"]
    beside = diagnose([_low(), finding("port-down", "port 1 is down", severity="error", confidence="possible")])
    assert [d.cause for d in beside] == ["port-down", "busbw-below-expected"]


def test_a_fault_of_one_node_explains_no_benchmark_of_another() -> None:
    """A table that gpu03 measured by itself is not slow for the HCA of gpu02; nor do two names make two nodes."""
    for where, causes in (
        ("node03", ["gdr-disabled", "busbw-below-expected"]),
        ("node07", ["gdr-disabled"]),
        ("node07.site", ["gdr-disabled"]),
    ):
        low = replace(_low(), suspects=suspects("node", [where]))
        assert [d.cause for d in diagnose([low, _gdr("node07")])] == causes


def test_two_causes_that_explain_each_other_keep_one_root() -> None:
    a = finding("port-down", "a", severity="error", confidence="likely", explains=["link-flapping"])
    b = finding("link-flapping", "b", severity="critical", confidence="likely", explains=["port-down"])
    (only,) = diagnose([a, b])
    assert only.cause == "port-down"
    assert only.severity == "critical", "the worst severity below shows at the root"


def test_verdict_needs_a_proof_to_be_healthy() -> None:
    proof = Proof("38.1 GB/s, 97% of the ring bound", weight=3)
    warning = diagnose([_low("warning")])
    assert verdict((), ()) == "inconclusive"
    assert verdict((), (proof,)) == "healthy"
    assert verdict(warning, ()) == "inconclusive"
    assert verdict(warning, (proof,)) == "healthy"
    assert verdict(diagnose([_low()]), (proof,)) == "degraded"
    lost = diagnose([finding("nodes-unanswered", "node07", severity="warning", confidence="certain")])
    assert verdict(lost, (proof,)) == "inconclusive"
    assert headline("inconclusive", lost, (proof,), "", ()) == "inconclusive: node07"


def test_sound_parts_are_no_health_where_the_bandwidth_may_be_too_low() -> None:
    links = Proof("8 GPUs have their links: NV18", weight=1)
    forced = finding(
        "tuning-harmful",
        "NCCL_PROTO=LL",
        severity="warning",
        confidence="likely",
        explains=["busbw-below-expected"],
    )
    assert verdict((), (links,)) == "healthy"
    for found in ([_low("warning")], [_low("warning"), forced]):
        assert verdict(diagnose(found), (links,)) == ("degraded" if forced in found else "inconclusive")
    assert verdict(diagnose([forced]), (links,)) == "degraded"


def _warned(cause: str, confidence: Confidence = "certain") -> Finding:
    return finding(cause, f"{cause} it is", severity="warning", confidence=confidence)


def test_a_proven_setting_that_costs_performance_is_degraded_where_nothing_was_measured() -> None:
    both = diagnose([_warned("gpu-memory-errors"), _warned("numa-balancing-on")])
    assert verdict(both, ()) == "degraded"
    assert [d.cause for d in both] == ["gpu-memory-errors", "numa-balancing-on"]
    assert headline("degraded", both, (), "", ()) == "numa-balancing-on it is", "what makes the verdict leads it"
    assert verdict(diagnose([_warned("numa-balancing-on", "likely")]), ()) == "inconclusive"
    assert verdict(both, (Proof("38.1 GB/s", weight=3),)) == "healthy"


def test_a_risk_or_a_setting_without_effect_is_not_degraded_however_sure_it_is() -> None:
    for cause in ("not-a-variable", "gpu-persistence-off", "version-mismatch", "gpu-memory-errors", "one-rank"):
        assert verdict(diagnose([_warned(cause)]), ()) == "inconclusive", cause


def test_no_measurement_is_a_proof_while_nobody_knows_what_the_hardware_is() -> None:
    unsettled = diagnose([finding("hardware-unknown", "22.0 GB/s", severity="info", confidence="certain")])
    sound = Proof("8 GPUs: no errors", weight=1)
    assert verdict(unsettled, (sound,)) == "inconclusive"
    assert headline("inconclusive", unsettled, (sound,), "", ()) == "inconclusive: 22.0 GB/s"


def test_a_setting_that_costs_performance_costs_it_on_any_hardware() -> None:
    unjudged = finding("hardware-unknown", "22.0 GB/s", severity="info", confidence="certain")
    costs = finding("numa-balancing-on", "it is on", severity="warning", confidence="certain")
    risk = finding("gpu-persistence-off", "it is off", severity="warning", confidence="certain")
    silent = finding("nodes-unanswered", "n3 did not answer", severity="info", confidence="certain")
    assert verdict(diagnose([unjudged, costs]), []) == "degraded"
    assert verdict(diagnose([unjudged, risk]), []) == "inconclusive"
    assert verdict(diagnose([unjudged, costs, silent]), []) == "inconclusive"
    assert verdict(diagnose([unjudged, costs]), [], partial=True) == "inconclusive"


def test_nothing_is_healthy_beside_a_number_that_cannot_be() -> None:
    too_much = diagnose([finding("above-physical-bound", "71 GB/s", severity="warning", confidence="likely")])
    for weight in (1, 2, 3):
        assert verdict(too_much, (Proof("2 ports are Active", weight=weight),)) == "inconclusive"
    assert headline("inconclusive", too_much, (Proof("2 ports are Active"),), "", ()) == "inconclusive: 71 GB/s"


def test_nothing_is_healthy_where_some_of_the_input_was_not_read() -> None:
    measured = Proof("38.1 GB/s, 97% of the ring bound", weight=3)
    assert verdict((), (measured,), partial=True) == "inconclusive"
    assert verdict(diagnose([_low()]), (measured,), partial=True) == "degraded"
    right = Proof("GPUDirect RDMA is used on every channel", weight=0)
    assert headline("inconclusive", (), (measured, right), "no table", ()) == (
        "inconclusive: what was read is right: 38.1 GB/s, 97% of the ring bound"
    )


def test_sound_parts_say_nothing_about_lines_that_nobody_knows() -> None:
    seen, measured = Proof("8 ports are Active"), Proof("38.1 GB/s", weight=3)
    assert [verdict((), (seen,), unread=share) for share in (0.5, 0.7)] == ["healthy", "inconclusive"]
    assert verdict((), (seen, measured), unread=0.7) == "healthy"
    assert verdict((), (Proof("200 steps at a steady pace", measured=True),), unread=0.7) == "healthy"
    assert verdict(diagnose([_low()]), (seen,), unread=0.7) == "degraded"


def test_right_settings_are_shown_and_prove_no_health() -> None:
    right = Proof("GPUDirect RDMA is used on every channel", weight=0)
    assert verdict((), (right,)) == "inconclusive"
    assert headline("inconclusive", (), (right,), "no table", ()) == (
        "inconclusive: nothing was measured; what the input shows is right: GPUDirect RDMA is used on every channel"
    )


def test_a_note_leaves_open_only_the_proof_that_it_doubts() -> None:
    noted = diagnose([finding("port-down", "mlx5_1 is down", severity="info", confidence="possible")])
    ports = Proof("2 ports are Active at 400 Gb/s", weight=1, doubted_by=("port-down",))
    assert verdict((), (ports,)) == "healthy"
    assert verdict(noted, (ports,)) == "inconclusive"
    assert verdict(noted, (ports, Proof("8 GPUs: no errors", weight=1))) == "healthy"
    assert verdict(noted, (ports, Proof("38.1 GB/s", weight=3))) == "healthy"
    assert headline("inconclusive", noted, (ports,), "", ()) == "inconclusive: mlx5_1 is down"


def test_headline_is_the_root_cause_or_the_strongest_proof() -> None:
    weak, strong = Proof("started", weight=1), Proof("38.1 GB/s", weight=3)
    findings = [_low(), _gdr("node07")]
    assert headline("healthy", (), (weak, strong), "", ()) == "healthy: 38.1 GB/s"
    assert headline("degraded", diagnose(findings), (strong,), "", findings) == (
        "node07: GPUDirect RDMA is off; this explains why all_reduce reaches 9.4 GB/s of an expected 38"
    )
    assert headline("inconclusive", (), (), "the input is empty", ()) == "inconclusive: the input is empty"


_findings = st.builds(
    lambda cause, severity, confidence, explains: finding(
        cause, cause, severity=severity, confidence=confidence, explains=explains
    ),
    st.sampled_from(sorted(all_causes())[:12]),
    st.sampled_from(SEVERITIES),
    st.sampled_from(CONFIDENCES),
    st.lists(st.sampled_from(sorted(all_causes())[:12]), max_size=4),
)


@given(st.lists(_findings, max_size=12))
def test_nothing_found_is_lost_and_nothing_leads_twice(findings: list[Finding]) -> None:
    diagnoses = diagnose(findings)
    roots = [d.cause for d in diagnoses]
    folded = {cause for d in diagnoses for cause in d.explains}
    assert len(roots) == len(set(roots))
    assert set(roots) | folded == {f.cause for f in findings}
    ranks = [SEVERITIES.index(d.severity) for d in diagnoses]
    assert ranks == sorted(ranks, reverse=True)


def test_a_difference_is_no_cause_beside_what_is_wrong_on_the_same_nodes() -> None:
    def about(cause: str, *nodes: str) -> Finding:
        return finding(cause, cause, severity="info", confidence="certain", suspects=suspects("node", nodes))

    governor = about("cpu-governor-not-performance", "node3")
    assert [d.cause for d in diagnose([about("node-differs", "node3"), governor])] == ["cpu-governor-not-performance"]
    both = diagnose([about("node-differs", "node3", "node5"), governor])
    assert sorted(d.cause for d in both) == ["cpu-governor-not-performance", "node-differs"]


def test_a_difference_that_explains_what_is_wrong_on_its_node_leads() -> None:
    clock = finding(
        "node-differs",
        "clocks differ",
        severity="critical",
        confidence="likely",
        suspects=suspects("node", ["node3"]),
        explains=("rank-lost",),
    )
    lost = finding("rank-lost", "lost", severity="critical", confidence="certain", suspects=suspects("node", ["node3"]))
    (root,) = diagnose([clock, lost])
    assert (root.cause, root.explains) == ("node-differs", ("rank-lost",))


def test_a_thousand_ports_with_one_fault_get_a_few_commands() -> None:
    ports = [
        finding(
            "port-rate-low",
            f"mlx5_{number}",
            severity="error",
            confidence="certain",
            remedy=[(f"look at {number}", "")],
        )
        for number in range(1000)
    ]
    (diagnosis,) = diagnose(ports)
    assert [step.text for step in diagnosis.remedy] == [f"look at {number}" for number in range(12)]


def test_a_node_that_differs_is_told_beside_what_is_less_grave_and_where_no_node_is_named() -> None:
    differs = finding(
        "node-differs", "odd", severity="error", confidence="certain", suspects=suspects("node", ["gpu07"])
    )
    noted = finding("gpu-busy", "busy", severity="info", confidence="certain", suspects=suspects("node", ["gpu07"]))
    assert "node-differs" in [found.cause for found in diagnose([differs, noted])]
    unnamed = finding(
        "node-differs", "odd", severity="error", confidence="certain", suspects=suspects("gpu", ["GPU 3"])
    )
    assert [found.cause for found in diagnose([unnamed])] == ["node-differs"]


def _on_nodes(cause: str, count: int) -> Finding:
    names = [f"node{number:03d}" for number in range(count)]
    return finding(cause, f"{cause} there", severity="error", confidence="certain", suspects=suspects("node", names))


def test_of_two_as_bad_what_ten_times_as_many_nodes_have_leads_and_numbers_are_told() -> None:
    throttled, slow = _on_nodes("gpu-clocks-throttled", 2), _on_nodes("port-rate-low", 82)
    diagnoses = diagnose([throttled, slow])
    assert [found.cause for found in diagnoses] == ["port-rate-low", "gpu-clocks-throttled"]
    told = headline("degraded", diagnoses, (), "", [throttled, slow])
    assert told == "port-rate-low there; also gpu-clocks-throttled (2 nodes)"


def test_of_two_on_a_few_nodes_what_lies_deeper_leads() -> None:
    diagnoses = diagnose([_on_nodes("port-rate-low", 7), _on_nodes("gpu-clocks-throttled", 2)])
    assert [found.cause for found in diagnoses] == ["gpu-clocks-throttled", "port-rate-low"]
