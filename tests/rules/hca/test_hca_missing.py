from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, remedies_of, said

RULE = "hca-missing"


def devices(number: int, count: int, skip: int = -1) -> str:
    rows = "".join(f"mlx5_{n}\ta088c20300aa00{n:02}\n" for n in range(count) if n != skip)
    return f"[root@gpu{number:02} ~]# ibv_devices\n    device          \t   node GUID\n    ------          \t----------------\n{rows}"


def test_one_node_has_fewer() -> None:
    assert said(RULE, *(devices(n, 8, skip=5 if n == 3 else -1) for n in (1, 2, 3, 4))) == snapshot(
        [("hca-missing", "error", "likely", "gpu03: 7 of 8 HCAs (mlx5_5 is not there), while most of 4 nodes have 8")]
    )


def test_equal_nodes_are_a_proof() -> None:
    done = check(RULE, *(devices(n, 8) for n in (1, 2, 3)))
    assert (done.findings, [proof.message for proof in done.proofs]) == snapshot(((), ["3 nodes have 8 HCAs each"]))


def test_against_what_the_user_says() -> None:
    done = check(RULE, devices(1, 7), nics="8x400")
    assert [found.message for found in done.findings] == snapshot(
        ["gpu01: 7 of 8 HCAs, while a node should have 8, as given"]
    )


def test_against_the_machine_that_the_node_says_it_is() -> None:
    asked = "[root@gpu01 ~]# cat /sys/devices/virtual/dmi/id/product_name\n{}\n"
    assert said(RULE, asked.format("BM.GPU.H100.8") + devices(1, 15)) == snapshot(
        [("hca-missing", "error", "likely", "gpu01: 15 of 16 HCAs, while OCI BM.GPU.H100.8 has 16")]
    )
    assert findings_of(RULE, "We think of BM.GPU.H100.8 next year.\n" + devices(1, 15)) == ()


def test_seven_infiniband_hcas_are_only_odd() -> None:
    ports = "".join(f"/sys/class/infiniband/mlx5_{n}/ports/1/link_layer:InfiniBand\n" for n in range(7))
    assert said(RULE, ports) == snapshot(
        [("hca-missing", "warning", "possible", "7 of 8 HCAs, counting InfiniBand ones: nodes with 8 are usual")]
    )


def test_silent_on_two_nodes_and_on_one_that_showed_a_single_hca() -> None:
    assert findings_of(RULE, devices(1, 8), devices(2, 7)) == ()
    assert findings_of(RULE, devices(1, 8), devices(2, 8), devices(3, 8), devices(4, 1)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, *(devices(n, 8, skip=5 if n == 3 else -1) for n in (1, 2, 3, 4))) == snapshot(
        [[("See whether PCI shows it.", "lspci -d 15b3:"), ("See why the driver has not.", "dmesg | grep mlx5")]]
    )


OFFERS = "Name:               gpu07\nCapacity:\n  {0:<22}{1}\nAllocatable:\n  {0:<22}{2}\n"


def test_a_device_plugin_that_offers_fewer_than_the_node_has() -> None:
    assert said("hca-missing", OFFERS.format("vpc.amazonaws.com/efa:", 32, 31)) == snapshot([])
    (found,) = findings_of("hca-missing", OFFERS.format("rdma/rail_a:", "'4'", "'3'"))
    assert [suspect.name for suspect in found.suspects] == ["gpu07"]
    for name, has, offers in (("rdma/rail_a:", 4, 4), ("rdma/rail_a:", 4, 0), ("pods:", 110, 100)):
        assert findings_or_none(OFFERS.format(name, has, offers)) == ()


def findings_or_none(text: str) -> tuple[object, ...]:
    """Of a text that holds nothing for the rule, too: then it was skipped."""
    return tuple(each for each in check("hca-missing", text).findings)
