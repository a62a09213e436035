from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from hang_findings import of_jobs, of_texts, said
from inline_snapshot import snapshot
from text_findings import remedy_of

from hang_jobs import data_parallel

RULE = "flight-recorder-lost"


def test_the_others_wait_for_a_rank_without_a_dump() -> None:
    job = data_parallel({0: 9, 1: 9, 3: 9}, completed=8, nranks=4)
    (found,) = of_jobs(RULE, job)
    assert said((found,)) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "rank 2 left no dump, and 3 others wait for it in all_reduce 9 of default_pg: it died, or could not write one",
                ["rank 2"],
            )
        ]
    )
    assert [e.text for e in found.evidence] == snapshot(
        ["pg_config names rank 2; no dump of it is here", 'rank 0, pg 0 "default_pg": all_reduce 9 scheduled']
    )
    assert remedy_of(found) == snapshot(
        [
            ("See whether the process of this rank lives; if it does, read its stack.", "py-spy dump --pid PID"),
            ("See on its node what ended it.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
        ]
    )


def test_silent_when_a_rank_with_a_dump_holds_them_up() -> None:
    assert of_jobs(RULE, data_parallel({0: 9, 1: 8, 3: 9}, completed=8, nranks=4)) == ()


def test_silent_when_all_are_done_without_it() -> None:
    assert of_jobs(RULE, data_parallel({0: 8, 1: 8, 3: 8}, completed=8, nranks=4)) == ()


def test_a_dump_that_is_cut_is_not_a_rank_that_died() -> None:
    texts = []
    for rank, content in data_parallel({0: 9, 1: 9, 2: 9}, completed=8).items():
        text = json.dumps({"rank": rank, "dump": {**content, "entries": content["entries"] if rank != 2 else []}})
        texts.append((f"d/rank_{rank}.json", text if rank != 2 else text.replace("[]}}", '[{"a')))
    assert said(of_texts(RULE, *texts).findings) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 2: the dump is cut, so nothing shows whether 2 others wait for it in all_reduce 9 of default_pg in vain",
                ["rank 2"],
            )
        ]
    )


def dumps_of(job: Mapping[int, object], cut: Collection[int] = ()) -> list[tuple[str, str]]:
    """A file a rank; of ``cut`` ranks no more than the beginning."""
    texts = {f"d/nccl_trace_rank_{rank}": json.dumps(content) for rank, content in job.items()}
    return [(name, text[:10] if int(name[-1]) in cut else text) for name, text in texts.items()]


def test_a_dump_of_which_nothing_is_left_was_left_all_the_same() -> None:
    job = data_parallel({0: 9, 1: 9, 2: 9, 3: 9}, completed=8)
    (found,) = of_texts(RULE, *dumps_of(job, cut=(2,))).findings
    assert (found.cause, found.severity, [suspect.name for suspect in found.suspects]) == (
        "rank-stuck",
        "warning",
        ["2"],
    )


def test_only_ranks_without_a_dump_left_none() -> None:
    job = data_parallel({0: 9, 1: 9, 2: 9}, completed=8, nranks=4)
    (found,) = of_texts(RULE, *dumps_of(job, cut=(2,))).findings
    assert (found.cause, found.severity, [suspect.name for suspect in found.suspects]) == (
        "rank-lost",
        "critical",
        ["3"],
    )


def test_a_cut_file_of_several_ranks_is_no_proof_that_the_others_left_none() -> None:
    whole = json.dumps(data_parallel({0: 9, 1: 9, 2: 9, 3: 9}, completed=8))
    cut = whole[: whole.index('"3": {')]
    assert said(of_texts(RULE, ("dumps.json", cut)).findings) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 3: no dump is here, and dumps.json, which may hold more, was read only in part, so nothing shows whether 3 others wait for it in all_reduce 9 of default_pg in vain",
                ["rank 3"],
            )
        ]
    )


def test_a_few_dumps_of_many_ranks_accuse_nobody() -> None:
    job = data_parallel({0: 9}, completed=8, nranks=16)
    (found,) = of_jobs(RULE, job)
    assert remedy_of(found) == snapshot([("Collect the dumps of all ranks.", "ls /tmp/nccl_trace_rank_*")])
    assert said((found,)) == snapshot(
        [
            (
                "rank-stuck",
                "warning",
                "possible",
                "rank 0 waits in all_reduce 9 of default_pg; dumps of 1 of 16 ranks do not tell for which of the other 15 in default_pg",
                [],
            )
        ]
    )
    job[0]["entries"][-1]["retired"] = True  # the watchdog gave it up
    assert [f.severity for f in of_jobs(RULE, job)] == ["critical"]


def test_the_rank_that_left_no_dump_comes_before_one_that_is_only_idle() -> None:
    job = data_parallel({0: 9, 1: 9, 3: 9}, completed=8, nranks=4)
    job[3].update(entries=[], pg_status={})
    assert [[s.name for s in f.suspects] for f in of_jobs(RULE, job)] == [["2"]]
    assert of_jobs("flight-recorder-hang", job) == ()
