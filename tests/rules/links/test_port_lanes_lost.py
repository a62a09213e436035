from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "port-lanes-lost"
PORT = """\
Infiniband device 'mlx5_3' port 1 status:
\tstate:\t\t 4: ACTIVE
\tphys state:\t 5: LinkUp
\trate:\t\t 25 Gb/sec (1X EDR)
\tlink_layer:\t InfiniBand
"""


def test_one_lane() -> None:
    assert said(RULE, PORT) == snapshot(
        [("port-rate-low", "error", "likely", "mlx5_3 runs on 1 lane of InfiniBand's 4")]
    )


@pytest.mark.parametrize(
    "old, new",
    [("25 Gb/sec (1X", "100 Gb/sec (2X"), ("InfiniBand", "Ethernet"), ("4: ACTIVE", "1: DOWN")],
)
def test_silent(old: str, new: str) -> None:
    assert findings_of(RULE, PORT.replace(old, new)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, PORT) == snapshot(
        [[("Read the link's width and the power of each lane.", "mlxlink -d mlx5_3 -c -e -m")]]
    )
