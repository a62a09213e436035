"""A running job of RCCL, followed by what accl-profiler writes."""

from __future__ import annotations

from pathlib import Path

from follow_machine import Files, Machine

from slowlink.simulate.training.accl_output import accl_files_of
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.follow.growing import GrowingFiles
from slowlink.workflows.follow.window import Window

SHAPE = Shape(4, 4, 2)


def written(sick: Sick, steps: int = 40) -> Files:
    return [(name, text.splitlines()) for name, text in accl_files_of(columns_of(Job(SHAPE, Noise(), sick, 1), steps))]


def test_who_falls_behind_is_said_while_the_files_grow(tmp_path: Path) -> None:
    healthy, late = Machine(tmp_path, written(Sick(gpu={9: 0.7}, since=0.5)), parts=10).run(100)
    assert healthy.startswith("nobody holds the collectives up: of 32 ranks")
    assert "no summary" not in healthy  # of a job that runs there is none
    assert late.startswith("straggler-gpu: process 4101 on node03")
    assert "of its sends and receives nothing is told" in late
    assert "2026-" not in late  # the clock of a GPU tells no date


def test_files_that_do_not_tell_their_communicator_are_not_mixed(tmp_path: Path) -> None:
    files = [(f"accl_rank_{number}.jsonl", lines) for number, (_, lines) in enumerate(written(Sick(gpu={9: 0.7})))]
    (said,) = Machine(tmp_path, files, parts=3).run(60)
    assert said == (
        "cannot be judged yet: an unnamed communicator: neither the lines nor the names of their files tell which "
        "communicator it is"
    )


def test_memory_does_not_grow_with_time(tmp_path: Path) -> None:
    (name, lines), *_ = written(Sick(), 200)
    path, files, window = tmp_path / name, GrowingFiles(tmp_path), Window(50)
    for start in range(0, len(lines), 100):
        with path.open("a") as stream:
            stream.writelines(f"{line}\n" for line in lines[start : start + 100])
        window.look(files)
        assert all(len(calls) <= 100 and calls.is_sound() for calls in window.columns())
