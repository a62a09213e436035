"""``slowlink history rebuild``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from slowlink import exits
from slowlink.cli.history.options import place_of, place_options
from slowlink.cli.options import hardware_options
from slowlink.cli.pipes import note


@click.command("rebuild")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@hardware_options
@place_options
def rebuild_command(**given: Any) -> int:
    """Analyze the bundles in DIR... and keep their reports: of an older time, or after the history was lost.

    DIR is a bundle, its archive, a directory with bundles anywhere in it, or a saved report (.json). What is kept
    already stays as it is.

    Exit status: 0 all kept, 1 some could not be read, 3 nothing was found.
    """
    from slowlink.cli.options import hardware_of
    from slowlink.cli.site_settings import site_settings
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.history.keep import rebuild

    config = site_settings(given["config_path"])
    place = place_of(given)
    counts = {"new": 0, "known": 0, "lost": 0}
    for done in rebuild(given["paths"], place, hardware=hardware_of(given, config), rules=config.rules):
        if done.kept is None:
            counts["lost"] += 1
            note(f"{terminal_safe(done.path)}: not kept: {terminal_safe(done.why)}")
        else:
            counts["new" if done.kept.is_new else "known"] += 1
    click.echo(f"{counts['new']} kept, {counts['known']} known already, {counts['lost']} could not be read")
    if not counts["new"] and not counts["known"]:
        return exits.INCONCLUSIVE
    return exits.FINDINGS if counts["lost"] else exits.HEALTHY
