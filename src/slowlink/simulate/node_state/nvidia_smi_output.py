"""What nvidia-smi prints on a simulated node: ``-q``, ``pmon``, ``nvlink``, ``topo -m``, ``-L``.

Layout: driver 570, as its own documentation and public logs show it. Values are ours.
"""

from __future__ import annotations

from collections.abc import Callable

from slowlink.simulate.node_state.description import Busy, Place, SimulatedNode

_GPU = "NVIDIA H100 80GB HBM3"
_CUDA = {"535": "12.2", "550": "12.4", "560": "12.6", "570": "12.8"}
_LINKS = 18
_REASONS = ("SW Power Cap", "HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown", "Sync Boost")
_HARDWARE = ("HW Slowdown", "HW Power Brake Slowdown")


def query(node: SimulatedNode) -> str:
    """``nvidia-smi -q``."""
    cuda = _CUDA.get(node.driver.partition(".")[0], "12.8")
    lines = [
        "",
        "==============NVSMI LOG==============",
        "",
        _line(0, "Timestamp", "Thu Jan  1 12:00:00 2026"),
        _line(0, "Driver Version", node.driver),
        _line(0, "CUDA Version", cuda),
        "",
        _line(0, "Attached GPUs", str(node.gpus)),
    ]
    for gpu in range(node.gpus):
        lines += [*_gpu(node, gpu), ""]
    return "\n".join(lines) + "\n"


def _line(depth: int, name: str, value: str) -> str:
    """Values stand in column 43."""
    return f"{'    ' * depth}{name}".ljust(42) + f": {value}"


def _gpu(node: SimulatedNode, gpu: int) -> list[str]:
    place = Place.of(gpu)
    on = "Enabled" if node.persistence else "Disabled"
    throttled = node.throttled == gpu
    busy = node.busy if node.busy is not None and node.busy.gpu == gpu else None
    return [
        f"GPU {_bus(place)}",
        _line(1, "Product Name", _GPU),
        _line(1, "Product Brand", "NVIDIA"),
        _line(1, "Product Architecture", "Hopper"),
        _line(1, "Display Mode", "Enabled"),
        _line(1, "Display Active", "Disabled"),
        _line(1, "Persistence Mode", on),
        _line(1, "Addressing Mode", "None"),
        "    MIG Mode",
        _line(2, "Current", "Disabled"),
        _line(2, "Pending", "Disabled"),
        _line(1, "Serial Number", f"16529{node.number:04}{gpu:04}"),
        _line(1, "GPU UUID", uuid(node, gpu)),
        _line(1, "Minor Number", str(gpu)),
        _line(1, "VBIOS Version", "96.00.A5.00.01"),
        _line(1, "MultiGPU Board", "No"),
        _line(1, "GSP Firmware Version", node.driver),
        "    GPU Reset Status",
        _line(2, "Reset Required", "No"),
        _line(2, "Drain and Reset Recommended", "No"),
        "    PCI",
        _line(2, "Bus", f"0x{place.base + 3:02X}"),
        _line(2, "Device", "0x00"),
        _line(2, "Domain", "0x0000"),
        _line(2, "Device Id", "0x233010DE"),
        _line(2, "Bus Id", _bus(place)),
        *_link(),
        _line(2, "Replays Since Reset", "0"),
        _line(2, "Replay Number Rollovers", "0"),
        _line(1, "Performance State", "P0"),
        "    Clocks Event Reasons",
        _line(2, "Idle", _active(not busy and not throttled)),
        _line(2, "Applications Clocks Setting", "Not Active"),
        *(_line(2, reason, _active(reason in _HARDWARE and throttled)) for reason in _REASONS),
        _line(2, "SW Thermal Slowdown", "Not Active"),
        *_usage(busy),
        *_memory(),
        *_power_and_clocks(busy, 345 if throttled else 1980),
        "    Fabric",
        _line(2, "State", "Completed"),
        _line(2, "Status", "Success"),
        *_processes(node, gpu),
    ]


def _usage(busy: Busy | None) -> list[str]:
    return [
        "    FB Memory Usage",
        _line(2, "Total", "81559 MiB"),
        _line(2, "Reserved", "551 MiB"),
        _line(2, "Used", f"{busy.memory_mib if busy else 0} MiB"),
        _line(2, "Free", f"{81008 - (busy.memory_mib if busy else 0)} MiB"),
        _line(1, "Compute Mode", "Default"),
        "    Utilization",
        _line(2, "GPU", f"{busy.utilisation if busy else 0} %"),
        _line(2, "Memory", f"{41 if busy else 0} %"),
    ]


def _active(yes: bool) -> str:
    return "Active" if yes else "Not Active"


def _power_and_clocks(busy: Busy | None, mhz: int) -> list[str]:
    return [
        "    Temperature",
        _line(2, "GPU Current Temp", "61 C" if busy else "31 C"),
        _line(2, "GPU T.Limit Temp", "26 C" if busy else "56 C"),
        "    GPU Power Readings",
        _line(2, "Average Power Draw", "402.11 W" if busy else "71.83 W"),
        _line(2, "Current Power Limit", "700.00 W"),
        _line(2, "Default Power Limit", "700.00 W"),
        _line(2, "Max Power Limit", "700.00 W"),
        "    Clocks",
        _line(2, "SM", f"{mhz} MHz"),
        _line(2, "Memory", "2619 MHz"),
        "    Max Clocks",
        _line(2, "SM", "1980 MHz"),
        _line(2, "Memory", "2619 MHz"),
    ]


