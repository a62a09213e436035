from __future__ import annotations

import json

from hang_findings import of_texts, said
from inline_snapshot import snapshot
from text_findings import remedy_of

import ras_answers as ras

RULE = "ras-lost-ranks"
LOST_RANK = """
Errors
======

#0-0 (00c0ffee12345678) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 7 -- GPU 3 managed by process 4204 on node 10.1.0.9
"""
DEAD = """
Errors
======

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 4205 on node 10.1.0.9 managing GPU 4
"""


def test_a_rank_that_does_not_answer() -> None:
    (found,) = of_texts(RULE, ("ras.txt", ras.JOB + ras.INCOMPLETE + LOST_RANK)).findings
    assert said((found,)) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "rank 7 on 10.1.0.9: not answering RAS, and not given up yet; the process died, is stopped, or its node is out of reach",
                ["rank 7", "process 4204", "node 10.1.0.9"],
            )
        ]
    )
    assert [(e.line, e.text) for e in found.evidence] == snapshot(
        [
            (20, "  Rank 7 -- GPU 3 managed by process 4204 on node 10.1.0.9"),
            (19, "  Missing communicator data from 1 rank"),
        ]
    )


def test_it_says_what_to_do() -> None:
    (found,) = of_texts(RULE, ("ras.txt", ras.JOB + ras.INCOMPLETE + LOST_RANK)).findings
    assert remedy_of(found) == snapshot(
        [
            ("See on that node whether the process lives, and where it stands.", "ps -o pid,stat,wchan,cmd -p PID"),
            ("See on its node what ended it.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
        ]
    )


def test_a_process_that_was_given_up() -> None:
    assert said(of_texts(RULE, ("ras.txt", ras.JOB + ras.FINE + DEAD)).findings) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "process 4205 on 10.1.0.9: given up by RAS as dead; the process died, is stopped, or its node is out of reach",
                ["process 4205", "node 10.1.0.9"],
            )
        ]
    )


def test_json_names_every_missing_rank() -> None:
    ranks = [ras.rank(n, {"AllReduce": 9}) for n in range(6)]
    answer = ras.document(ranks, [ras.missing_rank(6, True, False), ras.missing_rank(7, True, True)])
    (found,) = of_texts(RULE, ("ras.json", json.dumps(answer))).findings
    assert said((found,)) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "ranks 6 and 7 on 10.1.0.9: not answering RAS, 1 given up as dead; the process died, is stopped, or its node is out of reach",
                ["rank 6", "rank 7", "process 4106", "process 4107", "node 10.1.0.9"],
            )
        ]
    )
    assert [(e.line, e.text) for e in found.evidence] == snapshot(
        [
            (1, "rank 6, process 4106 on 10.1.0.9: unresponsive true, considered_dead false"),
            (1, "rank 7, process 4107 on 10.1.0.9: unresponsive true, considered_dead true"),
            (1, "communicator c0ffee12345678: missing_ranks"),
        ]
    )


def test_ranks_that_have_not_joined_yet_are_no_certain_loss() -> None:
    starting = ras.INCOMPLETE.replace(" RUNNING  ", "    INIT  ")
    assert [m[1:3] for m in said(of_texts(RULE, ("ras.txt", starting + LOST_RANK)).findings)] == [("error", "possible")]


def test_a_later_answer_counts() -> None:
    assert of_texts(RULE, ("ras.txt", ras.JOB + ras.INCOMPLETE + LOST_RANK + ras.JOB + ras.FINE)).findings == ()


def proofs(text: str) -> list[str]:
    return [proof.message for proof in of_texts(RULE, ("ras.txt", text)).proofs]


def test_communicators_that_run_without_an_error_are_a_proof() -> None:
    assert proofs(ras.VERSION + ras.JOB + ras.FINE) == snapshot(
        ["RAS lists 1 communicator over 8 GPUs, all running and none with an error"]
    )
    assert proofs(ras.JOB + ras.FINE.replace(" RUNNING ", "    INIT ")) == []
    assert proofs(ras.answer(41, 40)) == []
    assert proofs(ras.answer(41, 40) + ras.JOB + ras.FINE) == []
    assert proofs(ras.VERSION + ras.JOB) == []
