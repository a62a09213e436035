"""May a pipeline go on? Gates judge what was measured; what was not measured never passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict, replace

from slowlink import exits
from slowlink.averages import median
from slowlink.expect.busbw import Prediction, reachable
from slowlink.expect.plateau import plateau_busbw
from slowlink.expect.stats import Dispersion, dispersion
from slowlink.model.report import Report, Sweep
from slowlink.nodes import fold
from slowlink.report.sweep_rows import Expected

if TYPE_CHECKING:
    from slowlink.workflows.launches.interface import Launch


class Wanted(Struct, frozen=True):
    """What every launch must show before a number of it counts."""

    collective: str | None
    """None: the benchmark prints no table of a collective; then only its end is judged."""
    nranks: int
    max_bytes: int
    min_busbw_gbs: float | None = None
    min_share: float | None = None
    """Of the bound of this hardware."""
    baseline: Report | None = None
    tolerance: float = 0.05
    prediction: Prediction | None = None
    each_node: bool = False
    """Every launch is a node by itself: each of them must hold, not their median."""
    label: str = ""
    """Which of several measurements this is; empty when it is the only one."""


class Measured(Struct, frozen=True):
    """One launch and its table."""

    name: str
    sweep: Sweep | None
    plateau_gbs: float | None
    problems: tuple[str, ...]
    """Why its number does not count."""
    wrong: bool = False
    """It computed wrong results: a finding, not only a missing measurement."""


class Gate(Struct, frozen=True):
    """One answer. ``status`` is an exit code: HEALTHY, FINDINGS or INCONCLUSIVE."""

    name: str
    status: int
    message: str
    threshold: bool = False
    """The user asked for it: it says what is expected, where nothing is known of the hardware."""

    @property
    def passed(self) -> bool:
        return self.status == exits.HEALTHY


class Judged(Struct, frozen=True):
    """Everything that decides the exit code besides the diagnoses."""

    measured: tuple[Measured, ...]
    spreads: tuple[tuple[str, Dispersion], ...]
    """Of the plateaus of several launches, with what they are: ``5 launches``, ``all_gather: 64 nodes``."""
    gates: tuple[Gate, ...]
    """First whether everything was measured, then the thresholds of the user, and whether they have a ground."""
    interrupted: bool = False
    """Somebody ended a launch."""

    def lines(self) -> list[str]:
        """The answers in words: spread of the launches, then each gate."""
        found = [
            f"{what}: plateau {spread.median:.4g} GB/s (median), {spread.low:.4g} to {spread.high:.4g}, "
            f"CV {spread.cv:.1%}"
            for what, spread in self.spreads
        ]
        words = {exits.HEALTHY: "passed", exits.FINDINGS: "FAILED", exits.INCONCLUSIVE: "NOT MEASURED"}
        return found + [f"{words[gate.status]}: {gate.name}: {gate.message}" for gate in self.gates]

    @property
    def statuses(self) -> tuple[int, ...]:
        """Exit codes of the gates."""
        return tuple(gate.status for gate in self.gates)

    @property
    def has_thresholds(self) -> bool:
        """Did the user ask for any?"""
        return any(gate.threshold for gate in self.gates)

    def without_evidence(self, why: str) -> Judged:
        """The same where the bundle could not take all that was measured: nothing passes."""
        lost = Gate("measurement", exits.INCONCLUSIVE, f"not all that was measured could be kept: {why}")
        return replace(self, gates=(lost, *self.gates[1:]))

    def without_nodes(self, left_out: Mapping[str, str]) -> Judged:
        """The same where nodes that were asked for took no part: what is not all of them does not pass as all."""
        if not left_out:
            return self
        by_why: dict[str, list[str]] = {}
        for node, why in left_out.items():
            by_why.setdefault(why, []).append(node)
        text = "; ".join(f"{fold(nodes)} left out: {why}" for why, nodes in by_why.items())
        return replace(self, gates=(*self.gates, Gate("all nodes", exits.INCONCLUSIVE, text)))

    def told(self, report: Report) -> Report:
        """``report`` with the gates among its facts, so that every format can say whether they hold."""
        gates = [asdict(gate) for gate in self.gates]
        return replace(report, facts={**report.facts, "gates": gates})


def judge(report: Report, launches: Sequence[Launch], asked: int, wanted: Wanted) -> Judged:
    """``asked``: how many launches there should be. Pure."""
    measured = tuple(_measured(report, launch, wanted) for launch in launches)
    values = [each.plateau_gbs for each in measured if each.plateau_gbs is not None]
    measurement, thresholds = _measurement(measured, asked, wanted), []
    if wanted.min_busbw_gbs is not None:
        thresholds.append(_min_busbw(measured, wanted, measurement))
    if wanted.min_share is not None:
        thresholds.append(min_share_gate(report, measured, wanted.min_share, measurement))
    if wanted.baseline is not None:
        thresholds.append(_baseline(values, measured, wanted, wanted.baseline, measurement))
    gates = (measurement, *map(asked_for, thresholds))
    interrupted = any(launch.ended.reason == "interrupted" for launch in launches)
    named = tuple(replace(gate, name=f"{wanted.label}: {gate.name}") if wanted.label else gate for gate in gates)
    return Judged(measured, _spread(values, wanted), named, interrupted)


def asked_for(gate: Gate) -> Gate:
    """``gate`` as a threshold of the user."""
    return replace(gate, threshold=True)


def joined(each: Sequence[Judged]) -> Judged:
    """The answers of several measurements as one."""
    return Judged(
        tuple(measured for judged in each for measured in judged.measured),
        tuple(spread for judged in each for spread in judged.spreads),
        tuple(gate for judged in each for gate in judged.gates),
        any(judged.interrupted for judged in each),
    )


def _spread(values: Sequence[float], wanted: Wanted) -> tuple[tuple[str, Dispersion], ...]:
    """Nothing below two launches."""
    spread = dispersion(values)
    if spread is None:
        return ()
    what = f"{spread.count} {'nodes' if wanted.each_node else 'launches'}"
    return ((f"{wanted.label}: {what}" if wanted.label else what, spread),)


def _measured(report: Report, launch: Launch, wanted: Wanted) -> Measured:
    sweeps = [sweep for sweep in report.sweeps if f"/{launch.name}/" in sweep.source.replace("!", "/")]
    sweep = max(sweeps, key=lambda each: len(each.points), default=None)
    problems = list(_problems_of_end(launch))
    if wanted.collective is None:
        return Measured(launch.name, None, None, tuple(problems))
    if sweep is None or not sweep.points:
        return Measured(launch.name, sweep, None, (*problems, "no row was printed"))
    problems += _problems(sweep, wanted)
    wrong = any(point.wrong for point in sweep.points)
    if wrong:
        problems.append("results are wrong")
    value = plateau_busbw(sweep)
    if value is None:
        problems.append("no row has a usable bandwidth")
    return Measured(launch.name, sweep, value, tuple(problems), wrong)


def _problems_of_end(launch: Launch) -> list[str]:
    ended = launch.ended
    detail = f": {ended.detail}" if ended.detail else ""
    if ended.reason != "exited":
        return [f"{_REASONS.get(ended.reason, ended.reason)}{detail}"]
    if ended.signal is not None:
        return [f"it was ended by signal {ended.signal}{detail}"]
    return [f"exit status {ended.status}{detail}"] if ended.status else []


_REASONS = {
    "timeout": "ended by the time limit",
    "silent": "ended by the watchdog",
    "standing": "ended because a rank stands still",
    "interrupted": "interrupted",
    "not-started": "not started",
}


def _problems(sweep: Sweep, wanted: Wanted) -> list[str]:
    found = []
    if sweep.collective != wanted.collective:
        found.append(f"it measured {sweep.collective or 'an unknown collective'}, not {wanted.collective}")
    if sweep.nranks != wanted.nranks:
        found.append(f"{sweep.nranks or 'an unknown number of'} ranks took part, not {wanted.nranks}")
    largest = max(point.size_bytes for point in sweep.points)
    # Collectives that share data among ranks round the size down; half of it is another size.
    if not sweep.complete or 2 * largest <= wanted.max_bytes:
        found.append("the table is not complete")
    return found


def _measurement(measured: Sequence[Measured], asked: int, wanted: Wanted) -> Gate:
    """Did every launch give a number that counts?"""
    bad = _problems_in_words(measured, wanted)
    if len(measured) < asked:
        bad.append(f"{len(measured)} of {asked} launches took place")
    if not bad:
        count = "1 launch" if asked == 1 else f"{asked} launches"
        if all(each.sweep is None for each in measured):
            return Gate("measurement", exits.HEALTHY, f"{count} ended without an error")
        return Gate(
            "measurement", exits.HEALTHY, f"{count} complete, all ranks took part, nothing wrong in the results"
        )
    wrong = any(each.wrong for each in measured)
    return Gate("measurement", exits.FINDINGS if wrong else exits.INCONCLUSIVE, "; ".join(bad))


def _problems_in_words(measured: Sequence[Measured], wanted: Wanted) -> list[str]:
    """``run-1: exit status 1``; of nodes by themselves those with the same problem together."""
    by_problem: dict[str, list[str]] = {}
    for each in measured:
        if each.problems:
            name = each.name.rpartition("/")[2] if wanted.each_node else each.name
            by_problem.setdefault(", ".join(each.problems), []).append(name)
    return [f"{fold(names) if wanted.each_node else ', '.join(names)}: {why}" for why, names in by_problem.items()]


def _min_busbw(measured: Sequence[Measured], wanted: Wanted, measurement: Gate) -> Gate:
    threshold = wanted.min_busbw_gbs or 0.0
    name = f"busbw >= {threshold:g} GB/s"
    values = [each.plateau_gbs for each in measured if each.plateau_gbs is not None]
    if not values:
        return Gate(name, exits.INCONCLUSIVE, "nothing was measured")
    value = min(values) if wanted.each_node else median(values)
    note = ""
    if wanted.prediction is not None:
        can, why = reachable(threshold, wanted.prediction)
        note = "" if can and value >= threshold else f"; {why}"
    text = f"{_least(measured, threshold) if wanted.each_node else f'plateau {_number(values)} GB/s'}{note}"
    if value < threshold:
        return Gate(name, exits.FINDINGS, text)
    if not measurement.passed:
        return Gate(name, exits.INCONCLUSIVE, f"{text}, but the measurement does not count")
    return Gate(name, exits.HEALTHY, text)


def _least(measured: Sequence[Measured], threshold: float) -> str:
    """The slowest nodes and how many are below; with all above, the slowest one."""
    plateaus = sorted((each.plateau_gbs, each.name) for each in measured if each.plateau_gbs is not None)
    below = [(value, name) for value, name in plateaus if value < threshold]
    shown = ", ".join(f"{name.rpartition('/')[2]} {value:.4g} GB/s" for value, name in (below or plateaus[:1])[:4])
    more = f" and {len(below) - 4} more" if len(below) > 4 else ""
    return f"{len(below)} of {len(plateaus)} below: {shown}{more}" if below else f"slowest: {shown}"


def min_share_gate(report: Report, measured: Sequence[Measured], threshold: float, measurement: Gate) -> Gate:
    """Is every plateau at least this share of the bound that ``report`` derives for it?"""
    name = f"busbw >= {100 * threshold:g} % of the bound"
    expectations = Expected(report)
    shares: list[tuple[float, str]] = []
    for each in measured:
        bound = expectations.of(each.sweep).get("busbw") if each.sweep is not None else None
        if each.plateau_gbs is None:
            continue
        if bound is None or bound.high <= 0:
            return Gate(
                name, exits.INCONCLUSIVE, "the bound of this hardware is not known: name it by --system or --nics"
            )
        share = each.plateau_gbs / bound.high
        text = f"plateau {each.plateau_gbs:.4g} GB/s is {share:.1%} of {bound.high:.4g} GB/s"
        shares.append((share, text if len(measured) == 1 else f"{each.name}: {text}"))
    if not shares:
        return Gate(name, exits.INCONCLUSIVE, "nothing was measured")
    share, text = min(shares)
    if share < threshold:
        return Gate(name, exits.FINDINGS, text)
    if not measurement.passed:
        return Gate(name, exits.INCONCLUSIVE, f"{text}, but the measurement does not count")
    return Gate(name, exits.HEALTHY, text)


def _baseline(
    values: Sequence[float], measured: Sequence[Measured], wanted: Wanted, baseline: Report, measurement: Gate
) -> Gate:
    name = f"baseline - {100 * wanted.tolerance:g} %"
    sweep = next((each.sweep for each in measured if each.sweep is not None), None)
    if not values or sweep is None:
        return Gate(name, exits.INCONCLUSIVE, "nothing was measured")
    earlier = [value for value in (plateau_busbw(old) for old in baseline.sweeps if _comparable(old, sweep)) if value]
    if not earlier:
        return Gate(
            name,
            exits.INCONCLUSIVE,
            f"the baseline has no {sweep.collective} with {sweep.nranks} ranks, {sweep.datatype} and sizes up to these",
        )
    value, old = median(values), median(earlier)
    text = f"plateau {_number(values)} GB/s is {value / old:.1%} of the baseline's {_number(earlier)} GB/s"
    if value < old * (1 - wanted.tolerance):
        return Gate(name, exits.FINDINGS, text)
    if not measurement.passed:
        return Gate(name, exits.INCONCLUSIVE, f"{text}, but the measurement does not count")
    return Gate(name, exits.HEALTHY, text)


def _comparable(old: Sweep, new: Sweep) -> bool:
    """The same question: collective, ranks, nodes, datatype and largest size."""
    if not old.points or not new.points or not old.complete:
        return False
    same = (old.collective, old.nranks, old.datatype) == (new.collective, new.nranks, new.datatype)
    nodes = old.nnodes is None or new.nnodes is None or old.nnodes == new.nnodes
    return same and nodes and _largest(old) == _largest(new)


def _largest(sweep: Sweep) -> int:
    return max(point.size_bytes for point in sweep.points)


def _number(values: Sequence[float]) -> str:
    return f"{median(values):.4g}" + (f" (median of {len(values)})" if len(values) > 1 else "")
