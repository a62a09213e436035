"""Measure: launch a plan into a bundle, and analyze the bundle. There is no second path for live data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.bundle import BundleWriter
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Plan
from slowlink.workflows.launches.interface import Launch, Leg, Limits, Watcher
from slowlink.workflows.plan_run import Prepared

if TYPE_CHECKING:
    from slowlink.model.facts import Hardware
    from slowlink.model.report import Report


_LAST = ("interrupted", "silent", "standing", "not-started")
"""After a launch that ended so there is no other."""


def measure(
    legs: Sequence[Leg],
    bundle: BundleWriter,
    workplace: Path,
    *,
    repeat: int,
    limits: Limits,
    watcher: Watcher,
    around: Sequence[AbstractContextManager[object]] = (),
) -> dict[str, list[Launch]]:
    """Launch each of ``legs`` ``repeat`` times, in turns, into ``bundle``; one that was interrupted or fell silent is
    the last. Gives the launches of each leg, by its name.

    ``around`` are entered around all launches: what asks the nodes before and after, what watches them meanwhile.

    ``workplace``: a directory of ours for scratch files. Raises SlowlinkError when the bundle cannot be written;
    nothing runs any more then.
    """
    launches: dict[str, list[Launch]] = {leg.name: [] for leg in legs}
    with ExitStack() as stack:
        for leg in legs:
            stack.callback(leg.close)
        bundle.set_plan(legs[0].plan)
        for each in around:
            stack.enter_context(each)
        for number, leg in product(range(1, repeat + 1), legs):
            watcher.launched(number, repeat, leg.about)
            done = leg.launch(number, bundle, workplace, limits, watcher)
            launches[leg.name] += done
            if any(launch.ended.reason in _LAST for launch in done):
                break
    bundle.finish()
    return launches


def report_of_bundle(
    directory: Path,
    launches: Sequence[Launch],
    *,
    hardware: Hardware | None,
    tolerances: Mapping[str, Mapping[str, object]] | None,
) -> Report:
    """Analyze the bundle like any other, and add how each launch ended to the facts."""
    # Loaded when the ranks are done: its libraries would delay their start.
    from slowlink.workflows.analyze import analyze

    report = analyze(directory, hardware=hardware, tolerances=tolerances)
    told = [
        {
            "name": launch.name,
            "reason": launch.ended.reason,
            "status": launch.ended.status,
            "signal": launch.ended.signal,
            "seconds": round(launch.ended.seconds, 3),
            "detail": launch.ended.detail,
            "nodes": list(launch.ended.nodes),
            "missing": dict(launch.missing),
        }
        for launch in launches
    ]
    return replace(report, facts={**report.facts, "launches": told})


def place_beside(bundle: str | None) -> Path:
    """The directory in which a bundle will lie. Raises SlowlinkError: ``no-directory``."""
    try:
        return Path(bundle).absolute().parent if bundle else Path.cwd()
    except FileNotFoundError as error:
        raise SlowlinkError(
            "the directory in which this shell stands was removed",
            hint="change to another one (cd)",
            slug="no-directory",
        ) from error


def describable(prepared: Prepared, output: str = "{output}") -> Plan:
    """The plan for people: the directory of this run's files by its name, not by its random path."""
    if prepared.output_directory is None:
        return prepared.plan
    place = str(prepared.output_directory)
    argv = tuple(word.replace(place, output) for word in prepared.plan.argv)
    env = {name: value.replace(place, output) for name, value in prepared.plan.env.items()}
    return replace(prepared.plan, argv=argv, env=env)
