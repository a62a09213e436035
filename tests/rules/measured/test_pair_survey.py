from __future__ import annotations

from itertools import combinations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

NODES = ("node01", "node02", "node03", "node04", "node05")
ALL = tuple(combinations(NODES, 2))


def survey(
    pairs: tuple[tuple[str, str], ...] = ALL, slow: dict[tuple[str, str], float] | None = None, dead: int = 0
) -> str:
    """One all-to-all for each pair; ``slow``: pair -> GB/s; the first ``dead`` pairs die."""
    text = []
    for number, pair in enumerate(pairs):
        job = SimulatedJob(
            LoggedCluster(hosts=pair, gpus=1),
            collective="alltoall",
            plateau_gbs=(slow or {}).get(pair, 46.0),
            logged=False,
            rows_before_death=2 if number < dead else None,
        )
        text.append(job_log(job))
    return "\n".join(text)


def test_a_node_that_is_slow_with_everybody() -> None:
    slow = {pair: 22.0 for pair in ALL if "node04" in pair}
    assert findings("pair-survey", survey(slow=slow)) == snapshot(
        [
            {
                "cause": "straggler-node",
                "message": "node04 is slow with 4 of its 4 partners: alltoall gives 21.7 GB/s, other pairs 45.4",
                "how": "error, likely",
                "suspects": ["node node04"],
                "evidence": [
                    (83, "node01 - node04: 21.71 GB/s / 45.4 GB/s"),
                    (173, "node02 - node04: 21.71 GB/s / 45.4 GB/s"),
                    (233, "node03 - node04: 21.71 GB/s / 45.4 GB/s"),
                ],
                "explains": ["busbw-below-expected", "bandwidth-unstable"],
            }
        ]
    )


def test_what_other_pairs_give_is_that_of_pairs_without_the_slow_node() -> None:
    four = tuple(combinations(NODES[:4], 2))  # half of them have the slow node in them
    (found,) = check("pair-survey", survey(four, {pair: 22.0 for pair in four if "node04" in pair})).findings
    assert found.message == snapshot(
        "node04 is slow with 3 of its 3 partners: alltoall gives 21.7 GB/s, other pairs 45.4"
    )


def test_a_path_between_two_good_nodes() -> None:
    assert findings("pair-survey", survey(slow={("node02", "node05"): 30.0})) == snapshot(
        [
            {
                "cause": "slow-path",
                "message": "1 of 10 pairs of nodes is slow in alltoall (node02 - node05) while their ends are fine with others: down to 29.6 of 45.4 GB/s",
                "how": "error, likely",
                "suspects": ["link node02 - node05"],
                "evidence": [(203, "node02 - node05: 29.61 GB/s / 45.4 GB/s")],
                "explains": ["busbw-below-expected", "bandwidth-unstable"],
            }
        ]
    )


def test_near_the_threshold() -> None:
    assert findings("pair-survey", survey(slow={("node02", "node05"): 42.0})) == []
    assert len(findings("pair-survey", survey(slow={("node02", "node05"): 41.0}))) == 1


def test_an_end_that_nobody_else_tested_may_be_the_slow_one() -> None:
    pairs = (("node01", "node02"), ("node01", "node03"), ("node02", "node03"), ("node04", "node05"))
    (found,) = check("pair-survey", survey(pairs, {("node04", "node05"): 30.0})).findings
    assert (found.confidence, found.message) == snapshot(
        (
            "possible",
            "1 of 4 pairs of nodes is slow in alltoall (node04 - node05) and not every end was seen fast with another partner: down to 29.6 of 45.4 GB/s",
        )
    )


def test_the_best_of_repeated_tests_counts() -> None:
    text = survey(slow={("node02", "node05"): 30.0}) + survey((("node02", "node05"),))
    assert findings("pair-survey", text) == []


def test_pairs_that_agree_are_a_proof() -> None:
    assert [proof.message for proof in check("pair-survey", survey()).proofs] == snapshot(
        ["10 pairs of nodes agree on 45.4 GB/s of alltoall"]
    )


def test_pairs_that_did_not_finish() -> None:
    assert findings("pair-survey", survey(dead=2)) == snapshot(
        [
            {
                "cause": "rank-lost",
                "message": "2 pairs did not finish (node01 - node02, node01 - node03); node01 is in 2 of them",
                "how": "error, possible",
                "suspects": ["node node01"],
                "evidence": [(14, "node01 - node02 stops here"), (29, "node01 - node03 stops here")],
                "explains": ["output-truncated", "nccl-error-unexplained"],
            }
        ]
    )


def test_one_pair_is_no_survey() -> None:
    assert skipped("pair-survey", survey(ALL[:1])) == snapshot(
        "not a survey of node pairs (three or more runs over different pairs)"
    )


def test_it_says_what_to_do_about_a_node_a_path_and_a_pair_that_did_not_finish() -> None:
    assert remedies("pair-survey", survey(slow={pair: 22.0 for pair in ALL if "node04" in pair})) == snapshot(
        [
            [
                (
                    "Take the node out, and test each of its HCAs and GPUs by itself.",
                    "ib_write_bw -d HCA --report_gbits node04",
                )
            ]
        ]
    )
    assert remedies("pair-survey", survey(slow={("node02", "node05"): 30.0})) == snapshot(
        [
            [
                ("Test these pairs again, to tell a path from a moment.", ""),
                ("Read the counters of the links between the two nodes.", "ibqueryerrors; mlxlink -d mlx5_0 -c -e"),
            ]
        ]
    )
    assert remedies("pair-survey", survey(dead=2)) == snapshot(
        [[("Run one of these pairs again with NCCL's log and a time-out.", "NCCL_DEBUG=INFO alltoall_perf ... -T 120")]]
    )
