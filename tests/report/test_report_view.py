from __future__ import annotations

import pytest
from msgspec.structs import replace
from sample_reports import (
    SAMPLES,
    bimodal,
    curve,
    degraded,
    expected,
    finding,
    healthy,
    inconclusive,
    many_nodes,
    sweep,
)

from slowlink.model.report import Diagnosis, Outcome, Report, Suspect
from slowlink.report import render
from slowlink.report.key_facts import split_facts
from slowlink.report.presented import shared_directory
from slowlink.report.view import build_view
from slowlink.report.wording import count, duration, found_by, number, plain_value, size_range, some_rules, where


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (float("nan"), "-"), (9.38, "9.4"), (36.0, "36"), (388.43, "388"), (0.0512, "0.051"), (0, "0")],
)
def test_numbers_have_the_digits_that_mean_something(value: float | None, text: str) -> None:
    assert number(value) == text


def test_words() -> None:
    assert (count(1, "line"), count(1200, "line")) == ("1 line", "1,200 lines")
    assert [duration(us) for us in (12.5, 3400, 1.2e6)] == ["12.5 us", "3.4 ms", "1.2 s"]
    assert (size_range([8, 1 << 33]), size_range([8]), size_range([])) == ("8 B - 8 GiB", "8 B", "-")
    suspects = (Suspect("node", "n1"), Suspect("hca", "mlx5_0"), Suspect("node", "n2"))
    assert where(suspects) == "nodes n[1-2]; hca mlx5_0"
    assert plain_value({"a": True, "b": [1, 2, 4], "c": None}) == "a=yes, b=[1-2,4], c=-"
    assert len(plain_value("x" * 5000)) == 200


def test_a_symptom_is_folded_under_its_cause() -> None:
    view = build_view(degraded())
    assert [diagnosis.cause for diagnosis in view.diagnoses] == ["gdr-disabled"]
    assert view.others == ()
    explained = view.diagnoses[0].explains[0]
    assert explained.cause == "busbw-below-expected"
    assert "9.4 of an expected 36-40 GB/s" in explained.text


def test_a_finding_that_nothing_holds_is_not_lost() -> None:
    report = degraded()
    other = replace(report.findings[1], cause="latency-high", message="latency is 90 us")
    view = build_view(replace(report, findings=(*report.findings, other)))
    assert [diagnosis.message for diagnosis in view.others] == ["latency is 90 us"]


def test_equal_evidence_is_one_line_with_its_count() -> None:
    first, second = build_view(degraded()).diagnoses[0].evidence
    assert (first.place, first.alike) == ("job.log:41", "and 7 lines like it, up to line 83")
    assert first.comparison == "observed Disabled, expected Enabled"
    assert (second.place, second.alike) == ("job.log:140", "")


def test_the_same_finding_on_many_nodes_is_one_finding() -> None:
    (diagnosis,) = build_view(many_nodes()).diagnoses
    assert diagnosis.where == "nodes node[01-11,20]"
    assert diagnosis.message.startswith("node[01-11,20] sends")
    assert diagnosis.steps[0].text.endswith("on node01.")
    assert diagnosis.steps[-1].text == "The same on nodes node[02-11,20]."


def test_findings_that_differ_in_numbers_of_words_stay_apart() -> None:
    report = degraded()
    root = report.diagnoses[0]
    other = replace(root, message="node09 has no HCA at all", suspects=(Suspect("node", "node09"),))
    view = build_view(replace(report, diagnoses=(root, other), findings=(finding(other),)))
    assert len(view.diagnoses) == 2


@pytest.mark.parametrize(
    ("peak", "state", "share"),
    [(300.0, "below", "76 %"), (388.0, "within", "99 %"), (500.0, "above", "127 %")],
)
def test_a_sweep_is_judged_by_its_band(peak: float, state: str, share: str) -> None:
    report = replace(healthy(), sweeps=(sweep(curve(peak, 1.0)),))
    (row,) = build_view(report).sweeps
    assert (row.state, row.share, row.expected) == (state, share, "373-392")


def test_an_expectation_of_another_sweep_or_without_a_number_is_not_used() -> None:
    report = replace(healthy(), expectations=expected(392.4, 373.0, 392.4, "other.log:12"))
    assert build_view(report).sweeps[0].expected == ""
    nan = replace(expected(1.0, 1.0, 1.0)[0], value=float("nan"))
    assert build_view(replace(healthy(), expectations=(nan,))).sweeps[0].state == "unknown"


