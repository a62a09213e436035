"""Settings in the flash of an HCA, with one column of values and with three."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.rdma.mlxconfig import Mlxconfig

QUERY = """\
Device #1:
Device type:        ConnectX7
Name:               MCX75310AAS-NEA_Ax
Description:        NVIDIA ConnectX-7 HHHL Adapter card
Device:             mlx5_0
Configurations:                                          Next Boot
        MEMIC_BAR_SIZE                              0
        LINK_TYPE_P1                                IB(1)
        LINK_TYPE_P2                                ETH(2)
        PCI_WR_ORDERING                             per_mkey(0)
        MAX_ACC_OUT_READ                            44
        ATS_ENABLED                                 False(0)
        MODULE_SPLIT_M0_P1                          Array[0..15]
"""
EXTENDED = """\
Device #2:
Device:             0000:17:00.0
Configurations:                                          Default             Current             Next Boot
*       PCI_WR_ORDERING                             per_mkey(0)         per_mkey(0)         force_relax(1)
        LINK_TYPE_P1                                IB(1)               IB(1)               IB(1)
        NUM_OF_VFS                                  N/A                 N/A                 N/A
"""


def read(text: str) -> tuple[list[tuple[str, str, object]], list[Use]]:
    parser = Mlxconfig()
    uses = [parser.feed(Line("log", number, line)) for number, line in enumerate(text.splitlines(), 1)]
    return [(r.attribute, r.part.name, r.value) for r in parser.finish()], uses


def test_one_column() -> None:
    found, uses = read(QUERY)
    assert found == snapshot(
        [
            ("hca-link-type", "mlx5_0/1", "IB"),
            ("hca-link-type", "mlx5_0/2", "ETH"),
            ("hca-write-ordering", "mlx5_0", "per_mkey"),
            ("hca-outstanding-reads", "mlx5_0", "44"),
            ("hca-address-translation", "mlx5_0", "False"),
        ]
    )
    assert [use for use in uses if use is Use.NOT_MINE] == [Use.NOT_MINE] * 2


def test_three_columns_and_a_device_by_its_address() -> None:
    assert read(EXTENDED)[0] == snapshot(
        [("hca-write-ordering", "0000:17:00.0", "force_relax"), ("hca-link-type", "0000:17:00.0/1", "IB")]
    )


def test_without_a_device_nothing_is_read() -> None:
    assert read("        LINK_TYPE_P1                                IB(1)\n") == ([], [Use.NOT_MINE])


def test_what_is_used_is_wanted_whatever_its_digits() -> None:
    parser = Mlxconfig()
    for line in (QUERY + EXTENDED).splitlines():
        if parser.feed(Line("log", 1, line)) is not Use.NOT_MINE:
            assert Mlxconfig.wants(line), line
            assert Mlxconfig.wants(shape_of(line).decode()), line


@given(
    st.lists(st.sampled_from((QUERY + EXTENDED).splitlines()) | st.text(max_size=60), max_size=12), st.integers(0, 50)
)
def test_any_order_and_any_cut_names_the_device(lines: list[str], cut: int) -> None:
    for attribute, part, value in read("\n".join(lines)[: -cut or None])[0]:
        assert attribute.startswith("hca-")
        assert part
        assert value


def test_the_command_names_the_device_of_rows_that_grep_left_alone() -> None:
    row = "        LINK_TYPE_P1                                ETH(2)\n"
    for asked in ("mlxconfig -d mlx5_3 q", "sudo mlxconfig -y -d /dev/mst/mlx5_3 query", "mlxconfig -e -d mlx5_3 q"):
        found, uses = read(f'$ ssh n1 "{asked} | grep LINK_TYPE"\n{row}')
        assert (found, uses[0]) == ([("hca-link-type", "mlx5_3/1", "ETH")], Use.NOT_MINE)
