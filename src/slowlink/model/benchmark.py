"""Results of collective benchmarks (nccl-tests, rccl-tests, mccl), of point-to-point ones (perftest, nvbandwidth), and
of benchmarks of MPI (OSU, Intel)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from slowlink.model.source import Ref


class RankDevice(Struct, frozen=True):
    """One ``#  Rank  0 Group  0 Pid 123 on host device 0 [0000:1b:00] NVIDIA H100`` line."""

    rank: int
    host: str | None
    pid: int | None
    device: int | None
    bus_id: str | None
    """As printed: ``0x1b`` or ``0000:1b:00`` or ``0000:c1:00.0``."""
    gpu: str | None
    """The device's name; None when the line ends before it."""
    group: int | None
    ref: Ref


class Point(Struct, frozen=True):
    """One side (out of place or in place) of one row."""

    size_bytes: int
    count: int | None
    datatype: str | None
    redop: str | None
    """None where the layout has no such column; ``""`` where the column is there and empty; ``none`` as printed."""
    root: int | None
    placement: str
    """``out_of_place`` or ``in_place``."""
    time_us: float | None
    algbw_gbs: float | None
    busbw_gbs: float | None
    wrong: float | None
    """Number of wrong elements (``#wrong``); None when it was not checked (``N/A``) or the layout has no such column.
    The old ``error`` column (a rounding delta) is kept in ``delta`` instead."""
    ref: Ref
    delta: float | None = None
    cycle: int = 0
    """0-based number of the ``-N`` cycle (or repetition of the same size) this row belongs to."""
    iterations_us: tuple[float, ...] = ()
    """Time of each iteration, where the output has them (JSON of nccl-tests >= 2.19.2, the probe)."""
    iterations_began: tuple[float, ...] = ()
    """When each of these began, seconds since the epoch on rank 0's clock; empty where nothing tells."""
    iteration_stats: Mapping[str, float] = field(default_factory=dict)
    """``min_us max_us p99_us cv_pct ...`` where the output has them (``-I 1``)."""
    algorithm: str | None = None
    protocol: str | None = None
    nchannels: int | None = None
    doubt: str | None = None
    """Why this point must not be used as a number, in words: a torn cell, or cells that contradict one another.
    Values that are readable stay; whoever computes with points skips those with a doubt."""


class RankLateness(Struct, frozen=True):
    """How late one rank began one point's iterations, measured from the middle (median) rank of each iteration."""

    size_bytes: int
    placement: str
    rank: int
    host: str | None
    iterations: int
    mean_us: float
    """Below zero for a rank that comes early."""
    median_us: float
    p99_us: float
    last_share: float
    """The part of the iterations that this rank began last of all."""
    clock_error_us: float
    """What the times of this rank may be off against rank 0's, either way."""
    ref: Ref
    waited_share: float | None = None
    """Of the time of its calls: it could run and had no processor; None where the system does not tell."""


class ProcessTimes(Struct, frozen=True):
    """What each iteration of one point took on one process of nccl-tests (``-I 1 -J``): the longest of its GPUs."""

    size_bytes: int
    placement: str
    process: int
    host: str | None
    times_us: tuple[float, ...]
    ref: Ref


