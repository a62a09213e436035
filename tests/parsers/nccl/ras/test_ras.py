"""One job asked twice: RAS's text and its JSON give the same picture, as far as both say it."""

from __future__ import annotations

import json

from inline_snapshot import snapshot

import ras_answers as ras
from slowlink.inputs import Input
from slowlink.model.hang import RasSnapshot
from slowlink.parsers.nccl.ras import DOCUMENT, PARSER
from slowlink.parsers.reading.read import read

TEXT = ras.answer(41, 40)
RANKS = [ras.rank(number, {"AllReduce": 40 if number in (2, 5) else 41}) for number in range(8)]
JSON = json.dumps(ras.document(RANKS), indent=2)


def answer(text: str) -> RasSnapshot:
    (found,) = read([Input("ras.txt", None, [text.encode()])], workers=1).ras
    return found


def picture(found: RasSnapshot) -> dict[str, object]:
    """What both forms say of a job."""
    return {
        "job": (found.nodes, found.processes, found.gpus),
        "status": [group.status for group in found.groups],
        "behind": [
            (mismatch.collective, mismatch.kind, [(s.ranks, s.operation, [p.rank for p in s.members]) for s in shares])
            for communicator in found.communicators
            for mismatch in communicator.mismatches
            for shares in (mismatch.shares,)
            if mismatch.kind == "operations"
        ][:1],
    }


def test_the_text_of_a_job_with_two_ranks_behind() -> None:
    assert picture(answer(TEXT)) == snapshot(
        {
            "job": (2, 8, 8),
            "status": ["RUNNING"],
            "behind": [("AllReduce", "operations", [(6, 41, []), (2, 40, [2, 5])])],
        }
    )


def test_the_json_of_the_same_job_adds_who_is_ahead() -> None:
    assert picture(answer(JSON)) == snapshot(
        {
            "job": (2, 8, 8),
            "status": ["RUNNING"],
            "behind": [("AllReduce", "operations", [(6, 41, [0, 1, 3, 4, 6, 7]), (2, 40, [2, 5])])],
        }
    )


def test_a_text_that_is_cut_is_not_complete_and_json_that_is_cut_says_less() -> None:
    assert [answer(form).complete for form in (TEXT, JSON)] == [True, True]
    assert not answer(TEXT[: TEXT.index("Communicators")]).complete
    assert not answer(JSON[: JSON.index('"rank": 7')]).complete


def test_both_forms_are_one_kind() -> None:
    assert (PARSER.kind, DOCUMENT.kind) == ("nccl-ras", "nccl-ras")
    assert not PARSER.wants("The answer of a job")
    assert not DOCUMENT.wants_document({"communicators": []})
