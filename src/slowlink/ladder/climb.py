"""What is run next. Whoever goes on with an interrupted ladder asks the same question, and gets the same answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from slowlink.ladder import layers as of
from slowlink.ladder.blame import compare
from slowlink.ladder.tolerances import Tolerances, margin_of, on_processors
from slowlink.model.ladder import AGAIN, LadderPlan, LadderResult, LadderTest

NOT_RUN = "not run"


def next_tests(plan: LadderPlan, results: Sequence[LadderResult], lost: Collection[str] = ()) -> tuple[LadderTest, ...]:
    """The tests of the next round, which run side by side; none where all is done, or where what is left stands on a
    layer that is broken. A test that is slow beside its like is done once more: somebody may have disturbed it."""
    done = {result.test.name for result in results}
    broken = broken_layers(results, lost)
    for layer in of.LAYERS:
        todo = [test for test in plan.tests if test.layer == layer.id and test.name not in done]
        if not todo and layer.id not in broken:
            todo = _again(layer.id, plan, results)
        if todo and broken.isdisjoint(layer.below):
            first = min(test.round for test in todo)
            return tuple(test for test in todo if test.round == first)
    return ()


def _again(layer: str, plan: LadderPlan, results: Sequence[LadderResult]) -> list[LadderTest]:
    """Tests of a layer that are slow and were done once. Where processors are shared the fastest is among them: what it
    loses, too, when it is done again, was the moment."""
    mine = [result for result in results if result.test.layer == layer]
    again = list(compare(mine, margin_of(layer, mine, plan.on_gpu, Tolerances())).slow)
    if again and on_processors(layer, mine, plan.on_gpu):
        again.append(max(mine, key=lambda result: (result.gbs or 0.0, result.test.name)))
    return [replace(each.test, name=each.test.name + AGAIN) for each in again if not each.repeated]


def broken_layers(results: Sequence[LadderResult], lost: Collection[str]) -> set[str]:
    """Layers in which a test gave no number: whatever stands on them would fail or hang."""
    failed = {result.test.layer for result in results if result.trouble}
    return failed | ({of.HOST} if lost else set())


def stopped_by(layer: str, plan: LadderPlan, broken: Collection[str]) -> str:
    """Why nothing was measured in ``layer``, in words."""
    below = [each for each in of.BY_ID[layer].below if each in broken]
    if below:
        return f"{of.BY_ID[below[0]].title} is broken"
    return plan.stopped or NOT_RUN
