from __future__ import annotations

import json

from hang_findings import of_texts, said
from inline_snapshot import snapshot
from text_findings import remedy_of

import ras_answers as ras

RULE = "ras-reported-errors"


def test_ranks_with_an_error() -> None:
    (found,) = of_texts(RULE, ("ras.txt", ras.JOB + ras.INCOMPLETE + ras.MISSING)).findings
    assert said((found,)) == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "likely",
                "RAS lists an error of initialisation on ranks 2, 3 and 5: unhandled system error and remote process exited or there was a network error",
                ["rank 2", "rank 3", "rank 5", "node 10.1.0.8", "node 10.1.0.9"],
            )
        ]
    )
    assert [e.text.strip() for e in found.evidence] == snapshot(
        [
            "Initialization errors on 2 ranks",
            "Asynchronous error on 1 rank",
            "Rank 2 -- GPU 2 managed by process 4103 on node 10.1.0.8",
            "Rank 3 -- [process information not found]",
        ]
    )


def test_it_says_what_to_do() -> None:
    (found,) = of_texts(RULE, ("ras.txt", ras.JOB + ras.INCOMPLETE + ras.MISSING)).findings
    assert remedy_of(found) == snapshot([("Read the first warning of these ranks.", "export NCCL_DEBUG=WARN")])


def test_json() -> None:
    ranks = [ras.rank(0, {}), ras.rank(1, {}, async_error=6)]
    assert [m[3] for m in said(of_texts(RULE, ("ras.json", json.dumps(ras.document(ranks)))).findings)] == snapshot(
        ["RAS lists an asynchronous error on rank 1: ncclRemoteError"]
    )


def test_silent_without_errors_and_while_starting() -> None:
    assert of_texts(RULE, ("ras.txt", ras.answer(41, 40))).findings == ()
    starting = ras.document([ras.rank(0, {}, init_state=7, async_error=7)])
    assert of_texts(RULE, ("ras.json", json.dumps(starting))).findings == ()
