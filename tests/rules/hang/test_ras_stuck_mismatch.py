from __future__ import annotations

import json

from hang_findings import of_texts, said
from inline_snapshot import snapshot
from text_findings import remedy_of

import ras_answers as ras

RULE = "ras-stuck-mismatch"


def test_two_answers_that_show_the_same() -> None:
    (found,) = of_texts(RULE, ("a.txt", ras.answer(41, 40)), ("b.txt", ras.answer(41, 40))).findings
    assert said((found,)) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "ranks 2 and 5 of communicator 00c0ffee12345678 stay at AllReduce 40 while 6 others wait at 41: two answers of RAS show no progress",
                ["rank 2", "rank 5", "node 10.1.0.8", "node 10.1.0.9"],
            )
        ]
    )
    assert [(e.source, e.line, e.text) for e in found.evidence] == snapshot(
        [
            ("b.txt", 25, "  Communicator ranks have different AllReduce operation counts"),
            ("b.txt", 28, "  Rank 2 -- GPU 2 managed by process 4103 on node 10.1.0.8"),
            ("b.txt", 29, "  Rank 5 -- GPU 1 managed by process 4202 on node 10.1.0.9"),
            ("a.txt", 25, "  Communicator ranks have different AllReduce operation counts"),
        ]
    )


def test_it_says_what_to_do() -> None:
    (found,) = of_texts(RULE, ("a.txt", ras.answer(41, 40)), ("b.txt", ras.answer(41, 40))).findings
    assert remedy_of(found) == snapshot(
        [
            ("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID"),
            (
                "See whether the GPU or its driver failed on the node of this rank.",
                "dmesg -T | grep -i -E 'xid|nvrm|oom'",
            ),
        ]
    )


def test_in_one_file_as_well() -> None:
    assert len(of_texts(RULE, ("a.txt", ras.answer(41, 40) * 2)).findings) == 1


def test_one_answer_is_normal() -> None:
    assert of_texts(RULE, ("a.txt", ras.answer(41, 40))).findings == ()


def test_counts_that_move_are_normal() -> None:
    assert of_texts(RULE, ("a.txt", ras.answer(41, 40) + ras.answer(99, 98))).findings == ()
    assert of_texts(RULE, ("a.txt", ras.answer(41, 40) + ras.answer(41, 40) + ras.answer(42, 40))).findings == ()


def test_another_communicator_or_collective_is_another_matter() -> None:
    other = ras.answer(41, 40).replace("00c0ffee12345678", "00c0ffee1234567a")
    assert of_texts(RULE, ("a.txt", ras.answer(41, 40) + other)).findings == ()
    assert (
        of_texts(RULE, ("a.txt", ras.answer(41, 40) + ras.answer(41, 40).replace("AllReduce", "Reduce"))).findings == ()
    )


def snapshots(first: str, second: str) -> tuple[tuple[str, str], ...]:
    ranks = [ras.rank(n, {"AllReduce": 8 if n == 2 else 9}) for n in range(4)]
    return tuple((f"{n}.json", json.dumps(ras.document(ranks, timestamp=at))) for n, at in enumerate((first, second)))


def test_json_answers_are_told_apart_by_their_time() -> None:
    assert said(of_texts(RULE, *snapshots("2026-01-02 03:04:05", "2026-01-02 03:05:05")).findings) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 2 of communicator c0ffee12345678 stays at AllReduce 8 while 3 others wait at 9: two answers of RAS show no progress",
                ["rank 2", "node 10.1.0.8"],
            )
        ]
    )
    assert of_texts(RULE, *snapshots("2026-01-02 03:04:05", "2026-01-02 03:04:05")).findings == ()


def test_a_stack_says_what_the_rank_behind_does() -> None:
    stack = 'Thread 4103 (active): "MainThread"\n    _write (torch/serialization.py:9)\n    main (train.py:5)\n'
    texts = (("a.txt", ras.answer(41, 40)), ("b.txt", ras.answer(41, 40)), ("c.txt", stack))
    (found,) = of_texts(RULE, *texts).findings
    assert found.message.endswith(
        "no progress; the main thread of process 4103 writes or reads a checkpoint in _write (torch/serialization.py:9)"
    )


WHOLE = ras.answer(41, 40)
LAST = ras.mismatch(41, 40)
"""What ``ncclras | sed -n '/Warnings/,$p'`` leaves of a second answer."""
SHARES = LAST[LAST.index("different AllReduce operation counts\n") + len("different AllReduce operation counts\n") :]
"""What ``ncclras | tail`` leaves of it: the counts alone."""
AGAIN = "$ sleep 120; ncclras | tail\n"


def test_the_end_of_a_second_answer_is_an_answer() -> None:
    for end in (LAST, SHARES):
        (found,) = of_texts(RULE, ("a.txt", WHOLE + AGAIN + end)).findings
        assert (found.severity, [s.name for s in found.suspects if s.kind == "rank"]) == ("critical", ["2", "5"])


def test_the_end_of_a_second_answer_shows_progress_as_well() -> None:
    for end in (LAST, SHARES):
        moved = end.replace("operation 41", "operation 91").replace("operation 40", "operation 90")
        assert moved != end
        assert of_texts(RULE, ("a.txt", WHOLE + AGAIN + moved)).findings == ()


def test_one_list_with_a_foreign_line_in_it_stays_one() -> None:
    front, back = WHOLE.split("  2 ranks have launched")
    torn = f"{front}kernel: something else\n  2 ranks have launched{back}"
    assert of_texts(RULE, ("a.txt", torn)).findings == ()
