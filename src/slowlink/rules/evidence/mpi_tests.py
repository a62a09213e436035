"""What must be known of a benchmark of MPI before its numbers say anything about the network."""

from __future__ import annotations

from slowlink.expect.link import nearest_rate, rdma_bandwidth
from slowlink.facts.around_runs import ByLine
from slowlink.model.benchmark import MpiRow, MpiTable, MpiTables
from slowlink.model.facts import Commands, Events
from slowlink.model.job import Command, JobEvent
from slowlink.rules.evidence.messages import happened
from slowlink.units import format_size

_LARGE, _FEWEST_EVEN, _EVEN = 256 << 10, 4, 0.98
"""Bytes of a message from which on a port is full, how many such sizes tell, and how near one another they are."""
_PLACES, _ALLOCATES = "rank-places", "salloc"


class Starts:
    """Commands that start benchmarks of MPI, and where the ranks of each ran."""

    def __init__(self, commands: Commands | None, events: Events | None) -> None:
        known = commands.all if commands is not None else ()
        self._commands = ByLine((each for each in known if _measures(each)), lambda each: each.ref)
        self._events = events
        self._places: dict[str | None, ByLine[JobEvent]] = {}
        """By launcher."""

    def of(self, table: MpiTable) -> Command | None:
        """The last one above ``table``."""
        return self._commands.above(table.source, table.ref.line - 1)

    def on_two_nodes(self, started: Command | None) -> bool:
        """Did this command, or the allocation that it ran in, put two ranks on two nodes?

        Neither OSU's tests nor Intel's print where ranks run, and two ranks of one node never touch the network.
        """
        if started is None:
            return False
        if started.nranks is None and started.ranks_per_node is None and not started.hosts:
            # Slurm starts one rank a node where nobody says how many.
            return (started.launcher, started.nodes) == ("srun", 2) or self._places_are_two(started)
        apart = started.ranks_per_node == 1 or len(set(started.hosts)) == started.nranks
        return apart and started.nranks == 2

    def _places_are_two(self, started: Command) -> bool:
        """Does its allocation have one rank on each of two nodes, or did the ranks of the same launcher say that? An
        allocation without a number of ranks has one a node for Slurm's own launcher."""
        if started.launcher not in self._places:
            asked = (e for e in happened(self._events, _PLACES) if e.groups["by"] in (_ALLOCATES, started.launcher))
            self._places[started.launcher] = ByLine(asked, lambda each: each.ref)
        place = self._places[started.launcher].above(started.ref.source, started.ref.line - 1)
        if place is None or place.groups["nodes"] != "2":
            return False
        return place.groups["ranks"] == "2" or (not place.groups["ranks"] and started.launcher == "srun")


def best_row(table: MpiTable) -> MpiRow | None:
    """The row with the highest bandwidth; without one, a collective's largest size, or the lowest time of two ranks."""
    fastest = max(table.rows, key=lambda row: row.bandwidth_gbs or 0.0, default=None)
    if fastest is None or fastest.bandwidth_gbs:
        return fastest
    if table.kind == "collective":
        return max((row for row in table.rows if row.time_us), key=lambda row: row.size_bytes or 0, default=None)
    return min((row for row in table.rows if row.time_us), key=lambda row: row.time_us or 0.0, default=None)


def measured(table: MpiTable, started: Command | None, row: MpiRow) -> str:
    """``osu_bw: 11.35 GB/s at 4 MiB``; by the name of the test where the command is not known."""
    memory = f" from {table.gpu_memory} memory" if table.gpu_memory not in (None, "host") else ""
    test = f"{table.library} {table.test or 'test'}"
    if started is not None:
        test = started.program if started.program.startswith("osu_") else f"{started.program} {table.test}"
    number = f"{row.bandwidth_gbs:.4g} GB/s" if row.bandwidth_gbs else f"{_time(row.time_us or 0.0)}"
    where = f" at {format_size(row.size_bytes)}" if row.size_bytes is not None else ""
    ranks = f" on {table.nranks} ranks" if table.kind == "collective" and table.nranks else ""
    return f"{test}{ranks}{memory}: {number}{where}"


def _time(microseconds: float) -> str:
    return f"{microseconds:.3g} us" if microseconds < 1_000 else f"{microseconds / 1e3:.3g} ms"


def unjudged(tables: MpiTables | None, commands: Commands | None, events: Events | None) -> str:
    """What the first table says, which no rule judges, and why; "" where there is none."""
    starts = Starts(commands, events)
    for table in tables.all if tables is not None else ():
        started, row = starts.of(table), best_row(table)
        if row is not None:
            across = starts.on_two_nodes(started)
            return f"{measured(table, started, row)}, {_why_not_judged(table, started, across=across)}"
    return ""


def _why_not_judged(table: MpiTable, started: Command | None, *, across: bool) -> str:
    if table.library != "MPI":
        return f"which is not judged: measure {table.library} with nccl-tests"
    if table.kind == "collective":
        return "which is not judged: MPI's collectives take other ways than NCCL's"
    if across:
        return "which is not judged: MPI adds costs of its own; ib_write_bw measures the path without it"
    if started is not None and started.ranks_per_node == 2:
        return f"which is not judged: both ranks are on one node; {_between(table)}"
    return "and the input does not say whether its two ranks are on two nodes; the command that started them does"


def _between(table: MpiTable) -> str:
    """What lies between two ranks of one node: memory, or an adapter that sends to itself, as some libraries have it
    (Open MPI over libfabric's cxi). Copies in memory change with the size of the message, a port's rate does not;
    copies between GPUs are as even as a port."""
    large = [row for row in table.rows if row.bandwidth_gbs and (row.size_bytes or 0) >= _LARGE]
    rates = [(row.bandwidth_gbs or 0.0) * 8 / (2 if table.bidirectional else 1) for row in large]
    even = len(rates) >= _FEWEST_EVEN and min(rates) >= _EVEN * max(rates)
    port = nearest_rate(max(rates)) if even else None
    if port is None or max(rates) < rdma_bandwidth(port, "").low:
        return "whether an adapter is between them, the input does not say"
    way = " each way" if table.bidirectional else ""
    also = "" if table.gpu_memory in (None, "host") else ", or a copy between GPUs"
    return (
        f"an adapter that sends to itself seems to be between them{also}: {max(rates):.0f} Gb/s{way} at all sizes "
        f"from {format_size(large[0].size_bytes or 0)} up is what a port of {port:g} Gb/s carries"
    )


def _measures(each: Command) -> bool:
    return each.program.startswith(("osu_", "IMB-", "imb-"))
