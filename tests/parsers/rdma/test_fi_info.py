"""fi_info of libfabric, and what follows from a Slingshot device."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from whole_inputs import checked

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

BLOCK = """\
provider: cxi
    fabric: cxi
    domain: cxi{number}
    version: 0.1
    type: FI_EP_RDM
    protocol: FI_PROTO_CXI
"""
OSU = """\
$ srun -N 2 --ntasks-per-node=1 ./osu_bw
# OSU MPI Bandwidth Test v7.3
# Size      Bandwidth (MB/s)
64                      20.00
4194304             {rate:.2f}
"""
PERFTEST = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : cxi0
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    5000             196.20             196.10               0.023377
---------------------------------------------------------------------------------------
"""


def records(text: str) -> Records:
    return read([Input("job.log", None, [text.encode()])], workers=1)


def test_each_domain_is_a_device_and_no_line_stays_unread() -> None:
    found = records(BLOCK.format(number=0) + BLOCK.format(number=1))
    assert [each.subject for each in found.observations if each.kind == "cxi-device"] == ["cxi0", "cxi1"]
    assert found.sources[0].unread == 0


def test_a_domain_of_another_provider_is_no_slingshot_device() -> None:
    text = "provider: verbs;ofi_rxm\n    fabric: IB-0xfe80000000000000\n    domain: mlx5_0\n"
    assert [each for each in records(text).observations if each.kind == "cxi-device"] == []


def judged(text: str) -> list[str]:
    made = checked(text)
    return [f"proof: {proof.message}" for proof in made.proofs] + [found.message for found in made.findings]


def test_mpi_over_slingshot_is_judged_by_what_a_cxi_device_is() -> None:
    block = BLOCK.format(number=0)
    assert judged(block + OSU.format(rate=24010)) == snapshot(
        ["proof: MPI Bandwidth between two nodes: 192.1 Gb/s at 4 MiB, 96% of 200 Gb/s"]
    )
    assert judged(block + OSU.format(rate=2890)) == snapshot(
        [
            "MPI Bandwidth between two nodes: 23.1 Gb/s at 4 MiB, 12% of 200 Gb/s: MPI takes another way than RDMA, or the path is slow"
        ]
    )
    assert judged(block + OSU.format(rate=48000)) == snapshot([])


def test_a_measured_link_of_slingshot() -> None:
    assert judged(PERFTEST) == snapshot(["proof: cxi0: 196.1 Gb/s, 98% of 200 Gb/s"])


@given(st.text(alphabet="domain: cxi0\n\tprover25.;é", max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    for each in records(text).observations:
        assert each.kind != "cxi-device" or each.subject.startswith("cxi")
