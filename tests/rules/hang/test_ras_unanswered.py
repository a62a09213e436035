"""Which jobs did not tell whether they go on."""

from __future__ import annotations

from asked_answers import QUIET, asked, document, of

import ras_answers as ras


def test_text_does_not_tell_whether_a_job_goes_on() -> None:
    (found,) = of("ras-unanswered", asked((0, QUIET), (20, QUIET))).findings
    assert found.message.startswith(
        "no rank is lost or behind, and whether the job goes on is unknown: NCCL 2.28.7 told"
    )
    moving = asked((0, ras.answer(8, 7)), (20, ras.answer(30, 29)))
    assert of("ras-unanswered", moving).findings == ()


def test_who_did_not_answer() -> None:
    whole = asked((0, document([9, 9], 0)), (20, document([50, 49], 20)))
    silent = asked((0, ""), outcome="silent: timed out", port=29000)
    (found,) = of("ras-unanswered", f"{whole}\n{silent}").findings
    assert (found.cause, found.message) == (
        "job-unasked",
        "a job may be unknown on this node: localhost:29000: timed out",
    )
    absent = asked((0, ""), outcome="absent: nothing listens there", port=29000)
    assert of("ras-unanswered", f"{whole}\n{absent}").findings == ()
    assert [each.message for each in of("ras-unanswered", absent).findings] == [
        "no job told of itself on this node: localhost:29000: nothing listens there"
    ]
    unended = whole.rpartition("\n")[0]
    assert [each.message for each in of("ras-unanswered", unended).findings] == [
        "a job may be unknown on this node: localhost:28028: no time was left for its answer"
    ]


def test_nodes_that_were_not_asked() -> None:
    """A job of eight ranks has two nodes in its answer; what listens on more nodes is another job's."""
    many = [document([9] * 8, 0), document([50] * 8, 20)]
    whole = asked((0, many[0]), (20, many[1]))
    other = asked((0, ""), outcome="unasked: other nodes were")

    def of_nodes(count: int) -> list[str]:
        head = "#slowlink-transcript 1 c0ffee host gpu{} at 1795000000.0\n"
        texts = [head.format(number) + (other if number else whole) for number in range(count)]
        return [each.message for each in of("ras-unanswered", *texts).findings]

    assert of_nodes(2) == []
    assert of_nodes(3) == [
        "a job may be unknown: RAS listens on 3 nodes, and the jobs that answered have 2; --ask 3 asks all"
    ]
