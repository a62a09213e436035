"""How many cores each process may use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.job.process_binding import ProcessBindings


def _told(*texts: str) -> list[tuple[str, str, int]]:
    parser = ProcessBindings()
    for number, text in enumerate(texts, 1):
        if parser.wants(text):
            parser.feed(Line("job.log", number, text))
    return [(event.groups["by"], event.groups["cores"], event.count) for event in parser.finish()]


@pytest.mark.parametrize(
    ("text", "by", "cores"),
    [
        ("cpu-bind=MASK - gpu01, task  3  3 [4711]: mask 0x8 set", "srun", "1"),
        ("cpu-bind=MASK - gpu01, task 11  3 [4711]: mask 0x3fff0000 set", "srun", "14"),
        ("cpu-bind-cores=MASK - gpu01, task  0  0 [4711]: mask 0x1000000000000001 set", "srun", "1"),
        ("cpu-bind=RANK - gpu01, task  0  0 [4711]: mask 0x3 set", "srun", "2"),
        ("[gpu01:77] MCW rank 3 bound to socket 0[core 3[hwt 0-1]]: [../../../BB][../../../..]", "mpirun", "1"),
        (
            "[gpu01:77] MCW rank 0 bound to socket 0[core 0[hwt 0]], socket 0[core 1[hwt 0]]: [B/B/./.][./././.]",
            "mpirun",
            "2",
        ),
        ("[gpu01:77] Rank 3 bound to package[0][core:3]", "mpirun", "1"),
        ("[gpu01:77] Rank 1 bound to package[1][core:8-15]", "mpirun", "8"),
        ("[gpu01:77] Rank 3 bound to package[0][core:L3]", "mpirun", "1"),
        ("[gpu01:77] Rank 0 bound to package[0][core:L0-47] package[1][core:L48-95]", "mpirun", "96"),
        ("[0] MPI startup(): 2       4711    gpu01     {2}", "Intel MPI", "1"),
        ("[0] MPI startup(): 2       4711    gpu01     {16,17,18,19}", "Intel MPI", "4"),
        ("pid 4711's current affinity list: 5", "taskset", "1"),
        ("pid 4711's current affinity list: 5,69", "taskset", "1"),
        ("pid 4711's current affinity list: 0-127", "taskset", "128"),
        ("pid 4711's current affinity mask: ff", "taskset", "8"),
        ("Cpus_allowed_list:\t0-3,64-67", "the kernel", "8"),
        ("physcpubind: 0 1 2 3 ", "numactl", "4"),
        ("process 3 binding: 00010000", "mpiexec", "1"),
        (
            "UserWarning: This DataLoader will create 8 worker processes in total. Our suggested max number of worker "
            "in current system is 1, which is smaller than what this DataLoader is going to create.",
            "PyTorch",
            "1",
        ),
    ],
)
def test_the_number_of_cores_is_read(text: str, by: str, cores: str) -> None:
    assert _told(text) == [(by, cores, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "[gpu01:77] MCW rank 0 is not bound (or bound to all available processors)",
        "cpu-bind=NONE - gpu01, task  0  0 [4711]: mask 0x0 set",
        "process 3 binding: sideways",
        "the binding: 0101 of this book",
    ],
)
def test_what_binds_nothing_tells_no_number(text: str) -> None:
    assert _told(text) == []


def test_equal_bindings_are_counted() -> None:
    lines = [f"cpu-bind=MASK - gpu01, task  {n}  {n} [{40 + n}]: mask 0x{1 << n:x} set" for n in range(8)]
    assert _told(*lines) == [("srun", "1", 8)]


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    use = ProcessBindings().feed(Line("job.log", 1, f"cpu-bind{text} mask 0x"))
    assert use in (Use.USED, Use.IGNORED, Use.NOT_MINE)