def _link() -> list[str]:
    return [
        "        GPU Link Info",
        "            PCIe Generation",
        _line(4, "Max", "5"),
        _line(4, "Current", "5"),
        _line(4, "Device Current", "5"),
        _line(4, "Device Max", "5"),
        _line(4, "Host Max", "5"),
        "            Link Width",
        _line(4, "Max", "16x"),
        _line(4, "Current", "16x"),
    ]


def _memory() -> list[str]:
    counts = ("SRAM Correctable", "SRAM Uncorrectable Parity", "SRAM Uncorrectable SEC-DED", "DRAM Correctable")
    names = (*counts, "DRAM Uncorrectable")
    remapped = ("Correctable Error", "Uncorrectable Error")
    return [
        "    ECC Mode",
        _line(2, "Current", "Enabled"),
        _line(2, "Pending", "Enabled"),
        "    ECC Errors",
        "        Volatile",
        *(_line(3, name, "0") for name in names),
        "        Aggregate",
        *(_line(3, name, "0") for name in names),
        "    Remapped Rows",
        *(_line(2, name, "0") for name in remapped),
        _line(2, "Pending", "No"),
        _line(2, "Remapping Failure Occurred", "No"),
    ]


def _processes(node: SimulatedNode, gpu: int) -> list[str]:
    busy = node.busy
    if busy is None or busy.gpu != gpu:
        return [_line(1, "Processes", "None")]
    return [
        "    Processes",
        _line(2, "GPU instance ID", "N/A"),
        _line(2, "Compute instance ID", "N/A"),
        _line(2, "Process ID", str(busy.pid)),
        _line(3, "Type", "C"),
        _line(3, "Name", busy.name),
        _line(3, "Used GPU Memory", f"{busy.memory_mib} MiB"),
    ]


def _bus(place: Place) -> str:
    return f"0000{place.gpu.upper()}"


def uuid(node: SimulatedNode, gpu: int) -> str:
    return f"GPU-{node.number:08x}-1111-4222-8333-{gpu:012x}"


def list_gpus(node: SimulatedNode) -> str:
    """``nvidia-smi -L``."""
    return "".join(f"GPU {gpu}: {_GPU} (UUID: {uuid(node, gpu)})\n" for gpu in range(node.gpus))


def monitor(node: SimulatedNode) -> str:
    """``nvidia-smi pmon -c 1 -s um``."""
    lines = [
        "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa     fb   ccpm    command ",
        "# Idx           #    C/G      %      %      %      %      %      %     MB     MB    name ",
    ]
    for gpu in range(node.gpus):
        busy = node.busy
        if busy is not None and busy.gpu == gpu:
            lines.append(
                f"{gpu:5} {busy.pid:10}     C {busy.utilisation:6} {41:6}      -      -      -      - "
                f"{busy.memory_mib:6}      0    {busy.name[:14]:14} "
            )
        else:
            lines.append(
                f"{gpu:5}          -     -      -      -      -      -      -      -      -      -    -              "
            )
    return "\n".join(lines) + "\n"


def nvlink_state(node: SimulatedNode) -> str:
    """``nvidia-smi nvlink -s``."""
    return _by_link(node, lambda link: [f"\t Link {link}: 26.562 GB/s"])


def nvlink_errors(node: SimulatedNode) -> str:
    """``nvidia-smi nvlink -e``."""
    kinds = ("Replay", "Recovery", "CRC")
    return _by_link(node, lambda link: [f"\t Link {link}: {kind} Errors: 0" for kind in kinds])


def _by_link(node: SimulatedNode, of: Callable[[int], list[str]]) -> str:
    lines = []
    for gpu in range(node.gpus):
        lines.append(f"GPU {gpu}: {_GPU} (UUID: {uuid(node, gpu)})")
        lines += [line for link in range(_LINKS) for line in of(link)]
    return "\n".join(lines) + "\n"


def topology(node: SimulatedNode) -> str:
    """``nvidia-smi topo -m``: all GPUs over NVSwitch, each beside its own HCA."""
    count = node.gpus
    names = [*(f"GPU{i}" for i in range(count)), *(f"NIC{i}" for i in range(count))]
    lines = ["\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"]
    for row, name in enumerate(names):
        cells = [_relation(row, column, count) for column in range(len(names))]
        tail = [f"0-{node.cpus - 1}", "0", "\tN/A"] if row < count else ["", "", ""]
        lines.append("\t".join([name, *cells, *tail]))
    legend = ["", "Legend:", "", "  X    = Self"]
    legend += ["", "NIC Legend:", "", *(f"  NIC{i}: mlx5_{i}" for i in range(count)), ""]
    return "\n".join([*lines, *legend]) + "\n"


def _relation(row: int, column: int, count: int) -> str:
    if row == column:
        return " X "
    if row < count and column < count:
        return f"NV{_LINKS}"
    return "PXB" if row % count == column % count else "NODE"
