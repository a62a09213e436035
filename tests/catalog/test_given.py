from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.catalog.given import given_hardware, parse_nics
from slowlink.catalog.infer import Clues, infer_hardware
from slowlink.errors import SlowlinkError
from slowlink.model.facts import NicGroup
from slowlink.model.nccl import LogProcess, NetDevice
from slowlink.model.source import Ref


def device(name: str, speed: float | None, *, cut: bool = False) -> NetDevice:
    process = LogProcess(host="node1", pid=1)
    return NetDevice("IB", 0, name, 1, "IB", speed, process, Ref("log", 1), list_cut=cut)


def test_nothing_given_is_nothing() -> None:
    assert given_hardware() is None


def test_a_system_with_other_nics() -> None:
    found = given_hardware("hgx_h100", nics="4x200", link="roce")
    assert found is not None
    assert found.nics == (NicGroup(4, 200.0, "RoCE"),)
    assert found.gpu == "h100-sxm"
    assert "4 x 200 Gb/s RoCE" in found.basis


def test_part_of_a_node_leaves_the_board_its_size() -> None:
    found = given_hardware("hgx_h100", gpus_per_node=2)
    assert found is not None
    assert found.gpus_per_node == 8


def test_nics_of_several_kinds() -> None:
    assert parse_nics("4x100 + 1x200G") == (NicGroup(4, 100.0), NicGroup(1, 200.0))


@pytest.mark.parametrize(
    ("options", "slug", "hint"),
    [
        ({"system": "hgx_h10"}, "unknown-system", "hgx_h100"),
        ({"gpu": "h9000"}, "unknown-gpu", "known: p100-sxm"),
        ({"gpu": "H100"}, "unknown-gpu", "nearest: h100-sxm, h100-pcie, h100-nvl"),
        ({"gpu": "mi300"}, "unknown-gpu", "nearest: mi300x"),
        ({"nics": "eight"}, "bad-nics", "8x400"),
        ({"nics": "0x400"}, "bad-nics", "8x400"),
        ({"nics": "8x400", "link": "token-ring"}, "unknown-link", "roce"),
    ],
)
def test_slips_are_explained(options: dict[str, str], slug: str, hint: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        given_hardware(**options)  # type: ignore[arg-type]
    assert caught.value.slug == slug
    assert hint in caught.value.hint


@given(st.text(max_size=40))
def test_any_text_for_nics_gives_nics_or_an_explained_error(text: str) -> None:
    try:
        groups = parse_nics(text)
    except SlowlinkError:
        return
    assert all(group.count > 0 and group.rate_gbit > 0 for group in groups)


def test_the_gpu_alone_never_tells_the_nics() -> None:
    found = infer_hardware(Clues(gpu_names=["NVIDIA H100 80GB HBM3"], gpus_per_node=8))
    assert found is not None
    assert (found.gpu, found.nics, found.system, found.given) == ("h100-sxm", (), None, False)
    assert "as printed" in found.basis


def test_a_provider_that_only_one_kind_of_node_has_pins_the_nics() -> None:
    clues = Clues(["NVIDIA H100 80GB HBM3"], 8, network="AWS Libfabric", provider="efa")
    found = infer_hardware(clues)
    assert found is not None
    assert found.nics == (NicGroup(32, 100.0, "EFA"),)
    assert "inferred" in found.basis


def test_libfabric_alone_may_be_any_fabric() -> None:
    found = infer_hardware(Clues(["NVIDIA H100 80GB HBM3"], 8, network="AWS Libfabric"))
    assert found is not None
    assert found.nics == ()


def test_half_a_node_is_not_that_node() -> None:
    found = infer_hardware(Clues(["NVIDIA H100 80GB HBM3"], 4, provider="efa"))
    assert found is not None
    assert found.nics == ()


def test_printed_rates_are_taken() -> None:
    found = infer_hardware(Clues(devices=[device("mlx5_0", 400.0), device("mlx5_1", 400.0)]))
    assert found is not None
    assert found.nics == (NicGroup(2, 400.0, "IB"),)


@pytest.mark.parametrize(
    ("devices", "word"),
    [([device("mlx5_0", None)], "--nics"), ([device("mlx5_0", 400.0, cut=True)], "cut")],
)
def test_a_list_that_tells_too_little_gives_nothing(devices: list[NetDevice], word: str) -> None:
    found = infer_hardware(Clues(["NVIDIA H200"], 8, devices))
    assert found is not None
    assert found.nics == ()
    assert word in found.basis


def test_mixed_and_unknown_gpus_stay_unknown() -> None:
    mixed = infer_hardware(Clues(["NVIDIA H200", "NVIDIA B200"], 8))
    assert mixed is not None
    assert mixed.gpu is None
    assert "several kinds" in mixed.basis
    unknown = infer_hardware(Clues(["NVIDIA Graphics Device"], 8))
    assert unknown is not None
    assert unknown.gpu is None


def test_a_named_machine_type_pins_its_system() -> None:
    found = infer_hardware(Clues(hints=["Standard_ND96isr_H100_v5"]))
    assert found is not None
    assert found.system == "azure_nd_h100_v5"


def test_what_the_user_says_wins_part_by_part() -> None:
    said = given_hardware(nics="4x400")
    found = infer_hardware(Clues(["NVIDIA H200"], 8, [device("mlx5_0", 200.0)]), said)
    assert found is not None
    assert found.nics == (NicGroup(4, 400.0),)
    assert found.gpu == "h200-sxm"
    assert found.given


def test_nothing_known_is_nothing() -> None:
    assert infer_hardware(Clues()) is None
