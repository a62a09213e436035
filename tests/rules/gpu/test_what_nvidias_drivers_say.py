"""Messages of NVIDIA's kernel modules, tools and services whose meaning the catalogue holds."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import said

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

KERNEL = (
    "NVRM: None of the NVIDIA devices were initialized.",
    "NVRM: API mismatch: the client has the version 570.86.10, but",
    "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:",
    "NVRM: GPU 0000:3b:00.0: GPU does not have the necessary power cables connected.",
    "NVRM: _kgspBootGspRm: Cannot initialize GSP firmware RM",
    "NVRM: GPU3 kgspBootstrap_GH100: Timeout waiting for lockdown release. It's also possible that bootrom failed",
    "NVRM: imexsessionapiDestruct_IMPL: Abrupt nvidia-imex daemon shutdown detected, disabled fabric allocations",
    "NVRM: nv-caps-imex failed to create cdev.",
    "NVRM: dma-buf attach failed: PCI topology not supported for dma-buf",
    "nvidia-peermem nv_mem_client_init:540 ERROR nv_mem_client_init -- error while registering traditional client",
    "nvidia-nvswitch3: Failed to initialize device : -5",
    "nvidia-nvswitch: Version mismatch, kernel version 570.86.10 user version 570.124.06",
    "nvidia-uvm: uvm_gpu.c:2100 uvm_gpu_check_ecc_error_no_rm[pid:4711] ECC error encountered, GPU 3",
)
HOSTENGINE = (
    "GPU 3's NvLink link 4 is currently down",
    "Detected fatal NvSwitch SXID 20034",
    "GPU 3 requires a reset to recover from a fault. Recovery action: 1 (GPU_RESET).",
    "GPU 3: Fabric State is Not Started (1).",
    "More than 9 single-bit ECC error(s) detected in GPU 3 Volatile SBEs: 12",
    "GPU 3 unsuccessfully wrote data to GPU 5 over NVLink in a peer-to-peer test: example",
)
TOOLS = (
    "Failed to initialize NVML: Unknown Error",
    "Failed to initialize NVML: Driver Not Loaded",
    "Unable to determine the device handle for GPU 0000:3B:00.0: Interrupt request issue",
    "docker: Error response from daemon: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver: unknown",
    "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object",
    "nvidia-container-cli: device error: 8: unknown device: unknown",
    "I1119 06:07:08.123456       1 server.go:176] started",
    "E1119 06:07:08.123456       1 factory.go:94] Failed to initialize NVML: could not load NVML.",
    "ERR:  The minimum required gdrdrv driver version is 2.4 but the current gdrdrv version is 2.0",
    "Nov 11 06:07:08 node07 nvidia-persistenced[471]: Failed to query NVIDIA devices. Please ensure that the devices exist",
)
QUIET = (
    "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (root@node07)",
    "NVRM: kbifInitRegistryOverrides_IMPL: something that nobody has seen before",
    "NVRM: _kgspProcessRpcEvent: Attempted to process RPC event 0x1002",
    "NVRM: knvlinkSetupPeerMapping_GP100: P2P loopback is disabled on GPU3, aborting peer setup (0x1a2b)",
    "NVRM: nvidia_p2p_get_pages: Invalid argument in nv_p2p_get_pages,address or length are not aligned",
    "nvidia-uvm: Loaded the UVM driver, major device number 508.",
    "ERR:  error opening driver (errno=2/No such file or directory)",
    "nvidia-persistenced[471]: device 0000:3b:00.0 - persistence mode enabled.",
    "nvidia-container-cli: missing library libnvidia-opticalflow.so",
    "2031-04-05 06:07:08.123 ERROR [4711:4712] nvmlDeviceGetFieldValues returned 3 [/dcgm/modules/a.cpp:12] [A::B]",
    "2031-04-05 06:07:08.123 ERROR [4711:4712] Got error -7 from sendClientLogin on connection 3 [/dcgm/a.cpp:12] [A::B]",
)


def test_causes_that_kernel_modules_name() -> None:
    lines = [said("program-said", f"[   12.345678] {text}\n") for text in KERNEL]
    assert [each for line in lines for each in line] == snapshot(
        [
            ("gpu-missing", "critical", "likely", "the NVIDIA module found no GPU that it could start"),
            (
                "version-mismatch",
                "critical",
                "likely",
                "a program's driver library has another version than the loaded kernel module",
            ),
            (
                "gpu-missing",
                "critical",
                "likely",
                "the firmware of the machine gave a GPU no room in the address space",
            ),
            ("gpu-hardware-fault", "critical", "certain", "power cables of a GPU are missing (0000:3b:00.0)"),
            ("gpu-driver-hung", "critical", "likely", "the firmware of a GPU (GSP, FSP) did not start or stopped"),
            ("gpu-driver-hung", "critical", "likely", "the firmware of a GPU (GSP, FSP) did not start or stopped"),
            (
                "nvlink-fabric-unhealthy",
                "error",
                "likely",
                "the IMEX daemon stopped while GPUs of several nodes shared memory, so the driver ended that sharing",
            ),
            ("imex-channel-missing", "error", "likely", "the driver could not make its IMEX channel devices"),
            (
                "gdr-disabled",
                "warning",
                "possible",
                "DMA-BUF cannot connect this GPU with that device: the PCIe path between them does not allow it",
            ),
            (
                "peer-memory-missing",
                "error",
                "likely",
                "nvidia_peermem could not register with the RDMA drivers, so GPUDirect RDMA is off: it was built against another RDMA stack than the one that is loaded",
            ),
            ("nvswitch-error", "critical", "likely", "the driver could not start an NVSwitch"),
            (
                "version-mismatch",
                "critical",
                "likely",
                "the fabric manager has another version than the NVSwitch driver",
            ),
            ("gpu-memory-errors", "error", "likely", "managed memory met an ECC error of a GPU"),
        ]
    )
    assert all(lines)


def test_causes_that_tools_and_containers_name() -> None:
    assert [each for text in TOOLS for each in said("program-said", text + "\n")] == snapshot(
        [
            (
                "gpu-missing",
                "error",
                "likely",
                "NVML may not open the GPUs: this container or user has lost, or never had, the right to their devices",
            ),
            ("gpu-missing", "critical", "likely", "NVML finds no loaded driver"),
            ("gpu-missing", "critical", "likely", "NVML finds no loaded driver"),
            ("version-mismatch", "critical", "likely", "the image asks for a newer driver than the node has"),
            (
                "library-missing",
                "critical",
                "likely",
                "the driver's libraries are not where the container runtime looks for them",
            ),
            ("gpus-over-requested", "critical", "likely", "a container asks for a GPU that the node does not have"),
            (
                "gpu-missing",
                "warning",
                "possible",
                "NVML could not be started, so this node offers no GPU: right on a node without GPUs, else its driver is missing or broken",
            ),
            (
                "version-mismatch",
                "warning",
                "likely",
                "GDRCopy's library and its kernel module gdrdrv do not fit together, so small messages take a longer way",
            ),
            (
                "gpu-missing",
                "error",
                "possible",
                "node07: nvidia-persistenced reaches no GPU: the driver is not loaded, or no GPU started",
            ),
        ]
    )


def test_causes_in_the_log_of_dcgm() -> None:
    stamp = "2031-04-05 06:07:08.123 ERROR [4711:4712] "
    where = " [/dcgm/modules/health/DcgmHealthWatch.cpp:12] [DcgmHealthWatch::Check]\n"
    assert [each for text in HOSTENGINE for each in said("program-said", stamp + text + where)] == snapshot(
        [
            ("nvlink-down", "error", "likely", "NVLinks of a GPU are down (3)"),
            ("nvswitch-error", "critical", "likely", "an NVSwitch had a fatal error"),
            ("gpu-driver-hung", "error", "certain", "the driver asks for a recovery of a GPU (3)"),
            ("nvlink-fabric-unhealthy", "error", "likely", "a GPU is not, or not wholly, in the NVLink fabric (3)"),
            (
                "gpu-memory-errors",
                "warning",
                "likely",
                "DCGM counts corrected errors, or a repair of memory waits for a reset; the GPU can go on",
            ),
            ("wrong-results", "critical", "likely", "peer-to-peer writes between two GPUs arrived wrong (3)"),
        ]
    )


@pytest.mark.parametrize("line", QUIET)
def test_what_healthy_machines_log_accuses_nobody(line: str) -> None:
    report = report_of(read([Input("dmesg", None, [line.encode() + b"\n"])], workers=1))
    assert [f.message for f in report.findings if f.severity != "info"] == []


AREAS = (
    "GPU3 knvlinkCoreAddLink_IMPL: no room for link 4",
    "GPU3 _knvlinkSomethingNew_GH100: link 4 was odd",
    "GPU0 memorymulticastFabricOrdinary_IMPL: ran out of slots",
    "GPU0 kgspBootstrap_GB300: mailbox said 0x12",
    "GPU0 _kgspRpcOther: reply 0x12",
    "GPU0 kbusCreateP2PMappingForMailbox_GM200: no peer IDs available",
    "GPU0 kbusInitBar1_GM107: no memory descriptor to keep",
    "GPU0 kgmmuFaultBufferOther_GH100: size 12",
    "GPU0 gvaspaceOther_IMPL: size 12",
    "GPU0 nvAssertOkFailedNoLog: Assertion failed: Object not found [NV_ERR_OBJECT_NOT_FOUND] (0x00000057) returned"
    " from kbifOther(pGpu) @ kernel_bif.c:12",
    "GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) returned from other() @ a.c:1",
    "GPU0 krcWatchdog_IMPL: RC watchdog: GPU is probably locked!  Notify Timeout Seconds: 7",
    "_knvlinkExitSleep: Timedout while checking to see if training complete!",
)


def test_a_function_tells_which_part_of_the_gpu_or_driver_complains() -> None:
    events = [read([Input("dmesg", None, [f"[   12.3] NVRM: {text}\n".encode()])], workers=1).events for text in AREAS]
    assert [event.kind for each in events for event in each] == snapshot(
        [
            "nvrm-nvlink-bring-up",
            "nvrm-nvlink",
            "nvrm-fabric-memory",
            "nvrm-gsp-start",
            "nvrm-gsp-calls",
            "nvrm-p2p",
            "nvrm-bar",
            "nvrm-page-faults",
            "nvrm-page-tables",
            "nvrm-pcie",
            "nvrm-assertion-memory",
            "nvrm-gpu-locked",
            "nvrm-nvlink",
        ]
    )
    assert all(events)


def test_a_function_of_no_known_part_says_nothing() -> None:
    line = b"[   12.3] NVRM: GPU0 zyzzyvaGrommet_IMPL: failed to frobnicate an invalid quux\n"
    assert read([Input("dmesg", None, [line])], workers=1).events == ()


def test_the_device_plugin_tells_of_a_sick_gpu_as_information() -> None:
    line = (
        "I1119 06:07:08.123456       1 health.go:159] XidCriticalError: Xid=48 on Device=GPU-1; "
        "marking device as unhealthy.\n"
    )
    assert said("program-said", line) == snapshot(
        [("gpu-missing", "error", "likely", "the device plugin took a GPU for unhealthy, so no pod gets it (GPU-1)")]
    )
