from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot
from job_findings import check
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

from slowlink.catalog.causes import all_causes
from slowlink.catalog.complaints import parts
from slowlink.catalog.health_tests import UNKNOWN, cause_of, meanings
from slowlink.catalog.vocabulary import vocabulary
from slowlink.rules.node.health_checks import CAUSES
from slowlink.workflows.analyze import analyze

PROMPT = "[root@gpu07 ~]# dcgmi diag -r 2\n"
HEAD = """\
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Deployment  --------+------------------------------------------------|
"""
PASS = "| NVML Library              | Pass                                           |\n"
FOOT = "+---------------------------+------------------------------------------------+\n"


def test_the_rule_declares_what_the_catalogue_of_tests_names() -> None:
    said = {meaning.cause for meaning in vocabulary("dcgm").meanings if meaning.cause}
    complained = {cause for part in parts() for cause in part.means.values()}
    assert {*CAUSES} == {meaning.cause for meaning in meanings()} | said | complained | {UNKNOWN}


def test_a_failing_test_is_its_cause() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Fail                                           |\n" + FOOT
    )
    assert said("health-checks", text) == snapshot(
        [("gpu-persistence-off", "error", "likely", "gpu07: dcgmi diag: Persistence Mode fails")]
    )


def test_the_failing_gpus_are_suspects() -> None:
    text = PROMPT + HEAD + "| PCIe                      | Fail - GPU: 2, 5                               |\n" + FOOT
    (found,) = findings_of("health-checks", text)
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("gpu", "gpu07 2"), ("gpu", "gpu07 5"), ("node", "gpu07")]
    )


def test_a_test_that_nobody_knows_speaks_for_itself() -> None:
    text = "[root@gpu07 ~]# nhc\nERROR:  nhc:  Health check failed:  check_fs_mount:  /scratch not mounted\n"
    assert said("health-checks", text) == snapshot(
        [("health-check-failed", "error", "likely", "gpu07: NHC: check_fs_mount fails: /scratch not mounted")]
    )


def test_nodes_with_the_same_failure_are_one_finding() -> None:
    text = "".join(
        f"[root@gpu{n:02} ~]# nhc\nERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7\n"
        for n in (1, 2, 9)
    )
    assert said("health-checks", text) == snapshot(
        [
            (
                "gpu-missing",
                "error",
                "likely",
                "gpu[01-02,09]: NHC: check_gpu_count fails: Expected 8 and found 7",
            )
        ]
    )


def test_a_run_as_a_whole_counts_only_where_no_test_is_named() -> None:
    value = {"tests": {"gpu_burn": {"status": "passed"}}, "final_result": "fail"}
    assert said("health-checks", json.dumps(value)) == snapshot(
        [("health-check-failed", "error", "likely", "the health check: final result fails")]
    )


def test_a_warning_is_told_where_its_cause_is_known() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Warn                                           |\n" + FOOT
    )
    assert said("health-checks", text) == snapshot(
        [("gpu-persistence-off", "warning", "possible", "gpu07: dcgmi diag: Persistence Mode has a warning")]
    )


def test_all_passed_with_warnings_finds_nothing() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Environment Variables     | Warn                                           |\n" + FOOT
    )
    assert findings_of("health-checks", text) == ()


def test_that_libraries_can_be_loaded_makes_no_gpu_sound() -> None:
    software = PASS + "| Permissions and OS Blocks | Pass                                           |\n"
    inforom = "| Inforom                   | Pass                                           |\n"
    assert [analyze((PROMPT + HEAD + rows + FOOT).encode()).verdict for rows in (software, software + inforom)] == [
        "inconclusive",
        "healthy",
    ]


def diag(**results: str) -> str:
    """A box of dcgmi diag; underscores in names are blanks."""
    rows = "".join(f"| {name.replace('_', ' '):<25} | {result:<46} |\n" for name, result in results.items())
    return PROMPT + HEAD + PASS + rows + FOOT