def test_points_in_doubt_are_no_peak_and_are_told() -> None:
    points = list(curve(388.0, 3e7))
    points[-2] = replace(points[-2], busbw_gbs=9999.0, doubt="algbw does not follow from time")
    base = replace(sweep(tuple(points)), peak_busbw_gbs=None)
    (row,) = build_view(replace(healthy(), sweeps=(base,))).sweeps
    assert row.peak == "381"
    assert row.notes == ("1 point not used as numbers (algbw does not follow from time)",)


def test_what_did_not_end_is_told() -> None:
    assert build_view(bimodal()).sweeps[1].notes == ("did not come to its end",)


def test_skipped_rules_are_grouped_by_reason() -> None:
    outcomes = build_view(healthy()).outcomes
    assert outcomes.summary == "4 passed, 0 found, 2 skipped, 0 broken"
    assert outcomes.skipped == (
        ("needs perftest: give the output of ib_write_bw", ("link-below-rate", "straggler-nic")),
    )


def _found_by_its_neighbour() -> Report:
    """The case of a port at 200 Gb/s among ports at 400: the rule with the cause's name has nothing to read."""
    report = healthy()
    low = finding(replace(degraded().diagnoses[0], cause="port-rate-low", rules=("port-rate-differs",)))
    return replace(
        report,
        verdict="degraded",
        diagnoses=(Diagnosis.of(low),),
        findings=(low,),
        outcomes=(Outcome("port-rate-differs", "found"), Outcome("port-rate-low", "skipped", "no state of a node")),
    )


def test_a_cause_names_its_rules_where_they_are_not_the_one_of_its_name() -> None:
    assert [each.found_by for each in build_view(_found_by_its_neighbour()).diagnoses] == ["found by port-rate-differs"]
    assert [each.found_by for each in build_view(degraded()).diagnoses] == [""]
    several = tuple(f"rule-{number}" for number in range(6))
    assert [found_by("a", rules) for rules in ((), ("a",), ("a", "b"), several[:3], several)] == [
        "",
        "",
        "found by a and b",
        "found by rule-0, rule-1 and rule-2",
        "found by rule-0, rule-1, rule-2 and 3 more",
    ]


def test_a_skipped_rule_says_when_its_cause_was_found_all_the_same() -> None:
    report = _found_by_its_neighbour()
    told = "port-rate-low (cause found by port-rate-differs)"
    assert build_view(report).outcomes.skipped == (("no state of a node", (told,)),)
    passed = replace(report, outcomes=(Outcome("port-rate-low", "passed"), Outcome("port-down", "passed")))
    assert build_view(passed).outcomes.passed == (told, "port-down")


@pytest.mark.parametrize("format_", ["full", "markdown"])
def test_a_skipped_rule_whose_cause_was_found_is_not_cut_off(format_: str) -> None:
    report = _found_by_its_neighbour()
    low = report.outcomes[-1]
    beside = [Outcome(f"no-state-{number}", "skipped", low.reason) for number in range(5)]
    more = [Outcome(f"rule-{n}-{m}", "skipped", f"reason {n}") for n in range(8) for m in range(9)]
    text = render(replace(report, outcomes=(*more, *beside, low)), format_, color=False, width=120)
    lines = [line[2:] for line in text.splitlines() if line[2:].startswith("skipped, ")]
    assert lines[:2] == [
        "skipped, no state of a node: port-rate-low (cause found by port-rate-differs), no-state-0, no-state-1 and 3 more",
        "skipped, reason 0: rule-0-0, rule-0-1, rule-0-2 and 6 more",
    ]


@pytest.mark.parametrize(
    ("format_", "lines"),
    [
        (
            "full",
            [
                "  [port-rate-low, found by port-rate-differs]  error, certain",
                "  skipped, no state of a node: port-rate-low (cause found by port-rate-differs)",
            ],
        ),
        (
            "markdown",
            [
                "* Cause: `port-rate-low` (found by port-rate-differs), error, certain: the lines below prove it",
                "* skipped, no state of a node: port-rate-low (cause found by port-rate-differs)",
            ],
        ),
        (
            "html",
            [
                "<code>port-rate-low</code><span>found by port-rate-differs</span>",
                "no state of a node: port-rate-low (cause found by port-rate-differs)</p>",
            ],
        ),
        (
            "junit",
            [
                ">cause: port-rate-low, found by port-rate-differs\n",
                '<skipped message="no state of a node (cause found by port-rate-differs)" />',
            ],
        ),
    ],
)
def test_every_format_names_cause_and_rule(format_: str, lines: list[str]) -> None:
    text = render(_found_by_its_neighbour(), format_, color=False, width=120)
    assert [line for line in lines if line not in text] == []


