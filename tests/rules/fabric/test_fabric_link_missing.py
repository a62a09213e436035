from __future__ import annotations

from fabric_pictures import iblinkinfo
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def names(text: str, *more: str) -> set[str]:
    return {s.name for found in findings_of("fabric-link-missing", text, *more) for s in found.suspects}


def test_a_link_of_an_earlier_picture_is_missed() -> None:
    before, after = iblinkinfo(), iblinkinfo(down=[("leaf1", 4)])
    (first, *_) = said("fabric-link-missing", before, after)
    assert first == snapshot(
        ("port-down", "error", "certain", "1 link of the fabric went down: leaf1/4 - gpu07 mlx5_0/1")
    )
    assert names(before, after) == {"leaf1/4", "gpu07 mlx5_0/1", "gpu07"}
    assert findings_of("fabric-link-missing", before, before) == ()


def test_a_link_that_came_is_no_fault() -> None:
    assert names(iblinkinfo(down=[("leaf1", 4)]), iblinkinfo()) == {"leaf1/4"}


def test_a_leaf_with_fewer_links_to_spines_than_its_siblings() -> None:
    assert said("fabric-link-missing", iblinkinfo(down=[("leaf2", 6)])) == snapshot(
        [("port-down", "error", "likely", "leaf2 has 1 link to other switches, its siblings have 2; leaf2/6 is down")]
    )


def test_a_leaf_that_was_built_with_fewer_uplinks_is_only_possible() -> None:
    both = [("leaf2", 6), ("leaf3", 6)]
    found = said("fabric-link-missing", iblinkinfo(leaves=12, down=both))
    assert {entry[1:3] for entry in found} == {("warning", "possible")}


def test_a_hole_where_all_siblings_have_a_host_is_only_possible() -> None:
    assert said("fabric-link-missing", iblinkinfo(down=[("leaf2", 1)])) == snapshot(
        [("port-down", "warning", "possible", "no link: leaf2/1 is down, where the other leaf switches have hosts")]
    )


def test_a_host_with_fewer_adapters_than_its_kind() -> None:
    text = iblinkinfo(rails=True, down=[("leaf3", 2)])
    assert said("fabric-link-missing", text)[0] == snapshot(
        ("port-down", "error", "likely", "gpu01 has 3 linked adapters (gpu01 mlx5_3 missing); 3 other hosts have 4")
    )
    assert {"gpu01", "gpu01 mlx5_3"} <= names(text)


def test_unused_ports_are_no_fault() -> None:
    unused = [(f"leaf{n}", 4) for n in range(4)]
    assert findings_of("fabric-link-missing", iblinkinfo(down=unused)) == ()


def test_leaves_of_different_sizes_are_no_fault() -> None:
    half = [("leaf3", port) for port in (1, 2, 3)]
    assert findings_of("fabric-link-missing", iblinkinfo(down=half)) == ()


def test_a_cut_picture_is_compared_with_nothing() -> None:
    lines = iblinkinfo(rails=True, leaves=8, hosts=8).splitlines(keepends=True)
    for cut in range(1, len(lines)):
        assert findings_of("fabric-link-missing", "".join(lines[:cut])) == (), cut


def test_it_says_what_to_do() -> None:
    assert remedies_of("fabric-link-missing", iblinkinfo(rails=True, down=[("leaf3", 2)])) == snapshot(
        [
            [
                ("See the state of the ports.", "iblinkinfo -l | grep -E 'Down|Polling'"),
                ("Read what the port says of its cable.", "mlxlink -d lid-LID -p PORT -m"),
            ],
            [
                ("See the state of the ports.", "iblinkinfo -l | grep -E 'Down|Polling'"),
                ("Read what the port says of its cable.", "mlxlink -d lid-LID -p PORT -m"),
            ],
        ]
    )