def test_skipped_tests_are_told_and_are_no_proof() -> None:
    tested = diag(Inforom="Pass", PCIe="Pass", GPU_Memory="Skip - All", Targeted_Stress="Skip")
    untested = diag(Inforom="Pass", PCIe="Skip - All", GPU_Memory="Skip - All", Targeted_Stress="Skip")
    assert [
        (p.message, p.weight) for text in (tested, untested) for p in check("health-checks", text).proofs
    ] == snapshot(
        [
            ("gpu07: 3 tests of dcgmi diag pass, 2 skipped: GPU Memory and Targeted Stress", 1),
            (
                "gpu07: 2 tests of dcgmi diag pass, 3 skipped: PCIe, GPU Memory and Targeted Stress; nothing of the hardware was tested",
                0,
            ),
        ]
    )
    for skipped in range(4):  # never healthy where only records were read beside them
        names = ("PCIe", "GPU_Memory", "Targeted_Stress")[:skipped]
        found = check("health-checks", diag(Inforom="Pass", **dict.fromkeys(names, "Skip"))).proofs
        assert [proof.weight for proof in found] == [int(not names)]


def test_a_warning_of_the_watches_is_told() -> None:
    value = {
        "header": ["Health Monitor Report"],
        "body": {
            "Overall Health": {"value": "Warning"},
            "GPU": {"children": {"2": {"value": "Warning", "children": {"Errors": {"children": {
                "PCIe system": {"value": "Warning", "overflow": ["9 replays a minute on GPU 2"]}}}}}}},
        },
    }  # fmt: skip
    assert said("health-checks", json.dumps(value)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "dcgmi health: PCIe GPU 2 has a warning on GPU 2: 9 replays a minute on GPU 2",
            )
        ]
    )


@pytest.mark.parametrize(
    ("name", "words", "error", "cause"),
    [
        ("software", "Persistence mode for GPU 1 is currently disabled.", None, "gpu-persistence-off"),
        ("pcie", "", None, "pcie-link-degraded"),
        ("pcie", "Detected 3 pcie things for GPU 0", 14, "nvlink-down"),
        ("pcie", "Detected 3 PCIe replays", 14, "pcie-errors"),
        ("pcie", "Detected 12 crc NvLink errors on GPU 1's NVLink (should be 0)", 4, "nvlink-down"),
        ("pcie", "Detected 3 DCGM_FI_DEV_PCIE_REPLAY_COUNTER for GPU 0", 104, "pcie-errors"),
        ("pcie", "Detected more than 8 PCIe replays per minute for GPU 2 : 1284", None, "pcie-errors"),
        ("pcie", "GPU 2 is running at PCI link width 8X", None, "pcie-link-degraded"),
        ("Page Retirement/Row Remap", "", None, "gpu-memory-errors"),
        ("diagnostic", "Uncorrectable ECC error on GPU 3", None, "gpu-memory-errors"),
        ("NVLINK GPU 3", "GPU 3's NvLink link 4 is currently down", None, "nvlink-down"),
        ("Thermal GPU 0", "", None, "gpu-clocks-throttled"),
        ("check_ib_link_flapping", "", None, "link-flapping"),
        ("check_hw_ib", "No IB port mlx5_0:1 is ACTIVE (LinkUp 200 Gb/sec).", None, "port-down"),
        ("SM Stress", "", None, "health-check-failed"),
    ],
)
def test_causes(name: str, words: str, error: int | None, cause: str) -> None:
    assert cause_of(name, words, error)[0] == cause


def test_every_entry_names_a_cause_of_the_catalogue() -> None:
    assert {entry.cause for entry in meanings()} <= set(all_causes())
    numbers = [number for entry in meanings() for number in entry.errors]
    assert len(numbers) == len(set(numbers))


def test_it_says_what_to_do() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Fail                                           |\n" + FOOT
    )
    assert remedies_of("health-checks", text) == snapshot(
        [
            [
                ("Run NVIDIA's daemon at boot.", "systemctl enable --now nvidia-persistenced"),
                ("Or switch it on until the next boot.", "nvidia-smi -pm 1"),
                ("Then run the test again on the drained node, with nothing else on it.", "dcgmi diag -r 2"),
            ]
        ]
    )


NHC = "ERROR:  nhc:  Health check failed:  "
STAMP = "2031-01-02 03:04:05,678 - "


