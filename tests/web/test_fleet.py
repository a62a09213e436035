"""What reports say of nodes: who is accused, who was looked at and is sound, and of whom nothing is known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.model.fleet import Fleet, FleetNode
from slowlink.model.metrics import NewestRun
from slowlink.model.report import InputSummary, Outcome, OutcomeKind, Report, Suspect
from slowlink.store.connect import open_store
from slowlink.store.newest import newest_runs
from slowlink.workflows.web import fleet as fleet_module
from slowlink.workflows.web.fleet import Picture, SaidByRuns, fleet_of, sets_with
from slowlink.workflows.web.pages import PAGES
from slowlink.workflows.web.said_of_nodes import CHECKS, check_of, said_of_nodes
from slowlink.workflows.web.site import Site
from web.serving import HOUR_S, found, kept, report

HOSTS = ("gpu01", "gpu02", "gpu03")
RATES: dict[str, object] = {"port-rate": [{"value": "400", "parts": ["mlx5_0/1"], "nodes": "gpu[01-02]"}]}
LOOKED = (Outcome("port-rate-differs", "passed"), Outcome("acs-enabled", "skipped", "no lspci"))
SLOW_PORT = found("port-rate-low", "port-rate-differs", "gpu02")
NOW = 1_800_000_000.0


def fleet(place: Path, since: float = 0.0) -> Fleet:
    with closing(open_store(str(place), create=False)) as store:
        runs, total = newest_runs(store, 100)
        return fleet_of(store, SaidByRuns(), runs, total - len(runs), since)


def states(picture: Fleet, check: str) -> dict[str, str]:
    """``gpu02: degraded port-rate-low``; nodes of which the check is unknown are not there."""
    return {
        node.name: " ".join(filter(None, (node.cells[check].state, node.cells[check].cause)))
        for node in picture.nodes
        if check in node.cells
    }


def test_every_family_of_rules_is_a_check() -> None:
    from slowlink.rules.rule import discover

    assert {check_of(rule.id) for rule in discover()} == set(CHECKS)
    assert check_of("a-rule-of-tomorrow", "host") == "node"


def test_a_node_is_sound_only_where_somebody_looked() -> None:
    """gpu03 is in the job, and nothing tells the rates of its ports; no rule looked at PCIe."""
    said = said_of_nodes(report(HOSTS, outcomes=LOOKED, state=RATES))
    assert said.nodes == {*HOSTS}
    assert said.sound == {"links": {"gpu01", "gpu02"}}


def test_a_rule_that_waits_for_complaints_proves_nothing() -> None:
    silent = (Outcome("port-rate-low", "passed"), Outcome("rank-lost", "passed"))
    assert said_of_nodes(report(HOSTS, outcomes=silent, state=RATES)).sound == {}


def test_nobody_is_sound_where_not_everything_was_read() -> None:
    whole = report(HOSTS, outcomes=LOOKED, state=RATES)
    cut = InputSummary("ibstat.txt", (), 9, 1, 0, 0, 1, problem="it is cut", partial=True)
    assert said_of_nodes(replace(whole, inputs=(cut,))).sound == {}


def test_bandwidth_is_sound_where_it_was_measured_and_judged() -> None:
    measured = (Outcome("busbw-below-expected", "passed"), Outcome("bandwidth-shape", "passed"))
    assert said_of_nodes(report(HOSTS, outcomes=measured)).sound == {"measured": {*HOSTS}}
    assert said_of_nodes(report(HOSTS, outcomes=measured[1:])).sound == {}
    assert said_of_nodes(report(HOSTS, outcomes=measured, verdict="inconclusive")).sound == {}


def test_a_finding_without_a_node_is_of_all_of_them() -> None:
    (each,) = said_of_nodes(report(HOSTS, findings=(found("gdr-disabled", "gdr-disabled"),))).found
    assert (sorted(each.nodes), each.of_all, each.check) == ([*HOSTS], True, "gpudirect")


def test_both_ends_of_a_path_are_named() -> None:
    path = replace(found("slow-path", "pair-survey"), suspects=(Suspect("link", "gpu01 - gpu03"),))
    (each,) = said_of_nodes(report(HOSTS, findings=(path,))).found
    assert (sorted(each.nodes), each.of_all) == (["gpu01", "gpu03"], False)


def test_a_symptom_accuses_the_node_of_its_cause_alone_and_clears_nobody() -> None:
    slow = found("busbw-below-expected", "busbw-below-expected", layer="measure")
    outcomes = (Outcome("busbw-below-expected", "found"), Outcome("node-slower-alone", "passed"))
    whole = report(HOSTS, findings=(SLOW_PORT, slow), outcomes=outcomes)
    root = replace(whole.diagnoses[0], explains=("busbw-below-expected",))
    said = said_of_nodes(replace(whole, verdict="degraded", diagnoses=(root,)))
    assert {(each.cause, each.nodes) for each in said.found} == {
        ("port-rate-low", frozenset({"gpu02"})),
        ("busbw-below-expected", frozenset({"gpu02"})),
    }
    assert said.sound == {"measured": {"gpu02"}}, "the others were slow with it: they are neither sick nor sound"


def test_what_was_found_stands_until_the_same_rule_looked_again(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    sick = report(HOSTS, verdict="degraded", findings=(SLOW_PORT,), outcomes=LOOKED, state=RATES)
    blind = report(HOSTS, outcomes=(Outcome("busbw-below-expected", "passed"),))
    kept(place, ("snapshot", NOW - 2 * HOUR_S, sick), ("run", NOW - HOUR_S, blind))
    assert states(fleet(place), "links") == {"gpu01": "sound", "gpu02": "degraded port-rate-low"}
    assert states(fleet(place), "measured") == dict.fromkeys(HOSTS, "sound")
    assert [node.state for node in fleet(place).nodes] == ["sound", "degraded", "sound"]
    kept(place, ("watch", NOW, report(HOSTS, outcomes=LOOKED, state=RATES)))
    assert states(fleet(place), "links") == {"gpu01": "sound", "gpu02": "sound"}


def test_the_worst_of_a_check_counts_and_says_which_report(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    low = found("port-rate-low", "port-rate-differs", "gpu02", severity="warning")
    down = found("port-down", "port-down", "gpu02", severity="critical")
    first, second = kept(
        place,
        ("run", NOW - HOUR_S, report(HOSTS, findings=(down,))),
        ("snapshot", NOW, report(HOSTS, findings=(low,))),
    )
    cell = {node.name: node for node in fleet(place).nodes}["gpu02"].cells["links"]
    assert (cell.state, cell.cause, cell.run_id) == ("broken", "port-down", first)
    assert {node.newest_run for node in fleet(place).nodes} == {second}


def test_reports_of_before_do_not_count_and_unreadable_ones_are_counted(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    kept(place, ("run", NOW - 100 * HOUR_S, report(HOSTS)), ("run", NOW, report(("gpu07",))))
    assert [node.name for node in fleet(place, NOW - HOUR_S).nodes] == ["gpu07"]
    with closing(open_store(str(place), create=False)) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE reports SET document = x'00'")
    picture = fleet(place)
    assert (picture.nodes, picture.reports, picture.unreadable) == ((), 0, 2)


def test_nodes_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    kept(tmp_path / "h.sqlite", ("run", NOW, report(("gpu10", "gpu9", "login", "1", "²"))))
    assert [node.name for node in fleet(tmp_path / "h.sqlite").nodes] == ["1", "gpu9", "gpu10", "login", "²"]


def test_the_sets_that_hold_a_node() -> None:
    sets = ("gpu[01-04]", "gpu02", "gpu[05-99999999]", "gpu[02", "node[1-3]")
    assert sets_with("gpu02", sets) == ("gpu[01-04]", "gpu02")


SEVERITIES = st.sampled_from(["info", "warning", "error", "critical"])
RULES = st.sampled_from(["port-rate-differs", "port-down", "busbw-below-expected", "acs-enabled", "of-tomorrow"])
OUTCOMES: st.SearchStrategy[OutcomeKind] = st.sampled_from(["passed", "found", "skipped", "broken"])


@st.composite
def any_report(draw: st.DrawFn) -> Report:
    """Of three nodes, with findings about any of them or none, and any outcome of each rule."""
    said = draw(st.lists(st.tuples(RULES, SEVERITIES, st.lists(st.sampled_from(HOSTS), max_size=2)), max_size=4))
    findings = tuple(found(f"cause-of-{rule}", rule, *nodes, severity=severity) for rule, severity, nodes in said)
    outcomes = tuple(Outcome(rule, what) for rule, what in draw(st.dictionaries(RULES, OUTCOMES)).items())
    verdict = draw(st.sampled_from(["healthy", "degraded", "inconclusive"]))
    return report(
        HOSTS, verdict=verdict, findings=findings, outcomes=outcomes, state=draw(st.sampled_from([None, RATES]))
    )


@given(st.lists(any_report(), min_size=1, max_size=4))
def test_whoever_the_newest_report_accuses_is_not_sound(reports: list[Report]) -> None:
    picture = _picture(reports)
    newest = said_of_nodes(reports[0])
    for each in newest.found:
        for node in each.nodes:
            assert picture[node].cells[each.check].state in ("broken", "degraded", "warned")
    for node in HOSTS:
        assert (picture[node].state == "unknown") == (not picture[node].cells)


@given(st.lists(any_report(), min_size=1, max_size=3))
def test_a_report_that_looked_at_nothing_changes_no_state(reports: list[Report]) -> None:
    blind = report(HOSTS, verdict="inconclusive")
    before, after = _picture(reports), _picture([blind, *reports])
    assert {name: _states_of(node) for name, node in before.items()} == {
        name: _states_of(node) for name, node in after.items()
    }


def _picture(reports: Sequence[Report]) -> dict[str, FleetNode]:
    """The newest first."""
    picture = Picture()
    for number, each in enumerate(reports):
        run = NewestRun(100 - number, NOW - number, "run", "", "", each.verdict, ())
        picture.add(run, said_of_nodes(each))
    return {node.name: node for node in picture.nodes()}


def _states_of(node: FleetNode) -> dict[str, str]:
    return {check: cell.state for check, cell in node.cells.items()}


def test_reports_are_read_before_somebody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "h.sqlite"
    kept(place, ("snapshot", NOW, report(HOSTS, findings=(SLOW_PORT,), outcomes=LOOKED, state=RATES)))
    with closing(Site(str(place))) as site:
        site.make_ready()
        monkeypatch.setattr(fleet_module, "report_of_run", lambda *_: pytest.fail("read a second time"))
        assert b"gpu02" in site.answer("fleet", PAGES["fleet"], {}, "within=all")


def test_without_a_history_it_waits_for_one(tmp_path: Path) -> None:
    with closing(Site(str(tmp_path / "none.sqlite"))) as site:
        site.make_ready()
    assert [*tmp_path.iterdir()] == []
