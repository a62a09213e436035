"""Each check on a manifest that is right but for one thing, and where it says that this thing stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_manifests import BENCH, MPI, RIGHT, changed, found, report

from slowlink.lint.checks import discover

RANKS = "resources: {limits: {nvidia.com/gpu: 8, rdma/shared: 1}}"
CONTAINER = "        image: registry.example/tests:1\n"
WORKER = "          - name: w\n            image: registry.example/tests:1\n"
TORCH = "torchrun --nnodes=2 --nproc_per_node=8 t.py"
MPIRUN = "mpirun -np 16 --host bench-0.bench:8,bench-1.bench:8 all_reduce_perf -g 1"


def with_env(name: str, value: str) -> tuple[str, str]:
    return (CONTAINER, f'{CONTAINER}        env: [{{name: {name}, value: "{value}"}}]\n')


@pytest.mark.parametrize("text", [RIGHT, MPI], ids=["job", "mpijob"])
def test_nothing_is_found_in_what_is_right_and_nothing_is_healthy(text: str) -> None:
    made = report(text)
    assert made.findings == ()
    assert made.verdict == "inconclusive"
    assert "nothing was run" in made.headline


def test_the_job_of_the_field_report() -> None:
    findings = found(BENCH)
    assert {each.rule for each in findings} == {
        *("pods-apart", "locked-memory", "shared-memory", "host-names", "ends"),
    }
    made = report(BENCH)
    assert made.headline.startswith("Job bench: nothing joins its 2 pods: all_reduce_perf is started without mpirun")
    first = made.diagnoses[0]
    assert "MASTER_ADDR is read by nothing here" in first.message
    assert [each.line for each in first.evidence] == [18, 6, 25]
    assert (first.severity, first.confidence) == ("error", "certain")


SITUATIONS = [
    ("pods-apart", RIGHT, [(MPIRUN, "all_reduce_perf -g 8")], "error"),
    ("pods-apart", RIGHT, [(MPIRUN, "torchrun --nproc_per_node=8 t.py")], "error"),
    ("pod-names", RIGHT, [("  completionMode: Indexed\n", "")], "error"),
    ("pod-names", RIGHT, [("      subdomain: bench\n", "")], "error"),
    ("pod-names", RIGHT, [("clusterIP: None, ", "")], "error"),
    ("pod-names", RIGHT, [("selector: {app: bench}", "selector: {app: other}")], "error"),
    ("pod-names", RIGHT, [("subdomain: bench", "subdomain: other")], "warning"),
    ("rendezvous-address", RIGHT, [(MPIRUN, TORCH), with_env("MASTER_ADDR", "127.0.0.1")], "error"),
    ("rendezvous-address", RIGHT, [(MPIRUN, TORCH), with_env("MASTER_ADDR", "10.1.2.3")], "warning"),
    ("processes-and-gpus", RIGHT, [(MPIRUN, TORCH.replace("=8", "=16"))], "error"),
    ("processes-and-gpus", RIGHT, [(MPIRUN, TORCH.replace("=8", "=4"))], "warning"),
    ("locked-memory", RIGHT, [("add: [IPC_LOCK]", "add: [NET_RAW]")], "error"),
    ("locked-memory", RIGHT, [("{capabilities", "{runAsUser: 1000, capabilities")], "warning"),
    ("rdma-resource", RIGHT, [(", rdma/shared: 1", "")], "warning"),
    ("rdma-resource", RIGHT, [(", rdma/shared: 1", ""), with_env("NCCL_IB_HCA", "mlx5")], "error"),
    ("shared-memory", RIGHT, [("[{name: shm, mountPath: /dev/shm}]", "[]")], "error"),
    ("shared-memory", RIGHT, [("{medium: Memory}", "{}")], "warning"),
    ("shared-memory", RIGHT, [("{medium: Memory}", "{medium: Memory, sizeLimit: 64Mi}")], "warning"),
    ("refused-resources", RIGHT, [(RANKS, RANKS[:-1] + ", requests: {nvidia.com/gpu: 4}}")], "error"),
    ("refused-resources", RIGHT, [("gpu: 8,", "gpu: 1.5,")], "error"),
    ("refused-resources", RIGHT, [("rdma/shared: 1", "rdma/shared: 1, hugepages-2Mi: 1Gi")], "error"),
    ("processors", RIGHT, [("rdma/shared: 1", "rdma/shared: 1, cpu: 4")], "warning"),
    ("processors", RIGHT, [("rdma/shared: 1", "rdma/shared: 1, cpu: 32")], "warning"),
    ("same-node", RIGHT, [("gpu: 8", "gpu: 4")], "warning"),
    ("host-names", RIGHT, [("subdomain: bench", "subdomain: bench\n      hostNetwork: true")], "error"),
    ("socket-interface", RIGHT, [with_env("NCCL_SOCKET_IFNAME", "net1")], "error"),
    ("socket-interface", RIGHT, [with_env("NCCL_SOCKET_IFNAME", "lo")], "error"),
    ("gpudirect", RIGHT, [with_env("NCCL_NET_GDR_LEVEL", "LOC")], "error"),
    ("gpudirect", RIGHT, [with_env("NCCL_NET_GDR_LEVEL", "5")], "info"),
    ("not-a-variable", RIGHT, [with_env("NCCL_IB_HAC", "mlx5_0")], "warning"),
    ("ib-disabled-by-env", RIGHT, [with_env("NCCL_IB_DISABLE", "1")], "warning"),
    ("plugin-settings", RIGHT, [("rdma/shared", "vpc.amazonaws.com/efa"), with_env("NCCL_IB_TC", "106")], "warning"),
    ("pods-at-once", RIGHT, [("parallelism: 2", "parallelism: 1")], "error"),
    ("ends", RIGHT, [("      restartPolicy: Never\n", "")], "error"),
    ("ends", RIGHT, [("  backoffLimit: 0\n", "")], "warning"),
    ("ends", RIGHT, [("Seconds: 1800", "Seconds: 60")], "warning"),
    ("ends", RIGHT, [("  activeDeadlineSeconds: 1800\n", "")], "info"),
    ("mpi-slots", MPI, [("slotsPerWorker: 8", "slotsPerWorker: 16")], "error"),
    ("mpi-slots", MPI, [("  slotsPerWorker: 8\n", "")], "warning"),
    ("mpi-slots", MPI, [('"16"', '"32"')], "error"),
    ("mpi-slots", MPI, [('"16"', '"8"')], "warning"),
    ("mpi-slots", MPI, [("all_reduce_perf,", 'all_reduce_perf, -g, "8",')], "error"),
    ("mpi-roles", MPI, [(WORKER, WORKER + "            command: [sleep, infinity]\n")], "error"),
    (
        "mpi-roles",
        MPI,
        [(WORKER, WORKER.replace("registry.example/tests:1", "nvidia/cuda:12.4.1-base-ubuntu22.04"))],
        "error",
    ),
    (
        "mpi-roles",
        MPI,
        [("slotsPerWorker: 8", "slotsPerWorker: 8\n  runLauncherAsWorker: true"), ('"16"', '"24"')],
        "error",
    ),
    (
        "pytorch-container",
        MPI,
        [("MPIJob", "PyTorchJob"), ("mpiReplica", "pytorchReplica"), ("Launcher:", "Master:")],
        "error",
    ),
]


@pytest.mark.parametrize(
    ("check", "text", "pairs", "severity"), SITUATIONS, ids=[f"{s[0]}-{n}" for n, s in enumerate(SITUATIONS)]
)
def test_each_fault_is_found_where_it_stands(
    check: str, text: str, pairs: list[tuple[str, str]], severity: str
) -> None:
    text = changed(text, *pairs)
    findings = [each for each in found(text) if each.rule == check]
    assert [each.severity for each in findings][:1] == [severity], findings
    lines = text.split("\n")
    for each in findings:
        assert each.evidence
        assert all(proof.text == lines[proof.line - 1] for proof in each.evidence)
        assert each.remedy


def test_every_check_is_shown_a_fault() -> None:
    assert {each.id for each in discover()} <= {situation[0] for situation in SITUATIONS}


def test_documents_lists_and_json_are_the_same() -> None:
    yaml = pytest.importorskip("yaml")
    import json

    whole = list(yaml.safe_load_all(changed(RIGHT, ("  backoffLimit: 0\n", ""))))
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": whole}, indent=1)
    assert [each.rule for each in found(listed)] == ["ends"]
    assert [each.rule for each in found(json.dumps(whole[1]))] == ["ends", "pod-names"]  # its Service is not there


def test_a_script_that_starts_mpirun_joins_its_pods() -> None:
    text = changed(RIGHT, (MPIRUN, f"all_reduce_perf -g 8; {MPIRUN}"))
    assert [each.rule for each in found(text)] == []


def test_the_page_names_every_check() -> None:
    page = (Path(__file__).parents[2] / "docs" / "kubernetes.md").read_text(encoding="utf-8")
    assert [each.id for each in discover() if f"| `{each.id}` |" not in page] == []


@pytest.mark.parametrize(
    "name", ["nvidia.com/hostdev", "openshift.io/mlxnics", "example.com/fast-port", "nvidia.com/sriov_rail_0"]
)
def test_resources_of_networks_have_any_name(name: str) -> None:
    assert [each.rule for each in found(changed(RIGHT, ("rdma/shared", name)))] == []


def test_nodes_made_for_efa_may_lock_memory_by_themselves() -> None:
    text = changed(RIGHT, ("rdma/shared", "vpc.amazonaws.com/efa"), ("add: [IPC_LOCK]", "add: []"))
    assert [(each.rule, each.severity, each.confidence) for each in found(text)] == [
        ("locked-memory", "warning", "possible")
    ]


def test_a_share_of_a_gpu_is_no_network() -> None:
    text = changed(RIGHT, ("rdma/shared: 1", "nvidia.com/gpumem: 3000"))
    assert [each.rule for each in found(text)] == ["rdma-resource"]
