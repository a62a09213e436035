"""What the kernel, its drivers and the tools about them say."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

from slowlink.catalog.vocabulary import meaning_of
from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.parsers.reading.read import read


def events_of(line: str) -> tuple[JobEvent, ...]:
    return tuple(read([Input("dmesg.txt", None, [line.encode()])], workers=1).events)


CAUSES = (
    "mlx5_core 0000:12:00.0: mlx5_health_try_recover:343:(pid 812): health recovery failed",
    "mlx5_core 0000:12:00.0: wait_fw_init:210:(pid 1): Firmware over 120000 MS in pre-initializing state, aborting",
    "mlx5_core 0000:12:00.0: print_health_info:425:(pid 0): PCI slot is unavailable",
    "infiniband mlx5_3: umr_recover:212:(pid 77): couldn't recover UMR, err -110",
    "bnxt_en 0000:12:00.0 ens1f0np0: Detected firmware fatal condition, initiating reset",
    "hfi1 0000:12:00.0: hfi1_0: handle_qsfp_interrupts: QSFP cable temperature too high",
    "cxi_ss1 0000:12:00.0: cxi0[hsn0]: (sbl): 0: rx degrade alert",
    "efa 0000:10:1b.0: EFA device init failed",
    "pcieport 0000:15:01.0: DPC: containment event, status:0x1f01 source:0x0000",
    "pcieport 0000:15:01.0: not ready 65535ms after bus reset; giving up",
    "Memory failure: 0x1a2b3c: Sending SIGBUS to python3:4711 due to hardware memory corruption",
    "Memory failure: 0x1a2b3c: recovery action for clean LRU page: Recovered",
    "bond0: now running without any active interface!",
    "rcu: INFO: rcu_sched self-detected stall on CPU",
    "watchdog: Watchdog detected hard LOCKUP on cpu 7",
    "amdgpu 0000:43:00.0: amdgpu: RAS records:257 exceed threshold:256",
    "amdgpu 0000:43:00.0: amdgpu: GPU mode1 reset failed",
    "amdgpu 0000:43:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE",
    "LustreError: 167-0: scratch-MDT0000-mdc-ffff9a01: This client was evicted by scratch-MDT0000; in progress "
    "operations using this service will fail.",
    "Lustre: scratch-OST0003-osc-ffff9a01: Connection to scratch-OST0003 (at 10.0.0.9@o2ib) was lost; in progress "
    "operations using this service will wait for recovery to complete",
)


def test_causes_that_the_kernel_names() -> None:
    lines = [said("program-said", f"[  812.345678] {text}\n") for text in CAUSES]
    assert [(cause, severity, message) for found in lines for cause, severity, _, message in found] == snapshot(
        [
            ("hca-fatal-error", "critical", "the HCA failed, and its driver could not bring it back (0000:12:00.0)"),
            (
                "hca-driver-failed",
                "error",
                "the mlx5 driver could not start an HCA, which is missing now (0000:12:00.0)",
            ),
            ("pcie-errors", "error", "the HCA does not answer over PCIe (0000:12:00.0)"),
            (
                "memory-registration-failed",
                "error",
                "the HCA's queue for registering memory stopped, and was not brought back (mlx5_3)",
            ),
            (
                "hca-fatal-error",
                "error",
                "the firmware of a network adapter stopped, or the driver took the adapter out of use (0000:12:00.0 and ens1f0np0)",
            ),
            ("node-too-hot", "warning", "a network adapter or its cable is too hot (0000:12:00.0)"),
            (
                "link-errors",
                "warning",
                "a cable or transceiver of a network adapter is faulty or of a kind that it refuses (0000:12:00.0)",
            ),
            (
                "hca-missing",
                "error",
                "the driver could not start a network adapter, which is missing now (0000:10:1b.0)",
            ),
            ("pcie-errors", "error", "a PCIe port cut off its device after an error that is not corrected (DPC)"),
            ("pcie-errors", "error", "a PCIe device does not answer any more, or did not come back after a reset"),
            (
                "host-memory-errors",
                "error",
                "the node's memory has an error that was not corrected, and the kernel takes the page out of use",
            ),
            (
                "host-memory-errors",
                "warning",
                "the node's memory has an error, and the kernel took the page out of use before it did harm",
            ),
            ("port-down", "error", "a bond has lost all its links"),
            ("node-stalls", "warning", "a processor was stuck inside the kernel for many seconds (RCU stall)"),
            ("node-stalls", "error", "a processor stood still with interrupts off (hard lockup)"),
            (
                "gpu-memory-errors",
                "error",
                "a GPU has retired so many memory pages that the driver calls it bad (0000:43:00.0)",
            ),
            ("gpu-driver-hung", "critical", "a GPU hung, and its reset failed (0000:43:00.0)"),
            (
                "gpu-driver-hung",
                "error",
                "a compute queue of a GPU does not stop when the driver asks it to: the GPU hangs (0000:43:00.0)",
            ),
            (
                "node-stalls",
                "error",
                "a Lustre server evicted this client: files that were open are lost to their programs",
            ),
            ("node-stalls", "warning", "Lustre lost a server: what uses it waits until the server is back"),
        ]
    )


FACTS = (
    "mlx5_core 0000:12:00.0: mlx5_cmd_out_err:808:(pid 9): ACCESS_REG(0x805) op_mod(0x1) failed, status bad "
    "parameter(0x3), syndrome (0x15c356), err(-22)",
    "mlx5_core 0000:12:00.0 ens1np0: mlx5e_ethtool_get_link_ksettings: query port ptys failed: -5",
    "mlx5_core 0000:12:00.0: mlx5_sync_reset_request_event:507:(pid 9): PCI Sync FW Update Reset Ack. Device reset is"
    " expected.",
    "ice 0000:12:00.0: Fail during requesting FW: -2",
    "bond0: (slave ens1np0): speed changed to 0 on port 1",
    "DMAR: [Firmware Bug]: Your BIOS is broken; bad RMRR [0x1000-0x2000]",
)


@pytest.mark.parametrize("text", FACTS)
def test_what_every_boot_prints_accuses_nobody(text: str) -> None:
    line = f"[  812.345678] {text}\n"
    events = events_of(line)
    assert [meaning_of(event.origin, event.kind).sort for event in events] == ["fact"]  # type: ignore[union-attr]
    assert findings_of("said-in-other-words", line) == findings_of("program-said", line) == ()


def test_a_command_that_timed_out_names_the_command() -> None:
    line = "[  812.3] mlx5_core 0000:12:00.0: wait_func:1186:(pid 9): cmd[3]: CREATE_MKEY(0x200) No done completion\n"
    assert said("hca-fault", line) == snapshot(
        [("hca-fatal-error", "warning", "likely", "HCA 0000:12:00.0 did not answer its driver in time (CREATE_MKEY)")]
    )


def test_words_that_others_use_too_need_the_kernels_stamp() -> None:
    assert events_of("INFO: rcu_sched self-detected stall on CPU\n") == ()
    assert events_of("watchdog: failed to open the store\n") == ()


def test_a_tool_that_cannot_open_the_port() -> None:
    line = "ibwarn: [4711] mad_rpc_open_port: can't open UMAD port ((null):0)\n"
    assert said("program-said", line) == snapshot(
        [
            (
                "rdma-device-not-accessible",
                "warning",
                "likely",
                "an InfiniBand tool cannot open an HCA's port for management",
            )
        ]
    )


def test_a_driver_of_processors_that_is_missing_is_no_fault() -> None:
    assert said("program-said", "Error code: 34 | Driver not loaded (amd_hsmp not found in modules)\n") == []
    assert said("program-said", "Error code: 34 | Driver not loaded (amdgpu not found in modules)\n") == snapshot(
        [("gpu-missing", "error", "likely", "the driver of AMD's GPUs is not loaded, so the node has no GPU")]
    )


PARTS = (
    "amdgpu 0000:43:00.0: amdgpu: failed to frob the pptable of board 7",
    "amdgpu 0000:43:00.0: amdgpu: PSP load grommet failed!",
    "amdgpu 0000:43:00.0: amdgpu: MES(1) failed to respond to msg=REMOVE_QUEUE",
    "[drm:gfx_v9_0_priv_inst_irq [amdgpu]] *ERROR* Illegal opcode in command stream",
    "amdgpu 0000:43:00.0: amdgpu: Failed to frob the vcn grommet",
    "LustreError: 4711:0:(osc_request.c:12:osc_zyzzyva()) grommet 0x12 was quux",
    "LNetError: 4711:0:(o2iblnd_cb.c:12:kiblnd_zyzzyva()) grommet 0x12 was quux",
    "pcieport 0000:15:01.0: Failed attempting to set the MRRS",
    "DMAR: EVTQ overflow detected -- events lost",
    "EDAC amd64: sys_addr 0x12 was not mapped",
    "mce: CPU 7: Failed kernel mode recovery",
    "NFS: pNFS blksize 65536 not supported.",
    "bond0: Unknown bonding mode 12",
)


def test_a_line_that_accuses_nobody_tells_its_part() -> None:
    lines = [f"[  812.345678] {text}\n" for text in PARTS]
    assert [[event.kind for event in events_of(line)] for line in lines] == snapshot(
        [
            ["amdgpu-clocks"],
            ["amdgpu-security-processor"],
            ["amdgpu-queue-hung"],
            ["amdgpu-bad-command"],
            [],
            ["lustre-storage"],
            ["lustre-lnet-drivers"],
            ["kernel-pcie-settings"],
            ["kernel-iommu-stuck"],
            ["kernel-memory-controller"],
            ["kernel-machine-check-detail"],
            ["kernel-nfs-devices"],
            ["kernel-bond-settings"],
        ]
    )
    assert [found for line in lines for found in findings_of("said-in-other-words", line)] == []


def test_words_of_complaint_alone_are_no_part() -> None:
    for text in ("amdgpu 0000:43:00.0: amdgpu: failed to frob grommet: -22", "Lustre: grommet is quux"):
        kinds = {event.kind for event in events_of(f"[  812.345678] {text}\n")}
        assert kinds <= {"driver-step-failed"}