def test_words_of_providers_name_the_cause_and_the_part() -> None:
    texts = (
        NHC + "check_ib_bw_gdr: ib_write_bw, IB=mlx5_3, mlx5_2, IB BW (expected > 380 Gbps, but measured 211 Gbps. X",
        NHC + "check_gpu_xgmi: XGMI error count: 3 on GPU 5",
        NHC
        + "check_ps_service:  Service nvidia-fabricmanager (process nv-fabricmanager) not running; start in progress",
        NHC + "check_hw_ib:  Version mismatch between running driver and firmware",
        STAMP + "ERROR - gpu07 - NCCL Test Failed: Avg bus bandwidth is 201.1",
    )
    found = [findings_of("health-checks", f"{text}\n") for text in texts]
    assert [[(f.cause, [s.name for s in f.suspects]) for f in each] for each in found] == snapshot(
        [
            [("link-bandwidth-low", ["mlx5_3", "mlx5_2"])],
            [("nvlink-down", ["5"])],
            [("fabric-manager-down", [])],
            [("version-mismatch", [])],
            [("busbw-below-expected", ["gpu07"])],
        ]
    )


def test_names_of_a_providers_checks_name_the_cause() -> None:
    passed = "".join(f"{STAMP}INFO - {name}: Passed\n" for name in ("GPU ECC Test", "GPU Row Remap Test"))
    names = ("GPU PCIe Width Test", "RTTCC Disabled Check", "Bus Check Test", "RDMA Link Status Check")
    found = [findings_of("health-checks", f"{passed}{STAMP}ERROR - {name}: Failed\n") for name in names]
    assert [[f.cause for f in each] for each in found] == [
        ["pcie-link-degraded"],
        ["pfc-ecn-settings"],
        ["gpu-missing"],
        ["port-down"],
    ]


def test_a_metric_of_superbench_below_its_baseline_is_its_cause() -> None:
    details = "{}(B/L: 232.0000 VAL: 190.1000 VAR: -18.06% Rule:lambda x:x<-0.05)"
    metrics = (
        "nccl-bw:nvlink/allreduce_8589934592_busbw:0",
        "mem-bw/H2D_Mem_BW:3",
        "ib-traffic/ib_write_bw_8388608_0_1:0",
    )
    nodes = [{"index": "gpu07", "Category": "X", "Defective Details": details.format(metric)} for metric in metrics]
    found = findings_of("health-checks", "".join(f"{json.dumps(node)}\n" for node in nodes))
    assert [(f.cause, f.message) for f in found] == snapshot(
        [
            (
                "busbw-below-expected",
                "gpu07: SuperBench's diagnosis: nccl-bw:nvlink/allreduce_8589934592_busbw:0 fails: measured 190.1, baseline 232 (-18.06%)",
            ),
            (
                "pcie-link-degraded",
                "gpu07: SuperBench's diagnosis: mem-bw/H2D_Mem_BW:3 fails: measured 190.1, baseline 232 (-18.06%)",
            ),
            (
                "link-bandwidth-low",
                "gpu07: SuperBench's diagnosis: ib-traffic/ib_write_bw_8388608_0_1:0 fails: measured 190.1, baseline 232 (-18.06%)",
            ),
        ]
    )


PRIMUS = """\
# Node-Local Smoke Test Report
| Node | Hostname | Status | Duration | Top fail reason |
|------|----------|--------|----------|-----------------|
| 0 | gpu-n01 | FAIL | 88.1s | gpu_processes: 2 foreign process(es) holding GPU(s) (e.g. gpu0: pid=4711 name='python') |
| 1 | gpu-n02 | FAIL | 41.0s | nic: rdma3:1 state=DOWN (expected ACTIVE) |
## NIC / RDMA roll-call issues
| Node | Hostname | Issue |
|------|----------|-------|
| 1 | gpu-n02 | rdma3:1 state=DOWN (expected ACTIVE) |
"""
BUSY = """\
# Node-Local Smoke Test Report
| Node | Hostname | Status | Duration | Top fail reason |
|------|----------|--------|----------|-----------------|
| 0 | gpu-n01 | PASS | 41.0s |  |
## Busy GPUs / leaked processes
| Node | Hostname | GPU | PID | Process | HBM held (GiB) |
|------|----------|-----|-----|---------|----------------|
| 0 | gpu-n01 | 0 | 4711 | `python` | 90.5 |
"""


def test_a_node_whose_failure_no_test_repeats_keeps_it_beside_other_nodes() -> None:
    assert said("health-checks", PRIMUS) == snapshot(
        [
            (
                "port-down",
                "error",
                "likely",
                "gpu-n02: the health check: NIC / RDMA roll-call fails: rdma3:1 state=DOWN (expected ACTIVE)",
            ),
            (
                "gpu-busy",
                "error",
                "likely",
                "gpu-n01: the health check: node smoke test fails: gpu_processes: 2 foreign process(es) holding GPU(s) (e.g. gpu0: pid=4711 name='python')",
            ),
        ]
    )


