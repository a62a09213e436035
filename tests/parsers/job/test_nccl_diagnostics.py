"""What NCCL's own diagnostics and its monitor print."""

from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

import slowlink

HEAD = "node042:12345 NCCL DIAG "
FINE = f"""\
{HEAD}=== RAS Diagnostics ===
{HEAD}[OK]   GPU inventory: 8x NVIDIA H100 per node consistent across 8 ranks in comm 0x1234
{HEAD}[OK]   ECC: no uncorrected volatile errors across 8 ranks in comm 0x1234
{HEAD}[INFO] ECC: no uncorrected volatile errors across 6 of 8 ranks in comm 0x1234 (ECC counters unavailable via NVML)
{HEAD}[OK]   NVLink: 18 links per GPU, all active at consistent speed across 8 ranks in comm 0x1234
{HEAD}[OK]   p2p: verified P2P access in both directions between every GPU pair (56 peer accesses)
{HEAD}[INFO] net bw: required external tool missing in comm 0x1234
{HEAD}RAS diagnostics completed in 12.3 ms across 8 RAS peers
"""
FIELDS = "srcRank=0 srcCudaDev=0 srcNvmlDev=0 dstRank=5 dstCudaDev=5 dstNvmlDev=5"
FAULTS = f"""\
{HEAD}[INFO] p2p: only 52/56 GPU-to-GPU peer accesses passed verification
{HEAD}[INFO] p2p: launch/check failed {FIELDS} path=PIX handle=LEGACY_CUDA_IPC reason=readLaunch; inspect
{HEAD}[INFO] p2p: peer-memory import failed {FIELDS} path=NVL handle=CUMEM_FABRIC reason=import; check the IMEX domain
{HEAD}[INFO] p2p: read mismatch {FIELDS} path=PIX handle=DIRECT expected=0x01 got=0x02; check
{HEAD}[INFO] net bw: same-nic rank 9 (node08): 180.2 Gbit/s, >30% off median 392.0 Gbit/s in comm 0x1234
{HEAD}[INFO] ECC: uncorrected volatile errors on rank(s) {{2}} (worst=3) across 8 ranks in comm 0x1234
{HEAD}[INFO] NVLink: inactive link(s) on rank(s) {{5}} across 8 ranks in comm 0x1234
{HEAD}[INFO] NCCL environment: mismatch across 8 ranks in comm 0x1234 for NCCL_ALGO
[2026-01-19 13:07:07] PEER_DEAD: Process 4712 on node 10.0.0.8 managing GPU 1
"""


def concluded(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    path = tmp_path / "job.log"
    path.write_text(text)
    return [(f.cause, f.severity, f.message) for f in slowlink.analyze(str(path)).findings]


def test_checks_that_pass_or_cannot_be_made_accuse_nobody(tmp_path: Path) -> None:
    assert concluded(tmp_path, FINE) == []


def test_checks_that_fail_name_the_cause_and_not_the_node_that_reports(tmp_path: Path) -> None:
    assert concluded(tmp_path, FAULTS) == snapshot(
        [
            ("p2p-disabled", "error", "NCCL's own check found GPUs that cannot reach one another, 2 times"),
            (
                "imex-channel-missing",
                "error",
                "NCCL's own check found GPUs that cannot reach one another over multi-node NVLink",
            ),
            ("wrong-results", "critical", "NCCL's own check read other data from a GPU than was written to it"),
            ("straggler-nic", "error", "node08: NCCL's own check measured a port far off the median of the others"),
            ("gpu-memory-errors", "error", "NCCL's own check found uncorrected memory errors of a GPU"),
            ("nvlink-down", "error", "NCCL's own check found NVLinks that are inactive, missing or slow"),
            ("environment-differs", "warning", "NCCL's own check found variables that differ between ranks"),
            ("rank-lost", "critical", "10.0.0.8: NCCL's monitor declared a process dead (1)"),
        ]
    )
