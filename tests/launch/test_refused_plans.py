"""What cannot work is said before anything is started: a stable slug, and a hint."""

from __future__ import annotations

import pytest
from launch_situations import IN_SLURM, JOB, SMALL, nodes, surroundings
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.choose import launchers
from slowlink.launch.interface import KubernetesOptions, LaunchOptions, Surroundings
from slowlink.model.plan import Allocation, Node, RankJob

TWO = nodes("a", "b")
PODS = LaunchOptions(image="i")
OVER = surroundings(environment=IN_SLURM, slurm_state="unknown")

REFUSED: list[tuple[str, str, RankJob, Allocation, Surroundings, LaunchOptions]] = [
    ("no-mpirun", "local", SMALL, nodes("h"), surroundings(mpi=None, without=("mpirun",)), LaunchOptions()),
    ("no-mpirun", "ssh", JOB, TWO, surroundings(mpi=None, without=("mpirun",)), LaunchOptions()),
    ("unknown-mpi", "ssh", JOB, TWO, surroundings(mpi="mpirun of somebody"), LaunchOptions()),
    ("no-slots", "local", replace(SMALL, nranks=513, ranks_per_node=513), nodes("h"), surroundings(), LaunchOptions()),
    ("no-slots", "local", SMALL, nodes("h", slots=2), surroundings(), LaunchOptions()),
    ("no-slots", "ssh", JOB, nodes("a", "b", slots=4), surroundings(), LaunchOptions()),
    ("too-few-nodes", "local", JOB, nodes("h"), surroundings(), LaunchOptions()),
    ("too-few-nodes", "ssh", JOB, nodes("a"), surroundings(), LaunchOptions()),
    ("too-few-nodes", "slurm", JOB, nodes("a"), surroundings(environment=IN_SLURM), LaunchOptions()),
    ("too-few-nodes", "kubernetes", JOB, nodes("a"), surroundings(), PODS),
    ("no-nodes", "ssh", JOB, Allocation((), "hostfile x"), surroundings(), LaunchOptions()),
    ("no-ranks", "ssh", replace(JOB, nranks=0), TWO, surroundings(), LaunchOptions()),
    ("no-ssh", "ssh", JOB, TWO, surroundings(without=("ssh",)), LaunchOptions()),
    ("expired-allocation", "slurm", JOB, TWO, OVER, LaunchOptions()),
    ("no-pmi", "slurm", JOB, TWO, surroundings(environment=IN_SLURM, slurm_mpi=("pmi2",)), LaunchOptions()),
    ("no-allocation", "slurm", JOB, TWO, surroundings(without=("sbatch",)), LaunchOptions()),
    ("no-image", "kubernetes", JOB, Allocation((), ""), surroundings(), LaunchOptions()),
    ("no-kubectl", "kubernetes", JOB, Allocation((), ""), surroundings(without=("kubectl",)), PODS),
    ("bad-name", "kubernetes", replace(JOB, name="x" * 60), Allocation((), ""), surroundings(), PODS),
    (
        "unknown-operator",
        "kubernetes",
        JOB,
        Allocation((), ""),
        surroundings(),
        LaunchOptions(image="i", kubernetes=KubernetesOptions(operator="other")),
    ),
]


@pytest.mark.parametrize(("slug", "launcher", "job", "allocation", "here", "options"), REFUSED)
def test_refused(
    slug: str, launcher: str, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions
) -> None:
    with pytest.raises(SlowlinkError) as caught:
        launchers()[launcher].plan(job, allocation, here, options)
    assert caught.value.slug == slug
    assert caught.value.hint


def test_more_ranks_than_processors_share_them_and_say_so() -> None:
    plan = launchers()["local"].plan(
        replace(SMALL, nranks=9, ranks_per_node=9), nodes("h"), surroundings(), LaunchOptions()
    )
    assert "--oversubscribe" in plan.argv
    assert "mpi_yield_when_idle" in plan.argv
    assert "9 ranks share 8 processors" in plan.note


def test_root_is_said_only_for_root() -> None:
    local = launchers()["local"]
    assert "--allow-run-as-root" in local.plan(SMALL, nodes("h"), surroundings(uid=0), LaunchOptions()).argv
    assert "--allow-run-as-root" not in local.plan(SMALL, nodes("h"), surroundings(), LaunchOptions()).argv


def test_slots_of_the_last_node_are_what_is_left() -> None:
    job = replace(JOB, nranks=5, ranks_per_node=2)
    allocation = Allocation((Node("a"), Node("b"), Node("c", slots=1), Node("d")), "file")
    plan = launchers()["ssh"].plan(job, allocation, surroundings(), LaunchOptions())
    assert plan.files[0].content == "a slots=2\nb slots=2\nc slots=1\n"
    assert plan.nodes == ("a", "b", "c")
