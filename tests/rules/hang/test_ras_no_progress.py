"""Which jobs go on and which stand, by answers that slowlink took itself."""

from __future__ import annotations

import json

from asked_answers import asked, causes, document, of

import ras_answers as ras


def test_a_job_that_goes_on_is_proof() -> None:
    text = asked((0, document([9, 9], 0)), (20, document([50, 49], 20)))
    (proof,) = of("ras-lost-ranks", text).proofs
    assert proof.message.endswith("; every rank of 1 of them has launched more within 20 s")
    for rule in ("ras-no-progress", "ras-unanswered", "ras-rank-behind", "ras-stuck-mismatch"):
        assert of(rule, text).findings == ()


def test_a_job_that_stands_as_a_whole() -> None:
    text = asked((0, document([9, 9], 0)), (20, document([9, 9], 20)))
    assert of("ras-lost-ranks", text).proofs == ()
    assert causes("ras-no-progress", text) == [("rank-stuck", "warning", "possible")]


def test_one_rank_that_stays_while_the_others_went_on_is_no_proof() -> None:
    text = asked((0, document([9, 9], 0)), (20, document([12, 9], 20)))
    assert of("ras-lost-ranks", text).proofs == ()


def test_answers_of_one_moment_are_one() -> None:
    """Nodes of one job that are asked together show the same counts; nobody stands still for that."""
    one, other = asked((0, document([9, 8, 9], 0))), asked((1, document([9, 8, 9], 1)))
    for rule in ("ras-stuck-mismatch", "ras-no-progress"):
        assert of(rule, one, other).findings == ()
    later = asked((0, document([9, 8, 9], 0)), (20, document([9, 8, 9], 20)))
    assert causes("ras-stuck-mismatch", later) == [("rank-stuck", "critical", "likely")]


def test_a_sound_job_hides_no_sick_one() -> None:
    sick = asked((0, document([9, 8, 9], 0, "5")), (20, document([9, 8, 9], 20, "5")))
    sound = asked((1, document([9, 9], 1, "6")), (21, document([40, 40], 21, "6")))
    for texts in ((sick, sound), (sound, sick)):
        assert causes("ras-stuck-mismatch", *texts) == [("rank-stuck", "critical", "likely")]
    lost = ras.document([ras.rank(0, {"AllReduce": 9})], [ras.missing_rank(1, True, True)])
    older = asked((0, json.dumps(lost, indent=2)), port=29000)
    assert causes("ras-lost-ranks", older, sound) == [("rank-lost", "critical", "likely")]
