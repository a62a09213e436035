"""Readings get their node, their time and one name for each part."""

from __future__ import annotations

from slowlink.facts.placing.places import Places
from slowlink.facts.readings import growth, latest, node_of
from slowlink.facts.state import state
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.model.state import Collected, Origin, Part, Reading

NODE = Part("node")


def read(attribute: str, part: Part, value: int | str, line: int, source: str = "a.txt", **more: float) -> Reading:
    return Reading(attribute, part, value, Ref(source, line), None, more.get("at"))


def test_the_node_is_told_by_the_prompt_above_then_by_the_bundle_then_the_source_stands_for_it() -> None:
    records = Records(
        readings=(
            read("driver-version", NODE, "1", 1, "b!captures/n.txt"),
            read("driver-version", NODE, "2", 1),
            read("driver-version", NODE, "3", 5),
        ),
        collected=(Collected("prompt", "ran", "nvidia-smi", Ref("a.txt", 4), "node07", 12.0),),
        origins=(Origin("b!captures/n.txt", "node01", 3.0, Ref("b!manifest.json", 1)),),
    )
    found = state(records)
    assert found is not None
    assert [(r.host, r.at) for r in found.readings["driver-version"].all] == [
        ("node01", 3.0),
        ("a.txt", None),
        ("node07", 12.0),
    ]
    assert found.unnamed == {"a.txt"}


def test_a_gpu_named_by_its_address_is_the_one_that_has_it() -> None:
    records = Records(
        readings=(
            read("gpu-bus-id", Part("gpu", "3"), "0000:1b:00.0", 1),
            read("gpu-utilisation", Part("gpu", "0000:1b:00.0"), 7, 2),
            read("gpu-utilisation", Part("gpu", "0000:2b:00.0"), 8, 3),
        )
    )
    found = state(records)
    assert found is not None
    assert [r.part.name for r in found.readings["gpu-utilisation"].all] == ["3", "0000:2b:00.0"]


def test_no_state_is_none() -> None:
    assert state(Records()) is None


def test_counters_grow_between_readings_and_start_again_when_reset() -> None:
    port = Part("port", "mlx5_0/1")
    series = [
        Reading("gpu-utilisation", port, 5, Ref("a", 1), "n", 10.0),
        Reading("gpu-utilisation", port, 2, Ref("a", 9), "n", 12.0),
        Reading("gpu-utilisation", port, 4, Ref("a", 19), "n", 14.0),
    ]
    (found,) = growth(series)
    assert (found.by, found.seconds) == (4, 4.0)
    assert latest(series) == {("n", port): series[2]}
    assert node_of(series[0]) == "n"
    assert growth(series[:1]) == []


def test_gathered_output_is_of_each_node_of_its_set() -> None:
    gathered = Records(
        readings=(read("driver-version", NODE, "1", 4),),
        collected=(Collected("prompt", "ran", "", Ref("a.txt", 2), "gpu[01-03]"),),
    )
    found = state(gathered)
    assert found is not None
    assert [r.host for r in found.readings["driver-version"].all] == ["gpu01", "gpu02", "gpu03"]
    assert found.nodes == ("gpu01", "gpu02", "gpu03")


def test_what_only_looks_like_a_set_is_a_name() -> None:
    assert Places(Records()).nodes_in("gpu[01") == ("gpu[01",)
    assert Places(Records()).nodes_in(None) == ()
