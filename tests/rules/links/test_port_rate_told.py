from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node, port
from whole_inputs import checked

SLOW = "".join(node(n, *port("mlx5_0", rate="200"), *port("mlx5_1", rate="200")) for n in (1, 2, 3))


def told(text: str, nics: str | None) -> list[tuple[str, str, str]]:
    """(severity, confidence, message) of what this rule finds."""
    found = [each for each in checked(text, nics).findings if each.rule == "port-rate-told"]
    return [(each.severity, each.confidence, each.message) for each in found]


def test_all_ports_agree_and_are_slower_than_told() -> None:
    assert told(SLOW, "2x400") == snapshot(
        [
            (
                "error",
                "likely",
                "gpu[01-03]: mlx5_0 and mlx5_1 run at 200 of 400 Gb/s: the nodes were said to have 2 x 400 Gb/s",
            )
        ]
    )


def test_what_nobody_told_is_not_compared() -> None:
    assert told(SLOW, None) == []


def test_ports_as_told_and_ports_of_another_kind() -> None:
    assert told(SLOW, "2x200") == []
    assert told(SLOW, "2x100") == []
    assert told(node(1, *port("mlx5_0", rate="25"), *port("mlx5_1", "1: DOWN", rate="100")), "2x400") == []


def test_one_port_at_the_rate_leaves_the_others_to_their_siblings() -> None:
    assert told(node(1, *port("mlx5_0"), *port("mlx5_1", rate="200")), "2x400") == []


def test_a_mixed_network_is_held_against_its_slowest_rate() -> None:
    assert told(SLOW, "4x400+2x200") == []
