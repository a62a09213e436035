"""What ``lspci -D -vvv`` prints as root on a simulated node, for bridges, GPUs and HCAs.

Layout: pciutils 3.7. Devices and their names are those of the PCI ID database.
"""

from __future__ import annotations

from slowlink.simulate.node_state.description import Place, SimulatedNode

_CONTROL = [
    "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx+",
    "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-",
    "\tLatency: 0, Cache Line Size: 64 bytes",
]
_SWITCH = "PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)"
_GPUS = {
    "nvidia": (
        "3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)",
        "NVIDIA Corporation Device 16c1",
        "nvidia",
        "nvidiafb, nouveau, nvidia_drm, nvidia",
    ),
    "metax": ("Display controller: Device 9999:4001 (rev 01)", "Device 9999:4001", "metax", "metax"),
}
"""Name, subsystem, driver in use, modules."""
_ACS = ("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans")
_REDIRECTING = ("SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd")


def verbose(node: SimulatedNode) -> str:
    """``lspci -D -vvv``."""
    blocks = [["0000:00:00.0 Host bridge: Intel Corporation Device 09a2 (rev 20)", *_CONTROL, "\tNUMA node: 0"]]
    for index in range(node.gpus):
        place, base = Place.of(index), Place.of(index).base
        blocks += [
            _bridge(node, place.root_port, "PCI bridge: Intel Corporation Device 352a (rev 04)", base, 1, base + 5, ""),
            _bridge(node, place.upstream, _SWITCH, base + 1, 1, base + 5, "Upstream Port"),
            _bridge(node, place.above_gpu, _SWITCH, base + 2, 1, base + 3, "Downstream Port"),
            _bridge(node, place.above_hca, _SWITCH, base + 2, 2, base + 4, "Downstream Port"),
            _device(place.gpu, *_GPUS[node.vendor]),
            _device(
                place.hca,
                "Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]",
                "Mellanox Technologies Device 0041",
                "mlx5_core",
                "mlx5_core",
            ),
        ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def brief(node: SimulatedNode) -> str:
    """``lspci -D``: the first line of each device."""
    lines = verbose(node).splitlines()
    return "".join(f"{line.replace(' (prog-if 00 [Normal decode])', '')}\n" for line in lines if line[:1].isdecimal())


def _bridge(node: SimulatedNode, address: str, name: str, primary: int, down: int, last: int, port: str) -> list[str]:
    """``down``: from the bus that it is on to the one below it."""
    redirects = node.acs and port == "Downstream Port"
    below = f"Bus: primary={primary:02x}, secondary={primary + down:02x}, subordinate={last:02x}, sec-latency=0"
    block = [f"{address} {name} (prog-if 00 [Normal decode])", *_CONTROL, "\tNUMA node: 0", f"\t{below}"]
    block += _express(f"Express (v2) {port or 'Root Port (Slot+)'}, MSI 00")
    if port != "Upstream Port":
        block += [
            "\tCapabilities: [260 v1] Access Control Services",
            f"\t\tACSCap:\t{' '.join(f'{flag}+' for flag in _ACS)}",
            f"\t\tACSCtl:\t{' '.join(flag + ('+' if redirects and flag in _REDIRECTING else '-') for flag in _ACS)}",
        ]
    return [*block, "\tKernel driver in use: pcieport"]


def _device(address: str, name: str, subsystem: str, driver: str, modules: str) -> list[str]:
    return [
        f"{address} {name}",
        f"\tSubsystem: {subsystem}",
        *_CONTROL,
        "\tNUMA node: 0",
        *_express("Express (v2) Endpoint, MSI 00"),
        f"\tKernel driver in use: {driver}",
        f"\tKernel modules: {modules}",
    ]


def _express(title: str) -> list[str]:
    return [
        f"\tCapabilities: [68] {title}",
        "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0",
        "\t\t\tExtTag+ RBE+",
        "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-",
        "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+",
        "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes",
        "\t\tDevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-",
        "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported",
        "\t\t\tClockPM- Surprise- LLActRep+ BwNot- ASPMOptComp+",
        "\t\tLnkCtl:\tASPM Disabled; Disabled- CommClk+",
        "\t\t\tExtSynch- ClockPM- AutWidDis- BWInt- AutBWInt-",
        "\t\tLnkSta:\tSpeed 32GT/s, Width x16",
        "\t\t\tTrErr- Train- SlotClk+ DLActive+ BWMgmt- ABWMgmt-",
    ]
