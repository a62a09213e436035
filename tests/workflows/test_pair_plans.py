"""Pairs of perftest: what is asked, and when its numbers count."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from run_samples import report

from slowlink import exits
from slowlink.benchmarks.interface import Request
from slowlink.errors import SlowlinkError
from slowlink.launch.interface import Surroundings
from slowlink.launch.node_check import Observed
from slowlink.model.plan import Allocation, Node
from slowlink.workflows.pair import Ends, common_hcas
from slowlink.workflows.pair_gates import pair_gates
from slowlink.workflows.plan_run import Asked, Prepared, plan_run

HERE = Surroundings(
    environment={},
    programs={"mpirun": "/opt/mpi/bin/mpirun", "mpiexec.hydra": "/opt/mpi/bin/mpiexec.hydra", "ssh": "/usr/bin/ssh"},
    mpi="openmpi 5.0.11",
    uid=1000,
    cpus=8,
    scratch="/scratch",
)


def nodes(*found: Node) -> Allocation:
    return Allocation(found, "--nodes")


def prepared(tmp_path: Path, allocation: Allocation | None, ends: Ends, *, here: Surroundings = HERE) -> Prepared:
    program = tmp_path / "ib_write_bw"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    request = Request("ib_write_bw", 65536, 65536)
    return plan_run(Asked(request, path=str(program), allocation=allocation, ends=ends), here, tmp_path / "out")


@pytest.mark.parametrize("mpi", ["openmpi 5.0.11", "mpich 4.2.1"])
def test_first_node_serves_and_is_called_by_its_address(tmp_path: Path, mpi: str) -> None:
    allocation = nodes(Node("a", address="10.0.0.1"), Node("b"))
    found = prepared(
        tmp_path,
        allocation,
        Ends(tuple((hca, hca) for hca in ("mlx5_0", "mlx5_1")), "cuda", (3, 3)),
        here=replace(HERE, mpi=mpi),
    )
    assert (found.benchmark, found.job.nranks, found.job.ranks_per_node) == ("perftest", 2, 1)
    (hostfile,) = (file.content for file in found.plan.files if file.path == "hostfile")
    assert [line.replace(":", " ").split()[0] for line in hostfile.splitlines()] == ["10.0.0.1", "b"]
    text = " ".join(found.plan.argv)
    assert text.count("--use_cuda=3") == 4
    assert "-p 18515 -d mlx5_0 -i 1 --use_cuda=3 10.0.0.1 --server" in text
    assert text.endswith("-p 18516 -d mlx5_1 -i 1 --use_cuda=3 10.0.0.1")


def test_here_both_sides_run_on_this_machine(tmp_path: Path) -> None:
    found = prepared(tmp_path, None, Ends())
    assert (found.plan.launcher, found.job.nranks, found.job.ranks_per_node) == ("local", 2, 2)
    assert found.plan.argv[-3:] == ("-p", "18515", "localhost")


@pytest.mark.parametrize("count", [1, 3])
def test_a_pair_is_two_nodes(tmp_path: Path, count: int) -> None:
    with pytest.raises(SlowlinkError, match=f"measures one pair of nodes; --nodes names {count}"):
        prepared(tmp_path, nodes(*(Node(f"n{index}") for index in range(count))), Ends())


def test_srun_starts_no_pair(tmp_path: Path) -> None:
    environment = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}
    here = replace(HERE, environment=environment, programs={**HERE.programs, "srun": "/usr/bin/srun"})
    here = replace(here, slurm_state="RUNNING", slurm_mpi=("pmix",))
    with pytest.raises(SlowlinkError, match="slurm does not start pairs") as caught:
        prepared(tmp_path, None, Ends(), here=here)
    assert "--on ssh" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("rows", "best", "threshold", "statuses"),
    [
        ([1, 1], [98.0, 97.0], 90, [exits.HEALTHY]),
        ([1, 1], [98.0, 80.0], 90, [exits.FINDINGS]),
        ([1, 0], [98.0, None], 90, [exits.INCONCLUSIVE, exits.INCONCLUSIVE]),
        ([1, 0], [80.0, None], 90, [exits.INCONCLUSIVE, exits.FINDINGS]),
        ([1, 1], [98.0, 97.0], None, []),
        (None, None, 90, [exits.INCONCLUSIVE, exits.INCONCLUSIVE]),
    ],
)
def test_gates(rows: object, best: object, threshold: float | None, statuses: list[int]) -> None:
    shown = replace(report(), facts={"perftest_rows": rows, "perftest_bw_average_gbit_max": best})
    assert [gate.status for gate in pair_gates(shown, 2, threshold)] == statuses


def test_all_hcas_that_both_nodes_have(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"a": ("mlx5_0:1", "mlx5_1:1", "mlx5_1:2"), "b": ("mlx5_1:1", "mlx5_2:1"), "c": ()}

    def asked(found: list[Node], *_: object) -> list[Observed]:
        return [Observed(node.name, "", {}, {"infiniband": listed[node.name]}) for node in found]

    monkeypatch.setattr("slowlink.launch.node_check.check_nodes", asked)
    assert common_hcas([Node("a"), Node("b")], "ssh") == ("mlx5_1",)
    with pytest.raises(SlowlinkError, match="a and c have no HCA of the same name"):
        common_hcas([Node("a"), Node("c")], "ssh")
