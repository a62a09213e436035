from __future__ import annotations

from hang_findings import of_jobs, said
from inline_snapshot import snapshot
from text_findings import remedy_of

from hang_jobs import Dump, data_parallel, dump, entry, status

RULE = "flight-recorder-hang"


def test_a_rank_that_did_not_call_the_collective() -> None:
    (found,) = of_jobs(RULE, data_parallel({0: 9, 1: 9, 2: 8, 3: 9}, completed=8))
    assert said((found,)) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 2 did not reach all_reduce 9 of default_pg that 3 others wait in",
                ["rank 2"],
            )
        ]
    )
    assert [(e.source, e.line, e.text, e.observed, e.expected) for e in found.evidence] == snapshot(
        [
            (
                "dumps0/rank_2.json",
                1,
                'rank 2, pg 0 "default_pg": last_enqueued_collective 8',
                "",
                "all_reduce 9 enqueued",
            ),
            ("dumps0/rank_0.json", 1, 'rank 0, pg 0 "default_pg": all_reduce 9 scheduled', "3 ranks in it", ""),
        ]
    )
    assert remedy_of(found) == snapshot(
        [
            ("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID"),
            (
                "See whether the GPU or its driver failed on the node of this rank.",
                "dmesg -T | grep -i -E 'xid|nvrm|oom'",
            ),
        ]
    )


def tensor_and_data_parallel(stuck: int) -> dict[int, Dump]:
    """Four ranks: groups TP [0,1] [2,3] and DP [0,2] [1,3]. One rank of TP did not come; its DP peer waits in vain."""
    groups = {
        "1": ("TP_GROUP", [0, 1]),
        "2": ("TP_GROUP", [2, 3]),
        "3": ("DP_GROUP", [0, 2]),
        "4": ("DP_GROUP", [1, 3]),
    }
    found = {}
    for rank in range(4):
        mine = {name: group for name, group in groups.items() if rank in group[1]}
        tensor, data = sorted(mine)
        entries = [
            entry(1, 1, group=(tensor, "TP_GROUP"), group_id=0),
            entry(2, 1, group=(data, "DP_GROUP"), group_id=1),
        ]
        if rank != stuck:
            entries.append(entry(3, 2, group=(tensor, "TP_GROUP"), group_id=0, state="scheduled"))
            entries.append(entry(4, 2, group=(data, "DP_GROUP"), group_id=1, state="scheduled"))
        if rank // 2 != stuck // 2:
            entries[2]["state"] = "completed"  # the other pair of TP went through
        found[rank] = dump(entries, mine)
    return found


def test_blame_goes_through_other_groups_to_its_end() -> None:
    """Rank 1 waits for rank 3 in DP, and rank 3 has been through its TP; rank 0 waits for rank 1 in TP."""
    assert said(of_jobs(RULE, tensor_and_data_parallel(stuck=3))) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 3 did not reach all_reduce 2 of TP that 1 other waits in, and 2 more behind it",
                ["rank 3"],
            )
        ]
    )


def test_a_rank_whose_gpu_does_not_go_on() -> None:
    """Rank 1 shows unfinished what all others have finished; they wait in the next."""
    job = data_parallel({0: 9, 1: 8, 2: 9, 3: 9}, completed=8)
    job[1]["entries"][-1].update(state="started", retired=False)
    job[1]["pg_status"] = {"0": status(8, 7)}
    assert said(of_jobs(RULE, job)) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 1 did not get through to all_reduce 9 of default_pg that 3 others wait in; the oldest that it "
                "has not finished is all_reduce 8 of default_pg",
                ["rank 1"],
            )
        ]
    )


def test_a_note_of_an_injected_fault_settles_it() -> None:
    (found,) = of_jobs(RULE, data_parallel({0: 3, 1: 2, 2: 3}, completed=2), more="Fault ranks: [1]\n")
    assert found.confidence == "certain"
    assert found.message.endswith("; a fault was injected there on purpose")


def test_only_pending_operations_are_in_the_dump() -> None:
    """Dumps of active operations only: a rank without any is judged by its status, joined by order of its groups."""
    job = data_parallel({0: 9, 1: 9, 2: 8}, completed=8)
    for content in job.values():
        content["entries"] = [e for e in content["entries"] if e["state"] != "completed"]
    (found,) = of_jobs(RULE, job)
    assert (found.confidence, [s.name for s in found.suspects]) == ("likely", ["2"])
    job[2]["pg_status"] = {}
    assert said(of_jobs(RULE, job)) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "possible",
                "rank 2 has nothing under way, and may not have reached all_reduce 9 of default_pg that 2 others wait in",
                ["rank 2"],
            )
        ]
    )


def test_silent_when_the_job_runs_or_is_finished() -> None:
    assert of_jobs(RULE, data_parallel({0: 8, 1: 8}, completed=8)) == ()
    assert of_jobs(RULE, data_parallel({0: 9, 1: 9}, completed=8)) == ()


def test_silent_when_a_second_dump_shows_that_it_went_on() -> None:
    first, second = data_parallel({0: 9, 1: 8}, completed=8), data_parallel({0: 19, 1: 18}, completed=18)
    assert of_jobs(RULE, first, second) == ()
    assert len(of_jobs(RULE, first, first)) == 2


def test_a_rank_without_a_dump_is_mentioned_beside_the_one_that_is_known() -> None:
    (found,) = of_jobs(RULE, data_parallel({0: 9, 1: 8, 3: 9}, completed=8, nranks=4))
    assert found.message == snapshot(
        "rank 1 did not reach all_reduce 9 of default_pg that 2 others wait in; no dump tells of rank 2"
    )


def test_a_dump_that_is_cut_accuses_nobody() -> None:
    import json

    from hang_findings import of_texts

    job = data_parallel({0: 9, 1: 9, 2: 9}, completed=8)
    whole = {rank: json.dumps({"rank": rank, "dump": content}, indent=1) for rank, content in job.items()}
    texts = [(f"d/rank_{rank}.json", text if rank != 1 else text[: len(text) // 2]) for rank, text in whole.items()]
    assert of_texts(RULE, *texts).findings == ()


def pipeline(receiver_came: bool) -> dict[int, Dump]:
    """Rank 0 sends to rank 1, which posted its receive or did not."""
    groups = {"3": ("PIPELINE_MODEL_PARALLEL_GROUP", [0, 1])}
    where = {"group": ("3", "PIPELINE_MODEL_PARALLEL_GROUP"), "p2p": True, "state": "scheduled"}
    receive = [entry(5, 7, operation="recv 1<-0", **where)] if receiver_came else []  # type: ignore[arg-type]
    return {
        0: dump([entry(5, 7, operation="send 0->1", **where)], groups, {"0": status(7, 6)}),  # type: ignore[arg-type]
        1: dump(receive, groups, {"0": status(7 if receiver_came else 6, 6)}),
    }


def test_a_receive_that_was_not_posted() -> None:
    assert said(of_jobs(RULE, pipeline(receiver_came=False))) == snapshot(
        [
            (
                "rank-stuck",
                "critical",
                "likely",
                "rank 1 did not reach send 0->1 7 of PIPELINE_MODEL that 1 other waits in",
                ["rank 1"],
            )
        ]
    )
    assert of_jobs(RULE, pipeline(receiver_came=True)) == ()
