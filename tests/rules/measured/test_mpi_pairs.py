from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

ACROSS = "$ srun -N 2 --ntasks-per-node=1 ./osu_bw\n"
BANDWIDTH = """\
# OSU MPI{memory} Bandwidth Test v7.3
# Size      Bandwidth (MB/s)
64                      20.00
4194304             {rate:.2f}
"""
LATENCY = """\
# OSU MPI Latency Test v7.3
# Size       Avg Latency(us)
1                       {time:.2f}
1048576               120.00
"""


def said(text: str, system: str | None = "azure_nd_h100_v5") -> list[str]:
    made = check("mpi-pairs", text, system=system)
    return [f"proof: {proof.message}" for proof in made.proofs] + [found.message for found in made.findings]


def test_a_port_at_line_rate_is_a_proof() -> None:
    assert said(ACROSS + BANDWIDTH.format(memory="", rate=48900)) == snapshot(
        ["proof: MPI Bandwidth between two nodes: 391.2 Gb/s at 4 MiB, 98% of 400 Gb/s"]
    )


def test_less_than_half_a_port_took_another_way() -> None:
    text = ACROSS + BANDWIDTH.format(memory="-CUDA", rate=2900)
    assert findings("mpi-pairs", text, nics="8x400") == snapshot(
        [
            {
                "cause": "link-bandwidth-low",
                "message": "MPI Bandwidth from cuda memory between two nodes: 23.2 Gb/s at 4 MiB, 6% of 400 Gb/s: MPI takes another way than RDMA, or the path is slow",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(5, "23.2 Gb/s / 392 Gb/s with RDMA: NICs given: 8 x 400 Gb/s")],
                "explains": [],
            }
        ]
    )
    assert remedies("mpi-pairs", text, nics="8x400") == snapshot(
        [
            [
                ("Let MPI say which transports it takes.", "mpirun -x UCX_LOG_LEVEL=info -np 2 osu_bw"),
                ("Measure the path without MPI.", "ib_write_bw -d HCA -a --report_gbits"),
            ]
        ]
    )


def test_in_between_mpi_may_cost_it() -> None:
    assert said(ACROSS + BANDWIDTH.format(memory="", rate=36000)) == []


def test_two_ranks_of_one_node_say_nothing_of_the_network() -> None:
    assert said(BANDWIDTH.format(memory="", rate=48900)) == []
    assert said("$ mpirun -np 2 ./osu_bw\n" + BANDWIDTH.format(memory="", rate=900)) == []


def test_ports_that_nobody_told_prove_nothing() -> None:
    text = ACROSS + LATENCY.format(time=4.1) + BANDWIDTH.format(memory="", rate=48900)
    assert findings("mpi-pairs", text) == snapshot(
        [
            {
                "cause": "hardware-unknown",
                "message": "osu_bw: 48.9 GB/s at 4 MiB between 2 nodes; to settle it, say the NICs of a node (--nics)",
                "how": "info, certain",
                "suspects": [],
                "evidence": [(9, "")],
                "explains": [],
            }
        ]
    )


@pytest.mark.parametrize(
    ("above", "is_across"),
    [
        ("$ srun -N2 -n2 ./osu_bw\n", True),
        ("$ srun -N1 -n2 ./osu_bw\n", False),
        ("$ salloc -N2 -n2\n$ mpiexec ./osu_bw\n", True),
        ("[a@head ~]$ salloc -N 2 --ntasks-per-node=1 -t 10\n[a@gpu01 ~]$ srun ./osu_bw\n", True),
        ("$ salloc -N2\n$ srun ./osu_bw\n", True),
        ("$ salloc -N2\n$ mpiexec ./osu_bw\n", False),
        ("$ salloc -N1 -n2\n$ srun ./osu_bw\n", False),
        ("$ salloc -N2 -n2\n$ srun -n 2 -N 1 ./osu_bw\n", False),
        ("$ mpiexec hostname\ngpu01\ngpu02\n$ mpiexec ./osu_bw\n", True),
        ("$ mpiexec hostname\ngpu01\ngpu01\n$ mpiexec ./osu_bw\n", False),
        ("$ mpiexec hostname\ngpu01\ngpu02\ngpu03\n$ mpiexec ./osu_bw\n", False),
        ("$ srun hostname\ngpu01\ngpu02\n$ mpiexec ./osu_bw\n", False),
        ("$ mpiexec ./osu_bw\n", False),
    ],
)
def test_where_the_ranks_are_follows_from_options_allocation_or_their_own_answers(above: str, is_across: bool) -> None:
    assert bool(said(above + BANDWIDTH.format(memory="", rate=48900))) == is_across


def headline(text: str) -> str:
    return report_of(read([Input("job.log", None, [text.encode()])], workers=1)).headline


