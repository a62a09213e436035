"""Plain values of what surrounds a measurement: commands, events, settings, observations, surveys, inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from slowlink.facts.summary.nccl import details
from slowlink.facts.summary.tables import distinct, middle
from slowlink.model.facts import (
    Commands,
    Environment,
    Events,
    Facts,
    Hardware,
    MeasuredSweep,
    Observations,
    PairSurvey,
    Sources,
)
from slowlink.model.job import JobEvent
from slowlink.parting import by_key

SLOW_PAIR_SHARE = 0.8
"""A pair below this share of its collective's median over all pairs is counted in ``slow_pairs``.

Healthy pairs of one cluster lie within a few per cent of one another, degraded paths far below: the exact
share matters little."""

_RANK_DIGITS = 8
_COMPARED = ("node-line", "node-setting")
"""Lines that are only compared between nodes: what they say is in nobody's form."""
_FAILED_PAIR = "failed-pair"
_FAULTS = ("segmentation", "sigsegv", "abort", "sigabrt", "bus error", "sigbus", "illegal", "sigill", "floating point")
_FAULT_NUMBERS = frozenset({"4", "6", "7", "8", "11"})
"""SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV on Linux."""


def summarise_job(facts: Facts) -> dict[str, object]:
    """Values of everything that is neither a measurement nor NCCL's own log."""
    values = _sources(facts.sources)
    values.update(_environment(facts.environment))
    values.update(_events(facts.events))
    values.update(_commands(facts.commands))
    values.update(_observations(facts.observations))
    values.update(_hardware(facts.hardware))
    values.update(_survey(facts.survey))
    return values


def _sources(sources: Sources) -> dict[str, object]:
    return {
        "files": len(sources.all),
        "lines": sum(source.lines for source in sources.all),
        "bytes": sum(source.size_bytes for source in sources.all),
        "kinds": distinct(kind for source in sources.all for kind in source.kinds),
    }


def _environment(environment: Environment | None) -> dict[str, object]:
    if environment is None:
        return {}
    advised: dict[str, list[str]] = {}
    for setting in environment.advised:
        advised.setdefault(setting.name, []).append(setting.value)
    return {
        "environment": {name: list(found) for name, found in environment.values.items()},
        "environment_advised": {name: distinct(found) for name, found in advised.items()},
    }


def _events(events: Events | None) -> dict[str, object]:
    """``events``: how often each kind of message came; ``event_details``: its named parts, over all kinds."""
    if events is None:
        return {}
    counts: Counter[str] = Counter()
    for event in events.all:
        counts[event.kind] += event.count
    return {
        "events": dict(counts),
        "event_lines": sum(counts.values()),
        "crashed_tasks": distinct(_task(event) for event in events.all if _crashed(event)),
        "event_origins": distinct(event.origin for event in events.all),
        "event_texts": distinct(event.text for event in events.all),
        "event_hosts": distinct(event.host for event in events.all),
        "event_ranks": distinct(event.rank for event in events.all),
        **_by_rank(events),
        "event_details": details(event.groups for event in sorted(events.all, key=lambda e: e.secondary)),
    }


def _by_rank(events: Events) -> dict[str, object]:
    """Ranks that each kind of message names, and the named parts of the messages of each rank."""
    ranks: dict[str, set[int]] = {}
    groups: dict[str, list[Mapping[str, str]]] = {}
    for event in events.all:
        rank = _rank(event)
        if rank is not None:
            ranks.setdefault(event.kind, set()).add(rank)
            groups.setdefault(str(rank), []).append(event.groups)
    return {
        "event_ranks_by_kind": {kind: sorted(found) for kind, found in ranks.items()},
        "event_details_by_rank": {rank: details(found) for rank, found in groups.items()},
    }


def _rank(event: JobEvent) -> int | None:
    named = event.groups.get("rank", "")
    return int(named) if named.isascii() and named.isdecimal() and len(named) < _RANK_DIGITS else event.rank


def _crashed(event: JobEvent) -> bool:
    """Ended by a fault of its own, not by somebody's order to end."""
    signal = event.groups.get("signal", "").lower()
    return any(word in signal for word in _FAULTS) or signal in _FAULT_NUMBERS


def _task(event: JobEvent) -> str | None:
    return event.groups.get("task") or (str(event.rank) if event.rank is not None else None)


