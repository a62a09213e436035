from __future__ import annotations

import pytest

from slowlink.catalog.bands import all_bands
from slowlink.catalog.gpus import FABRICS, all_gpus, find_gpu
from slowlink.catalog.hcas import all_hcas, find_hca
from slowlink.catalog.load import CatalogueError, table
from slowlink.catalog.systems import all_systems, find_system, near_systems


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA H200 NVL", "h200-nvl"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm"),
        ("A100-SXM4-40GB", "a100-sxm"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie"),
        ("NVIDIA A800-SXM4-80GB", "a800-sxm"),
        ("NVIDIA H800", "h800-sxm"),
        ("NVIDIA H20", "h20-sxm"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA GB200", "gb200"),
        ("NVIDIA GH200 120GB", "gh200"),
        ("Tesla V100-SXM2-16GB", "v100-sxm"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("MetaX C500", "metax-c500"),
        ("  nvidia  h200 ", "h200-sxm"),
        ("h100_sxm", "h100-sxm"),
        ("NVIDIA Graphics Device", None),
        ("NVIDIA H1000", None),
        ("", None),
    ],
)
def test_device_names_match_as_a_whole(printed: str, expected: str | None) -> None:
    found = find_gpu(printed)
    assert (found.id if found else None) == expected


def test_no_two_gpus_share_a_name() -> None:
    for printed in ("NVIDIA H100 80GB HBM3", "NVIDIA H200 NVL", "NVIDIA A100-SXM4-40GB", "NVIDIA L40", "NVIDIA GB300"):
        matching = [gpu.id for gpu in all_gpus().values() if any(p.fullmatch(printed) for p in gpu.names)]
        assert len(matching) == 1, printed


def test_rates_of_gpus_are_consistent() -> None:
    for gpu in all_gpus().values():
        assert gpu.fabric in FABRICS
        assert gpu.source
        if gpu.usable_gbs is not None and gpu.links and gpu.link_gbs:
            assert 0.6 * gpu.links * gpu.link_gbs < gpu.usable_gbs < gpu.links * gpu.link_gbs, gpu.id
        if gpu.fabric == "mesh":
            assert gpu.peers
        if gpu.fabric == "bridge":
            assert gpu.island
        if gpu.nvls:
            assert gpu.nvls_share


def test_shares_name_known_bands() -> None:
    for gpu in all_gpus().values():
        assert set(gpu.shares or {}) <= set(all_bands()), gpu.id
    for system in all_systems().values():
        assert set(system.shares or {}) <= set(all_bands()), system.id


@pytest.mark.parametrize(
    ("name", "expected"),
    [("hgx_h100", "hgx_h100"), ("HGX-H100", "hgx_h100"), ("p5.48xlarge", "aws_p5"), ("a3-megagpu-8g", "gcp_a3_mega")],
)
def test_systems_by_their_names(name: str, expected: str) -> None:
    found = find_system(name)
    assert found is not None
    assert found.id == expected


def test_a_slip_finds_what_was_meant() -> None:
    assert find_system("hgx_h10") is None
    assert near_systems("hgx_h10")[0] == "hgx_h100"
    assert near_systems("h100")[:2] == ("dgx_h100", "hgx_h100")
    assert near_systems("") == ()


def test_systems_are_whole() -> None:
    assert len(all_systems()) >= 30
    for system in all_systems().values():
        assert system.source
        assert system.nics
        assert system.gpus_per_node > 0
        hardware = system.hardware(given=True)
        assert system.id in hardware.basis
        assert hardware.given


def test_adapters() -> None:
    assert find_hca("MT4129") is find_hca("connectx-7")
    seven = find_hca("ConnectX-7")
    assert seven is not None
    assert (seven.rate_gbit, seven.pcie) == (400.0, (5, 16))
    assert find_hca("e1000") is None
    assert all(hca.source for hca in all_hcas().values())


def test_a_broken_catalogue_is_our_defect() -> None:
    with pytest.raises(CatalogueError, match=r"no-such\.toml"):
        table("no-such.toml")