def test_equal_diagnoses_that_are_shown_as_one_name_the_rules_of_all() -> None:
    first, *rest = many_nodes().diagnoses
    shown = replace(many_nodes(), diagnoses=(first, *(replace(each, rules=("peer-memory",)) for each in rest)))
    assert [each.found_by for each in build_view(shown).diagnoses] == ["found by gdr-disabled and peer-memory"]


def test_inputs_account_for_every_line() -> None:
    (item,) = build_view(inconclusive()).inputs
    assert (item.kinds, item.accounting) == ("nothing recognised", "4 lines: 0 used, 1 ignored, 3 unread")
    assert item.samples == ("buy milk", "call the provider", "lunch?")
    inner = [replace(each, ignored=4, unread=0) for each in inconclusive().inputs]
    (item,) = build_view(replace(inconclusive(), inputs=tuple(inner))).inputs
    assert item.accounting == "4 lines: 0 used, 4 ignored, 0 unread; some in texts that it holds"


@pytest.mark.parametrize("name", SAMPLES)
def test_an_empty_corner_is_no_trouble(name: str) -> None:
    report = SAMPLES[name]()
    bare = Report(report.schema, report.slowlink, report.verdict, "")
    assert build_view(bare).headline == ""


@pytest.mark.parametrize(
    ("paths", "directory"),
    [
        (["/var/log/a", "/var/log/b/c"], "/var/log/"),
        (["/var/log/a"], "/var/log/"),
        (["a", "b"], ""),
        (["/a", "/b"], "/"),
        (["logs/a", "-"], ""),
        (["logs/x.tar!a/b", "logs/x.tar!c"], "logs/"),
        ([], ""),
    ],
)
def test_a_directory_that_all_inputs_share_is_not_repeated(paths: list[str], directory: str) -> None:
    assert shared_directory(paths) == directory


def test_short_names_still_find_their_expectation() -> None:
    report = degraded()
    root = report.diagnoses[0]
    evidence = tuple(replace(line, source="/data/run 7/job.log") for line in root.evidence)
    far = replace(
        report,
        diagnoses=(replace(root, evidence=evidence),),
        sweeps=(replace(report.sweeps[0], source="/data/run 7/job.log"),),
        expectations=expected(39.2, 36.0, 40.0, "/data/run 7/job.log:12"),
        inputs=(replace(report.inputs[0], path="/data/run 7/job.log"),),
    )
    view = build_view(far)
    assert view.diagnoses[0].evidence[0].place == "job.log:41"
    assert (view.sweeps[0].name, view.sweeps[0].expected) == ("job.log:12", "36-40")
    assert (view.inputs[0].name, view.inputs[0].path) == ("job.log", "/data/run 7/job.log")


def test_nothing_is_said_twice() -> None:
    report = degraded()
    said = replace(report, headline=f"degraded: {report.diagnoses[0].message}")
    view = build_view(said)
    assert view.headline == report.diagnoses[0].message
    assert view.diagnoses[0].message == ""
    points = replace(bimodal().sweeps[1], line=300)
    (note,) = build_view(replace(report, sweeps=(bimodal().sweeps[1], points))).notes
    assert note == ("did not come to its end", "job.log:[155,300]")


def test_the_facts_that_matter_come_first_and_empty_ones_later() -> None:
    facts = {"rows": [11, 12], "hosts": ["n1", "n2"], "nccl": "2.27.7", "gdr": None, "hcas": [], "proofs": ["x"]}
    key, rest = split_facts(facts)
    assert key == (("nccl", "2.27.7"), ("hosts", "n[1-2]"))
    assert rest == (("rows", "[11-12]"), ("gdr", "-"), ("hcas", "none"))


def test_a_long_list_of_rules_is_cut() -> None:
    assert some_rules(("a", "b", "c", "d")) == "a, b, c, d"
    assert some_rules(("a", "b", "c", "d", "e")) == "a, b, c and 2 more"