def _commands(commands: Commands | None) -> dict[str, object]:
    if commands is None:
        return {}
    return {
        "commands": distinct(" ".join(command.argv) for command in commands.all),
        "command_programs": distinct(command.program for command in commands.all),
        "launchers": distinct(command.launcher for command in commands.all),
        "command_nranks": distinct(command.nranks for command in commands.all),
        "command_ranks_per_node": distinct(command.ranks_per_node for command in commands.all),
        "command_hosts": distinct(host for command in commands.all for host in command.hosts),
        "command_environment": details(command.env for command in commands.all),
        "command_options": _options([command.argv for command in commands.all]),
    }


def _options(lines: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Options by name without dashes (``-b 8`` and ``--minbytes=8`` alike); ``on`` for one alone."""
    found: dict[str, dict[str, None]] = {}
    for words in lines:
        for word, following in zip(words, [*words[1:], "-"], strict=True):
            if not word.startswith("-") or word.strip("-") == "":
                continue
            name, equals, value = word.lstrip("-").partition("=")
            if not equals:
                value = "on" if following.startswith("-") else following
            found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items()}


def _observations(observations: Observations | None) -> dict[str, object]:
    """``observations``: distinct values of each kind, and again by subject; ``observation_counts``: lines of each."""
    told = [each for each in (observations.all if observations is not None else ()) if each.kind not in _COMPARED]
    if not told:
        return {}
    counts: Counter[str] = Counter()
    for observation in told:
        counts[observation.kind] += observation.count
    of_kind = by_key(told, lambda each: each.kind)
    values: dict[str, object] = {
        "observations": {kind: distinct(each.value for each in found) for kind, found in of_kind.items()},
        "observations_by_subject": {
            kind: {
                subject: distinct(each.value for each in of_subject)
                for subject, of_subject in by_key(found, lambda each: each.subject).items()
            }
            for kind, found in of_kind.items()
        },
        "observation_counts": dict(counts),
    }
    failed = Counter(n for o in told if o.kind == _FAILED_PAIR for n in (o.subject, o.value))
    if failed:
        values["failed_pairs_by_node"] = dict(failed.most_common())
    return values


def _hardware(hardware: Hardware | None) -> dict[str, object]:
    if hardware is None:
        return {}
    return {
        "system": hardware.system,
        "catalogue_gpu": hardware.gpu,
        "system_gpus_per_node": hardware.gpus_per_node,
        "system_nics": [f"{group.count}x{group.rate_gbit:g}" for group in hardware.nics],
        "hardware_basis": hardware.basis,
    }


def _survey(survey: PairSurvey | None) -> dict[str, object]:
    """Average busbw over all pairs by collective, pairs far below it, and pairs that did not finish."""
    if survey is None:
        return {}
    by_collective: dict[str, dict[tuple[str, str], float]] = {}
    for pair in survey.pairs:
        value = _average(pair.sweep)
        if value is not None:
            by_collective.setdefault(pair.sweep.collective or "unknown", {})[(pair.a, pair.b)] = value
    slow: dict[tuple[str, str], None] = {}
    for values in by_collective.values():
        middle_value = middle(list(values.values())) or 0.0
        slow.update({pair: None for pair, value in values.items() if value < SLOW_PAIR_SHARE * middle_value})
    unfinished = {(a, b) for a, b, _ in survey.unfinished}
    in_slow = Counter(node for pair in slow for node in pair)
    return {
        "pairs": len({(pair.a, pair.b) for pair in survey.pairs} | unfinished),
        "pair_nodes": list(survey.nodes),
        "slow_pairs": [f"{a},{b}" for a, b in slow],
        "incomplete_pairs": [f"{a},{b}" for a, b in sorted(unfinished)],
        "slow_pairs_by_node": dict(in_slow.most_common()),
        "pair_median_busbw_gbs": {name: middle(list(v.values())) for name, v in by_collective.items()},
        "pair_min_busbw_gbs": {name: min(v.values()) for name, v in by_collective.items()},
        "pair_max_busbw_gbs": {name: max(v.values()) for name, v in by_collective.items()},
    }


def _average(sweep: MeasuredSweep) -> float | None:
    average = sweep.run.average_busbw_gbs
    return average if average is not None else sweep.peak_busbw_gbs
