from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

LOOK = """\
[root@node03 ~]# sh ranks
slowlink-ranks 179500000{second} over 2 s
rank 4 pid 4711 python3 state {state} 0.0 % cpu at {where}
rank 5 pid 4712 python3 state R 99.5 % cpu at -
rank 6 pid 4713 python3 state R 99.5 % cpu at -
rank 7 pid 4714 python3 state R 99.5 % cpu at -
"""


def looks(*states: str, where: str = "-") -> str:
    return "".join(LOOK.format(second=at, state=state, where=where) for at, state in enumerate(states))


def test_a_rank_that_two_looks_saw_stopped_is_certain() -> None:
    assert said("rank-standing", looks("T", "T", where="do_signal_stop")) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "certain",
                "rank 4 on job0.log (process 4711, python3) is stopped by a signal or a debugger; the other ranks wait",
            )
        ]
    )
    assert said("rank-standing", looks("T")) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 4 on job0.log (process 4711, python3) is stopped by a signal or a debugger; the other ranks wait",
            )
        ]
    )


def test_what_waits_in_the_kernel_may_be_let_go() -> None:
    assert said("rank-standing", looks("D", "D", where="nfs_wait_bit_killable")) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 4 on job0.log (process 4711, python3) waits in the kernel for a device or a file server (nfs_wait_bit_killable); the other ranks wait",
            )
        ]
    )
    assert said("rank-standing", looks("D")) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 4 on job0.log (process 4711, python3) waits in the kernel for a device or a file server; the other ranks wait",
            )
        ]
    )


def test_idleness_is_possible_and_an_end_is_a_loss() -> None:
    assert said("rank-standing", looks("S", "S")) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 4 on job0.log (process 4711, python3) does nothing, while others work; the other ranks wait",
            )
        ]
    )
    assert said("rank-standing", looks("Z")) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "rank 4 on job0.log (process 4711, python3) has ended; the other ranks wait",
            )
        ]
    )


def test_working_ranks_and_ranks_that_went_on_accuse_nobody() -> None:
    assert findings_of("rank-standing", looks("R").replace("R 0.0", "R 97.0")) == ()
    assert findings_of("rank-standing", looks("T", "T", "R").replace("R 0.0", "R 97.0")) == ()


def test_it_says_what_to_do() -> None:
    assert [remedies_of("rank-standing", looks(state)) for state in "TZDS"] == snapshot(
        [
            [
                [
                    (
                        "See on job0.log who stopped it: a debugger, a scheduler. Let it go on if it still runs.",
                        "kill -CONT 4711",
                    )
                ]
            ],
            [[("See on its node what ended it.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'")]],
            [
                [
                    ("See on job0.log where it waits.", "ps -o pid,stat,wchan:32,time,comm -p 4711"),
                    ("Where it is a Python program, read its stack.", "py-spy dump --pid 4711"),
                ]
            ],
            [
                [
                    ("See on job0.log where it waits.", "ps -o pid,stat,wchan:32,time,comm -p 4711"),
                    ("Where it is a Python program, read its stack.", "py-spy dump --pid 4711"),
                ]
            ],
        ]
    )