class CollectiveRun(Struct, frozen=True):
    """One run of a collective benchmark: its preamble, rows and footer, as far as they are there."""

    tool: str
    """``nccl-tests``, ``rccl-tests``, ``mccl-tests``, ``slowlink-probe`` or ``table`` (rows of that shape without any
    preamble)."""
    source: str
    stream: str
    header: Ref
    """The first line that belongs to this run (preamble, table header, or first row)."""
    collective: str | None
    """``all_reduce all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv
    hypercube``."""
    collective_basis: str
    """How that is known: ``# Collective test starting: all_reduce_perf``, ``command line 12``, ``busbw/algbw =
    1.875`` ..."""
    program: str | None = None
    tests_version: str | None = None
    nccl_version: str | None = None
    """From this output alone (``nccl-library=22907`` -> ``2.29.7``); a log line may know it better."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The ``# nThread 1 nGpus 1 minBytes ...`` line as key -> value text, keys as printed."""
    devices: tuple[RankDevice, ...] = ()
    devices_elided: bool = False
    """The device list is visibly incomplete (``...``, a gap in the ranks)."""
    columns: tuple[str, ...] = ()
    """Column names in order, as printed."""
    points: tuple[Point, ...] = ()
    rows: int = 0
    """Data rows read (a row has one or two points)."""
    torn_rows: tuple[Ref, ...] = ()
    """Lines that are rows of this table and could not be read, wholly or in part."""
    elided: tuple[Ref, ...] = ()
    """``...`` lines between rows: somebody cut rows out."""
    average_busbw_gbs: float | None = None
    average_ref: Ref | None = None
    average_failed: bool = False
    """The average line carries FAILED (NCCL_TESTS_MIN_BW)."""
    out_of_bounds: int | None = None
    out_of_bounds_failed: bool = False
    out_of_bounds_ref: Ref | None = None
    concluded: bool = False
    """A footer (average, out of bounds or "concluded") was seen: the run came to its end."""
    header_only: bool = False
    """Preamble or table header without any row."""
    reduced_max_bytes: int | None = None
    unreached_bytes: int | None = None
    """The largest size that the preamble announces, where the rows end before it."""
    masked: bool = False
    """Numbers are replaced by X: nothing is known."""
    errors: tuple[Ref, ...] = ()
    """``Test NCCL failure ...`` and the like, belonging to this run."""
    end: Ref | None = None
    """The last line that belongs to this run."""
    caption: str | None = None
    """The nearest line of words above the table, when it is prose (a heading, a sentence)."""
    nranks_printed: int | None = None
    """Number of ranks where the output itself states it (CSV or JSON of rccl-tests, ``nranks`` in JSON)."""
    nnodes_printed: int | None = None
    lateness: tuple[RankLateness, ...] = ()
    """Who began late, by point and rank, where every iteration of every rank was timed (the probe)."""
    process_times: tuple[ProcessTimes, ...] = ()
    """By point and process, where the output has them."""


class PerftestRow(Struct, frozen=True):
    """One row of a perftest table; bandwidth in Gb/s whatever was printed, latency in microseconds."""

    size_bytes: int
    iterations: int | None
    bw_peak_gbit: float | None
    """None where perftest prints 0.00 because it did not measure it (``-N``, duration mode)."""
    bw_average_gbit: float | None
    msg_rate_mpps: float | None
    t_min_us: float | None
    t_max_us: float | None
    t_typical_us: float | None
    t_avg_us: float | None
    t_stdev_us: float | None
    t_p99_us: float | None
    t_p999_us: float | None
    ref: Ref
    cpu_util_percent: float | None = None
    ports_gbit: tuple[float, ...] = ()
    """Bandwidth of each port (``--report_per_port``)."""
    doubt: str | None = None
    """Why the bandwidth must not be used: it contradicts the message rate beside it."""


BARE = "command"
"""``PerftestRun.parameters``: rows stood alone without any command, so they may be of one way or of both."""
TURN = "turn of the loop"
"""``PerftestRun.parameters``: the word of the shell's loop in whose turn the test ran, where it names no device."""


class PerftestRun(Struct, frozen=True):
    """One run of ib_write_bw, ib_read_lat, ... as one side printed it."""

    source: str
    stream: str
    header: Ref
    test: str
    """``RDMA_Write BW``, ``RDMA_Read Latency``, ``Send Bidirectional BW`` ...; "" when the block has no title."""
    kind: str
    """``bandwidth`` or ``latency``."""
    printed_unit: str
    """``Gb/s``, ``MiB/s`` or ``usec``; "" in JSON, which has none (``parameters["unit_basis"]`` says how it is
    known)."""
    device: str | None
    gpu_memory: str | None
    """``cuda``, ``rocm``, ``maca``, ``musa`` when the buffer lay in GPU memory; ``host`` when the output says it did
    not; None when it does not say."""
    gpu: int | None
    link_type: str | None
    mtu_bytes: int | None
    gid_index: int | None
    qps: int | None
    bidirectional: bool
    parameters: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[PerftestRow, ...] = ()
    errors: tuple[Ref, ...] = ()
    complete: bool = True
    host: str | None = None
    """The node that printed it, where a prefix, a prompt or a file's name tells."""
    loopback: bool = False
    """Both ends are one port, by their addresses: no link was crossed."""
    link_local: bool = False
    """This side's GIDs are link-local (fe80::): on Ethernet they reach no other subnet."""
    without_heading: bool = False
    """Rows that stood alone (``| tail -1``); what is known of the test, its command says."""