def test_one_node_may_still_have_an_adapter_between_its_ranks() -> None:
    def on_one_node(rates: list[int], memory: str = "") -> str:
        rows = "".join(f"{(256 << 10) << n} {rate}.00\n" for n, rate in enumerate(rates))
        return headline(
            f"$ srun -N1 -n2 ./osu_bw\n# OSU MPI{memory} Bandwidth Test v7.3\n# Size Bandwidth (MB/s)\n{rows}"
        )

    assert on_one_node([24010, 24080, 24090, 24085, 24090]).partition("one node; ")[2] == snapshot(
        "an adapter that sends to itself seems to be between them: 193 Gb/s at all sizes from 256 KiB up is what a port "
        "of 200 Gb/s carries"
    )
    assert "between them, or a copy between GPUs: 193 Gb/s" in on_one_node([24010, 24080, 24090, 24085], "-CUDA")
    for not_a_port in ([24010, 19100, 14020, 12000], [18010, 18020, 18030, 18020], [24010, 24080]):
        assert on_one_node(not_a_port).endswith("whether an adapter is between them, the input does not say")


def test_the_headline_says_what_was_measured_where_nothing_judges_it() -> None:
    table = BANDWIDTH.format(memory="-CUDA", rate=24000)
    assert [headline(above + table) for above in (ACROSS, "$ srun -N1 -n2 ./osu_bw D D\n", "")] == snapshot(
        [
            "inconclusive: osu_bw from cuda memory: 24 GB/s at 4 MiB between 2 nodes; to settle it, say the NICs of a node (--nics)",
            "inconclusive: osu_bw from cuda memory: 24 GB/s at 4 MiB, which is not judged: both ranks are on one node; whether an adapter is between them, the input does not say",
            "inconclusive: MPI Bandwidth from cuda memory: 24 GB/s at 4 MiB, and the input does not say whether its two ranks are on two nodes; the command that started them does",
        ]
    )
    collective = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4  9.10\n1048576  5550.20\n"
    assert headline(collective) == snapshot(
        "inconclusive: MPI Allreduce Latency: 5.55 ms at 1 MiB, which is not judged: MPI's collectives take other ways than NCCL's"
    )
    sound = "[root@gpu01 ~]# ibdev2netdev\nmlx5_0 port 1 ==> ib0 (Up)\n"
    assert headline(sound + table) == snapshot(
        "inconclusive: MPI Bandwidth from cuda memory: 24 GB/s at 4 MiB, and the input does not say whether its two ranks are on two nodes; the command that started them does; what the input shows is right: 1 port is Active"
    )


def test_a_latency_that_rdma_never_has() -> None:
    assert said(ACROSS + LATENCY.format(time=27.4)) == snapshot(
        [
            "MPI Latency between two nodes: 27.4 us at 1 B, where RDMA takes at most 5: MPI takes another way, or the path is slow"
        ]
    )
    assert said(ACROSS + LATENCY.format(time=4.1)) == []
    assert said(ACROSS + LATENCY.format(time=27.4), system="aws_p5") == []


def test_a_collective_of_mpi_is_never_judged() -> None:
    text = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4                    9000.00\n"
    assert said(ACROSS + text) == []


def test_without_a_table() -> None:
    assert skipped("mpi-pairs", "nothing here\n") == "no table of OSU's or Intel's benchmarks of MPI"


CURVE = """\
# OSU MPI Bandwidth Test v7.3
# Size      Bandwidth (MB/s)
16384                 2100.00
131072                5500.00
524288                 {middle:.2f}
4194304                {last:.2f}
"""


@pytest.mark.parametrize(
    ("middle", "last", "expected"), [(700, 3600, "warning"), (700, 900, "error"), (5000, 4000, "")]
)
def test_larger_messages_that_carry_much_less(middle: float, last: float, expected: str) -> None:
    """Neither of them is at line rate by what its smaller messages carried."""
    made = check("mpi-pairs", ACROSS + CURVE.format(middle=middle, last=last), nics="1x45")
    assert [found.severity for found in made.findings] == [expected] * bool(expected)
    assert [found.message for found in made.findings][:1] == (
        ["MPI Bandwidth between two nodes falls from 5.5 GB/s at 128 KiB to 0.7 GB/s at 512 KiB"] * bool(expected)
    )
    assert len(made.proofs) == (not expected)


def test_two_ranks_of_one_node_have_caches() -> None:
    assert said(ACROSS.replace("-N 2 --ntasks-per-node=1", "-N 1 -n 2") + CURVE.format(middle=700, last=700)) == []


def test_slurm_starts_one_rank_a_node_where_nobody_says_how_many() -> None:
    for command, judged in (("srun -N2 ./osu_bw", True), ("srun -N3 ./osu_bw", False), ("mpirun ./osu_bw", False)):
        assert bool(said(f"$ {command}\n" + BANDWIDTH.format(memory="", rate=48900))) == judged, command


def test_a_test_that_falls_silences_no_other() -> None:
    text = ACROSS + CURVE.format(middle=700, last=900) + ACROSS + BANDWIDTH.format(memory="", rate=2900)
    causes = [found.cause for found in check("mpi-pairs", text, system="azure_nd_h100_v5").findings]
    assert causes == ["bandwidth-unstable", "link-bandwidth-low"]
