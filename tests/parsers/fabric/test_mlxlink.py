"""mlxlink: one port in depth, as text and as JSON."""

from __future__ import annotations

import json

import fabric_texts as texts
import pytest
from fabric_reading import said
from feeding import feed
from inline_snapshot import snapshot

from slowlink.parsers.fabric.mlxlink import MlxLink, MlxLinkJson


def test_a_port_in_depth() -> None:
    assert said(MlxLink, texts.MLXLINK) == snapshot(
        [
            ("mlx5_3/1", "port-state", "Active"),
            ("mlx5_3/1", "port-physical-state", "LinkUp"),
            ("mlx5_3/1", "port-rate", 400.0),
            ("mlx5_3/1", "port-width", 4),
            ("mlx5_3/1", "link-fec", "Standard_RS-FEC - (544,514)"),
            ("mlx5_3/1", "link-recommendation", "No issue was observed"),
            ("mlx5_3/1", "link-counted-for", 12.5),
            ("mlx5_3/1", "link-symbol-errors", 3),
            ("mlx5_3/1", "link-symbol-ber", 4e-13),
            ("mlx5_3/1", "link-effective-errors", 0),
            ("mlx5_3/1", "link-effective-ber", 0.0),
            ("mlx5_3/1", "link-raw-ber", 2e-08),
            ("mlx5_3/1", "port-link-downed", 1),
            ("mlx5_3/1", "link-cable-part", "MCP4Y10-N001"),
            ("mlx5_3/1", "link-temperature", 48.0),
        ]
    )


def test_a_port_in_depth_as_json() -> None:
    document = {
        "result": {
            "output": {
                "Operational Info": {"State": "Active", "Speed": "200G", "Width": "4x"},
                "Physical Counters and BER Info": {"Symbol BER": "15E-255", "Raw Physical Errors Per Lane": ["1", "2"]},
            }
        },
        "status": {"code": 0, "message": "success"},
    }
    assert MlxLinkJson.wants_document(json.loads(json.dumps(document)))
    assert not MlxLinkJson.wants_document({"result": {"output": []}})
    found = [(r.part.name, r.attribute, r.value) for r in MlxLinkJson().read(document, "t", 5)]
    assert found == snapshot(
        [
            ("port at line 5", "port-state", "Active"),
            ("port at line 5", "port-width", 4),
            ("port at line 5", "port-rate", 200.0),
            ("port at line 5", "link-symbol-ber", 0.0),
        ]
    )


def test_a_port_of_the_fabric_in_depth() -> None:
    found = said(MlxLink, texts.MLXLINK.replace("-d mlx5_3", "-d /dev/mst/SW_MT54002_lid-0x0007 -p 3"))
    assert {name for name, _, _ in found} == {"lid 7/3"}
    assert ("lid 7/3", "link-state", "Active") in found


def _mlxlink(recommendation: str) -> list[tuple[str, str, object]]:
    rows = ["mlxlink -d mlx5_9", "Operational Info", "State  : Polling", "Troubleshooting Info"]
    return [(r.attribute, r.part.name, r.value) for r in feed(MlxLink, [*rows, f"Recommendation  : {recommendation}"])]


def test_a_port_that_polls_is_down_unless_nothing_is_plugged_in() -> None:
    assert ("port-state", "mlx5_9/1", "Down") in _mlxlink("Negotiation failure")
    assert [entry[0] for entry in _mlxlink("Cable is unplugged")] == ["link-recommendation"]


@pytest.mark.parametrize("word", ["N/A", "Unknown", "??", "", "12E5x", "1E999", "7"])
def test_a_rate_that_says_nothing_is_no_rate(word: str) -> None:
    text = texts.MLXLINK.replace("4E-13", word).replace("15E-255", word).replace("2E-8", word)
    assert [entry for entry in said(MlxLink, text) if entry[1].endswith("-ber")] == []


def test_ports_without_a_command_are_counted() -> None:
    block = "Operational Info\nState : Active\nSpeed : 200G\nWidth : 4x\n"
    assert said(MlxLink, block + block) == snapshot(
        [
            ("port 1", "port-state", "Active"),
            ("port 1", "port-rate", 200.0),
            ("port 1", "port-width", 4),
            ("port 2", "port-state", "Active"),
            ("port 2", "port-rate", 200.0),
            ("port 2", "port-width", 4),
        ]
    )


def test_fields_without_a_section_are_nobodys() -> None:
    assert said(MlxLink, "State                              : Active\nSymbol Errors                      : 3\n") == []


def test_output_that_is_cut_within_the_width_has_no_rate() -> None:
    assert said(MlxLink, texts.MLXLINK[: texts.MLXLINK.index("4x") + 1]) == snapshot(
        [("mlx5_3/1", "port-state", "Active"), ("mlx5_3/1", "port-physical-state", "LinkUp")]
    )


def test_output_that_was_cut_to_one_section_is_of_the_port_of_its_command() -> None:
    def counters(device: str, errors: int) -> str:
        return f"# mlxlink -d {device} -c | tail -9\nPhysical Counters and BER Info\nSymbol Errors    : {errors}\n"

    assert said(MlxLink, counters("mlx5_0", 7) + counters("mlx5_1", 9)) == snapshot(
        [("mlx5_0/1", "link-symbol-errors", 7), ("mlx5_1/1", "link-symbol-errors", 9)]
    )
