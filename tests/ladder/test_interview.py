"""Which experiment is next, what its outcome rules out, and that the questions come to an end."""

from __future__ import annotations

from math import log2

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from ladder.machines import climbed, gpu_machine, healthy, nodes, plan_of, result_of
from slowlink.catalog.interview import HANG, LOSS, Question, candidates, questions
from slowlink.catalog.nccl_env import all_variables
from slowlink.ladder.explain import explained
from slowlink.ladder.hearing import interview_of, next_experiment
from slowlink.ladder.interview import best_question, information, outcome_of, remaining
from slowlink.ladder.judge import waterfall
from slowlink.ladder.plan import Machine
from slowlink.model.ladder import Interview, Ladder, LadderTest

SYMPTOMS = st.sampled_from((LOSS, HANG))


def question(name: str, **predicted: str) -> Question:
    return Question(name, name, {}, False, False, ("node",), {LOSS: predicted, HANG: {}})


HALVES = question("halves", a="better", b="better", c="same", d="same")
ONE = question("one", a="better", b="same", c="same", d="same")
NOTHING = question("nothing")


def test_information() -> None:
    assert information(HALVES, "abcd", LOSS) == 1.0
    assert round(information(ONE, "abcd", LOSS), 3) == snapshot(0.811)
    assert round(information(NOTHING, "abcd", LOSS), 9) == 0.0
    assert information(HALVES, "a", LOSS) == 0.0


def test_the_best_question_splits_what_remains_and_counts_its_launches() -> None:
    assert best_question("abcd", (ONE, NOTHING, HALVES), LOSS) is HALVES
    assert best_question("abcd", (ONE, HALVES), LOSS, {"halves": 8}) is ONE
    assert best_question("ab", (NOTHING, HALVES), LOSS) is None


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True), st.data())
def test_information_is_bounded_by_the_doubt_there_is(causes: list[str], data: st.DataObject) -> None:
    outcomes = st.sampled_from(("better", "same", "worse"))
    asked = question("any", **data.draw(st.dictionaries(st.sampled_from("abcdefgh"), outcomes)))
    assert -1e-9 <= information(asked, causes, LOSS) <= log2(len(causes)) + 1e-9


@given(SYMPTOMS, st.sampled_from(("node", "one-rank", "two-nodes", "all-nodes")), st.data())
def test_a_cause_that_is_at_work_is_never_ruled_out(symptom: str, layer: str, data: st.DataObject) -> None:
    """Whatever is at work behaves as it predicts, or in any way where it predicts nothing; the questions end."""
    causes = list(candidates(symptom, layer))
    truth = data.draw(st.sampled_from(causes))
    seen: dict[str, str] = {}
    while True:
        left = remaining(causes, seen, questions(), symptom)
        assert truth in left
        asked = best_question(left, [each for each in questions().values() if each.id not in seen], symptom)
        if asked is None:
            break
        said = asked.predictions[symptom].get(truth)
        seen[asked.id] = said or data.draw(st.sampled_from(asked.outcomes(symptom)))
    assert len(seen) <= len(questions())


def test_settings_of_the_catalogue_are_variables_of_nccl() -> None:
    assert {name for each in questions().values() for name in each.env} - set(all_variables()) == set()


def test_outcomes() -> None:
    assert outcome_of(LOSS, 100.0, [170.0], each_hca=False) == "better"
    assert outcome_of(LOSS, 100.0, [102.0], each_hca=False) == "same"
    assert outcome_of(LOSS, 100.0, [50.0], each_hca=False) == "worse"
    assert outcome_of(LOSS, 100.0, [48.0, 12.0], each_hca=True) == "uneven"
    assert outcome_of(LOSS, 100.0, [None], each_hca=False) == ""
    assert outcome_of(HANG, None, [None], each_hca=False) == "hangs"
    assert outcome_of(HANG, None, [3.0], each_hca=False) == "finishes"


def _slow(test: LadderTest) -> float:
    return 40.0 if test.layer in ("two-nodes", "all-nodes") else healthy(test)


