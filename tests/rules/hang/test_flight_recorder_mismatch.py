from __future__ import annotations

from hang_findings import of_jobs, said
from inline_snapshot import snapshot
from text_findings import remedy_of

from hang_jobs import Dump, data_parallel, dump, entry

RULE = "flight-recorder-mismatch"


def job(**odd: object) -> dict[int, Dump]:
    """Four ranks wait in operation 9, in which rank 2 called something else."""
    found = data_parallel(dict.fromkeys(range(4), 9), completed=8)
    found[2]["entries"][-1].update(odd)
    return found


def test_another_collective() -> None:
    (found,) = of_jobs(RULE, job(profiling_name="nccl:broadcast"))
    assert said((found,)) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "certain",
                "rank 2 called broadcast as number 9 of default_pg, where ranks 0, 1 and 3 called all_reduce",
                ["rank 2"],
            )
        ]
    )
    assert [(e.source, e.text, e.expected) for e in found.evidence] == snapshot(
        [
            ("dumps0/rank_2.json", 'rank 2, pg 0 "default_pg": collective_seq_id 9 broadcast', "all_reduce"),
            ("dumps0/rank_0.json", 'rank 0, pg 0 "default_pg": collective_seq_id 9 all_reduce', ""),
        ]
    )


def test_it_says_what_to_do() -> None:
    (found,) = of_jobs(RULE, job(profiling_name="nccl:broadcast"))
    assert remedy_of(found) == snapshot(
        [
            ("Have PyTorch compare the calls of all ranks.", "export TORCH_DISTRIBUTED_DEBUG=DETAIL"),
            ("See the program's lines of these calls.", "torchfrtrace DIR -p PREFIX"),
        ]
    )


def test_other_sizes_and_types() -> None:
    assert [m[3] for m in said(of_jobs(RULE, job(input_sizes=[[7, 3]])))] == snapshot(
        [
            "rank 2 called all_reduce of [7, 3] as number 9 of default_pg, where ranks 0, 1 and 3 called all_reduce of [1024]"
        ]
    )
    assert [m[3] for m in said(of_jobs(RULE, job(input_dtypes=["BFloat16"])))] == snapshot(
        [
            "rank 2 called all_reduce of BFloat16 as number 9 of default_pg, where ranks 0, 1 and 3 called all_reduce of Float"
        ]
    )


def test_sizes_of_all_to_all_may_differ() -> None:
    uneven = job(input_sizes=[[7, 3]])
    for content in uneven.values():
        content["entries"][-1]["profiling_name"] = "nccl:all_to_all"
    assert of_jobs(RULE, uneven) == ()


def test_silent_when_equal_or_finished_or_not_told() -> None:
    assert of_jobs(RULE, job()) == ()
    assert of_jobs(RULE, job(input_sizes=None)) == ()
    done = data_parallel({0: 9, 1: 9}, completed=9)
    done[1]["entries"][-1]["profiling_name"] = "nccl:broadcast"
    assert of_jobs(RULE, done) == ()


def test_groups_used_in_different_order_wait_in_a_circle() -> None:
    groups = {"1": ("A_GROUP", [0, 1]), "2": ("B_GROUP", [0, 1])}

    def called(first: str, second: str) -> Dump:
        names = {"1": "A_GROUP", "2": "B_GROUP"}
        both = [
            entry(n, 1, group=(g, names[g]), group_id=int(g), state="scheduled") for n, g in enumerate((first, second))
        ]
        return dump(both, groups)

    assert said(of_jobs(RULE, {0: called("1", "2"), 1: called("2", "1")})) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "ranks wait for one another in a circle: rank 0 in all_reduce 1 of A, rank 1 in all_reduce 1 of B: they use these groups in different orders",
                ["rank 0", "rank 1"],
            )
        ]
    )
    assert of_jobs(RULE, {0: called("1", "2"), 1: called("1", "2")}) == ()
