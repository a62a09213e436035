"""What was measured, in the words of the rules that judge it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from slowlink import exits
from slowlink.expect.ports import best_row
from slowlink.model.acceptance import Cell, Contract
from slowlink.model.benchmark import PerftestRun
from slowlink.model.bundle import CAPTURES_NAME
from slowlink.model.expectations import Expectations, LinkExpectation
from slowlink.model.facts import MeasuredSweep, Perftests
from slowlink.model.ladder import AGAIN, Ladder
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.evidence.sweep_words import best_point
from slowlink.rules.measured import busbw_below_expected, link_bandwidth
from slowlink.units import brief, format_size
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.limits import Limits
from slowlink.workflows.accepting.names import FileNames
from slowlink.workflows.analyze import JudgedJob

_NOBODYS = "nothing says whose fault it is"


class Measurements:
    """Of all jobs of one heap of evidence, by their nodes' names in the evidence."""

    def __init__(self, jobs: Sequence[JudgedJob], files: FileNames, limits: Limits, contract: Contract) -> None:
        self._files, self._limits, self._fail_on = files, limits, contract.fail_on
        self._gpus = contract.gpus_per_node
        self.inside: list[tuple[str, Cell]] = []
        """(node, cell) of each table of one node alone."""
        self.between: list[tuple[tuple[str, ...], Cell]] = []
        """(nodes, cell) of each table over several nodes."""
        self.links: list[tuple[str, str, Cell]] = []
        """(node, HCA, cell) of each test of a link."""
        for job in jobs:
            for sweep in job.facts.sweeps.all if job.facts.sweeps is not None else ():
                self._add_sweep(sweep, job)
            self._add_links(job)

    def _add_sweep(self, sweep: MeasuredSweep, job: JudgedJob) -> None:
        cell = self._sweep(sweep, job)
        if sweep.nnodes == 1 and len(sweep.hosts) == 1:
            self.inside.append((sweep.hosts[0], replace(cell, check=of.INSIDE)))
        elif len(sweep.hosts) > 1:
            self.between.append((sweep.hosts, cell))

    def _sweep(self, sweep: MeasuredSweep, job: JudgedJob) -> Cell:
        best = best_point(sweep)
        value = f"{best.busbw_gbs:.2f}" if best is not None and best.busbw_gbs is not None else ""
        refs = [best.ref] if best is not None else [sweep.run.header]
        shown = tuple(self._files.place(ref.source, ref.line) for ref in refs)
        ranks = f", {sweep.nranks} ranks" if sweep.nranks else ""
        subject = f"{sweep.collective or 'a collective'}{ranks}, {fold(sweep.hosts)}"
        cell = Cell(of.COLLECTIVE, "open", value, "GB/s busbw", evidence=shown, subject=subject)
        judged = next(
            (each for each in job.expected.sweeps if each.sweep is sweep or each.sweep.name == sweep.name), None
        )
        if judged is not None:
            size = f" at {format_size(best.size_bytes)}" if best is not None else ""
            limit = self._limits.place(f"at least {brief(judged.warn_below_gbs)} GB/s{size}", judged.busbw.basis)
            cell = replace(cell, limit=limit)
        found = [each for each in job.checked.findings if _is_about(each, sweep) and _may_accuse(each, sweep.hosts)]
        if (told := self._found(cell, found)) is not None:
            return told
        if judged is None:
            why = next((why for name, why in job.expected.unjudged if name == sweep.name), "")
            return replace(cell, why=f"nothing says how much it should be{f': {why}' if why else ''}")
        said = list(busbw_below_expected.check(Expectations((judged,), (), ())))
        if said and all(isinstance(each, Proof) for each in said) and sweep.complete:
            return replace(cell, state="pass") if not (why := self._left_out(sweep)) else replace(cell, why=why)
        return replace(cell, why="it did not come to its end" if not sweep.complete else "its sizes do not agree")

    def _left_out(self, sweep: MeasuredSweep) -> str:
        """Why it says nothing of a whole node; "" where all of its GPUs took part."""
        if sweep.nranks is None or sweep.nnodes is None:
            return "how many GPUs took part is not told"
        wanted = self._gpus * sweep.nnodes
        return f"{sweep.nranks} of {wanted} GPUs took part" if sweep.nranks < wanted else ""

    def _add_links(self, job: JudgedJob) -> None:
        counted, ends = _tests_of_pairs(job.facts.ladder)
        for judged in job.expected.links:
            run = judged.run
            name = _capture(run.source)
            if name in ends and name not in counted:
                continue  # it was done again, and the better one counts
            nodes = ends.get(name) or ((run.host,) if run.host else ("",))
            cell = self._link(judged, job, nodes)
            if len(nodes) > 1:
                cell = replace(cell, subject=fold(nodes))
                if cell.state == "fail":
                    cell = replace(cell, state="open", why=f"{cell.why}; {_NOBODYS}")
            self.links += [(node, run.device or "", cell) for node in nodes]

    def _link(self, judged: LinkExpectation, job: JudgedJob, nodes: Sequence[str]) -> Cell:
        run, best = judged.run, best_row(judged.run)
        assert best is not None  # it was judged
        on_gpu = run.gpu_memory not in (None, "host")
        rate = judged.rate_basis or f"the port's rate is not known, {judged.rate_gbit:g} Gb/s is the largest"
        limit = self._limits.place(f"at least {judged.link.low:.1f} Gb/s", f"{rate}; {judged.link.basis}")
        shown = (self._files.place(best.ref.source, best.ref.line),)
        check = of.GPU_BANDWIDTH if on_gpu else of.BANDWIDTH
        cell = Cell(check, "open", f"{best.bw_average_gbit:.1f}", "Gb/s", limit, evidence=shown)
        found = [
            each
            for each in job.checked.findings
            if any((line.source, line.line) == (best.ref.source, best.ref.line) for line in each.evidence)
            and _may_accuse(each, nodes)
        ]
        if (told := self._found(cell, found)) is not None:
            return told
        said = _said_of(run, judged)
        passes = (
            judged.rate_basis and run.complete and any(isinstance(each, Proof) and not each.undecided for each in said)
        )
        return replace(cell, state="pass") if passes else replace(cell, why="nothing says the rate of the port")

    def _found(self, cell: Cell, found: Sequence[Finding]) -> Cell | None:
        """The cell as findings about the same lines leave it; None where there are none of at least a warning."""
        failing = [each for each in found if exits.fails(each.severity, self._fail_on)]
        told = failing or [each for each in found if exits.fails(each.severity, "warning")]
        told = told or [each for each in found if each.cause == "hardware-unknown"]
        if not told:
            return None
        causes = tuple(dict.fromkeys(each.cause for each in told))
        return replace(cell, state="fail" if failing else "open", causes=causes, why=told[0].message)


