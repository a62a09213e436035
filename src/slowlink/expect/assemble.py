"""Every sweep and link beside what it should be, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from slowlink.catalog.standards import standards_of
from slowlink.expect.busbw import Prediction, expectations, predict
from slowlink.expect.case import COLLECTIVES, Case
from slowlink.expect.hindered import hindered
from slowlink.expect.in_use import in_use
from slowlink.expect.plateau import reaches_plateau
from slowlink.expect.ports import assemble_links
from slowlink.expect.unnamed import Unnamed, unnamed
from slowlink.facts.network import fewest_ports
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.expectations import Expectations, OpenSweep, Possibility, SweepExpectation
from slowlink.model.facts import Environment, Facts, Hardware, MeasuredSweep
from slowlink.units import kept_digits

_UNKNOWN = Hardware(None, None, None, (), "")
_GPUS_OF_A_NODE = 8
_MOST_WEIGHED = 100
"""Of the slowest, and of the fastest: each takes some hundredths of a second."""
_TOO_MANY = (
    "no expectation: the nodes' network; of so many tables only the slowest and the fastest are held against all"
)
_BELOW_THE_PLATEAU = "the sizes end before the plateau, and what they show lies below its band"
_ALGORITHMS = {"ring": "ring", "tree": "tree", "nvls": "nvls", "nvlstree": "nvlstree", "collnetdirect": "collnet"}


def assemble_expectations(facts: Facts) -> Expectations:
    """Pure. A sweep whose hardware is not known stands in ``open`` where it proves nothing; one that cannot be judged
    at all in ``unjudged`` with the reason."""
    judged: list[SweepExpectation] = []
    unsettled: list[OpenSweep] = []
    unjudged: list[tuple[str, str]] = []
    sweeps = facts.sweeps.all if facts.sweeps is not None else ()
    weighed = _weighed(sweeps)
    shown = _shown_networks(weighed, facts)
    places = {id(sweep) for sweep in weighed}
    for sweep in sweeps:
        result = _judge(sweep, facts, shown.get(sweep.run.source), weighs=id(sweep) in places)
        if isinstance(result, str):
            unjudged.append((sweep.name, result))
        elif isinstance(result, OpenSweep):
            unsettled.append(result)
        else:
            judged.append(result)
    return Expectations(tuple(judged), assemble_links(facts), tuple(unjudged), tuple(unsettled))


def _weighed(sweeps: Sequence[MeasuredSweep]) -> Sequence[MeasuredSweep]:
    """Those that are held against all networks that may be there, where the input names none: the slowest, where what
    is wrong shows, and the fastest, which tell the network."""
    if len(sweeps) <= 2 * _MOST_WEIGHED:
        return sweeps
    in_order = sorted(sweeps, key=lambda sweep: sweep.peak_busbw_gbs or 0.0)
    return [*in_order[:_MOST_WEIGHED], *in_order[-_MOST_WEIGHED:]]


def _shown_networks(sweeps: Sequence[MeasuredSweep], facts: Facts) -> Mapping[str, Hardware]:
    """Source -> the least hardware that carries its fastest sweep.

    One source is one machine: what one of its runs shows to be there is what the others have at least.
    """
    best: dict[str, Prediction] = {}
    for sweep in sweeps:
        case = _case(sweep, facts) if not _not_comparable(sweep) else None
        if case is None or isinstance(predict(case), Prediction):
            continue
        open_ = _unnamed(sweep, case, facts)
        found = open_.nearest(sweep.peak_busbw_gbs or 0.0) if open_ is not None else None
        if found is not None and found.network_gbs is not None:
            before = best.get(sweep.run.source)
            if before is None or found.network_gbs > (before.network_gbs or 0.0):
                best[sweep.run.source] = found
    return {source: prediction.case.hardware for source, prediction in best.items()}


def _judge(
    sweep: MeasuredSweep, facts: Facts, shown: Hardware | None, *, weighs: bool
) -> SweepExpectation | OpenSweep | str:
    problem = _not_comparable(sweep)
    if problem:
        return problem
    case = _case(sweep, facts)
    prediction = predict(case, _subject(sweep))
    if isinstance(prediction, Prediction) and (sweep.peak_busbw_gbs or 0.0) > prediction.ceiling:
        case = replace(case, hardware=facts.hardware or _UNKNOWN)  # more carried it than the channel lines show
        prediction = predict(case, _subject(sweep))
    if isinstance(prediction, Prediction):
        bridged = _if_bridged(prediction)
        readings = list(_other_readings(case, prediction, sweep)) if _is_low(sweep, bridged or prediction) else []
        if not readings:
            return _judged(sweep, prediction, facts, is_assumed=case.hardware.mentioned)
        return _unsettled(sweep, Unnamed((bridged or prediction, *readings), readings[-1]), None, facts)
    if not weighs:
        return _TOO_MANY
    found = _unnamed(sweep, case, facts)
    if found is None:
        return prediction.sentence
    only = _only_rate(sweep, found, facts)
    if only is not None:
        return _judged(sweep, only, facts, is_assumed=False)
    least = predict(replace(case, hardware=shown), _subject(sweep)) if shown is not None else None
    if not isinstance(least, Prediction):
        return _unsettled(sweep, found, None, facts)
    if (least.network_gbs or 0.0) >= (found.largest.network_gbs or 0.0):  # another run proves the largest network
        return _judged(sweep, least, facts, is_assumed=False, is_largest=True)
    return _unsettled(sweep, found, least, facts)


def _only_rate(sweep: MeasuredSweep, found: Unnamed, facts: Facts) -> Prediction | None:
    """The one node with as many HCAs as the log names that can carry what was measured; None where it is not one."""
    ports = facts.hardware.ports if facts.hardware is not None else None
    counted = [p for p in found.possible if sum(group.count for group in p.case.hardware.nics) == ports]
    able = [p for p in counted if p.ceiling >= (sweep.peak_busbw_gbs or 0.0)]
    return able[0] if len(able) == 1 < len(counted) and len(found.possible) == len(counted) else None


def _subject(sweep: MeasuredSweep) -> str:
    return f"{sweep.collective} {sweep.name}"


def _unnamed(sweep: MeasuredSweep, case: Case, facts: Facts) -> Unnamed | None:
    ports = facts.hardware.ports if facts.hardware is not None else None
    return unnamed(case, _subject(sweep), ports=ports, hosts=sweep.hosts)


def _unsettled(
    sweep: MeasuredSweep, found: Unnamed, shown: Prediction | None, facts: Facts
) -> SweepExpectation | OpenSweep | str:
    """Healthy on every node that this may be, degraded on every one, or open."""
    if not _is_low(sweep, found.largest):
        return _judged(sweep, found.largest, facts, is_assumed=False, is_largest=True)
    if not reaches_plateau(sweep):
        return _BELOW_THE_PLATEAU
    measured = sweep.peak_busbw_gbs or 0.0
    for floor in (shown, found.least, _least_able(sweep, found)):
        if floor is not None and measured < floor.expected.low:
            return _judged(sweep, floor, facts, is_assumed=True)
    named = _worth_naming(found, measured)
    return OpenSweep(sweep, tuple(_possibility(p) for p in named), _what_settles(found))


def _least_able(sweep: MeasuredSweep, found: Unnamed) -> Prediction | None:
    """The network with the lowest band among those that can carry what was measured: what lies below it is low on
    whatever network these nodes have. None where ranks leave GPUs of a node out (they may use more of its NICs than
    counted), and where the nodes or the GPU are not known."""
    cases = [prediction.case for prediction in found.possible]
    gpus = {case.hardware.gpu for case in cases}
    full = all(case.nranks == case.nnodes * (case.hardware.gpus_per_node or 0) for case in cases)
    if sweep.nnodes is None or found.least is None or len(gpus) > 1 or not full:
        return None
    able = [each for each in found.possible if each.ceiling >= (sweep.peak_busbw_gbs or 0.0)]
    least = min(able, key=lambda each: each.expected.low, default=None)
    if least is None:
        return None
    basis = f"{least.expected.basis}; the least network of such nodes that can carry what was measured"
    return replace(least, expected=replace(least.expected, basis=basis))


def _worth_naming(found: Unnamed, measured: float) -> Iterator[Prediction]:
    """The largest node, others that the catalogue has of its GPU and that can carry what was measured, and the smallest
    that would be healthy."""
    seen: set[tuple[object, ...]] = set()
    sold = {kind.nics for kind in standards_of(found.largest.case.hardware.gpu or "")}
    nearest = found.nearest(measured)
    for prediction in found.possible:
        hardware = prediction.case.hardware
        named = hardware.gpu == found.largest.case.hardware.gpu and hardware.nics in sold
        named = named and measured <= prediction.ceiling
        key = hardware.gpu, hardware.nics, prediction.case.nnodes, prediction.case.bridged
        if (named or prediction in (found.largest, nearest)) and key not in seen:
            seen.add(key)
            yield prediction


def _possibility(prediction: Prediction) -> Possibility:
    case = prediction.case
    return Possibility(case.hardware, case.nnodes, case.bridged is not False, prediction.expected, prediction.warn)


def _what_settles(found: Unnamed) -> tuple[str, ...]:
    """What differs among the possibilities: ``gpu``, ``nics``, ``nodes``, ``bridge``."""
    cases = [prediction.case for prediction in found.possible]
    differs: dict[str, set[object]] = {
        "gpu": {case.hardware.gpu for case in cases},
        "nics": {case.hardware.nics for case in cases},
        "nodes": {case.nnodes for case in cases},
        "bridge": {case.bridged for case in cases},
    }
    return tuple(name for name, values in differs.items() if len(values) > 1)


def _if_bridged(prediction: Prediction) -> Prediction | None:
    """The band of cards that a bridge surely joins, for a prediction that allows for its absence; else None."""
    bare = predict(replace(prediction.case, bridged=False))
    if (
        prediction.case.nnodes > 1
        or prediction.case.bridged is not None
        or not isinstance(bare, Prediction)
        or bare.chosen.binding == prediction.chosen.binding
    ):
        return None
    expected = replace(prediction.expected, low=kept_digits(prediction.chosen.fail))
    return replace(prediction, expected=expected, warn=prediction.chosen.warn)


def _other_readings(case: Case, prediction: Prediction, sweep: MeasuredSweep) -> Iterator[Prediction]:
    """What else the same words may mean: cards that nobody joined by a bridge, and two nodes where one is only the
    simplest reading of the number of ranks."""
    subject = _subject(sweep)
    if _if_bridged(prediction) is not None:
        bare = predict(replace(case, bridged=False), subject)
        if isinstance(bare, Prediction) and (sweep.peak_busbw_gbs or 0.0) <= bare.ceiling:  # more is a bridge
            yield bare
    if sweep.nnodes is None and case.nnodes == 1 and case.nranks % 2 == 0:
        found = unnamed(replace(case, nnodes=2), subject, ports=None)
        yield from found.possible if found is not None else ()


def _is_low(sweep: MeasuredSweep, prediction: Prediction) -> bool:
    return (sweep.peak_busbw_gbs or 0.0) < prediction.warn


def _judged(
    sweep: MeasuredSweep, prediction: Prediction, facts: Facts, *, is_assumed: bool, is_largest: bool = False
) -> SweepExpectation | str:
    """A low value at sizes below the plateau says nothing."""
    if _is_low(sweep, prediction) and not reaches_plateau(sweep):
        return _BELOW_THE_PLATEAU
    busbw, *algorithms = expectations(prediction)
    used = fewest_ports(facts.network) if facts.network is not None else None
    return SweepExpectation(
        sweep=sweep,
        busbw=busbw,
        warn_below_gbs=prediction.warn,
        ceiling_gbs=prediction.ceiling,
        algorithms=tuple(algorithms),
        hardware=prediction.case.hardware,
        assumed=is_assumed,
        largest=is_largest,
        hindered=hindered(prediction, used) if _is_low(sweep, prediction) else (),
    )


def _not_comparable(sweep: MeasuredSweep) -> str:
    """Why this sweep says nothing about bandwidth; "" when it does."""
    if sweep.run.masked:
        return "its numbers are masked"
    if on_cpu_memory(sweep.run):
        return "its ranks ran on CPU memory, for which there is no model"
    if sweep.interleaved:
        return "it was printed by one of several single processes"
    if sweep.peak_busbw_gbs is None or not sweep.points:
        return "it has no usable row"
    if sweep.nranks is None or sweep.nranks < 2:
        return "busbw of one rank is 0 by definition" if sweep.nranks == 1 else "the number of ranks is not known"
    if sweep.collective not in COLLECTIVES:
        return f"there is no model of {sweep.collective or 'an unknown collective'}"
    return ""


def _case(sweep: MeasuredSweep, facts: Facts) -> Case:
    assert sweep.collective is not None
    assert sweep.nranks is not None
    hardware = facts.hardware or _UNKNOWN
    per_node = hardware.gpus_per_node if hardware.given and hardware.gpus_per_node else _GPUS_OF_A_NODE
    nnodes = sweep.nnodes or -(-sweep.nranks // per_node)
    channels = _max_channels(facts.environment)
    return Case(
        collective=sweep.collective,
        nranks=sweep.nranks,
        nnodes=nnodes,
        hardware=in_use(hardware, facts, -(-sweep.nranks // nnodes)) if channels is None else hardware,
        algorithm=_forced_algorithm(facts.environment),
        nvls=_nvls(facts),
        max_channels=channels,
        bridged=hardware.linked,
    )


def _forced_algorithm(environment: Environment | None) -> str | None:
    """NCCL_ALGO, when it names one algorithm."""
    values = environment.values.get("NCCL_ALGO", ()) if environment is not None else ()
    return _ALGORITHMS.get(values[0].lower()) if len(values) == 1 else None


def _max_channels(environment: Environment | None) -> int | None:
    values = environment.values.get("NCCL_MAX_NCHANNELS", ()) if environment is not None else ()
    return int(values[0]) if len(values) == 1 and values[0].isdecimal() else None


def _nvls(facts: Facts) -> bool | None:
    """False when somebody turned it off; what the hardware has must otherwise be reached."""
    values = facts.environment.values.get("NCCL_NVLS_ENABLE", ()) if facts.environment is not None else ()
    return False if values == ("0",) else None
