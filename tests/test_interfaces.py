"""What NCCL_IB_HCA and its like stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.interfaces import interface_list

HCAS = ("mlx5_0:1", "mlx5_1:1", "mlx5_10:1", "mlx5_bond_0:1")


@pytest.mark.parametrize(
    ("variable", "value", "absent"),
    [
        ("NCCL_IB_HCA", "mlx5_0,mlx5_1", ()),
        ("NCCL_IB_HCA", "mlx5", ()),  # a prefix
        ("NCCL_IB_HCA", "=mlx5", ("mlx5",)),  # a whole name
        ("NCCL_IB_HCA", "=mlx5_1:1,mlx5_1:2", ("mlx5_1:2",)),
        ("NCCL_IB_HCA", "^mlx5_7", ()),  # what is left out need not be there
        ("NCCL_IB_HCA", "^=mlx5_7", ()),
        ("MCCL_IB_HCA", "mlx5_2,bnxt_re0", ("mlx5_2", "bnxt_re0")),
        ("UCX_NET_DEVICES", "mlx5_1:1,mlx5_3:1", ("mlx5_3:1",)),
    ],
)
def test_hcas_that_are_not_there(variable: str, value: str, absent: tuple[str, ...]) -> None:
    wanted = interface_list(variable, value)
    assert wanted is not None
    assert wanted.absent(HCAS) == absent


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("NCCL_DEBUG", "INFO"),
        ("NCCL_IB_HCA", " "),
        ("NCCL_IB_HCA", "^"),
        ("UCX_NET_DEVICES", "all"),
        ("OMPI_MCA_btl_tcp_if_include", "10.0.0.0/16"),
    ],
)
def test_what_names_no_interface(variable: str, value: str) -> None:
    assert interface_list(variable, value) is None


@given(st.text(max_size=60), st.lists(st.text("abm_:01", max_size=8), max_size=6))
def test_any_value_gives_an_answer(value: str, devices: list[str]) -> None:
    wanted = interface_list("NCCL_SOCKET_IFNAME", value)
    assert wanted is None or set(wanted.absent(devices)) <= set(wanted.names)
