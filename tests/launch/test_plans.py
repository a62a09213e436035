"""Golden plans: the exact text of what each launcher would run. `SLOWLINK_UPDATE_GOLDEN=1 pytest` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from launch_situations import IN_SLURM, JOB, NASTY, SMALL, nodes, surroundings
from msgspec.structs import replace

from slowlink.launch.choose import launchers
from slowlink.launch.describe import describe
from slowlink.launch.interface import KubernetesOptions, LaunchOptions, Surroundings
from slowlink.model.plan import Allocation, Node, NodeScripts, RankJob

GOLDEN = Path(__file__).parents[1] / "golden" / "launch"
TWO = nodes("gpu07", "gpu08")
HERE = Allocation((Node("localhost"),), "this machine")
NOTHING = Allocation((), "none")
PODS = LaunchOptions(image="registry.example/tests:1", namespace="team")

MPICH = surroundings(mpi="mpich 4.2.1")
OPENMPI_4 = surroundings(mpi="openmpi 4.1.6")
SLURM = surroundings(environment=IN_SLURM, slurm_mpi=("pmi2", "pmix", "pmix_v4"))

CASES: dict[str, tuple[str, RankJob, Allocation, Surroundings, LaunchOptions]] = {
    "local-openmpi5": ("local", SMALL, HERE, surroundings(), LaunchOptions(timeout_s=60)),
    "local-openmpi5-root-crowded": (
        "local",
        replace(SMALL, nranks=16, ranks_per_node=16),
        HERE,
        surroundings(uid=0),
        LaunchOptions(),
    ),
    "local-mpich": ("local", replace(SMALL, env={"A": "b c"}), HERE, MPICH, LaunchOptions(extra=("-print-rank-map",))),
    "ssh-openmpi5": ("ssh", JOB, TWO, surroundings(), LaunchOptions()),
    "ssh-openmpi4": ("ssh", JOB, TWO, OPENMPI_4, LaunchOptions()),
    "ssh-mpich": ("ssh", JOB, TWO, MPICH, LaunchOptions()),
    "ssh-openmpi5-nasty": ("ssh", NASTY, TWO, surroundings(), LaunchOptions()),
    "ssh-mpich-nasty": ("ssh", NASTY, TWO, MPICH, LaunchOptions()),
    "ssh-users-and-addresses": (
        "ssh",
        replace(SMALL, ranks_per_node=2),
        Allocation((Node("a", address="10.0.0.1", user="admin"), Node("b", address="10.0.0.2", port=2200)), "cloud"),
        surroundings(),
        LaunchOptions(),
    ),
    "slurm-srun": ("slurm", JOB, nodes("gpu07", "gpu08", "gpu09"), SLURM, LaunchOptions()),
    "slurm-srun-mpich-nasty": (
        "slurm",
        NASTY,
        TWO,
        surroundings(mpi="mpich 4.2.1", environment=IN_SLURM),
        LaunchOptions(),
    ),
    "slurm-sbatch": ("slurm", JOB, NOTHING, surroundings(), LaunchOptions(batch=True, partition="gpu", account="lab7")),
    "slurm-sbatch-nodes-nasty": ("slurm", NASTY, TWO, surroundings(), LaunchOptions(timeout_s=300)),
    "kubernetes-job": ("kubernetes", JOB, NOTHING, surroundings(), PODS),
    "kubernetes-job-rdma": (
        "kubernetes",
        JOB,
        NOTHING,
        surroundings(),
        replace(
            PODS,
            context="prod",
            kubernetes=KubernetesOptions(
                rdma_resource="rdma/hca_shared_devices_a",
                host_network=True,
                service_account="bench",
                node_selector=(("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"),),
                tolerations=("dedicated",),
                pull_secrets=("registry",),
                networks=("rdma-net", "fabric/rail-1"),
                priority_class="measuring",
            ),
        ),
    ),
    "kubernetes-job-amd-nasty": (
        "kubernetes",
        replace(NASTY, gpus_per_node=8),
        NOTHING,
        surroundings(),
        replace(PODS, kubernetes=KubernetesOptions(gpu_resource="amd.com/gpu")),
    ),
    "kubernetes-mpijob": (
        "kubernetes",
        JOB,
        NOTHING,
        surroundings(),
        replace(PODS, kubernetes=KubernetesOptions(operator="mpijob")),
    ),
    "kubernetes-job-without-sshd": (
        "kubernetes",
        JOB,
        NOTHING,
        surroundings(),
        replace(PODS, kubernetes=KubernetesOptions(sshd=False)),
    ),
    "kubernetes-mpijob-bringing-home": (
        "kubernetes",
        replace(JOB, around=NodeScripts("mkdir before\n", "send after\n", "5e2f")),
        NOTHING,
        surroundings(),
        replace(PODS, kubernetes=KubernetesOptions(operator="mpijob", host_network=True)),
    ),
    "kubernetes-jobset": (
        "kubernetes",
        JOB,
        NOTHING,
        surroundings(),
        replace(PODS, kubernetes=KubernetesOptions(operator="jobset")),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_plan_is_exactly_this(case: str) -> None:
    launcher, job, allocation, here, options = CASES[case]
    text = describe(launchers()[launcher].plan(job, allocation, here, options))
    path = GOLDEN / f"{case}.txt"
    if os.environ.get("SLOWLINK_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


def test_every_golden_plan_is_still_made() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)


def test_a_plan_is_a_pure_function() -> None:
    for launcher, job, allocation, here, options in CASES.values():
        plan = launchers()[launcher].plan
        assert plan(job, allocation, here, options) == plan(job, allocation, here, options)


def test_host_keys_are_learned_and_never_ignored() -> None:
    for launcher, job, allocation, here, options in CASES.values():
        text = describe(launchers()[launcher].plan(job, allocation, here, options))
        assert "StrictHostKeyChecking=no" not in text
        assert "StrictHostKeyChecking no" not in text
        if launcher == "ssh":
            assert "StrictHostKeyChecking=accept-new" in text
            assert "BatchMode=yes" in text


def test_what_is_deleted_carries_the_name_of_this_run() -> None:
    for launcher, job, allocation, here, options in CASES.values():
        for step in launchers()[launcher].plan(job, allocation, here, options).cleanup:
            named = [word for word in step.argv if "1a2b" in word]
            assert named
            assert not {"--all", "-A", "--selector", "--user"} & set(step.argv)
