"""The calls of a running job, read while its ranks write them down."""

from __future__ import annotations

from pathlib import Path

import pytest
from follow_machine import Files, Machine

from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.follow.growing import GrowingFiles
from slowlink.workflows.follow.window import Window

SHAPE = Shape(4, 4, 2)


def written(sick: Sick, steps: int = 40) -> Files:
    return [(name, text.splitlines()) for name, text in files_of(columns_of(Job(SHAPE, Noise(), sick, 1), steps))]


def test_a_line_is_said_when_the_answer_changes_and_holds(tmp_path: Path) -> None:
    machine = Machine(tmp_path, written(Sick(gpu={9: 0.7}, since=0.5)), parts=10)
    healthy, late = machine.run(100)
    assert healthy.startswith("nobody holds the collectives up: of 32 ranks")
    assert late.startswith("straggler-gpu: process 4101 on node03")


def test_jobs_of_one_directory_are_followed_side_by_side(tmp_path: Path) -> None:
    """What holds the one up is no matter of the other."""
    sick = [
        (
            name.replace("node0", "node1"),
            [line.replace("node0", "node1").replace('"id":"0x', '"id":"0xf') for line in lines],
        )
        for name, lines in written(Sick(gpu={9: 0.7}))
    ]
    first, *said = Machine(tmp_path, [*written(Sick()), *sick], parts=30).run(200)
    assert "process 4101 on node13" in first
    assert len(said) == 2
    assert any(
        line.startswith("job on node[01-08]") and "nobody holds the collectives up: of 32" in line for line in said
    )
    assert any(line.startswith("job on node[11-18]") and "process 4101 on node13" in line for line in said)


def test_who_is_well_again_is_said_as_well(tmp_path: Path) -> None:
    sick, well = written(Sick(gpu={9: 0.7}), 20), written(Sick(), 60)
    both = [(name, [*some, *_later(more)]) for (name, some), (_, more) in zip(sick, well, strict=True)]
    late, healthy = Machine(tmp_path, both, parts=8).run(100, window=100)
    assert "process 4101 on node03" in late
    assert healthy.startswith("nobody holds the collectives up")


def _later(lines: list[str]) -> list[str]:
    """The same calls, ten minutes later, of communicators that were made anew."""
    return [line.replace('"id":"0x', '"id":"0xf').replace('_us":1790000', '_us":1790600') for line in lines]


def test_a_directory_without_calls_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "other.log").write_text("a line\n" * 300)
    assert Machine(tmp_path, [], parts=1).run(20) == []


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    machine = Machine(tmp_path, written(Sick()), parts=1)
    with pytest.raises(KeyboardInterrupt):
        machine.run(100, pause=interrupt)
    assert len(machine.said) == 1


def test_memory_does_not_grow_with_time(tmp_path: Path) -> None:
    (name, lines), *_ = written(Sick(), 200)
    path, files, window = tmp_path / name, GrowingFiles(tmp_path), Window(50)
    for start in range(0, len(lines), 100):
        with path.open("a") as stream:
            stream.writelines(f"{line}\n" for line in lines[start : start + 100])
        window.look(files)
        assert all(len(calls) <= 100 for calls in window.columns())
    assert window.taken == len(lines)


def test_other_files_are_left_for_the_report(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("step 1 loss 2.0\n" * 300)
    files, window = GrowingFiles(tmp_path), Window(50)
    assert window.look(files) == 0
    assert window.others == 1


def test_what_a_file_held_before_it_was_written_anew_is_forgotten(tmp_path: Path) -> None:
    (name, lines), *_ = written(Sick())
    path, files, window = tmp_path / name, GrowingFiles(tmp_path), Window(2000)
    path.write_text("".join(f"{line}\n" for line in lines[:200]))
    window.look(files)
    path.write_text("".join(f"{line}\n" for line in lines[-50:]))
    window.look(files)
    assert sum(map(len, window.columns())) == 50


def test_calls_are_found_in_a_file_that_held_others_first(tmp_path: Path) -> None:
    (name, lines), *_ = written(Sick())
    path, files, window = tmp_path / name, GrowingFiles(tmp_path), Window(2000)
    path.write_text("step 1 loss 2.0\n" * 300)
    assert window.look(files) == 0
    path.write_text("".join(f"{line}\n" for line in lines[:20]))
    assert window.look(files) == 20
    assert window.others == 0
