"""Reports to render in tests: one for each kind of answer that slowlink gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import fields, replace

from slowlink.model.report import (
    Claim,
    Diagnosis,
    Edge,
    Evidence,
    Expectation,
    Finding,
    InputSummary,
    Outcome,
    Remedy,
    Report,
    Suspect,
    Sweep,
    SweepPoint,
    TransportPicture,
)

HEALTHY_HEADLINE = "all_reduce reaches 388 of an expected 373-392 GB/s on 4 nodes; nothing wrong was found."
DEGRADED_HEADLINE = (
    "node07: GPUDirect RDMA is off (nvidia_peermem is not loaded); this explains 9.4 of an expected 36-40 GB/s."
)
_LINE = "node07:{pid}:{pid} [{gpu}] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA {gpu} 'mlx5_{gpu}'"


def curve(peak: float, half: float, last: int = 33, lines_from: int = 20) -> tuple[SweepPoint, ...]:
    """Points from 8 B by factors of eight up to 2**last bytes; peak in GB/s, half-peak size in bytes."""
    points = []
    for row, power in enumerate(range(3, last + 1, 3)):
        size = 1 << power
        for placement, factor in (("out_of_place", 1.0), ("in_place", 0.985)):
            busbw = round(peak * factor * size / (size + half), 4)
            algbw = round(busbw / 1.9375, 4)
            points.append(
                SweepPoint(
                    size_bytes=size,
                    count=size // 4,
                    placement=placement,  # type: ignore[arg-type]
                    time_us=round(size / (algbw or 1e-6) / 1e3, 2),
                    algbw_gbs=algbw,
                    busbw_gbs=busbw,
                    wrong=0.0,
                    line=lines_from + row,
                )
            )
    return tuple(points)


def sweep(points: tuple[SweepPoint, ...], source: str = "job.log", line: int = 12, nodes: int = 4) -> Sweep:
    """A complete all_reduce run with these points, on eight GPUs a node."""
    busbw = [point.busbw_gbs or 0.0 for point in points]
    return Sweep(
        collective="all_reduce",
        nranks=8 * nodes,
        nnodes=nodes,
        datatype="float",
        redop="sum",
        engine="nccl-tests 2.17.6",
        source=source,
        line=line,
        points=points,
        average_busbw_gbs=round(sum(busbw) / len(busbw), 4) if busbw else None,
        peak_busbw_gbs=max(busbw, default=None),
        complete=True,
        hosts=tuple(f"node{number:02d}" for number in range(5, 5 + nodes)),
        gpu="NVIDIA H100 80GB HBM3",
        library="NCCL 2.27.7",
        basis="collective from the test's title; ranks from the device list",
    )


def expected(value: float, low: float, high: float, name: str = "job.log:12") -> tuple[Expectation, ...]:
    """What NCCL would choose, and the bound of the ring alone."""
    subject = f"all_reduce {name}"
    basis = f"8 rails x 400 Gb/s x 0.981 -> {value:g} GB/s; ring on 4 nodes; catalogue hgx_h100"
    return (
        Expectation("busbw", subject, value, low, high, "GB/s", basis),
        Expectation("busbw:ring", subject, value, low, high, "GB/s", basis),
    )


def picture(gdr_of: Mapping[str, bool | None], transport: str = "NET/IB") -> TransportPicture:
    """Nodes of eight ranks and two HCAs in a ring; an edge into a node has its value of ``gdr_of``."""
    hosts = tuple(gdr_of)
    nodes = tuple((host, tuple(range(8 * index, 8 * index + 8))) for index, host in enumerate(hosts))
    inside = [Edge(host, host, "P2P/CUMEM", None, 16) for host in hosts]
    between = [Edge(hosts[index - 1], host, transport, gdr_of[host], 4) for index, host in enumerate(hosts)]
    devices = tuple((host, ("mlx5_0:1/IB", "mlx5_1:1/IB")) for host in hosts)
    return TransportPicture(nodes, devices, tuple(inside + between))


def _input(unread: int = 0, samples: tuple[str, ...] = ()) -> InputSummary:
    return InputSummary("job.log", ("nccl-tests", "nccl"), 48213, 512, 431, 81 - unread, unread, samples, None)


def _outcomes(found: Sequence[str] = ()) -> tuple[Outcome, ...]:
    rules = ("busbw-below-expected", "gdr-disabled", "wrong-results", "peer-memory-missing")
    done = [Outcome(rule, "found" if rule in found else "passed") for rule in dict.fromkeys((*rules, *found))]
    missing = "needs perftest: give the output of ib_write_bw"
    skipped = [Outcome(rule, "skipped", missing) for rule in ("link-below-rate", "straggler-nic")]
    return (*done, *skipped)


def healthy() -> Report:
    """Four nodes at 99 % of their bound."""
    return Report(
        schema="slowlink.report/1",
        slowlink="0.1.0",
        verdict="healthy",
        headline=HEALTHY_HEADLINE,
        outcomes=_outcomes(),
        sweeps=(sweep(curve(388.2, 3e7)),),
        expectations=expected(392.4, 373.0, 392.4),
        inputs=(_input(),),
        facts={
            "nccl": "2.27.7",
            "nranks": 32,
            "hosts": [f"node{number:02d}" for number in range(5, 9)],
            "proofs": ["every RDMA channel uses GPUDirect RDMA", "no wrong results in 62 points"],
        },
        transports=picture({f"node{number:02d}": True for number in range(5, 9)}),
    )


def _gdr_disabled() -> Diagnosis:
    lines = [_LINE.format(pid=2211 + gpu, gpu=gpu) for gpu in range(8)]
    evidence = [Evidence("job.log", 41 + 6 * index, line, "Disabled", "Enabled") for index, line in enumerate(lines)]
    evidence.append(
        Evidence(
            "job.log",
            140,
            "node07:2211:2290 [0] NCCL INFO Channel 00/0 : 15[7] -> 16[0] [send] via NET/IB/0",
            "NET/IB without GDRDMA",
            "NET/IB/0/GDRDMA",
        )
    )
    return Diagnosis(
        cause="gdr-disabled",
        title="GPUDirect RDMA is not used although HCAs are",
        message="node07 sends through host memory: GPUDirect RDMA is off on 8 GPUs, other nodes use it.",
        layer="gpu-net",
        severity="error",
        confidence="certain",
        suspects=(Suspect("node", "node07"),),
        evidence=tuple(evidence),
        explains=("busbw-below-expected",),
        remedy=(
            Remedy(
                "Load the module that lets the HCA read GPU memory, on node07.",
                "sudo modprobe nvidia_peermem",
            ),
            Remedy(
                "Load it at every start, and check that it is registered.",
                "echo nvidia_peermem | sudo tee /etc/modules-load.d/nvidia-peermem.conf\nlsmod | grep nvidia_peermem",
            ),
        ),
        references=("https://docs.nvidia.com/cuda/gpudirect-rdma/",),
        rules=("gdr-disabled",),
    )


def finding(diagnosis: Diagnosis) -> Finding:
    """The finding that a diagnosis was made from."""
    claimed = {entry.name: getattr(diagnosis, entry.name) for entry in fields(Claim)}
    (rule,) = diagnosis.rules
    return Finding(**claimed, rule=rule)


def _slow() -> Finding:
    row = "  8589934592    2147483648     float     sum      -1  1770542    4.85    9.40      0"
    return Finding(
        cause="busbw-below-expected",
        title="Bus bandwidth is below what this hardware should give",
        message="all_reduce reaches 9.4 of an expected 36-40 GB/s (24 % of the bound).",
        layer="measure",
        severity="error",
        confidence="certain",
        evidence=(Evidence("job.log", 50, row, "9.4 GB/s", "36-40 GB/s"),),
        rule="busbw-below-expected",
    )


def degraded() -> Report:
    """One node without GPUDirect RDMA, which explains a low bandwidth."""
    root = _gdr_disabled()
    gdr = {"node05": True, "node06": True, "node07": False, "node08": True}
    return replace(
        healthy(),
        verdict="degraded",
        headline=DEGRADED_HEADLINE,
        diagnoses=(root,),
        findings=(finding(root), _slow()),
        outcomes=_outcomes(("busbw-below-expected", "gdr-disabled")),
        sweeps=(sweep(curve(9.4, 4e6)),),
        expectations=expected(39.2, 36.0, 40.0),
        facts={"nccl": "2.27.7", "nranks": 32, "hosts": ["node05", "node06", "node07", "node08"]},
        inputs=(_input(3, ("srun: job 4711 queued and waiting for resources", "module: loaded cuda/12.8")),),
        transports=picture(gdr),
    )


def broken() -> Report:
    """A job that never measured: the bootstrap could not connect. A rule broke as well."""
    text = "node03:880:880 [0] NCCL WARN Connect to 10.0.0.5<41999> failed : Connection refused"
    root = Diagnosis(
        cause="tcp-unreachable",
        title="Ranks cannot reach one another over TCP",
        message="node03 was refused by 10.0.0.5 port 41999 during bootstrap.",
        layer="launch",
        severity="critical",
        confidence="likely",
        suspects=(Suspect("node", "node03"), Suspect("link", "10.0.0.5")),
        evidence=(Evidence("slurm-77.out", 9, text, "refused"),),
        remedy=(
            Remedy(
                "Open the ports between the nodes, or choose the right interface.",
                "export NCCL_SOCKET_IFNAME==eth0",
            ),
        ),
        rules=("tcp-unreachable",),
    )
    return Report(
        schema="slowlink.report/1",
        slowlink="0.1.0",
        verdict="broken",
        headline="node03 cannot reach 10.0.0.5 over TCP, so NCCL never started.",
        diagnoses=(root,),
        findings=(finding(root),),
        outcomes=(
            Outcome("tcp-unreachable", "found"),
            Outcome("busbw-below-expected", "skipped", "needs sweeps: no benchmark table was found"),
            Outcome("rank-lost", "broken", "KeyError: 'rank'"),
        ),
        inputs=(InputSummary("slurm-77.out", ("nccl", "slurm"), 2048, 31, 28, 3, 0),),
        facts={"nccl": "2.22.3", "hosts": ["node03"]},
    )


def inconclusive() -> Report:
    """Nothing recognised."""
    return Report(
        schema="slowlink.report/1",
        slowlink="0.1.0",
        verdict="inconclusive",
        headline="Nothing that slowlink knows was found in notes.txt.",
        outcomes=(Outcome("busbw-below-expected", "skipped", "needs sweeps: no benchmark table was found"),),
        inputs=(InputSummary("notes.txt", (), 120, 4, 0, 1, 3, ("buy milk", "call the provider", "lunch?")),),
    )


def bimodal() -> Report:
    """Iterations in a fast and a slow group, repeated rows of one size, and no expectation."""
    fast = [21900.0 + 35 * (index % 7) for index in range(28)]
    slow = [231000.0 + 900 * (index % 5) for index in range(12)]
    times = tuple(slow.pop() if index % 10 in (3, 4, 8) and slow else fast.pop() for index in range(40))
    points = curve(389.0, 3e7)
    mean = sum(times) / len(times)
    size = 1 << 33
    algbw = size / mean / 1e3
    last = replace(
        points[-2],
        time_us=mean,
        algbw_gbs=algbw,
        busbw_gbs=algbw * 1.9375,
        iterations_us=times,
    )
    rows = (389.27, 388.5, 32.77, 389.1, 57.2, 33.1, 388.9)
    repeats = tuple(
        SweepPoint(size, size // 4, "out_of_place", size / (bw / 1.9375) / 1e3, bw / 1.9375, bw, 0.0, line=156 + row)
        for row, bw in enumerate(rows)
    )
    root = Diagnosis(
        cause="bandwidth-bimodal",
        title="Iterations fall into a fast and a slow group",
        message="28 iterations take 22 ms and 12 take 232 ms (dip test p < 0.001): something interferes.",
        layer="measure",
        severity="warning",
        confidence="certain",
        evidence=(Evidence("job.log", 50, "8589934592 ... 85.2 ms", "two groups", "one group"),),
        remedy=(
            Remedy(
                "Look for other work on the GPUs while the test runs.",
                "nvidia-smi --query-compute-apps=pid,name --format=csv",
            ),
        ),
        rules=("bandwidth-unstable",),
    )
    return replace(
        healthy(),
        verdict="degraded",
        headline="all_reduce swings between 37 and 390 GB/s: 12 of 40 iterations are ten times slower.",
        diagnoses=(root,),
        findings=(finding(root),),
        outcomes=_outcomes(("bandwidth-unstable",)),
        sweeps=(
            sweep((*points[:-2], last, points[-1])),
            replace(sweep(repeats, line=155), complete=False),
        ),
        expectations=(),
        facts={"nccl": "2.22.3", "nranks": 32},
        transports=None,
    )


HOSTILE = "</script><script>document.title='owned'</script>"


def hostile() -> Report:
    """Text that tries to become markup, terminal control, a mention or a forged line, in every field."""
    bad = (
        f"{HOSTILE}<img src=x onerror=\"document.title='owned'\">[red]`|*@root #1"
        "\x1b[2J\x1b]0;t\x07\u202egnp\u200b\x85\n# healthy"
    )
    root = Diagnosis(
        cause="gdr-disabled",
        title=f"title {bad}",
        message=f"message {bad}",
        layer="gpu-net",
        severity="error",
        confidence="possible",
        suspects=(Suspect("node", f"node<b>{bad}"), Suspect("hca", "mlx5_0"), Suspect("hca", "mlx5_1")),
        evidence=(Evidence(f"{bad}.log", 1, f"text {bad} ``` ]]> \x00\ufffe\udc80", bad, bad),),
        explains=("busbw-below-expected",),
        remedy=(Remedy(f"do {bad}", "echo 1\necho '```'\x1b[31m\n$(reboot)"),),
        references=(bad, "javascript:document.title='owned'"),
        rules=(bad,),
    )
    points = (*curve(9.4, 4e6, last=20), replace(curve(9.4, 4e6)[0], doubt=bad))
    odd = replace(points[0], time_us=float("nan"), algbw_gbs=float("inf"), busbw_gbs=float("-inf"))
    host = f"host{bad}"
    return replace(
        degraded(),
        headline=f"headline {bad}",
        diagnoses=(root,),
        findings=(finding(root), replace(_slow(), message=bad, evidence=())),
        outcomes=(
            Outcome(bad, "found"),
            Outcome("x", "skipped", bad),
            Outcome("y", "broken", bad),
        ),
        sweeps=(replace(sweep((*points, odd), source=bad), collective=bad, engine=bad, hosts=(host,)),),
        expectations=(
            replace(expected(39.2, 36.0, 40.0, f"{bad}:12")[0], basis=bad),
            replace(expected(39.2, 36.0, 40.0)[0], value=float("nan"), high=float("inf")),
        ),
        inputs=(InputSummary(bad, (bad,), 1, 1, 1, 0, 1, (bad,), bad),),
        facts={bad: [bad, {"deep": float("nan")}], "set": {"b", "a"}},
        transports=TransportPicture(
            ((host, (0, 1)), ("other", (2,))), ((host, (bad,)),), (Edge("other", host, bad, False, 2),)
        ),
    )


def many_nodes() -> Report:
    """The same finding on twelve nodes, and on sixty-four nodes in the picture."""
    first = _gdr_disabled()
    names = [f"node{number:02d}" for number in (*range(1, 12), 20)]
    diagnoses = tuple(
        replace(
            first,
            message=first.message.replace("node07", name),
            suspects=(Suspect("node", name),),
            evidence=tuple(replace(e, text=e.text.replace("node07", name)) for e in first.evidence),
            remedy=tuple(replace(r, text=r.text.replace("node07", name)) for r in first.remedy),
        )
        for name in names
    )
    gdr = {f"node{number:02d}": f"node{number:02d}" not in names for number in range(1, 65)}
    return replace(
        degraded(),
        headline="node[01-11,20]: GPUDirect RDMA is off (nvidia_peermem is not loaded).",
        diagnoses=diagnoses,
        transports=picture(gdr),
    )


SAMPLES: Mapping[str, Callable[[], Report]] = {
    "healthy": healthy,
    "degraded": degraded,
    "broken": broken,
    "inconclusive": inconclusive,
    "bimodal": bimodal,
    "hostile": hostile,
    "many_nodes": many_nodes,
}
