"""The start of HCAs, and what their drivers say about heat and time-outs."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.kernel.hca_driver_log import DriverLog

LOG = """\
[    6.100] mlx5_core 0000:12:00.0: firmware version: 28.41.1000
[    6.200] mlx5_core 0000:12:00.0: Rate limit: 127 rates are supported, range: 0Mbps to 195312Mbps
[    6.300] mlx5_core 0000:12:00.0: E-Switch: Total vports 2, per vport: max uc(128) max mc(2048)
[    7.000] nvidia: loading out-of-tree module taints kernel.
[    7.400] mlx5_core 0000:12:00.0 ens1np0: renamed from eth2
[  500.000] mlx5_core 0000:12:00.0: temp_warn:194:(pid 0): High temperature on sensors with bit set 0 1
[  501.000] systemd[1]: Started Session 12 of user root.
[  502.000] mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
[  503.000] mlx5_core 0000:12:00.0: wait_func:1167:(pid 7): MANAGE_PAGES(0x108) timeout. Will cause a leak of a command resource
[  509.000] ice 0000:18:00.0 ens2f0: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC
[  512.000] mlx5_core 0000:12:00.0 ens1np0: TX timeout detected
"""


def test_a_start_is_quiet_and_what_follows_is_not() -> None:
    assert events_of(DriverLog, LOG) == snapshot(
        [
            ("kernel-hca-hot", None, None, {"pci": "0000:12:00.0"}, 1),
            ("kernel-hca-timeout", None, None, {"pci": "0000:12:00.0", "interface": "ens1np0"}, 2),
            ("kernel-hca-timeout", None, None, {"pci": "0000:12:00.0", "command": "MANAGE_PAGES"}, 1),
            ("kernel-link-up", None, None, {"interface": "ens2f0"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "mlx5_core 0000:12:00.0: print_health_info:424:(pid 0): assert_var[0] 0x00000000",
        "High temperature on sensors of the room",
        "bond0: (slave ens1np0): Enslaving as a backup interface with a down link",
        "eth9: TX timeout detected",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(DriverLog, text) == []
