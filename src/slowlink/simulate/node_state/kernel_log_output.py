"""What ``dmesg`` prints on a simulated node some minutes after boot, when all is well."""

from __future__ import annotations

from slowlink.simulate.node_state.description import Place, SimulatedNode


def kernel_log(node: SimulatedNode) -> str:
    """The lines of drivers that matter here, among others."""
    lines = [f"[    0.000000] Linux version {node.kernel} (buildd@builder) (gcc 11.4.0) #1 SMP"]
    for index in range(node.gpus):
        place = Place.of(index)
        width = "504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)"
        lines += [
            f"[    {9 + index}.118243] mlx5_core {place.hca}: firmware version: 28.43.2026",
            f"[    {9 + index}.118301] mlx5_core {place.hca}: {width}",
        ]
    if node.vendor == "metax":
        return "\n".join(lines) + "\n"
    flavour = "Open Kernel Module for x86_64" if node.open_driver else "x86_64 Kernel Module"
    lines += [
        f"[   21.402117] NVRM: loading NVIDIA UNIX {flavour}  {node.driver}",
        "[   33.000181] systemd[1]: Reached target Multi-User System.",
    ]
    return "\n".join(lines) + "\n"