def _held(ladder: Ladder, gives: dict[str, float | None]) -> tuple[Interview, Ladder]:
    """Until nothing is asked any more; ``gives``: what each experiment gives, 40 where it is not named."""
    while tests := next_experiment(ladder, waterfall(ladder)):
        more = tuple(result_of(test, gives.get(test.name.split("/")[2], 40.0)) for test in tests)
        ladder = replace(ladder, results=(*ladder.results, *more))
    interview = interview_of(ladder, waterfall(ladder))
    assert interview is not None
    return interview, ladder


def test_before_the_first_question_it_is_told_what_it_would_separate() -> None:
    ladder = climbed(plan_of(gpu_machine()), _slow)
    interview = interview_of(ladder, waterfall(ladder))
    assert interview is not None
    assert interview.next is not None
    assert (interview.layer, interview.symptom, interview.done) == ("two-nodes", "loss", ())
    assert interview.next.command == snapshot(
        "slowlink run all_reduce --nodes 'node[1-2]' --env NCCL_ALGO=Ring --env NCCL_NET_GDR_LEVEL=LOC"
    )


def test_what_the_experiments_left_of_a_loss() -> None:
    """More channels give 80 of 94 where 40 were: a measured part of the loss, and one cause."""
    interview, ladder = _held(
        climbed(plan_of(gpu_machine()), _slow), {"more-channels": 80.0, "gdr-off": 20.0, "ib-off": 3.0}
    )
    assert [(each.id, each.outcome, each.ruled_out) for each in interview.done] == snapshot(
        [
            ("gdr-off", "worse", ("gdr-forced-far", "acs-enabled", "iommu-translating")),
            ("more-channels", "better", ("hca-list-incomplete", "straggler-nic", "pcie-link-degraded", "gpu-busy")),
            ("ib-off", "worse", ()),
            ("p2p-off", "same", ("tuning-harmful", "cpu-busy")),
            ("one-hca", "even", ()),
        ]
    )
    assert interview.remaining == snapshot(
        ("rail-cross-traffic", "gpu-nic-affinity-wrong", "tuning-missing", "proxy-affinity")
    )
    rung = next(rung for rung in explained(waterfall(ladder), (), interview).rungs if rung.layer == "two-nodes")
    assert [(share.cause, share.gbs) for share in rung.explained] == snapshot(
        [("tuning-missing or proxy-affinity", 40.0)]
    )
    assert round(rung.unexplained_gbs or 0, 1) == snapshot(17.8)


def test_what_the_experiments_left_of_a_hang() -> None:
    def give(test: LadderTest) -> float | None:
        return None if test.layer == "two-nodes" else healthy(test)

    gives: dict[str, float | None] = dict.fromkeys(questions(), None)
    interview, _ = _held(climbed(plan_of(gpu_machine(2)), give), {**gives, "p2p-off": 90.0, "pcie-p2p-off": 90.0})
    assert interview.symptom == "hang"
    assert [(each.id, each.outcome) for each in interview.done] == snapshot(
        [("gdr-off", "hangs"), ("ib-off", "hangs"), ("p2p-off", "finishes")]
    )
    assert interview.remaining == snapshot(("nvlink-fabric-unhealthy",))


def test_the_same_answer_whatever_order_the_results_lie_in() -> None:
    interview, ladder = _held(climbed(plan_of(gpu_machine()), _slow), {"more-channels": 80.0})
    turned = replace(ladder, results=tuple(reversed(ladder.results)))
    assert interview_of(turned, waterfall(turned)) == interview


def test_no_interview_on_cpu_memory_nor_where_nothing_is_wrong() -> None:
    cpu = climbed(plan_of(Machine(nodes(4), ranks_per_node=2)), lambda test: None, rate=None)
    assert interview_of(cpu, waterfall(cpu)) is None
    sound = climbed(plan_of(gpu_machine()), healthy)
    assert interview_of(sound, waterfall(sound)) is None
    assert next_experiment(sound, waterfall(sound)) == ()
