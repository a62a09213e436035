"""A small server as lspci prints it: two switches, each with a GPU and an HCA, an NVSwitch, and an NVMe drive."""

from __future__ import annotations

OFF = "SrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"
ON = "SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"
CHECKS = "SrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"


def bridge(address: str, first: str, last: str, acs: str = OFF, speed: str = "32GT/s", width: int = 16) -> str:
    """A port of a switch, or a root port."""
    return (
        f"{address} PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0) (prog-if 00 [Normal decode])\n"
        f"\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n"
        f"\tBus: primary={address[-7:-5]}, secondary={first}, subordinate={last}, sec-latency=0\n"
        f"\tCapabilities: [68] Express (v2) Downstream Port (Slot+), MSI 00\n"
        f"\t\tLnkCap:\tPort #1, Speed {speed}, Width x{width}, ASPM not supported\n"
        f"\t\tLnkSta:\tSpeed {speed} (ok), Width x{width} (ok)\n"
        f"\tCapabilities: [148 v1] Access Control Services\n"
        f"\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl+ DirectTrans+\n"
        f"\t\tACSCtl:\t{acs}\n"
        f"\tKernel driver in use: pcieport\n\n"
    )


def device(address: str, name: str, state: str = "Speed 32GT/s (ok), Width x16 (ok)", cap: str = "32GT/s") -> str:
    """A GPU, HCA or anything else with a link."""
    return (
        f"{address} {name} (rev a1)\n"
        f"\tSubsystem: Vendor Device 1839\n"
        f"\tControl: I/O- Mem+ BusMaster+ SpecCycle-\n"
        f"\tNUMA node: 1\n"
        f"\tIOMMU group: 42\n"
        f"\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
        f"\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0, Latency L0s unlimited, L1 <64us\n"
        f"\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr+ UnsupReq+\n"
        f"\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+\n"
        f"\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
        f"\t\tDevSta:\tCorrErr+ NonFatalErr- FatalErr- UnsupReq+ AuxPwr- TransPend-\n"
        f"\t\tLnkCap:\tPort #0, Speed {cap}, Width x16, ASPM not supported\n"
        f"\t\tLnkSta:\t{state}\n"
        f"\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
        f"\tKernel driver in use: driver\n"
        f"\tKernel modules: driver\n\n"
    )


GPU = "3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB]"
HCA = "Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]"
NVSWITCH = "Bridge: NVIDIA Corporation GH100 [H100 NVSwitch]"
NVME = "Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller PM173X"
FULL = "Speed 32GT/s (ok), Width x16 (ok)"


def server(acs: str = OFF, gpu: str = FULL, hca: str = FULL, switch_acs: str = OFF) -> str:
    """``acs``: of the switch's port above the first GPU; ``switch_acs``: above the NVSwitch. ``gpu``, ``hca``: what
    the links of the first GPU and of the first HCA do."""
    return "".join(
        (
            bridge("17:01.0", "18", "1b"),
            bridge("18:00.0", "19", "1b"),
            bridge("19:00.0", "1a", "1a", acs),
            bridge("19:04.0", "1b", "1b"),
            device("1a:00.0", GPU, gpu),
            device("1b:00.0", HCA, hca),
            bridge("37:01.0", "38", "3a"),
            device("39:00.0", GPU),
            device("3a:00.0", HCA),
            bridge("57:01.0", "58", "58", switch_acs),
            device("58:00.0", NVSWITCH, "Speed 2.5GT/s (downgraded), Width x2 (downgraded)"),
            device("59:00.0", NVME, "Speed 16GT/s (downgraded), Width x2 (downgraded)"),
            bridge("77:01.0", "78", "78", ON).replace(
                "LnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)",
                "LnkSta:\tSpeed 2.5GT/s (downgraded), Width x0 (downgraded)",
            ),
        )
    )


TREE = r"""
-+-[0000:57]---01.0-[58]----00.0  NVIDIA Corporation GH100 [H100 NVSwitch]
 +-[0000:17]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
 |           \-01.0-[18-1c]----00.0-[19-1c]--+-00.0-[1a]----00.0  NVIDIA Corporation GH100 [H100 SXM5 80GB]
 |                                           +-04.0-[1b]----00.0  Mellanox Technologies MT2910 Family [ConnectX-7]
 |                                           \-08.0-[1c]--
 \-[0000:00]-+-00.0  Intel Corporation Device 09a2
             \-1f.5  Intel Corporation C620 SPI Controller
""".lstrip("\n")
