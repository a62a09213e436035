"""What ``slowlink check`` does: sets out, or goes on with an earlier bundle, and climbs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from slowlink.cli.options import node_choice
from slowlink.cli.pipes import note

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings
    from slowlink.model.ladder import Ladder, LadderPlan, LadderTest
    from slowlink.workflows.climb.setting_out import Said


class Ready(NamedTuple):
    """Everything decided."""

    here: Surroundings
    plan: LadderPlan
    said: Said
    again: Path | None
    """The bundle that is gone on with."""


def ready(given: Mapping[str, Any]) -> Ready:
    """Set out, or read how an earlier one did. Raises SlowlinkError."""
    from slowlink.launch.surroundings import collect
    from slowlink.workflows.climb.record import stored_plan
    from slowlink.workflows.climb.setting_out import said_before, set_out

    if given["resume"] is not None:
        directory = Path(given["resume"])
        plan = stored_plan(directory)
        said = said_before(plan)
        return Ready(collect(said.mpirun), plan, said, directory)
    here = collect(given["mpirun"])
    said = _said(given, here)
    plan, said = set_out(said, here)
    return Ready(here, plan, said, None)


def _said(given: Mapping[str, Any], here: Surroundings) -> Said:
    from slowlink.workflows.climb.setting_out import Said, who
    from slowlink.workflows.job_environment import of_this_shell, parse_assignments
    from slowlink.workflows.nodes_given import chosen_nodes

    launcher, nodes, reason = who(here, given["on"], chosen_nodes(node_choice(given)))
    note(f"# {len(nodes)} node{'s' if len(nodes) > 1 else ''}; {launcher}: {reason}")
    return Said(
        launcher=launcher,
        nodes=nodes,
        quick=given["quick"],
        layers=given["layers"],
        ranks_per_node=given["ranks_per_node"],
        maxbytes=given["maxbytes"],
        iters=given["iters"],
        benchmark=given["benchmark"],
        path=given["path"],
        perftest=given["perftest"],
        env={**of_this_shell(), **parse_assignments(given["env"])},
        launcher_args=given["launcher_arg"],
        mpirun=given["mpirun"],
        at_once=given["at_once"],
        timeout_s=given["timeout"],
        snapshot=given["snapshot"],
        command=given["command_words"],
    )


def described(given: Mapping[str, Any]) -> None:
    """Print every plan, in the order in which they would run; layers that are not there with the reason."""
    from slowlink.ladder import layers as of
    from slowlink.launch.describe import describe
    from slowlink.quoting import quote
    from slowlink.workflows.climb.running import planned
    from slowlink.workflows.climb.setting_out import the_way

    work = ready(given)
    way = the_way(work.said, work.here)
    for layer in of.LAYERS:
        why = work.plan.absent.get(layer.id)
        click.echo(f"## {layer.id}: {layer.title}" + (f": not there: {why}" if why else ""))
        if layer.id == of.HOST and not why:
            click.echo("# slowlink snapshot, on every node (slowlink snapshot --dry-run prints its script)\n")
        elif layer.id == of.PORT and not why:
            click.echo("# read from the state of the hosts\n")
        else:
            click.echo(
                "" if why else f"# {work.plan.notes[layer.id]}\n" if layer.id in work.plan.notes else "", nl=not why
            )
        mine = sorted((test for test in work.plan.tests if test.layer == layer.id), key=lambda test: test.round)
        for test, prepared in planned(mine, way, work.here):
            click.echo(f"# {test.name}, round {test.round}")
            click.echo(quote(work.said.command) + "\n" if prepared is None else describe(prepared.plan))


def climbed(given: Mapping[str, Any]) -> tuple[Path, str]:
    """Climb; gives the bundle, and why it stopped before its end. Raises SlowlinkError."""
    from slowlink.launch.temporary.places import temporary
    from slowlink.workflows.climb.climbing import Climb
    from slowlink.workflows.climb.record import store_plan
    from slowlink.workflows.climb.running import Rounds, Settings
    from slowlink.workflows.climb.setting_out import host_of, the_way
    from slowlink.workflows.plan_run import is_shared
    from slowlink.workflows.run import place_beside

    work = ready(given)
    said = work.said
    beside = place_beside(given["bundle_path"])
    with temporary(beside if is_shared(beside) else None) as place:
        bundle = _bundle(given, work)
        told = Told(work.plan)
        settings = Settings(said.timeout_s, at_once=said.at_once, command=said.command)
        rounds = Rounds(the_way(said, work.here), work.here, bundle, Path(place), settings, note)
        with bundle:
            bundle.set_nodes(work.plan.nodes)
            if work.again is None and (why := store_plan(work.plan, bundle)):
                note(f"# if this is interrupted, it cannot be gone on with: {why}")
            climb = Climb(
                work.plan,
                bundle,
                rounds,
                told,
                host_of(said, work.here),
                budget_s=given["budget"],
                experiments=given["experiments"],
            )
            stopped = climb.until_end()
    return bundle.directory, stopped


def _bundle(given: Mapping[str, Any], work: Ready) -> BundleWriter:
    from slowlink.bundle import BundleWriter
    from slowlink.workflows.climb.record import gone_on_with

    if work.again is not None:
        return gone_on_with(work.again, work.plan, sys.argv)
    if given["bundle_path"]:
        return BundleWriter(Path(given["bundle_path"]), command=sys.argv)
    return BundleWriter.create(topic="check", command=sys.argv)


class Told:
    """Lines on standard error, one a test."""

    def __init__(self, plan: LadderPlan) -> None:
        self._plan = plan
        self._titled = ""

    def begun(self, tests: Sequence[LadderTest]) -> None:
        from slowlink.ladder import layers as of
        from slowlink.model.ladder import AGAIN

        layer = tests[0].layer
        title = of.BY_ID[layer].title if layer in of.BY_ID else f"experiment {tests[0].name.split('/')[2]}"
        title += ", once more" if tests[0].name.endswith(AGAIN) else ""
        if title != self._titled:
            self._titled = title
            note(f"{title}" + (f" ({self._plan.notes[layer]})" if layer in self._plan.notes else ""))

    def ended(self, tests: Sequence[LadderTest], ladder: Ladder) -> None:
        from slowlink.model.ladder import AGAIN

        results = {result.test.name: result for result in ladder.results}
        for test in tests:
            is_again = test.name.endswith(AGAIN)
            result = results.get(test.name.removesuffix(AGAIN))
            where = " + ".join(test.nodes[:3]) + (f" + {len(test.nodes) - 3} more" if len(test.nodes) > 3 else "")
            if result is None:
                said = "no answer"
            else:
                gbs = result.again_gbs if is_again else result.gbs
                said = result.trouble or (f"{gbs:.4g} GB/s" if gbs else "no number" if is_again else "done")
            note(f"  {where}{f' {test.hca}' if test.hca else ''}: {said}")

    def words(self, text: str) -> None:
        note(text)