class BandwidthMatrix(Struct, frozen=True):
    """One test of copies between GPUs and processors of a node: nvbandwidth, CUDA's samples, ROCm's tests."""

    source: str
    name: str
    description: str
    unit: str
    """``GB/s``, ``ns`` or ``us``."""
    status: str
    """``Passed``, ``Waived``, ``Error`` ..."""
    matrix: tuple[tuple[float | None, ...], ...]
    """Rows by columns, None where printed N/A."""
    total: float | None
    ref: Ref
    tool: str = "nvbandwidth"
    """``nvbandwidth``, ``cuda-samples``, ``rocm-bandwidth-test``, ``transferbench``, ``rvs``."""
    rows: tuple[str, ...] = ()
    """What each row copies from: ``gpu 3``, ``cpu 0``; empty where the rows are nothing of the kind."""
    columns: tuple[str, ...] = ()
    """What each column copies to (from, where the test reads)."""
    lines: tuple[Ref, ...] = ()
    """The line of each row; empty where the test has none (JSON)."""
    host: str | None = None
    """The node that it was measured on, where a prefix, a prompt or a file's name tells."""


class MpiRow(Struct, frozen=True):
    """One row of a table of MPI's speed."""

    size_bytes: int | None
    """None where nothing is sent (a barrier)."""
    iterations: int | None
    time_us: float | None
    """The mean over ranks, or the one time that is printed; of a point-to-point test half of a round trip."""
    t_min_us: float | None
    t_max_us: float | None
    """Of the fastest and the slowest rank."""
    bandwidth_gbs: float | None
    messages_per_s: float | None
    ref: Ref
    wrong: bool | None = None
    """Came other data back than was sent? None where nobody compared."""


class MpiTable(Struct, frozen=True):
    """One table of the OSU micro-benchmarks or of the Intel MPI Benchmarks. They measure MPI, whose collectives take
    other ways than NCCL's: no expectation of NCCL's collectives applies."""

    source: str
    tool: str
    """``osu`` or ``imb``."""
    test: str
    """As printed: ``Allreduce Latency``, ``Bi-Directional Bandwidth``, ``PingPong``."""
    library: str
    """``MPI``; ``NCCL``, ``RCCL`` ... for OSU's tests of those."""
    kind: str
    """``latency`` and ``bandwidth`` of two ranks, or ``collective`` for everything that more ranks do together."""
    bidirectional: bool
    gpu_memory: str | None
    """``cuda``, ``rocm``; ``host`` where the output says that; None where it does not say."""
    nranks: int | None
    rows: tuple[MpiRow, ...]
    ref: Ref
    """The title, or the header of a table without one."""


class PairBandwidth(Struct, frozen=True):
    """What one pair of nodes gave, as a row of somebody's table says."""

    a: str
    b: str
    test: str
    """``all_reduce``; "" where the row does not say."""
    amount: float
    """In the unit of the table."""
    ref: Ref
    size_bytes: float | None = None
    """Where the table has several sizes for a pair."""


class PairFailure(Struct, frozen=True):
    """A pair that shows a failure, or nothing, in place of a number."""

    a: str
    b: str
    test: str
    ref: Ref


class PairTable(Struct, frozen=True):
    """A table of pairs of nodes in nobody's format: one bandwidth for each."""

    rows: tuple[PairBandwidth, ...]
    failed: tuple[PairFailure, ...]
    unit: str
    """As printed; "" where nothing says it."""
    ref: Ref
    """The first row."""
    told: bool = True
    """Does its unit or its heading say that it is of bandwidth? Else it may be of times."""
    unread: tuple[Ref, ...] = ()
    """Rows that may be of tests and cannot be read: nothing is known of their pairs."""


class MpiTables(Struct, frozen=True):
    """What OSU's and Intel's benchmarks of MPI measured."""

    all: tuple[MpiTable, ...]
