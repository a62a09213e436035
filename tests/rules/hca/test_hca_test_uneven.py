from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "hca-test-uneven"


def rails(*rates: float) -> str:
    return "one rail at a time, GB/s\n" + "".join(f"mlx5_{index}  {rate}\n" for index, rate in enumerate(rates))


def test_one_of_four() -> None:
    assert said(RULE, rails(48.4, 48.6, 21.9, 48.5)) == snapshot(
        [("straggler-nic", "error", "likely", "mlx5_2 gives 21.9 GB/s where 3 other HCAs give 48.45")]
    )


def test_two_of_six() -> None:
    assert said(RULE, rails(48.4, 48.6, 21.9, 48.5, 30.1, 48.5)) == snapshot(
        [("straggler-nic", "error", "likely", "mlx5_2 and mlx5_4 give 21.9 to 30.1 GB/s where 4 other HCAs give 48.45")]
    )


@pytest.mark.parametrize(
    "rates",
    [(48.4, 48.6, 48.5, 47.0), (48.4, 21.9, 48.5), (48.4, 21.9, 21.9, 48.5), (48.4, 21.9, 41.0, 48.5, 48.5)],
    ids=["alike", "three", "halves", "others that differ"],
)
def test_no_odd_one(rates: tuple[float, ...]) -> None:
    assert findings_of(RULE, rails(*rates)) == ()


def test_each_node_has_a_usual_of_its_own() -> None:
    text = "rail test (GB/s)\n" + "".join(
        f"node {node} mlx5_{index}  {rate * (0.4 if (node, index) == ('b2', 1) else 1)}\n"
        for node, rate in (("a1", 48.0), ("b2", 24.0))
        for index in range(4)
    )
    assert said(RULE, text) == snapshot(
        [("straggler-nic", "error", "likely", "b2: mlx5_1 gives 9.6 GB/s where 3 other HCAs give 24")]
    )


def test_what_to_do() -> None:
    assert remedies_of(RULE, rails(48.4, 48.6, 21.9, 48.5)) == snapshot(
        [
            [
                ("Read the link's state and counters.", "mlxlink -d mlx5_2 -c -e -m"),
                ("See the width and the speed of its PCIe slot.", "lspci -vv | grep -E 'Mellanox|LnkSta:'"),
                ("Test it again with another partner: the slow end may be the other one.", ""),
            ]
        ]
    )


@pytest.mark.parametrize("name", ["rail{}", "rail {}", "Rail-{}:"])
def test_a_rail_is_a_part_and_no_device(name: str) -> None:
    rates = (392.1, 391.8, 98.3, 392.0)
    text = "ib_write_bw gx01->gx02 per rail, Gb/s\n" + "".join(f"{name.format(i)} {r}\n" for i, r in enumerate(rates))
    assert said(RULE, text) == [
        ("straggler-nic", "error", "likely", "rail2 gives 12.29 GB/s where 3 other HCAs give 48.99")
    ]
    assert remedies_of(RULE, text)[0][0][1] == "mlxlink -d HCA -c -e -m"
