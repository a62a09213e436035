"""What a test of the ladder asks of the launchers: the exact command lines, without anything being run."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from ladder.machines import gpu_machine, plan_of
from slowlink.benchmarks.interface import Request
from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.model.ladder import LadderTest
from slowlink.model.plan import Node
from slowlink.quoting import quote
from slowlink.workflows.climb.asked import Way, asked_for
from slowlink.workflows.climb.running import without_settings
from slowlink.workflows.climb.setting_out import Said, who
from slowlink.workflows.plan_run import Asked, plan_run

HERE = Surroundings(
    environment={},
    programs={"mpirun": "/opt/bin/mpirun", "ssh": "/usr/bin/ssh"},
    mpi="openmpi 5.0.11",
    uid=1000,
    cpus=8,
    scratch="/tmp",
)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory with programs of the names that are looked for."""
    for name in ("ib_write_bw", "all_reduce_perf"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def lines(programs: Path, *, quick: bool = False, layers: tuple[str, ...]) -> list[str]:
    asked = Asked(
        Request("all_reduce", 8, 8), "nccl-tests", str(programs), "ssh", ranks_per_node=8, options=LaunchOptions(60.0)
    )
    nodes = {f"node{number}": Node(f"node{number}") for number in range(1, 5)}
    way = Way(
        asked, nodes, True, False, quick, gpu_memory="cuda", perftest=str(programs), settings={"NCCL_DEBUG": "WARN"}
    )
    tests = [test for test in plan_of(gpu_machine()).tests if test.layer in layers]
    made = [plan_run(asked_for(_with_ranks(test), way), HERE, Path("out"), on_nodes=False) for test in tests]
    return [quote(each.job.argv).replace(str(programs), "BIN") for each in made]


def _with_ranks(test: LadderTest) -> LadderTest:
    """Eight where the GPUs of this machine would say it."""
    from msgspec.structs import replace

    return replace(test, ranks_per_node=test.ranks_per_node or 8)


def test_pairs_on_host_and_gpu_memory(programs: Path) -> None:
    words = [line.partition("slowlink.launch.pair ")[2] for line in lines(programs, layers=("pairs-host", "pairs-gpu"))]
    assert words[0] == snapshot(
        "--server BIN/ib_write_bw -F --report_gbits -s 1048576 -D 3 -p 18515 -d mlx5_0 -i 1 --client BIN/ib_write_bw -F --report_gbits -s 1048576 -D 3 -p 18515 -d mlx5_0 -i 1 node1"
    )
    assert words[9] == snapshot(
        "--server BIN/ib_write_bw -F --report_gbits -s 1048576 -D 3 -p 18515 -d mlx5_1 -i 1 --use_cuda=4 --client BIN/ib_write_bw -F --report_gbits -s 1048576 -D 3 -p 18515 -d mlx5_1 -i 1 --use_cuda=4 node1"
    )


def test_collectives_on_gpus(programs: Path) -> None:
    found = [
        line.partition("BIN/")[2] for line in lines(programs, layers=("node", "one-rank", "two-nodes", "all-nodes"))
    ]
    assert list(dict.fromkeys(found)) == snapshot(
        [
            "all_reduce_perf -b 2147483648 -e 8589934592 -f 2 -g 1 -n 20 -w 5 -c 0 -d float -o sum",
            "all_reduce_perf -b 2147483648 -e 8589934592 -f 2 -g 1 -n 20 -w 5 -c 1 -d float -o sum",
        ]
    )
    assert lines(programs, quick=True, layers=("all-nodes",))[0].partition("BIN/")[2] == snapshot(
        "all_reduce_perf -b 268435456 -e 1073741824 -f 2 -g 1 -n 10 -w 5 -c 1 -d float -o sum"
    )


def test_settings_of_the_user_are_left_away_where_a_test_is_to_be_without_them(programs: Path) -> None:
    way = Way(Asked(Request("all_reduce", 8, 8)), {"a": Node("a")}, True, False, settings={"NCCL_IB_DISABLE": "1"})
    test = LadderTest("all-nodes", "all-nodes", ("a",), "all_reduce", env={"NCCL_ALGO": "Ring"})
    assert asked_for(test, way).env == {"NCCL_IB_DISABLE": "1", "NCCL_ALGO": "Ring"}
    fresh = LadderTest("interview", "interview/all-nodes/fresh", ("a",), "all_reduce", fresh=True)
    assert asked_for(fresh, way).env == {}
    asked = Asked(Request("all_reduce", 8, 8), "probe", on="local", nranks=2)
    prepared = plan_run(asked, HERE, Path("out"), on_nodes=False)
    argv = without_settings(prepared, ("NCCL_IB_DISABLE", "NCCL_ALGO")).plan.argv
    assert argv[:6] == ("env", "-u", "NCCL_IB_DISABLE", "-u", "NCCL_ALGO", "/opt/bin/mpirun")


def test_pods_are_not_climbed() -> None:
    here = Surroundings({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, {"kubectl": "/bin/kubectl"}, None, 0, 4, "/tmp")
    with pytest.raises(SlowlinkError) as caught:
        who(here, None, None)
    assert caught.value.slug == "no-nodes"
    assert Said("ssh", (Node("a"),)).timeout_s == 300.0
