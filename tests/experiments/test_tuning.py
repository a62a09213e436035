"""A whole tune on clusters that do not exist: who wins, who does not, and how sure that is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from experiments.made_up import MadeUp, change, searched
from slowlink.experiments.results import drift_notes
from slowlink.experiments.tuning import Rules, Search
from slowlink.experiments.tuning_verdict import verdict
from slowlink.model.experiment import Change, Launched, Trial, Tuning
from slowlink.report.tuning import environment_text, tuning_text

NULLS = {f"NULL_{number}": 0.0 for number in range(7)}


def found(tuning: Tuning, standing: str = "helps") -> set[str]:
    return {effect.change.name for effect in tuning.effects if effect.standing == standing}


def said(search: Search, name: str) -> str:
    (effect,) = [effect for effect in verdict(search).effects if effect.change.id == name]
    return effect.standing


@pytest.mark.parametrize(
    ("sd", "more"),
    [(0.01, {}), (0.1, {}), (0.03, {"heavy": 0.12}), (0.01, {"drift": 0.05})],
    ids=["even", "noisy", "heavy tails", "drift"],
)
def test_what_does_nothing_never_wins(sd: float, more: dict[str, float]) -> None:
    """20 of 20, as often as it is asked to."""
    for seed in range(20):
        assert found(verdict(searched(NULLS, seed, sd, **more))) == set()


def test_true_gains_are_found_with_intervals_that_hold() -> None:
    gains = {**NULLS, "SMALL": 0.03, "LARGE": 0.10}
    small = large = held = 0
    for seed in range(20):
        tuning = verdict(searched(gains, seed, 0.01))
        winners = found(tuning)
        assert winners <= {"SMALL", "LARGE"}
        small, large = small + ("SMALL" in winners), large + ("LARGE" in winners)
        shifts = [(effect.shift, gains[effect.change.name]) for effect in tuning.effects if effect.shift is not None]
        held += all(shift.low <= truth <= shift.high for shift, truth in shifts)
    assert large == 20
    assert small >= 16
    assert held >= 18


def test_one_that_drowns_all_others_is_confirmed_first_and_stays_on() -> None:
    search = searched({**NULLS, "HUGE": 2.3, "OTHER": 0.25}, 3, 0.05)
    tuning = verdict(search)
    assert found(tuning) == {"HUGE", "OTHER"}
    assert all("HUGE=1" in launched.trial.on for launched in search.of_stage("screen"))
    assert tuning.kept == ("HUGE=1", "OTHER=1")
    assert tuning.together is not None
    assert tuning.together.low <= 2.55 <= tuning.together.high


def test_what_lies_inside_the_margin_is_proven_not_to_matter() -> None:
    tuning = verdict(searched({"NULL_1": 0.0, "NULL_2": 0.0}, 5, 0.003))
    assert found(tuning, "does-not-matter") == {"NULL_1", "NULL_2"}


def test_harm_is_told() -> None:
    assert found(verdict(searched({**NULLS, "BAD": -0.2}, 6, 0.01)), "harms") == {"BAD"}


class Fails(MadeUp):
    """One setting that nothing runs with."""

    def launch(self, trial: Trial) -> Launched:
        return Launched(trial, why="status 1") if "BROKEN=1" in trial.on else super().launch(trial)


def run(search: Search, cluster: MadeUp) -> Search:
    while trials := search.plan():
        for trial in trials:
            search.add(cluster.launch(trial))
    return search


def test_what_does_not_run_is_looked_at_twice_and_no_more() -> None:
    effects = {"BROKEN=1": 0.0, "GOOD=1": 0.1}
    search = run(Search(Rules((change("BROKEN"), change("GOOD")))), Fails(effects, 0.01, 1))
    assert said(search, "BROKEN=1") == "fails"
    assert said(search, "GOOD=1") == "helps"
    assert sum("BROKEN=1" in launched.trial.on for launched in search.results) == 2


class Nothing(MadeUp):
    def launch(self, trial: Trial) -> Launched:
        return Launched(trial, why="ssh: connect to host node1: refused")


def test_where_the_plain_environment_does_not_run_nothing_is_tried() -> None:
    search = run(Search(Rules((change("GOOD"),))), Nothing({}, 0.01, 1))
    tuning = verdict(search)
    assert (len(search.results), found(tuning, "open"), tuning.failed) == (4, {"GOOD"}, 4)
    assert tuning.notes == ("the plain environment gave no number: ssh: connect to host node1: refused",)


class Logged(MadeUp):
    """Its log says what it reads; ``IGNORED`` is not among it, and no ``IB`` is there."""

    def launch(self, trial: Trial) -> Launched:
        done = super().launch(trial)
        seen = {name.partition("=")[0]: ("1",) for name in trial.on if not name.startswith("IGNORED")}
        return Launched(done.trial, done.times_us, seen=seen, tells=("nccl",), networks=("Socket",))


def test_what_the_log_does_not_show_is_not_measured_further() -> None:
    changes = tuple(Change(f"{name}=1", name, "1", "nccl") for name in ("IGNORED", "READ"))
    of_ib = Change("OF_IB=1", "OF_IB", "1", "nccl", networks=("IB",))
    cluster = Logged({"IGNORED=1": 0.0, "READ=1": 0.1, "OF_IB=1": 0.0}, 0.01, 1)
    search = run(Search(Rules((*changes, of_ib))), cluster)
    effects = {effect.change.name: effect for effect in verdict(search).effects}
    assert {name: effect.standing for name, effect in effects.items()} == {
        "IGNORED": "not-read", "READ": "helps", "OF_IB": "not-tried"
    }  # fmt: skip
    assert effects["READ"].in_force is True
    assert search.family == 1  # they take nothing of the error rate of the others


def test_two_values_of_one_variable_are_never_on_together() -> None:
    values = tuple(Change(f"SIZE={value}", "SIZE", value) for value in ("1", "2"))
    others = tuple(map(change, NULLS))
    effects = {"SIZE=1": 0.05, "SIZE=2": 0.1, **{each.id: 0.0 for each in others}}
    search = run(Search(Rules((*values, *others))), MadeUp(effects, 0.005, 2))
    assert said(search, "SIZE=2") == "helps"
    assert all(len({"SIZE=1", "SIZE=2"} & {*launched.trial.on}) < 2 for launched in search.results)


def test_taking_settings_away() -> None:
    """Of four settings one carries: without it all is a tenth slower."""
    names = ("A", "B", "C", "D")
    changes = tuple(Change(f"-{name}", name) for name in names)
    cluster = MadeUp({"-A": -0.1, "-B": 0.0, "-C": 0.0, "-D": 0.0}, 0.003, 4)
    search = run(Search(Rules(changes, removing=True)), cluster)
    tuning = verdict(search)
    assert found(tuning, "harms") == {"A"}
    assert tuning.kept == ("-A",)
    text = environment_text(tuning, "a test", dict.fromkeys(names, "7"), "bundle")
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["A=7"]
    unknown = environment_text(tuning, "a test", {}, "bundle")
    assert "A: its value is not in the bundle" in unknown
    odd = environment_text(tuning, "a\u2028test", {"A": "7\n8", "Z": "x;id"}, "bun\x1bdle")
    assert [line for line in odd.splitlines() if not line.startswith("#")] == ["Z='x;id'"]
    assert odd.isascii()


def test_the_same_launches_give_the_same_answer_again() -> None:
    search = searched({**NULLS, "GAIN": 0.05}, 9, 0.01)
    again = Search(search.rules, search.results)
    assert verdict(again) == verdict(search)
    assert again.plan() == ()


@given(st.integers(0, 10_000), st.integers(1, 9), st.floats(0.001, 0.3), st.integers(0, 60))
@settings(max_examples=25)
def test_an_answer_at_any_moment(seed: int, count: int, sd: float, launches: int) -> None:
    """Ctrl-C may come after any launch."""
    names = [f"C{number}" for number in range(count)]
    cluster = MadeUp({f"{name}=1": 0.0 for name in names}, sd, seed)
    search = Search(Rules(tuple(map(change, names)), seed=seed))
    while len(search.results) < launches and (trials := search.plan()):
        for trial in trials[: launches - len(search.results)]:
            search.add(cluster.launch(trial))
    tuning = verdict(search)
    assert {effect.change.name for effect in tuning.effects} == set(names)
    assert len(tuning_text(tuning, "a test").splitlines()) <= 24
    numbers = [launched.trial.number for launched in search.results]
    assert all(math.isfinite(number) for number in numbers)


def test_the_answer_in_words() -> None:
    tuning = verdict(searched({**NULLS, "GAIN": 0.08}, 1, 0.006))
    assert tuning_text(tuning, "all_reduce, 32 ranks on 4 nodes, 1 GiB") == snapshot("""\
