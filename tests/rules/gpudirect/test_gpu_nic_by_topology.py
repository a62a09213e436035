from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

HCAS = ("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3")
LOG = job_log(SimulatedJob(LoggedCluster(hosts=("node06", "node07"), gpus=4, hcas=HCAS)))


def matrix(hcas: tuple[str, ...], far: str = "SYS") -> str:
    """``nvidia-smi topo -m`` of a node whose GPUs have one near HCA each, in the order of ``hcas``."""
    rows = ["\t".join(["", *(f"GPU{n}" for n in range(4)), *(f"NIC{n}" for n in range(4)), "CPU Affinity"])]
    for gpu in range(4):
        gpus = (" X " if other == gpu else "NV18" for other in range(4))
        rows.append("\t".join([f"GPU{gpu}", *gpus, *("PIX" if nic == gpu else far for nic in range(4)), "0-31"]))
    return "\n".join([*rows, "NIC Legend:", *(f"  NIC{n}: {hca}" for n, hca in enumerate(hcas))]) + "\n"


def test_gpus_that_use_one_anothers_hca() -> None:
    swapped = matrix(("mlx5_1", "mlx5_0", "mlx5_2", "mlx5_3"))
    assert findings("gpu-nic-by-topology", swapped + LOG) == snapshot(
        [
            {
                "cause": "gpu-nic-affinity-wrong",
                "message": "node06 GPU 0 uses mlx5_0 (SYS) although mlx5_1 (PIX) is near it; 2 GPUs in all",
                "how": "warning, likely",
                "suspects": ["gpu node06 GPU 0", "gpu node07 GPU 0", "node node06", "node node07"],
                "evidence": [(134, "mlx5_0: SYS / mlx5_1: PIX"), (2, "mlx5_1: PIX")],
                "explains": ["busbw-below-expected", "gdr-disabled"],
            }
        ]
    )


def test_near_hcas_are_fine() -> None:
    assert findings("gpu-nic-by-topology", matrix(HCAS) + LOG) == []


def test_without_a_nearer_one_nothing_is_wrong() -> None:
    everywhere_far = matrix(("mlx5_1", "mlx5_0", "mlx5_2", "mlx5_3")).replace("PIX", "NODE")
    assert findings("gpu-nic-by-topology", everywhere_far + LOG) == []


def test_needs_the_matrix() -> None:
    assert skipped("gpu-nic-by-topology", LOG) == snapshot(
        "no state of a node; slowlink snapshot asks for it, or give what nvidia-smi -q, ibstat or lspci print"
    )


def test_it_says_what_to_do() -> None:
    swapped = matrix(("mlx5_1", "mlx5_0", "mlx5_2", "mlx5_3"))
    assert remedies("gpu-nic-by-topology", swapped + LOG) == snapshot(
        [[("Look which HCA sits next to each GPU, and let NCCL use it.", "nvidia-smi topo -m")]]
    )
