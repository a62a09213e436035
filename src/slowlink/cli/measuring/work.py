"""What ``slowlink run`` does once it is decided what to measure: measure, analyze, judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.measuring.pair_options import with_pair_gates
from slowlink.cli.pipes import note, tell
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slowlink.bundle import BundleWriter
    from slowlink.config import Config
    from slowlink.launch.interface import Surroundings
    from slowlink.model.baseline import Baseline
    from slowlink.model.facts import Hardware
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Judged
    from slowlink.workflows.launches.interface import Launch, Leg
    from slowlink.workflows.launches.legs import Planned
    from slowlink.workflows.state_around import StateAround
    from slowlink.workflows.watch import WatchedRun, Watching


class Work(NamedTuple):
    """What is to be done, and with what it is judged."""

    here: Surroundings
    plans: Sequence[Planned]
    legs: Sequence[Leg]
    place: Path
    hardware: Hardware | None
    rules: Any
    baseline: Report | Baseline | None
    left_out: Mapping[str, str]
    """Nodes that were asked for and take no part: node -> why."""


def describe_plans(plans: Sequence[Planned]) -> None:
    """Print exactly what would run."""
    from slowlink.launch.describe import describe
    from slowlink.workflows.run import describable

    for leg in plans:
        for reason in leg.prepared.reasons:
            click.echo(f"# {reason}")
        click.echo(describe(describable(leg.prepared)), nl=leg is not plans[-1])


def measured(given: dict[str, Any], work: Work) -> tuple[Report, Judged, Path]:
    """Measure, into a bundle, the last of the three; analyze it; judge the gates. Raises SlowlinkError."""
    from slowlink.bundle.disk import is_disk_trouble
    from slowlink.workflows import run
    from slowlink.workflows.launches.interface import Limits
    from slowlink.workflows.live_view import PlainView, TableView
    from slowlink.workflows.standing_ranks import standing_ranks
    from slowlink.workflows.state_around import state_around

    first = work.plans[0].prepared
    for reason in dict.fromkeys(reason for leg in work.plans for reason in leg.prepared.reasons):
        note(f"# {reason}")
    view = (TableView if sys.stderr.isatty() else PlainView)()
    bundle = _bundle(given, "-".join(leg.prepared.request.collective for leg in work.plans))
    asked = state_around(first, work.here, bundle) if given["snapshot"] else None
    ranks = standing_ranks(first, work.here, bundle, view.noticed)
    watched = _watched(given, work.here)
    beside = watched.beside(first, bundle) if watched is not None else None
    launches: dict[str, list[Launch]] = {}
    unwritten: SlowlinkError | None = None
    try:
        with bundle, view.shown():
            launches = run.measure(
                work.legs,
                bundle,
                work.place,
                repeat=given["repeat"],
                limits=Limits(given["timeout"], given["silent_after"], ranks, notes_rows=beside is not None),
                watcher=view,
                around=[each for each in (asked, beside, ranks) if each is not None],
            )
    except SlowlinkError as error:
        if not is_disk_trouble(error):
            raise
        unwritten = error  # what has been measured is analyzed all the same
        tell(error)
    every = [launch for each in launches.values() for launch in each]
    _tell_missing(every, asked, beside)
    note(f"bundle: {bundle.directory}")
    report = run.report_of_bundle(bundle.directory, every, hardware=work.hardware, tolerances=work.rules)
    from slowlink.workflows.gate_grounds import with_grounds
    from slowlink.workflows.gates import joined

    judged = joined([_judged(given, work, number, report, launches) for number in range(len(work.plans))])
    if unwritten is not None:
        judged = judged.without_evidence(unwritten.message)
    judged = _with_baseline(judged, report, work.baseline, given["tolerance"])
    judged = with_pair_gates(judged.without_nodes(work.left_out), report, given)
    judged = with_grounds(judged, report)
    return judged.told(report), judged, bundle.directory


def _judged(
    given: dict[str, Any], work: Work, number: int, report: Report, launches: Mapping[str, Sequence[Launch]]
) -> Judged:
    """One leg's gates."""
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Wanted, judge

    leg, prepared = work.plans[number], work.plans[number].prepared
    collective = prepared.request.collective
    wanted = Wanted(
        collective if collective in COLLECTIVES else None,
        prepared.nranks,
        prepared.request.max_bytes,
        given["min_busbw"],
        given["min_percent"],
        work.baseline if isinstance(work.baseline, Report) else None,
        given["tolerance"],
        leg.expected,
        each_node=prepared.each_node,
        label=leg.name if len(work.plans) > 1 else "",
    )
    asked = given["repeat"] * work.legs[number].captures
    return judge(report, launches.get(leg.name, ()), asked, wanted)


