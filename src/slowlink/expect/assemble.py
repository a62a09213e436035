"""Every sweep and link beside what it should be, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from slowlink.expect.assume import assumed, least
from slowlink.expect.busbw import Prediction, expectations, predict
from slowlink.expect.case import COLLECTIVES, Case, Missing
from slowlink.expect.plateau import reaches_plateau
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.facts import Environment, Facts, Hardware, MeasuredSweep

_UNKNOWN = Hardware(None, None, None, (), "")
_GPUS_OF_A_NODE = 8
_ABOVE_PCIE = 1.05
"""A bridge carries several times what PCIe does, so that more than this is a bridge."""
_ALGORITHMS = {"ring": "ring", "tree": "tree", "nvls": "nvls", "nvlstree": "nvlstree", "collnetdirect": "collnet"}


def assemble_expectations(facts: Facts) -> Expectations:
    """Pure. A sweep that cannot be judged stands in ``unjudged`` with the reason."""
    judged: list[SweepExpectation] = []
    unjudged: list[tuple[str, str]] = []
    sweeps = facts.sweeps.all if facts.sweeps is not None else ()
    networks = _assumed_networks(sweeps, facts)
    for sweep in sweeps:
        result = _judge(sweep, facts, networks.get(sweep.run.source))
        if isinstance(result, str):
            unjudged.append((sweep.name, result))
        else:
            judged.append(result)
    return Expectations(tuple(judged), (), tuple(unjudged))


def _assumed_networks(sweeps: Sequence[MeasuredSweep], facts: Facts) -> dict[str, Hardware]:
    """Source -> the hardware that its fastest sweep needs.

    One source is one machine: what one of its runs shows to be there is what the others have, too.
    """
    best: dict[str, Prediction] = {}
    for sweep in sweeps:
        if _not_comparable(sweep) or isinstance(predict(_case(sweep, facts)), Prediction):
            continue
        found = assumed(_case(sweep, facts), sweep.peak_busbw_gbs or 0.0, sweep.name)
        if found is not None and found.network_gbs is not None:
            before = best.get(sweep.run.source)
            if before is None or found.network_gbs > (before.network_gbs or 0.0):
                best[sweep.run.source] = found
    return {source: prediction.case.hardware for source, prediction in best.items()}


def _judge(sweep: MeasuredSweep, facts: Facts, network: Hardware | None) -> SweepExpectation | str:
    problem = _not_comparable(sweep)
    if problem:
        return problem
    case = _case(sweep, facts)
    subject = f"{sweep.collective} {sweep.name}"
    prediction = predict(case, subject)
    bare = _without_bridge(case, prediction, sweep, subject)
    if bare is not None:
        return _judged(sweep, bare, is_assumed=case.hardware.mentioned)
    if isinstance(prediction, Prediction) and not (_nodes_open(sweep, case) and _is_low(sweep, prediction)):
        return _judged(sweep, prediction, is_assumed=case.hardware.mentioned)
    if network is not None and case.nnodes > 1:
        shared = predict(replace(case, hardware=network), subject)
        if isinstance(shared, Prediction):
            return _judged(sweep, shared, is_assumed=True)
    found = _assume(case, sweep, subject)
    if found is not None:
        return _judged(sweep, found, is_assumed=True)
    return prediction.sentence if isinstance(prediction, Missing) else "the number of nodes is not known"


def _without_bridge(
    case: Case, prediction: Prediction | Missing, sweep: MeasuredSweep, subject: str
) -> Prediction | None:
    """Cards that a bridge may join and that show far less than one carries are held against PCIe."""
    if not isinstance(prediction, Prediction) or case.nnodes > 1 or prediction.chosen.binding.name != "NVLink":
        return None
    bare = predict(replace(case, bridged=False), subject)
    if not isinstance(bare, Prediction) or bare.chosen.binding.name != "PCIe":
        return None
    return bare if (sweep.peak_busbw_gbs or 0.0) <= _ABOVE_PCIE * bare.expected.high else None


def _nodes_open(sweep: MeasuredSweep, case: Case) -> bool:
    """One node is only the simplest reading of the number of ranks."""
    return sweep.nnodes is None and case.nnodes == 1 and case.nranks % 2 == 0


def _is_low(sweep: MeasuredSweep, prediction: Prediction) -> bool:
    return (sweep.peak_busbw_gbs or 0.0) < prediction.warn


def _assume(case: Case, sweep: MeasuredSweep, subject: str) -> Prediction | None:
    """What standard hardware fits, on one node or on two where that is not known; else the least there is, if even
    that should give more."""
    measured = sweep.peak_busbw_gbs or 0.0
    for nnodes in (case.nnodes, 2) if _nodes_open(sweep, case) else (case.nnodes,):
        found = assumed(replace(case, nnodes=nnodes), measured, subject)
        if found is not None:
            return found
    floor = least(case, subject, sweep.hosts)
    return floor if floor is not None and measured < floor.expected.low else None


def _judged(sweep: MeasuredSweep, prediction: Prediction, *, is_assumed: bool) -> SweepExpectation | str:
    """A low value at sizes below the plateau says nothing."""
    if _is_low(sweep, prediction) and not reaches_plateau(sweep):
        return "the sizes end before the plateau, and what they show lies below its band"
    busbw, *algorithms = expectations(prediction)
    return SweepExpectation(
        sweep=sweep,
        busbw=busbw,
        warn_below_gbs=prediction.warn,
        ceiling_gbs=prediction.ceiling,
        algorithms=tuple(algorithms),
        hardware=prediction.case.hardware,
        assumed=is_assumed,
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
    return Case(
        collective=sweep.collective,
        nranks=sweep.nranks,
        nnodes=sweep.nnodes or -(-sweep.nranks // per_node),
        hardware=hardware,
        algorithm=_forced_algorithm(facts.environment),
        nvls=_nvls(facts),
        max_channels=_max_channels(facts.environment),
    )


def _forced_algorithm(environment: Environment | None) -> str | None:
    """NCCL_ALGO, when it names one algorithm."""
    values = environment.values.get("NCCL_ALGO", ()) if environment is not None else ()
    return _ALGORITHMS.get(values[0].lower()) if len(values) == 1 else None


def _max_channels(environment: Environment | None) -> int | None:
    values = environment.values.get("NCCL_MAX_NCHANNELS", ()) if environment is not None else ()
    return int(values[0]) if len(values) == 1 and values[0].isdigit() else None


def _nvls(facts: Facts) -> bool | None:
    """False when somebody turned it off; what the hardware has must otherwise be reached."""
    values = facts.environment.values.get("NCCL_NVLS_ENABLE", ()) if facts.environment is not None else ()
    return False if values == ("0",) else None