def of_nodes(cells: Iterable[Cell]) -> list[Cell]:
    """What tables over several nodes say of one of them: where one is right, it took part. Where one is not, it may be
    any of them; whoever is accused by name stands among the accused."""
    return [
        replace(cell, state="open", check=of.BETWEEN, why=f"{cell.why}; {_NOBODYS}", causes=())
        if cell.state == "fail"
        else replace(cell, check=of.BETWEEN)
        for cell in cells
    ]


def _is_about(found: Finding, sweep: MeasuredSweep) -> bool:
    run = sweep.run
    last = run.end.line if run.end is not None else max((p.ref.line for p in run.points), default=run.header.line)
    return any(each.source == run.source and run.header.line <= each.line <= last for each in found.evidence)


def _may_accuse(found: Finding, nodes: Sequence[str]) -> bool:
    """False where it names others alone: its lines show then what is sound beside them."""
    named: set[str] = set()
    for suspect in found.suspects:
        if suspect.kind == "link":
            named.update(suspect.name.split(" - "))
        elif suspect.kind == "node" or " " in suspect.name:
            named.add(suspect.name.partition(" ")[0])
    return not named or not named.isdisjoint(nodes)


def _said_of(run: PerftestRun, judged: LinkExpectation) -> Iterator[Finding | Proof]:
    """The rule about this one test."""
    return link_bandwidth.check(Perftests((run,)), Expectations((), (judged,), ()))


def _tests_of_pairs(ladder: Ladder | None) -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
    """Captures of tests of one HCA on several nodes: those that count, and the nodes of all."""
    tests = [test for test in ladder.plan.tests if test.hca] if ladder is not None else []
    ends = {name: test.nodes for test in tests for name in (test.name, test.name + AGAIN)}
    results = ladder.results if ladder is not None else ()
    counted = frozenset(_capture(result.ref.source) for result in results if result.ref is not None)
    return counted, ends


def _capture(source: str) -> str:
    return source.rpartition(f"{CAPTURES_NAME}/")[2].rpartition("/")[0]