def _bundle(given: dict[str, Any], topic: str) -> BundleWriter:
    from slowlink.bundle import BundleWriter
    from slowlink.redact import Anonymizer, Redaction

    redaction = Redaction(Anonymizer()) if given["anonymize"] else Redaction()
    if given["bundle_path"]:
        return BundleWriter(Path(given["bundle_path"]), command=sys.argv, redaction=redaction)
    return BundleWriter.create(topic=topic, command=sys.argv, redaction=redaction)


def _tell_missing(launches: Sequence[Launch], asked: StateAround | None, beside: Watching | None) -> None:
    """What the bundle does not have of the nodes, and why."""
    from slowlink.workflows.rank_files.on_nodes import in_words

    for launch in launches:
        for line in in_words(dict(launch.missing)):
            note(f"what ranks wrote is missing in {launch.name}: {line}")
    for node, why in asked.troubles if asked is not None else ():
        note(f"{node} did not say how it is: {why}")
    for node, why in beside.troubles if beside is not None else ():
        note(f"{node} was not watched: {why}")


def _with_baseline(judged: Judged, report: Report, baseline: Report | Baseline | None, tolerance: float) -> Judged:
    """The gate of a baseline by name; that of a report is among the others."""
    from slowlink.model.report import Report

    if baseline is None or isinstance(baseline, Report):
        return judged
    from msgspec.structs import replace

    from slowlink.expect.baseline import Tolerated
    from slowlink.workflows.history.baselines import baseline_gate

    counts = all(gate.passed for gate in judged.gates if gate.name.endswith("measurement"))
    gate = baseline_gate(report, baseline, Tolerated(loss=tolerance), counts=counts)
    return replace(judged, gates=(*judged.gates, gate))


def load_baseline(path: str | None, config: Config) -> Report | Baseline | None:
    """What a gate compares with: a report in a file, else a name in the history.

    Raises SlowlinkError: ``baseline-unreadable``, ``baseline-unknown``, ``history-off``.
    """
    if path is None:
        return None
    if "/" not in path and not path.endswith(".json") and not Path(path).exists():
        return _named_baseline(path, config)
    import json

    from slowlink.inputs.small_text import MOST_REPORT_BYTES, small_text
    from slowlink.report.json import report_from_json

    try:
        return report_from_json(json.loads(small_text(Path(path), MOST_REPORT_BYTES)))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise SlowlinkError(
            f"cannot read the baseline {path}: {error}",
            hint="it is a report that was written with --output REPORT.json",
            slug="baseline-unreadable",
        ) from error


def _named_baseline(name: str, config: Config) -> Baseline:
    from slowlink.cli.measuring.keeping import history_place
    from slowlink.store.place import OFF

    place = history_place(config, wanted=True)
    if place == OFF:
        raise SlowlinkError(
            "baselines lie in the history: it is off", hint="--baseline REPORT.json", slug="history-off"
        )
    from slowlink.workflows.history.baselines import baseline_at

    return baseline_at(place, name)


def _watched(given: dict[str, Any], here: Surroundings) -> WatchedRun | None:
    from slowlink.workflows.watch import WatchedRun

    return WatchedRun(here, given["context"], given["namespace"]) if given["watch"] else None
