"""What PyTorch's analyser of flight recorders prints, in all its versions."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "flight-calls-differ"


def block(errors: str, expected: str = "{0, 1, 2, 3}", operation: str = "nccl:all_reduce") -> str:
    return f"""\
Collective sequence number: 41 has errors
internal record id: 40
group info: 0:default_pg
collective: {operation}
input sizes: [[1024]]
output sizes: [[1024]]
world size: 4
expected ranks: {expected}
collective state: scheduled
error msg: {errors}
collective stack trace:
 all_reduce at /opt/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py:2810
clip_norm at /srv/app/train.py:88
"""


def culprit(rank: int, error: str, detail: str) -> str:
    return f"Culprit rank {rank}; Error type: {error}, {detail}"


TYPE = "Expected collective type: 'all_reduce' does not match found collective type: 'broadcast'"
SIZES = "Expected input sizes: '[[1024]]' does not match found input sizes: '[[1000]]'"
STATE = "Expected state: 'completed' does not match found state: 'scheduled'"


def test_another_collective_on_one_rank() -> None:
    (found,) = findings_of(RULE, block(culprit(2, "COLLECTIVE_TYPE_MISMATCH", TYPE)))
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "collective-mismatch",
            "critical",
            "certain",
            "rank 2 called broadcast as number 41 of default_pg, where ranks 0, 1 and 3 called all_reduce; the call is in clip_norm at /srv/app/train.py:88",
        )
    )
    assert [suspect.name for suspect in found.suspects] == ["2"]


def test_where_most_are_called_culprits_the_first_rank_is_the_odd_one() -> None:
    errors = ", ".join(culprit(rank, "COLLECTIVE_TYPE_MISMATCH", TYPE) for rank in (1, 2, 3))
    (found,) = findings_of(RULE, block(errors))
    assert found.message.startswith(
        "rank 0 called all_reduce as number 41 of default_pg, where ranks 1, 2 and 3 called broadcast"
    )
    assert [suspect.name for suspect in found.suspects] == ["0"]


def test_other_sizes() -> None:
    assert [each[:4] for each in said(RULE, block(culprit(3, "SIZE_OR_SYNTAX_MISMATCH", SIZES)))] == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "rank 3 called all_reduce with other sizes: [[1000]], not [[1024]] (number 41 of default_pg; compared with ranks 0, 1 and 2); the call is in clip_norm at /srv/app/train.py:88",
            )
        ]
    )


def test_ranks_that_have_not_finished_what_others_have_are_stuck() -> None:
    assert said(RULE, block(culprit(1, "COLLECTIVE_STATE_MISMATCH", STATE))) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 1 did not get as far as others in all_reduce, number 41 of default_pg (scheduled; ranks 0, 2 and 3 have completed): the calls are alike",
            )
        ]
    )


def test_a_culprit_that_is_ahead_is_none() -> None:
    ahead = "Expected state: 'scheduled' does not match found state: 'completed'"
    (found,) = findings_of(RULE, block(culprit(1, "COLLECTIVE_STATE_MISMATCH", ahead)))
    assert [suspect.name for suspect in found.suspects] == ["0", "2", "3"]


def test_only_the_first_block_of_a_group_counts() -> None:
    second = block(culprit(1, "SIZE_OR_SYNTAX_MISMATCH", SIZES)).replace("41", "42")
    assert len(said(RULE, block(culprit(2, "COLLECTIVE_TYPE_MISMATCH", TYPE)) + second)) == 1
    other = second.replace("0:default_pg", "4:tp")
    assert len(said(RULE, block(culprit(2, "COLLECTIVE_TYPE_MISMATCH", TYPE)) + other)) == 2


def test_an_all_to_all_that_does_not_add_up() -> None:
    text = """\
Input/output mismatch in the collective sequence number: 7
group info: 3:ep
collective: nccl:all_to_all
total input numel: 4096
total output numel: 4000
"""
    assert said(RULE, text) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "what the ranks send and what they expect in all_to_all, number 7 of ep does not add up: 4096 elements in, 4000 out",
            )
        ]
    )


def test_the_older_forms() -> None:
    older = "Collective 41 errors for group 0:default_pg collective nccl:all_reduce  [[8]] [[8]] 4 scheduled\n"
    older += "Found errors: Error rank 2, Error type: COLLECTIVE_TYPE_MISMATCH\n"
    oldest = "Mismatched collective on rank 2 for group 0:default_pg collective nccl:all_reduce\n"
    assert [each[3] for each in (*said(RULE, older), *said(RULE, oldest))] == snapshot(
        [
            "rank 2 called all_reduce with another collective (one call of default_pg; compared with the others)",
            "rank 2 differs from the others in all_reduce, one call of default_pg",
        ]
    )


def test_send_and_recv_that_do_not_pair_up() -> None:
    text = (
        "MISMATCH \n\n"
        "--------------------------------------------------  -------------------------------------------------\n"
        "send(s=0 d=1, input_sizes=[[9]], state=scheduled)   recv(s=0 d=1, input_sizes=[[8]], state=scheduled)\n"
    )
    assert [each[:3] for each in said(RULE, text)] == [("collective-mismatch", "critical", "likely")]


def test_the_word_mismatch_alone_says_nothing() -> None:
    assert said(RULE, "MISMATCH\nchecksum of shard 4\n") == []


def test_dumps_that_are_missing() -> None:
    text = (
        "We cannot decide what's wrong with this collective entry because we missed FR dumps from ranks ({5, 6}) so we "
        "don't have enough information. If you want to debug further use -j to dump all raw trace\n"
    )
    assert said(RULE, text) == snapshot(
        [
            (
                "rank-lost",
                "warning",
                "possible",
                "the analyser has no flight recorder of ranks 5 and 6: the process ended before it could write one, or the file was not collected",
            )
        ]
    )


def test_ranks_that_did_not_join_are_stuck() -> None:
    text = """\
Not all ranks joining collective, sequence number: 18
internal record id: 17
group info: 5:dp_group
collective: nccl:_reduce_scatter_base
missing ranks: {6, 14}
world size: 16
"""
    assert said("rank-stuck", text) == snapshot(
        [("rank-stuck", "critical", "certain", "ranks 6 and 14 did not join _reduce_scatter_base number 18")]
    )
    older = "Not all ranks joining collective for group 5:dp collective nccl:all_reduce  Missing ranks are {6}  [[8]]\n"
    assert [each[3] for each in said("rank-stuck", older)] == ["rank 6 did not join all_reduce"]
