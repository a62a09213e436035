from __future__ import annotations

import pytest

from slowlink.catalog.gpus import all_gpus
from slowlink.catalog.load import table
from slowlink.catalog.nccl_env import all_variables
from slowlink.catalog.platforms.settings import made_by, platform_file


@pytest.mark.parametrize(
    ("path", "by"),
    [
        ("/opt/amazon/ofi-nccl/share/aws-ofi-nccl/xml/p4d-24xl-topo.xml", "the plug-in aws-ofi-nccl"),
        ("/usr/share/aws-ofi-nccl/xml/g5.48xl-topo.xml", "the plug-in aws-ofi-nccl"),
        ("/proc/self/fd/61", "the plug-in aws-ofi-nccl"),
        ("/tmp/aws-ofi-nccl-topo-a1B2c3", "the plug-in aws-ofi-nccl"),
        ("/opt/microsoft/ndv5-topo.xml", "Azure's image"),
        ("/opt/microsoft/ndv4/topo.xml", "Azure's image"),
        ("/opt/microsoft/ncv4/graph.xml", "Azure's image"),
        ("/var/run/nvidia-topologyd/virtualTopology.xml", "NVIDIA's daemon for the topology of virtual machines"),
        ("/home/ann/topo.xml", None),
        ("/home/ann/p4d-24xl-topo.xml", ""),
        ("/opt/microsoft/mine.xml", None),
    ],
)
def test_files_of_platforms_are_told_from_files_of_users(path: str, by: str | None) -> None:
    """A copy is nobody's, but its name tells the machine."""
    found = platform_file(path)
    assert (found.by if found else None) == by
    assert made_by("NCCL_TOPO_FILE", path, ()) == (by or "")


def test_a_value_is_of_the_platform_only_where_its_network_is_used_and_only_that_value() -> None:
    assert made_by("NCCL_BUFFSIZE", "8388608", ["AWS Libfabric"]) == "the plug-in aws-ofi-nccl for its platform"
    assert made_by("NCCL_BUFFSIZE", "65536", ["AWS Libfabric"]) == ""
    assert made_by("NCCL_BUFFSIZE", "8388608", ["IB"]) == ""
    assert made_by("NCCL_ALGO", "Ring,Tree", ["GPUDirectTCPX_v7"]) == "Google's profile for GPUDirect-TCPX"


def test_a_file_for_other_gpus_does_not_fit() -> None:
    file = platform_file("/opt/microsoft/ndv4-topo.xml")
    assert file is not None
    assert (file.fits("a100-sxm"), file.fits("h100-sxm"), file.fits(None)) == (True, False, True)


def test_the_table_names_variables_and_gpus_that_the_catalogue_has() -> None:
    document = table("platforms/settings.toml")
    names = {name for entry in document["settings"] for name in entry["values"]}
    gpus = {gpu for entry in document["files"] for gpu in entry.get("gpus", ())}
    assert {name for name in names if name not in all_variables()} == set()
    assert {gpu for gpu in gpus if not any(known.startswith(gpu) for known in all_gpus())} == set()
