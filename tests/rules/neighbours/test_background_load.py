"""Who was at work beside the run, compared with iterations that we make up."""

from __future__ import annotations

from inline_snapshot import snapshot
from msgspec.structs import replace
from text_findings import remedy_of

from slowlink.model.benchmark import CollectiveRun, Point
from slowlink.model.facts import Busy, MeasuredSweep, Observations, Sweeps, Watched
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.neighbours.background_load import Params, check

START = 1_795_000_000.0


def busy(node: str, name: str, percent: float, *spans: tuple[float, float], on_gpu: bool = False) -> Busy:
    """``spans`` in seconds after the start."""
    reading = Reading(
        "process-cpu", Part("process", "4711"), percent, Ref(f"watch/{node}", 9, f"process 4711 {name}"), node
    )
    return Busy(node, name, on_gpu, tuple((START + a, START + b) for a, b in spans), percent, 0.0, 0.0, (reading,))


def sweeps(times_us: list[float], size: int = 1 << 20) -> Sweeps:
    """Iterations back to back, each beginning a tenth of a second after the one before."""
    ref = Ref("run-1/stdout", 12, "1048576 262144 float")
    began = tuple(START + index / 10 for index in range(len(times_us)))
    point = Point(
        size, None, "float", "sum", -1, "out_of_place", 1.0, 1.0, 1.0, 0, ref,
        iterations_us=tuple(times_us), iterations_began=began,
    )  # fmt: skip
    run = CollectiveRun(
        tool="slowlink-probe", source="run-1/stdout", stream="", header=ref,
        collective="all_reduce", collective_basis="", points=(point,)
    )  # fmt: skip
    sweep = MeasuredSweep(run, "run-1", "all_reduce", 4, "", 4, "", (), None, None, (point,), None, complete=True)
    return Sweeps((sweep,))


def said(watched: Watched, times_us: list[float]) -> list[tuple[str, str, str, str]]:
    found = list(check(watched, sweeps(times_us), None, Params()))
    return [(f.cause, f.severity, f.confidence, f.message) for f in found if isinstance(f, Finding)]


SAMPLES = {"node03": (START, START + 1), "node04": (START, START + 1)}
SLOW = [100.0, 101, 99, 100, 102, 98, 100, 101, 99, 100, *([400.0] * 10), 100.0, 101, 99, 100, 100]
"""Slow from second 1 to 2."""


def test_iterations_beside_the_process_are_slower() -> None:
    watched = Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (1, 2.05)),))
    assert said(watched, SLOW) == snapshot(
        [
            (
                "cpu-busy",
                "error",
                "likely",
                "node03: site-diag (97 % of a core) was at work during 11 of 25 iterations of 1 MiB: they took 400 us instead of 100 us (300 % more, 95 % interval 296 to 304)",
            )
        ]
    )


def test_of_two_at_the_same_moment_the_busier_one_leads() -> None:
    watched = Watched(SAMPLES, (busy("node04", "agent", 25.0, (1, 2.05)), busy("node03", "site-diag", 97.0, (1, 2.05))))
    ((_, _, _, message),) = said(watched, SLOW)
    assert message.startswith("node03: site-diag")


def test_a_process_on_a_gpu_is_another_cause() -> None:
    watched = Watched(SAMPLES, (busy("node03", "dcgmproftester", 0.0, (1, 2.05), on_gpu=True),))
    assert [cause for cause, *_ in said(watched, SLOW)] == ["gpu-busy"]


def test_without_clear_iterations_it_is_only_possible() -> None:
    watched = Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (-1, 60)),))
    assert said(watched, SLOW) == snapshot(
        [
            (
                "cpu-busy",
                "warning",
                "possible",
                "node03: site-diag (97 % of a core) was at work while the nodes were watched; there are not enough timed iterations both with and without it to tell what it costs",
            )
        ]
    )


def test_work_that_cost_nothing_and_small_daemons_are_silent() -> None:
    steady = [100.0 + index % 3 for index in range(25)]
    assert said(Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (1, 2.05)),)), steady) == []
    assert said(Watched(SAMPLES, (busy("node03", "sshd", 3.0, (1, 2.05)),)), SLOW) == []


def test_without_any_measurement_it_is_worth_knowing_and_no_more() -> None:
    found = list(check(Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (1, 2.05)),)), None, None, Params()))
    assert [(f.severity, f.confidence) for f in found if isinstance(f, Finding)] == [("info", "possible")]


def test_a_stress_test_is_an_error_whatever_it_takes_and_costs() -> None:
    steady = [100.0 + index % 3 for index in range(25)]
    watched = Watched(SAMPLES, (busy("node03", "nvvs", 5.0, (1, 2.05)), busy("node04", "nvvs", 5.0, (1, 2.05))))
    assert said(watched, steady) == snapshot(
        [
            (
                "gpu-busy",
                "error",
                "likely",
                "node[03-04]: nvvs (5 % of a core), a stress test, was at work while the nodes were watched",
            )
        ]
    )


def test_quiet_nodes_are_a_proof() -> None:
    (proof,) = check(Watched(SAMPLES, ()), sweeps(SLOW), None, Params())
    assert isinstance(proof, Proof)
    assert proof.message == "nobody else took 20 % of a core, or moved 50 MB/s, on node[03-04] while it was watched"


def test_it_says_what_to_do() -> None:
    beside = Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (1, 2.05)),))
    always = Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (-1, 60)),))
    found = [each for watched in (beside, always) for each in check(watched, sweeps(SLOW), None, Params())]
    assert [remedy_of(each) for each in found if isinstance(each, Finding)] == snapshot(
        [
            [("Stop site-diag there, or keep it off what the ranks use, and measure again.", "")],
            [("Measure once more without site-diag.", "")],
        ]
    )


def rows(times_us: list[float]) -> tuple[Sweeps, Observations]:
    """A table of a benchmark that gives no iterations: a row a second, each of one size."""
    points = tuple(
        Point(
            1 << 20, None, "float", "sum", -1, "out_of_place", took, 1.0, 1.0, 0, Ref("run-1/stdout", line, "1048576")
        )
        for line, took in enumerate(times_us)
    )
    (sweep,) = sweeps([]).all
    run = replace(sweep.run, tool="nccl-tests", points=points)
    ended = tuple(
        Observation("row-ended", str(line), f"{START + line:.3f}", None, Ref("run-1/row-times", line + 1))
        for line in range(len(times_us))
    )
    return Sweeps((replace(sweep, run=run, points=points),)), Observations(ended)


def test_rows_stand_for_iterations_where_there_are_none() -> None:
    measured, ended = rows([100.0, 101, 99, 100, 102, 98, 400, 402, 399, 401, 400, 404])
    watched = Watched(SAMPLES, (busy("node03", "site-diag", 97.0, (5.2, 11)),))
    assert [f.message for f in check(watched, measured, ended, Params()) if isinstance(f, Finding)] == snapshot(
        [
            "node03: site-diag (97 % of a core) was at work during 6 of 11 iterations of 1 MiB: they took 400 us instead of 100 us (300 % more, 95 % interval 291 to 312)"
        ]
    )
    # Nobody noted when rows came.
    assert [f.message for f in check(watched, measured, None, Params()) if isinstance(f, Finding)] == snapshot(
        [
            "node03: site-diag (97 % of a core) was at work while the nodes were watched; there are not enough timed iterations both with and without it to tell what it costs"
        ]
    )
