"""``slowlink history``: what was measured before."""

from __future__ import annotations

import click

from slowlink.cli.history.listing import list_command
from slowlink.cli.history.rebuilding import rebuild_command
from slowlink.cli.history.series import series_command
from slowlink.cli.shown.sections import WholeLines

_DEFAULT = "list"


class _ListsByDefault(WholeLines):
    """``slowlink history --since 7d`` is ``slowlink history list --since 7d``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asks_for_help = bool(args) and args[0] in ctx.help_option_names
        if not asks_for_help and (not args or args[0] not in self.commands):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group("history", cls=_ListsByDefault, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """What was measured before: list it, see where it changed, fill it from bundles.

    \b
      slowlink history                                  the newest runs
      slowlink history --since 30d --collective all_reduce --nodes gpu[01-04]
      slowlink history series --collective all_reduce   a plot, and where the level changed
      slowlink history rebuild /data/bundles            keep what these bundles measured

    run, check, watch and snapshot keep their reports, analyze does with --history. The place is
    ~/.local/share/slowlink/history.sqlite (XDG_DATA_HOME), the variable SLOWLINK_HISTORY, or history = "..." in
    slowlink.toml: a file, a URL of PostgreSQL, or off.
    """


command.add_command(list_command)
command.add_command(series_command)
command.add_command(rebuild_command)
