"""Like with like: what a baseline answers, and what it refuses."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from history_records import KEY
from slowlink.comparison.baseline import against_baseline
from slowlink.expect.baseline import Tolerated
from slowlink.model.baseline import Baseline, BaselineName, LaunchValues, MeasuredSeries, SaidOfAll
from slowlink.model.history import SeriesKey

GIB = 1 << 30
NAME = BaselineName(1, "nightly", 2, 0.0, False, "")


def launches(*plateaus: float, first_run: int = 1, same_run: bool = False, **sizes: float) -> tuple[LaunchValues, ...]:
    """One launch a run, or all in one."""
    return tuple(
        LaunchValues(
            first_run if same_run else first_run + number,
            plateau,
            None,
            {GIB: sizes.get("gib", plateau), 1 << 20: sizes.get("mib", plateau / 10)},
            {},
        )
        for number, plateau in enumerate(plateaus)
    )


def baseline(*plateaus: float, key: SeriesKey = KEY, same_run: bool = False) -> Baseline:
    return Baseline(NAME, (1,), (MeasuredSeries(key, launches(*plateaus, same_run=same_run)),))


USUAL = baseline(350, 351, 349, 352, 350, 348)


def answer(*new: MeasuredSeries, old: Baseline = USUAL, **options: bool) -> tuple[str, list[str]]:
    found = against_baseline(old, new, Tolerated(), **options)  # type: ignore[arg-type]
    return found.outcome, [each.why for each in found.refused]


@pytest.mark.parametrize(
    ("plateaus", "outcome"), [((350, 351), "same"), ((330, 331), "worse"), ((380, 381), "better"), ((350,), "same")]
)
def test_the_plateau_answers(plateaus: tuple[float, ...], outcome: str) -> None:
    assert answer(MeasuredSeries(KEY, launches(*plateaus, first_run=50))) == (outcome, [])


def test_one_size_that_is_clearly_worse_is_heard() -> None:
    new = MeasuredSeries(KEY, launches(350, 351, first_run=50, mib=20.0))
    found = against_baseline(USUAL, [new], Tolerated())
    assert found.outcome == "worse"
    assert [(each.what, each.size_bytes, each.outcome) for each in found.series[0].judgements] == [
        ("plateau", None, "same"),
        ("size", 1 << 20, "worse"),
        ("size", GIB, "same"),
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"system": "dgx_h100"}, "system: hgx_h100 there, dgx_h100 here"),
        ({"nodes": "gpu[05-08]"}, "nodes: gpu[01-04] there, gpu[05-08] here"),
        ({"nranks": 16, "nnodes": 2}, "number of nodes: 4 there, 2 here; ranks: 32 there, 16 here"),
        ({"datatype": "half"}, "type: float there, half here"),
        ({"engine": "slowlink-probe"}, "program: nccl-tests there, slowlink-probe here"),
        ({"largest_bytes": GIB}, "largest size: 8 GiB there, 1 GiB here"),
        ({"gpu": ""}, "GPU: NVIDIA H100 80GB HBM3 there, unknown here"),
        ({"collective": "alltoall"}, "the baseline has no alltoall: it has all_reduce"),
    ],
)
def test_unlike_is_refused_with_the_reason(change: dict[str, object], why: str) -> None:
    assert answer(MeasuredSeries(replace(KEY, **change), launches(300, 300))) == ("incomparable", [why])


def test_other_nodes_are_like_these_where_that_is_said() -> None:
    elsewhere = MeasuredSeries(replace(KEY, nodes="gpu[05-08]"), launches(330, 331, first_run=50))
    assert answer(elsewhere, other_nodes=True) == ("worse", [])
    fewer = MeasuredSeries(replace(KEY, nodes="gpu[05-06]", nnodes=2), launches(350, 350))
    assert answer(fewer, other_nodes=True)[0] == "incomparable"


def test_nothing_measured_and_an_empty_baseline_answer_nothing() -> None:
    assert answer() == ("incomparable", [])
    assert answer(MeasuredSeries(KEY, ())) == ("incomparable", ["no complete table was measured"])
    empty = Baseline(NAME, (), ())
    assert answer(MeasuredSeries(KEY, launches(350)), old=empty)[1] == [
        "the baseline has no all_reduce: it has nothing"
    ]


def test_too_few_values_leave_it_open() -> None:
    once = baseline(350.0)
    assert answer(MeasuredSeries(KEY, launches(349.0, first_run=9)), old=once) == ("open", [])
    assert answer(MeasuredSeries(KEY, launches(100.0, first_run=9)), old=once) == ("open", [])


def test_launches_of_one_run_are_its_own_kind_of_evidence() -> None:
    def basis(old: Baseline) -> str:
        new = MeasuredSeries(KEY, launches(350, 351, 350, first_run=9, same_run=True))
        return against_baseline(old, [new], Tolerated()).series[0].judgements[0].basis

    assert basis(USUAL) == "6 runs before, 1 now"
    one_run = basis(baseline(350, 351, 352, same_run=True))
    assert one_run == "3 launches before, 3 now; what differs between runs is not in the interval"


WELL = SaidOfAll("run 7", "healthy", "healthy", "")
BROKEN = SaidOfAll("run 8", "broken", "wrong results", "")
CUT = SaidOfAll("run 9", "inconclusive", "open", "b.gz: truncated gzip data")


@pytest.mark.parametrize(
    ("plateau", "said", "outcome", "words"),
    [
        (350.0, (WELL,), "same", "as good as nightly@2"),
        (350.0, (WELL, BROKEN), "broken", "run 8 is broken: wrong results"),
        (350.0, (CUT, WELL), "unread", "of run 9 not everything was read: b.gz: truncated gzip data"),
        (380.0, (CUT, BROKEN), "broken", "run 8 is broken"),
        (330.0, (CUT, BROKEN), "worse", "worse than nightly@2; run 8 is broken"),
    ],
)
def test_numbers_of_what_is_broken_or_was_not_read_are_not_good(
    plateau: float, said: tuple[SaidOfAll, ...], outcome: str, words: str
) -> None:
    new = MeasuredSeries(KEY, launches(plateau, plateau, first_run=50))
    found = against_baseline(USUAL, [new], Tolerated(), said=said)
    assert found.outcome == outcome
    assert words in found.headline
