"""The start of HCAs, and what their drivers say about faults, cables, heat and time-outs."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.hca_driver_log import HcaDriverLog

LOG = """\
[    6.100] mlx5_core 0000:12:00.0: firmware version: 28.41.1000
[    6.200] mlx5_core 0000:12:00.0: Rate limit: 127 rates are supported, range: 0Mbps to 195312Mbps
[    6.300] mlx5_core 0000:12:00.0: E-Switch: Total vports 2, per vport: max uc(128) max mc(2048)
[    6.400] mlx5_core 0000:12:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)
[    6.500] mlx5_core 0000:12:00.0: Port module event: module 0, Cable plugged
[    7.400] mlx5_core 0000:12:00.0 ens1np0: renamed from eth2
[  500.000] mlx5_core 0000:12:00.0: temp_warn:194:(pid 0): High temperature on sensors with bit set 0 1
[  501.000] systemd[1]: Started Session 12 of user root.
[  502.000] mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
[  503.000] mlx5_core 0000:12:00.0: wait_func:1167:(pid 7): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource
[  512.000] mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
[  600.000] mlx5_core 0000:12:00.0: Port module event[error]: module 0, Cable error, Bus stuck
[  601.000] mlx5_core 0000:12:00.0: poll_health:955:(pid 0): device's health compromised - reached miss count
[  601.010] mlx5_core 0000:12:00.0: print_health_info:424:(pid 0): assert_var[0] 0x00000000
[  640.000] mlx5_core 0000:12:00.0: mlx5_health_try_recover:330:(pid 9): health recovery succeeded
"""


def test_a_start_is_quiet_and_what_follows_is_not() -> None:
    assert events_of(HcaDriverLog, LOG) == snapshot(
        [
            ("hca-driver-started", None, None, {"pci": "0000:12:00.0"}, 2),
            ("kernel-hca-hot", None, None, {"pci": "0000:12:00.0"}, 1),
            ("kernel-hca-timeout", None, None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 2),
            ("kernel-hca-timeout", None, None, {"pci": "0000:12:00.0", "command": "MANAGE_PAGES"}, 1),
            (
                "kernel-cable-error",
                None,
                None,
                {"pci": "0000:12:00.0", "module": "0", "error": "Cable error, Bus stuck"},
                1,
            ),
            ("kernel-hca-fault", None, None, {"pci": "0000:12:00.0", "error": "device's health compromised"}, 1),
            ("kernel-hca-recovered", None, None, {"pci": "0000:12:00.0"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "mlx5_core 0000:12:00.0: print_health_info:424:(pid 0): assert_var[0] 0x00000000",
        "High temperature on sensors of the room",
        "mlx5_core 0000:12:00.0: Port module event: module 0, Cable unplugged",
        "mlx5_core 0000:12:00.0 ens1np0: Link down",
        "eth9: TX timeout detected",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(HcaDriverLog, text) == []
