"""What lies in /proc and /sys of a simulated node."""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.simulate.node_state.description import Place, SimulatedNode

_CPU = "sys/devices/system/cpu"
_COUNTERS = (
    *("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors"),
    *("port_xmit_discards", "local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped"),
    *("port_rcv_constraint_errors", "port_xmit_constraint_errors"),
)


def kernel_files(node: SimulatedNode) -> dict[str, str]:
    """Path below the root -> content, with its line end."""
    found = [*_host(node), *_modules(node)]
    if node.vendor == "nvidia":
        found += [("proc/driver/nvidia/version", _driver(node))]
        found += [entry for gpu in range(node.gpus) for entry in _gpu(node, gpu)]
    found += [entry for hca in range(node.gpus) for entry in _hca(node, hca)]
    return {path: f"{text}\n" for path, text in found}


def symbol_errors_path(hca: int) -> str:
    """The counter that grows when a cable is bad."""
    return f"sys/class/infiniband/mlx5_{hca}/ports/1/counters/symbol_error"


def _host(node: SimulatedNode) -> Iterator[tuple[str, str]]:
    yield "proc/sys/kernel/hostname", node.name
    yield "proc/sys/kernel/random/boot_id", f"3d0d6a5e-0000-4000-8000-{node.number:012x}"
    yield "proc/sys/kernel/osrelease", node.kernel
    yield "proc/sys/kernel/numa_balancing", "1" if node.numa_balancing else "0"
    yield "proc/sys/vm/zone_reclaim_mode", "0"
    yield "proc/uptime", f"{864000 + node.number}.12 {6000000 + node.number}.34"
    yield "proc/cmdline", f"BOOT_IMAGE=/boot/vmlinuz-{node.kernel} root=/dev/md0 ro iommu=pt intel_iommu=on"
    yield "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"
    yield "sys/devices/system/node/online", "0"
    yield f"{_CPU}/online", f"0-{node.cpus - 1}"
    yield f"{_CPU}/smt/active", "0"
    yield f"{_CPU}/cpuidle/current_driver", "intel_idle"
    for cpu in range(node.cpus):
        folder = f"{_CPU}/cpu{cpu}/cpufreq"
        yield f"{folder}/scaling_governor", node.governor
        yield f"{folder}/scaling_driver", "intel_pstate"
        yield f"{folder}/scaling_available_governors", "performance powersave"
        yield f"{folder}/scaling_max_freq", "3800000"
        yield f"{folder}/cpuinfo_max_freq", "3800000"
        yield f"{folder}/scaling_cur_freq", "3800000" if node.governor == "performance" else "800000"


def _driver(node: SimulatedNode) -> str:
    flavour = "Open Kernel Module for x86_64" if node.open_driver else "x86_64 Kernel Module"
    return (
        f"NVRM version: NVIDIA UNIX {flavour}  {node.driver}  Wed Jan  1 00:00:00 UTC 2025\n"
        "GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)"
    )


def _modules(node: SimulatedNode) -> Iterator[tuple[str, str]]:
    loaded = {"mlx5_core": "24.10-1.1.4", "mlx5_ib": "", "ib_core": ""}
    peers = "sys/kernel/mm/memory_peers"
    if node.vendor == "nvidia":
        loaded |= {"nvidia": node.driver, "nvidia_uvm": ""}
        client, version = "nv_mem", node.driver
    else:
        loaded |= {"metax": node.driver}
        client, version = "mxcd", "1.0"
    if node.peermem:
        loaded |= {"nvidia_peermem": node.driver} if node.vendor == "nvidia" else {}
        yield f"{peers}/{client}/version", version
        yield f"{peers}/{client}/num_alloc_mrs", "0"
    for name, version in loaded.items():
        yield f"sys/module/{name}/initstate", "live"
        if version:
            yield f"sys/module/{name}/version", version
    sizes = "\n".join(f"{name} {16384 * (len(name))} 0 - Live 0x0000000000000000" for name in loaded)
    yield "proc/modules", sizes
    yield "proc/kallsyms", "0000000000000000 T startup_64\n0000000000000000 r __ksymtab_mm_kobj"


def _gpu(node: SimulatedNode, gpu: int) -> Iterator[tuple[str, str]]:
    place = Place.of(gpu)
    yield (
        f"proc/driver/nvidia/gpus/{place.gpu}/information",
        "Model: \t\t NVIDIA H100 80GB HBM3\n"
        f"IRQ:   \t\t {200 + gpu}\n"
        f"GPU UUID: \t GPU-{node.number:08x}-1111-4222-8333-{gpu:012x}\n"
        "Video BIOS: \t 96.00.a5.00.01\n"
        "Bus Type: \t PCIe\n"
        f"Bus Location: \t {place.gpu}\n"
        f"Device Minor: \t {gpu}\n"
        f"GPU Firmware: \t {node.driver}",
    )
    yield from _pci(f"sys/bus/pci/drivers/nvidia/{place.gpu}", "0x10de", "0x030200", "0x2330")


def _pci(folder: str, vendor: str, kind: str, device: str) -> Iterator[tuple[str, str]]:
    yield f"{folder}/vendor", vendor
    yield f"{folder}/device", device
    yield f"{folder}/class", kind
    yield f"{folder}/numa_node", "0"
    yield f"{folder}/iommu_group/type", "identity"
    for name in ("current", "max"):
        yield f"{folder}/{name}_link_speed", "32.0 GT/s PCIe"
        yield f"{folder}/{name}_link_width", "16"


def _hca(node: SimulatedNode, hca: int) -> Iterator[tuple[str, str]]:
    place, guid = Place.of(hca), f"{node.guid(hca):016x}"
    colons = ":".join(guid[at : at + 4] for at in range(0, 16, 4))
    folder = f"sys/class/infiniband/mlx5_{hca}"
    port = f"{folder}/ports/1"
    half = node.slow_port == hca
    yield f"{folder}/hca_type", "MT4129"
    yield f"{folder}/fw_ver", "28.43.2026"
    yield f"{folder}/board_id", "MT_0000000838"
    yield f"{folder}/hw_rev", "0"
    yield f"{folder}/node_guid", colons
    yield f"{folder}/sys_image_guid", colons
    yield f"{folder}/node_desc", f"{node.name} mlx5_{hca}"
    yield f"{folder}/device/uevent", f"DRIVER=mlx5_core\nPCI_CLASS=20700\nPCI_SLOT_NAME={place.hca}"
    down = node.dead_port == hca
    yield f"{port}/state", "1: DOWN" if down else "4: ACTIVE"
    yield f"{port}/phys_state", "2: Polling" if down else "5: LinkUp"
    yield f"{port}/rate", "200 Gb/sec (2X NDR)" if half else "400 Gb/sec (4X NDR)"
    yield f"{port}/link_layer", "InfiniBand"
    yield f"{port}/lid", f"0x{16 * node.number + hca:x}"
    yield f"{port}/sm_lid", "0x1"
    yield f"{port}/pkeys/0", "0xffff"
    yield f"{port}/gids/0", f"fe80:0000:0000:0000:{colons}"
    yield f"{port}/gid_attrs/types/0", "IB/RoCE v1"
    for name in _COUNTERS:
        errors = node.symbol_errors[hca] if name == "symbol_error" and hca < len(node.symbol_errors) else 0
        yield f"{port}/counters/{name}", str(errors)
    for name in ("port_xmit_data", "port_rcv_data"):
        yield f"{port}/counters/{name}", str(7_340_032_000 + hca)
    yield from _pci(f"{folder}/device", "0x15b3", "0x020700", "0x1021")
