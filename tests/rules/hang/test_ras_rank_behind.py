from __future__ import annotations

from hang_findings import of_texts, said
from inline_snapshot import snapshot
from text_findings import remedy_of

import ras_answers as ras

RULE = "ras-rank-behind"
ONE = ras.answer(41, 40)
READS = 'Thread {} (idle): "MainThread"\n    read (PIL/ImageFile.py:3)\n    main (train.py:5)\n'
WAITS = (
    'Thread {} (idle): "MainThread"\n    all_reduce (torch/distributed/distributed_c10d.py:25)\n    main (train.py:5)\n'
)


def test_one_answer_alone_is_possible() -> None:
    (found,) = of_texts(RULE, ("a.txt", ONE)).findings
    assert said((found,)) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "ranks 2 and 5 are behind: AllReduce 40 while 6 others have launched 41; one answer of RAS is a moment",
                ["rank 2", "rank 5", "process 4103", "process 4202", "node 10.1.0.8", "node 10.1.0.9"],
            )
        ]
    )
    assert remedy_of(found) == snapshot(
        [
            ("Ask RAS again a minute later, and see whether the same ranks stand at the same operation.", "ncclras -v"),
            ("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID"),
        ]
    )


def test_a_stack_at_other_work_tells_why_it_does_not_come() -> None:
    found = of_texts(RULE, ("a.txt", ONE), ("b.txt", READS.format(4103))).findings
    assert [each[1:4] for each in said(found)] == snapshot(
        [
            (
                "critical",
                "likely",
                "ranks 2 and 5 are behind: AllReduce 40 while 6 others have launched 41; the main thread of process 4103 reads or decodes data in read (PIL/ImageFile.py:3)",
            )
        ]
    )


def test_a_stack_in_a_collective_or_of_another_process_tells_no_more() -> None:
    for stack in (WAITS.format(4103), READS.format(9999)):
        (found,) = of_texts(RULE, ("a.txt", ONE), ("b.txt", stack)).findings
        assert (found.severity, found.confidence) == ("warning", "possible")


def test_whoever_says_that_it_hangs_tells_a_moment_from_a_stop() -> None:
    (found,) = of_texts(RULE, ("a.txt", "Our job hangs since 40 minutes, ncclras says:\n\n" + ONE)).findings
    assert (found.severity, found.confidence) == ("critical", "likely")
    assert found.message.endswith("have launched 41; somebody says that it hangs")
    (found,) = of_texts(RULE, ("a.txt", "Our job is very slow since the update:\n\n" + ONE)).findings
    assert (found.severity, found.confidence) == ("warning", "possible")


def test_what_two_answers_compare_is_judged_by_them() -> None:
    for text in (ras.answer(41, 40) * 2, ras.answer(41, 40) + ras.answer(99, 98)):
        assert of_texts(RULE, ("a.txt", text)).findings == ()


def test_the_greater_part_is_not_behind() -> None:
    text = ras.answer(40, 41)
    assert of_texts(RULE, ("a.txt", text)).findings == ()