FOUND  1 of 8 settings helps, 8.3 % faster: all_reduce, 32 ranks on 4 nodes, 1 GiB

            setting                                  speed with it
  helps     GAIN=1                                   +8.3 % [+4.3, +12.2]; no log shows it
  nothing   NULL_0=1                                 -0.3 % [-0.9, +0.3]
  nothing   NULL_1=1                                 -0.2 % [-0.7, +0.4]
  nothing   NULL_4=1                                 -0.2 % [-0.7, +0.4]
  nothing   NULL_6=1                                 +0.1 % [-0.4, +0.7]
  nothing   NULL_5=1                                 +0.1 % [-0.5, +0.7]
  nothing   NULL_3=1                                 +0.1 % [-0.5, +0.7]
  nothing   NULL_2=1                                 +0.0 % [-0.5, +0.6]

  sure      95% for all intervals together, whenever one stops; less than 1.0% does not matter
  cost      75 launches; launches of the same differ by 0.5%\
""")
    assert environment_text(tuning, "all_reduce, 32 ranks on 4 nodes, 1 GiB", {}, "slowlink-x") == snapshot("""\
# slowlink tune: all_reduce, 32 ranks on 4 nodes, 1 GiB
# 75 launches; the evidence: slowlink-x
# with it: +8.3 % [+4.3, +12.2]
GAIN=1
""")


def test_drift_is_looked_for_in_so_many_launches_as_take_no_hour() -> None:
    """The search for jumps grows with the square."""
    several = [Launched(Trial(number, "look"), {8: 50.0}) for number in range(1, 3000)]
    assert drift_notes(several) == ["whether launches drift was looked for in the first 2000 alone"]
