"""The interview on this machine: where it is held, what was heard, and what is to be asked next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.interview import HANG, LOSS, Question, candidates, questions
from slowlink.ladder import layers as of
from slowlink.ladder.interview import best_question, outcome_of, remaining
from slowlink.model.ladder import (
    Experiment,
    Interview,
    Ladder,
    LadderResult,
    LadderTest,
    Predicted,
    Waterfall,
)
from slowlink.nodes import fold
from slowlink.quoting import quote

_LAYERS = (of.NODE, of.ONE_RANK, of.TWO_NODES, of.ALL_NODES)


class _Reference(Struct, frozen=True):
    """The test that all experiments are compared with."""

    symptom: str
    layer: str
    result: LadderResult


class _Heard(Struct, frozen=True):
    """The answer to one question."""

    outcome: str
    gbs: float | None


def interview_of(ladder: Ladder, waterfall: Waterfall) -> Interview | None:
    """What the experiments that were done have shown, and the next one. None where NCCL's settings have no part: no
    GPU, or nothing wrong in the layers of collectives. Pure."""
    base = _reference(ladder, waterfall)
    if base is None:
        return None
    causes = candidates(base.symptom, base.layer)
    seen: dict[str, str] = {}
    done: list[Experiment] = []
    # The questions are asked anew in thought: which one comes next follows from the outcomes before it.
    while True:
        left = remaining(causes, seen, questions(), base.symptom)
        question = _next(ladder, base, left, seen)
        if question is None:
            break
        told = _experiment(question, base, left, ladder)
        heard = _heard(question, ladder, base)
        if heard is None:
            return Interview(base.symptom, base.layer, tuple(done), tuple(left), told)  # type: ignore[arg-type]
        seen[question.id] = heard.outcome
        kept = remaining(left, {question.id: heard.outcome}, questions(), base.symptom)
        gone = tuple(cause for cause in left if cause not in kept)
        done.append(replace(told, outcome=heard.outcome, gbs=heard.gbs, base_gbs=base.result.gbs, ruled_out=gone))
    return Interview(base.symptom, base.layer, tuple(done), tuple(left), None)  # type: ignore[arg-type]


def next_experiment(ladder: Ladder, waterfall: Waterfall) -> tuple[LadderTest, ...]:
    """The launches of the next experiment that were not done yet; none where nothing would be learned. They run one
    after another."""
    base = _reference(ladder, waterfall)
    interview = interview_of(ladder, waterfall)
    if base is None or interview is None or interview.next is None:
        return ()
    done = {result.test.name for result in ladder.results}
    tests = _tests(questions()[interview.next.id], base, ladder)
    return tuple(test for test in tests if test.name not in done)


def _reference(ladder: Ladder, waterfall: Waterfall) -> _Reference | None:
    """The slowest test, or one that gave no number, of the lowest layer of collectives where something is wrong."""
    if not ladder.plan.on_gpu:
        return None
    bad = [rung.layer for rung in waterfall.rungs if rung.state in ("degraded", "broken") and rung.layer in _LAYERS]
    mine = [result for result in ladder.results if bad and result.test.layer == bad[0]]
    mine.sort(key=lambda result: (result.gbs or 0.0, result.test.name))
    failed = [result for result in mine if result.trouble]
    if failed:
        return _Reference(HANG, bad[0], failed[0])
    slowest = next((result for result in mine if result.gbs), None)
    return _Reference(LOSS, bad[0], slowest) if slowest is not None else None


def _next(ladder: Ladder, base: _Reference, left: Sequence[str], seen: Mapping[str, str]) -> Question | None:
    """The best that was not asked yet; one whose launches told nothing is not asked again."""
    possible = [
        question
        for name, question in questions().items()
        if name not in seen and _is_possible(question, base, ladder) and not _is_spent(question, base, ladder)
    ]
    launches = {question.id: len(_tests(question, base, ladder)) for question in possible}
    return best_question(left, possible, base.symptom, launches)


def _is_possible(question: Question, base: _Reference, ladder: Ladder) -> bool:
    """It changes something in this layer, and there is what it names."""
    if base.layer not in question.layers or not question.predictions[base.symptom]:
        return False
    if question.fresh and not _has_settings(ladder):
        return False
    mine = base.result.test.env
    if question.env and not question.of_each_hca and all(mine.get(name) == v for name, v in question.env.items()):
        return False
    return not question.of_each_hca or len(_hcas(ladder)) > 1


def _has_settings(ladder: Ladder) -> bool:
    """Did the user set something that the library reads?"""
    env = ladder.plan.given.get("env")
    return isinstance(env, Mapping) and any(str(name).startswith(("NCCL_", "RCCL_", "MCCL_")) for name in env)


def _is_spent(question: Question, base: _Reference, ladder: Ladder) -> bool:
    """All of its launches were done, and say nothing."""
    done = {result.test.name for result in ladder.results}
    is_done = all(test.name in done for test in _tests(question, base, ladder))
    return is_done and _heard(question, ladder, base) is None


def _hcas(ladder: Ladder) -> tuple[str, ...]:
    return tuple(dict.fromkeys(test.hca for test in ladder.plan.tests if test.hca))


def _tests(question: Question, base: _Reference, ladder: Ladder) -> tuple[LadderTest, ...]:
    """Its launches: one, or one for each HCA."""
    test, name = base.result.test, f"{of.INTERVIEW}/{base.layer}/{question.id}"
    ranks = 1 if question.alone else test.ranks_per_node
    made = replace(test, layer=of.INTERVIEW, name=name, ranks_per_node=ranks, fresh=question.fresh, round=1)
    if not question.of_each_hca:
        return (replace(made, env={**test.env, **question.env}),)
    return tuple(
        replace(
            made,
            name=f"{name}/{hca}",
            env={**test.env, **{key: value.replace("{hca}", hca) for key, value in question.env.items()}},
        )
        for hca in _hcas(ladder)
    )


def _heard(question: Question, ladder: Ladder, base: _Reference) -> _Heard | None:
    """The answer to one question; None where it was not, or not wholly, asked, or says nothing."""
    names = [test.name for test in _tests(question, base, ladder)]
    mine = [result for result in ladder.results if result.test.name in names]
    if len(mine) < len(names):
        return None
    values = [result.gbs for result in mine]
    outcome = outcome_of(base.symptom, base.result.gbs, values, each_hca=question.of_each_hca)
    known = [value for value in values if value is not None]
    return _Heard(outcome, min(known) if known else None) if outcome else None


def _experiment(question: Question, base: _Reference, causes: Sequence[str], ladder: Ladder) -> Experiment:
    predicted = question.predictions[base.symptom]
    return Experiment(
        question.id,
        question.title,
        question.env,
        _command(_tests(question, base, ladder)[0]),
        tuple(Predicted(cause, predicted.get(cause, "")) for cause in causes),
    )


def _command(test: LadderTest) -> str:
    """What anybody can type to do it by hand."""
    words = ["slowlink", "run", test.collective, "--nodes", fold(test.nodes)]
    words += ["--each-node"] if test.alone else []
    words += ["--ranks-per-node", str(test.ranks_per_node)] if test.ranks_per_node is not None else []
    for name, value in test.env.items():
        words += ["--env", f"{name}={value}"]
    line = quote(words)
    return f'env -i PATH="$PATH" HOME="$HOME" {line}' if test.fresh else line
