"""What the libraries of the fabric say: UCX, UCC, libfabric, libibverbs, perftest, PSM, MSCCL++ and oneCCL."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

UCX = "[1731500000.1] [node07:4000 :0]   ib_md.c:12   UCX  ERROR "
CXI = "libfabric:4711:1731500000::cxi:core:cxip_query_if_list():547<warn> node07: "
EFA = "libfabric:4711:1731500000::efa:cq:efa_rdm_cq_poll():91<warn> "
CAUSES = (
    f"{UCX}ibv_open_device(mlx5_3) failed: No such device",
    f"{UCX}  no active messages transport to node08: self/memory - Destination is unreachable",
    f"{UCX}mlx5_3: Couldn't enable GPUDirect RDMA. Please make sure nv_peer_mem is installed",
    f"{UCX}process_vm_readv(pid=4712 length=8192) returned -1: Operation not permitted",
    f"{UCX}there is no valid pkey to use on mlx5_3:1/IB",
    f"{UCX}Invalid value for RNDV_THRESH: 'much'. Expected: memory units",
    f"{UCX}error 'Endpoint timeout' will not be handled for ep 0x7f2a - rc_mlx5/mlx5_3:1",
    f"{CXI}CXI retry handler not running for device: cxi2",
    f"{CXI}No valid VNIs for cxi2 service ID 5",
    f"{EFA}err: 5 (Input/output error), prov_errno: Unreachable remote (never received a response)",
    f"{EFA}Failed to register CUDA buffer with the EFA device, FI_HMEM transfers that require peer to peer support will fail",
    "Error: coll_hcoll_module.c:310 - mca_coll_hcoll_comm_query() Hcol library init failed",
    "libibverbs: Warning: no userspace device-specific driver found for uverbs3",
    "node07.4000: PSM2 no hfi units are active (err=23)",
    "node07:4000:4001 [3] src/core/ib.cc:88 MSCCLPP WARN nvidia_peermem kernel module is not loaded",
)


def test_causes_that_the_libraries_of_the_fabric_name() -> None:
    found = [said("program-said", f"{text}\n") for text in CAUSES]
    assert [(cause, severity, confidence, words) for ((cause, severity, confidence, words),) in found] == snapshot(
        [
            (
                "rdma-device-not-accessible",
                "warning",
                "likely",
                "node07: UCX cannot open an HCA and goes on without it (mlx5_3)",
            ),
            ("fabric-path-blocked", "error", "possible", "node07: two processes have no transport of UCX in common"),
            (
                "peer-memory-missing",
                "error",
                "likely",
                "node07: UCX cannot turn GPUDirect RDMA on: no peer-memory module serves this HCA, and DMA-BUF does not either (mlx5_3)",
            ),
            (
                "process-memory-denied",
                "error",
                "likely",
                "node07: UCX may not read the memory of another process of the node",
            ),
            (
                "partition-mismatch",
                "error",
                "likely",
                "node07: a port is not a full member of the partition that UCX needs (mlx5_3)",
            ),
            ("tuning-harmful", "error", "likely", "node07: UCX refuses a setting"),
            (
                "rdma-retry-exceeded",
                "error",
                "possible",
                "node07: UCX got no answer from a peer: its process has died, or the path to it is broken",
            ),
            (
                "hca-service-missing",
                "error",
                "likely",
                "node07: the retry handler of a Slingshot device (cxi_rh) does not run: a lost packet stays lost (cxi2)",
            ),
            (
                "rdma-device-not-accessible",
                "error",
                "likely",
                "node07: the job may not use the Slingshot network: it has no service or no VNI on this device (cxi2)",
            ),
            ("fabric-path-blocked", "critical", "likely", "EFA never got an answer from another node"),
            ("gdr-disabled", "warning", "likely", "libfabric cannot let the network read GPU memory on this node"),
            (
                "rdma-device-not-accessible",
                "info",
                "possible",
                "HCOLL could not start, and MPI goes on with its own collectives: it finds no HCA that it may use, or it was built for another UCX",
            ),
            (
                "rdma-device-not-accessible",
                "warning",
                "possible",
                "libibverbs has no driver for an HCA of this node (uverbs3)",
            ),
            ("rdma-device-not-accessible", "error", "likely", "PSM finds no network unit that it may open"),
            (
                "peer-memory-missing",
                "error",
                "likely",
                "node07: MSCCL++ finds no module that lets the HCA read GPU memory",
            ),
        ]
    )


SYMPTOMS = (
    f"{UCX}failed to allocate ucp_worker_err_handle_arg",
    f"{UCX}iface 0x5571 failed to create RC QP TX wr:256 sge:5 inl:64 resp:0 RX wr:0 sge:0 resp:0",
    "[1731500000.1] [node07:4000 :0] tl_ucp_coll.c:12 TL_UCP ERROR failed to start barrier from root rank",
    "2031:04:05-06:07:08:( 4711) |CCL_ERROR| atl_ofi.cpp:12 send: fails with status: 5",
)


@pytest.mark.parametrize("text", SYMPTOMS)
def test_a_symptom_is_no_cause_but_the_first_error(text: str) -> None:
    assert findings_of("program-said", f"{text}\n") == ()
    assert [found.cause for found in findings_of("first-error", f"{text}\n")] == ["application-error"]


GOES_ON = (
    f"{UCX}ibv_open_device(mlx5_3) failed: No such device",
    f"{UCX}failed to open gdr copy",
    f"{UCX}Shared memory transport does not support multi-threaded worker",
)


@pytest.mark.parametrize("text", GOES_ON)
def test_what_ucx_goes_on_without_is_not_the_error_that_ended_a_run(text: str) -> None:
    assert findings_of("first-error", f"{text}\n") == ()


HARMLESS = (
    "[1731500000.1] [node07:4000 :0] parser.c:2000 UCX  WARN  unused environment variable: UCX_HOME",
    "[1731500000.1] [node07:4000 :0] mpool.c:42 UCX  WARN  object 0x7f2a was not returned to mpool ucp_requests",
    f"{UCX}Could not open the KNEM device file at /dev/knem: No such file or directory.",
    f"{CXI}Security Issue: Using unrestricted service ID 1 for cxi0. Please provide a service ID via auth_key fields.",
    "libfabric:4711:1731500000::core:core:ofi_hmem_init():339<warn> Failed to find zeInit",
    "libfabric:4711:1731500000::verbs:fabric:vrb_init_info():1457<warn> rdma_get_devices: No such device(19)",
    "libfabric:4711:1731500000::shm:core:smr_mmap_peer_copy():373<warn> mmap error Cannot allocate memory",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_runs_that_end_well_print_is_no_finding(text: str) -> None:
    for rule in ("program-said", "first-error", "memory-registration-failed"):
        assert findings_of(rule, f"{text}\n") == ()


def test_a_port_that_ucx_sees_fall_is_down() -> None:
    line = "[1731500000.1] [node07:4000 :0] ib_device.c:517 UCX  DIAG  IB Async event on mlx5_3: port error on port 1\n"
    assert [(found.cause, found.message) for found in findings_of("port-down", line)] == snapshot(
        [("port-down", "node07: mlx5_3 is down and did not come back")]
    )
