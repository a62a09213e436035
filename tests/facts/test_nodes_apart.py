"""Output of several nodes below one another, without a name: the GUIDs of their HCAs tell them apart."""

from __future__ import annotations

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

FIRST, SECOND = "0x7cfe90030011aa00", "0x7cfe90030022bb00"


def hca(guid: str, rate: int, name: str = "mlx5_0") -> str:
    return (
        f"CA '{name}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.43.2026\n"
        f"\tNode GUID: {guid}\n\tSystem image GUID: {guid}\n\tPort 1:\n\t\tState: Active\n"
        f"\t\tPhysical state: LinkUp\n\t\tRate: {rate}\n\t\tLink layer: InfiniBand\n"
    )


def read_of(text: str, attribute: str) -> list[tuple[str | None, str, object]]:
    """(node, part, value) of each reading."""
    state = assemble(read([Input("two.txt", None, [text.encode()])], workers=1)).state
    assert state is not None
    return [(r.host, r.part.name, r.value) for r in state.readings[attribute].all]


def test_another_guid_of_an_hca_is_another_node_from_the_heading_of_the_hca_on() -> None:
    text = hca(FIRST, 200) + hca(SECOND, 400)
    assert read_of(text, "port-rate") == [("two.txt#1", "mlx5_0/1", 200.0), ("two.txt#2", "mlx5_0/1", 400.0)]
    assert [node for node, _, _ in read_of(text, "hca-model")] == ["two.txt#1", "two.txt#2"]


def test_a_node_that_comes_again_is_the_same_one() -> None:
    text = hca(FIRST, 400) + hca(SECOND, 400) + hca(FIRST, 200)
    assert [(node, rate) for node, _, rate in read_of(text, "port-rate")] == [
        ("two.txt#1", 400.0),
        ("two.txt#2", 400.0),
        ("two.txt#1", 200.0),
    ]


def test_the_same_guids_or_other_hcas_are_one_node() -> None:
    text = hca(FIRST, 400) + hca(SECOND, 400, "mlx5_1") + hca(FIRST, 400)
    assert {node for node, _, _ in read_of(text, "port-rate")} == {"two.txt"}


def test_a_guid_of_zeros_tells_nothing() -> None:
    text = hca("0x0000000000000000", 400) + hca(FIRST, 400)
    assert {node for node, _, _ in read_of(text, "port-rate")} == {"two.txt"}


def test_a_name_above_the_output_counts_more() -> None:
    text = f"[root@gpu01 ~]# ibstat\n{hca(FIRST, 200)}[root@gpu02 ~]# ibstat\n{hca(SECOND, 400)}"
    assert [node for node, _, _ in read_of(text, "port-rate")] == ["gpu01", "gpu02"]


def gpus(uuid: str, driver: str, limit: str) -> str:
    return (
        f"==============NVSMI LOG==============\n\nDriver Version : {driver}\n\nAttached GPUs : 1\nGPU 00000000:1B:00.0\n"
        f"    Product Name : NVIDIA H100 80GB HBM3\n    GPU UUID : GPU-{uuid}\n"
        f"    GPU Power Readings\n        Current Power Limit : {limit} W\n"
    )


def test_another_uuid_of_a_gpu_is_another_node_from_what_is_said_of_the_node_on() -> None:
    first, second = "00000001-1111-2222-3333-444444444444", "00000002-1111-2222-3333-444444444444"
    text = gpus(first, "535.1", "500.00") + gpus(second, "550.1", "700.00")
    nodes = ["two.txt#1", "two.txt#2"]
    assert [(node, value) for node, _, value in read_of(text, "driver-version")] == list(
        zip(nodes, ["535.1", "550.1"], strict=True)
    )
    assert [(node, value) for node, _, value in read_of(text, "gpu-power-limit")] == list(
        zip(nodes, [500.0, 700.0], strict=True)
    )
