"""The fastest lane of InfiniBand devices, by their PCI device id: an older card on a newer switch is no fault.

Source: the public PCI ID list (vendor 15b3) and the data sheets of NVIDIA's adapters and switches.
"""

from __future__ import annotations

_FDR, _EDR, _HDR, _NDR, _XDR = 14.0625, 25.78125, 53.125, 106.25, 212.5
_FASTEST = {
    0x1003: _FDR,  # ConnectX-3
    0x1007: _FDR,  # ConnectX-3 Pro
    0x1011: _FDR,  # Connect-IB
    0x1013: _EDR,  # ConnectX-4
    0x1017: _EDR,  # ConnectX-5
    0x1019: _EDR,  # ConnectX-5 Ex
    0x101B: _HDR,  # ConnectX-6
    0xA2D6: _HDR,  # BlueField-2
    0x1021: _NDR,  # ConnectX-7
    0xA2DC: _NDR,  # BlueField-3
    0x1023: _XDR,  # ConnectX-8
    0xC738: _FDR,  # SwitchX
    0xCB20: _EDR,  # Switch-IB
    0xCF08: _EDR,  # Switch-IB 2
    0xD2F0: _HDR,  # Quantum
    0xD2F2: _NDR,  # Quantum-2
    0xD2F4: _XDR,  # Quantum-3
}


def fastest_lane(device: str) -> float | None:
    """Gb/s of one lane as signalled, for ``0x1017`` or ``4119``; None for devices that are not known."""
    try:
        return _FASTEST.get(int(device[:12], 0))
    except ValueError:
        return None
