from __future__ import annotations

import pytest

from slowlink.catalog.load import table
from slowlink.catalog.nccl_env import all_variables, nearest, standing, variable


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("NCCL_IB_HCA", "read"),
        ("NCCL_GIN_TYPE", "read"),
        ("NCCL_NVLINK_CENTRIC_SCHED", "not-read"),
        ("NCCL_TREE_THRESHOLD", "not-read"),
        ("NCCL_ASYNC_ERROR_HANDLING", "elsewhere"),
        ("NCCL_TESTS_MIN_BW", "elsewhere"),
        ("TORCH_NCCL_BLOCKING_WAIT", "elsewhere"),
        ("NCCL_IB_HAC", "unknown"),
    ],
)
def test_what_a_name_is(name: str, kind: str) -> None:
    found = standing(name)
    assert found.kind == kind
    assert found.truth


def test_a_name_that_is_not_read_leads_to_the_one_that_is() -> None:
    assert standing("NCCL_NVLINK_CENTRIC_SCHED").suggestions == ("NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE",)
    assert standing("NCCL_IB_GDR_LEVEL").suggestions == ("NCCL_NET_GDR_LEVEL",)


def test_a_slip_is_near_its_name() -> None:
    assert nearest("NCCL_IB_HAC")[0] == "NCCL_IB_HCA"
    assert nearest("NCCL_SOCKET_IFNAMES")[0] == "NCCL_SOCKET_IFNAME"
    assert nearest("x" * 10_000) == ()


def test_suggestions_exist() -> None:
    for name, entry in table("nccl_env.toml")["not_read"].items():
        assert entry["use"] == "" or variable(entry["use"]) is not None, name


def test_lists_do_not_overlap() -> None:
    document = table("nccl_env.toml")
    lists = [document["variables"], document["not_read"], document["elsewhere"], document["further"]["names"]]
    names = [name for entries in lists for name in entries]
    assert len(names) == len(set(names))


def test_versions_bound_what_is_read() -> None:
    nvls = all_variables()["NCCL_NVLS_ENABLE"]
    assert nvls.read_by((2, 17, 1))
    assert not nvls.read_by((2, 16, 2))
    assert nvls.read_by(None)
    gone = all_variables()["NCCL_WORK_FIFO_DEPTH"]
    assert gone.read_by((2, 21, 5))
    assert not gone.read_by((2, 22, 3))