def test_gpus_that_others_may_hold_are_a_warning() -> None:
    assert said("health-checks", BUSY) == snapshot(
        [
            (
                "gpu-busy",
                "warning",
                "possible",
                "gpu-n01: the health check: Busy GPUs / leaked processes has a warning: GPU 0, PID 4711, Process `python`, HBM held (GiB) 90.5",
            )
        ]
    )


@pytest.mark.parametrize(
    ("name", "words", "cause"),
    [
        ("gpu0", "pre-touch HBM busy: 12.5 GiB already in use (threshold 2.0 GiB)", "gpu-busy"),
        ("host_limits", "ulimit -l (memlock) = 64 MiB; required: unlimited or >= 32 GiB.", "memlock-limit"),
        ("host_limits", "/dev/shm size = 0.06 GiB; required: >= 8 GiB.", "shm-too-small"),
        ("nic", "/sys/class/infiniband missing -- no RDMA stack visible", "rdma-device-not-accessible"),
        ("nic", "RDMA NIC port count 7 != expected 8", "hca-missing"),
        ("nic", "rdma3:1 no RoCE v2 GIDs configured (RoCE/Ethernet fabric)", "gid-index-wrong"),
        ("nic", "rdma3:1 no GIDs populated (InfiniBand fabric -- check subnet manager)", "subnet-manager-missing"),
        ("nic", "rdma3:1 phys_state=Polling (expected LinkUp)", "port-down"),
        ("tooling", "rocm-smi --version did not return within 5s -- driver may be wedging", "gpu-driver-hung"),
        ("gpu_visibility", "gpu_visibility_mismatch: amd-smi sees 8 GPU(s) but torch", "gpu-missing"),
        ("xgmi", "2 non-XGMI GPU pair(s) detected, e.g. (0,3)=PCIE", "nvlink-down"),
        ("gpu4", "ECC uncorrectable count = 3", "gpu-memory-errors"),
        ("gpu4", "FAIL: GEMM TFLOPS 310 < threshold 600", "straggler-gpu"),
        ("rccl", "FAIL: local RCCL 81.2 GB/s < threshold 200", "busbw-below-expected"),
    ],
)
def test_what_the_smoke_test_of_primus_says(name: str, words: str, cause: str) -> None:
    assert cause_of(name, words, None) == (cause, False)


@pytest.mark.parametrize("word", ["Aborted", "Timed Out", "Fault - GPU: 3"])
def test_a_result_that_nobody_knows_is_shown_and_proves_nothing(word: str) -> None:
    ruler = "+-----  Hardware  ----------+------------------------------------------------+\n"
    text = PROMPT + HEAD + PASS + ruler + f"| GPU Memory                | {word:<47}|\n" + FOOT
    (found,) = findings_of("health-checks", text)
    assert (found.cause, found.severity, found.confidence) == ("health-check-failed", "warning", "possible")
    assert found.message.endswith("result that slowlink does not know: neither passed nor failed")
    assert proofs_of("health-checks", text) == []


def test_results_that_nobody_knows_in_json() -> None:
    results = [{"gpu_ids": "0", "status": "PASS"}, {"gpu_ids": "1", "status": "Inconclusive"}]
    value = {
        "DCGM GPU Diagnostic": {
            "test_categories": [{"category": "Hardware", "tests": [{"name": "GPU Memory", "results": results}]}]
        }
    }
    assert said("health-checks", json.dumps(value)) == snapshot(
        [
            (
                "health-check-failed",
                "warning",
                "possible",
                "dcgmi diag: GPU Memory on GPU 1 ends with 'Inconclusive', a result that slowlink does not know: neither passed nor failed",
            )
        ]
    )


def test_an_error_below_a_test_is_its_failure() -> None:
    error = "| Error                     | The NVLink link 3 is currently down for GPU 5. |\n"
    text = (
        PROMPT
        + HEAD
        + "| PCIe                      | Pass - All                                     |\n"
        + error
        + FOOT
    )
    (found,) = findings_of("health-checks", text)
    assert found.severity == "error"
    assert proofs_of("health-checks", text) == []
