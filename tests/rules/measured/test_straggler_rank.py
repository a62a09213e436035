from __future__ import annotations

import json
import random

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def probe_file(
    late_us: dict[int, float],
    *,
    nranks: int = 8,
    per_node: int = 2,
    iterations: int = 20,
    clock_error_us: float = 0.0,
    iteration_us: float = 500.0,
    collective: str = "all_reduce",
    late_points: int = 4,
) -> str:
    """Four points whose ranks begin within 3 us of one another, but for those in ``late_us``."""
    rng = random.Random(5)
    ranks = [{"rank": r, "host": f"node{r // per_node:02d}", "pid": 100 + r} for r in range(nranks)]
    part = {"slowlink_probe": 1, "run": "ab12", "collective": collective}
    lines = [part | {"kind": "run", "nranks": nranks, "backend": "mpi", "ranks": ranks}]
    for index, size in enumerate((1024, 8192, 65536, 524288)):
        late = late_us if index < late_points else {}
        starts = [
            [i * iteration_us + rng.uniform(0, 3) + late.get(r, 0.0) for i in range(iterations)] for r in range(nranks)
        ]
        lines.append(
            part
            | {"kind": "point", "size_bytes": size, "placement": "out_of_place", "time_us": iteration_us, "wrong": 0}
            | {"algbw_gbs": size / iteration_us / 1e3, "busbw_gbs": size / iteration_us / 1e3}
            | {"clock_error_us": [clock_error_us] * nranks, "start_us": starts}
            | {"duration_us": [[iteration_us] * iterations] * nranks}
        )
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n"


def causes(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(f.cause, [(s.kind, s.name) for s in f.suspects]) for f in findings_of("straggler-rank", text)]


def test_one_late_rank() -> None:
    assert causes(probe_file({3: 120.0})) == [("straggler-gpu", [("rank", "3"), ("node", "node01")])]


def test_what_is_said() -> None:
    assert said("straggler-rank", probe_file({3: 120.0})) == snapshot(
        [
            (
                "straggler-gpu",
                "error",
                "likely",
                "rank 3 on node01 began all_reduce late in most iterations at 4 of 4 points: at 8 KiB by 120 us "
                "(99 %: 121 us) where an iteration takes 500 us, and last of all in 100%",
            )
        ]
    )


def test_all_ranks_of_a_node() -> None:
    assert causes(probe_file({4: 120.0, 5: 130.0})) == [("straggler-node", [("node", "node02")])]


def test_on_one_node_no_node_is_accused() -> None:
    assert causes(probe_file({3: 120.0}, per_node=8)) == [("straggler-gpu", [("rank", "3")])]


def test_silent_where_all_come_together() -> None:
    assert causes(probe_file({})) == []


def test_silent_below_what_clocks_can_tell() -> None:
    assert causes(probe_file({3: 120.0}, clock_error_us=150.0)) == []


def test_silent_where_it_costs_nothing() -> None:
    assert causes(probe_file({3: 30.0})) == []


def test_silent_on_few_iterations() -> None:
    assert causes(probe_file({3: 120.0}, iterations=9)) == []
    assert causes(probe_file({3: 120.0}, iterations=10)) != []


def test_silent_on_few_ranks() -> None:
    assert causes(probe_file({2: 120.0}, nranks=3)) == []
    assert causes(probe_file({2: 120.0}, nranks=4)) != []


def test_silent_where_it_is_late_at_one_size_only() -> None:
    assert causes(probe_file({3: 120.0}, late_points=1)) == []


def test_silent_on_collectives_whose_ranks_run_ahead() -> None:
    assert causes(probe_file({3: 120.0}, collective="broadcast")) == []


def test_it_says_what_to_do_about_a_rank_and_about_a_node() -> None:
    rank = remedies_of("straggler-rank", probe_file({3: 120.0}))
    assert rank == snapshot(
        [
            [
                ("See what else runs there.", "top -b -n 1 | head -20"),
                ("Measure again, every iteration on every rank.", "slowlink run all_reduce --benchmark probe"),
            ]
        ]
    )
    assert remedies_of("straggler-rank", probe_file({4: 120.0, 5: 130.0})) == rank
