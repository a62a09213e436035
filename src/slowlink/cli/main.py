"""The command line. Each command is one module of this package with a ``command``; it is imported when it is called.

A dash in a command's name is an underscore in its module's.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
from contextlib import suppress
from importlib import import_module
from io import StringIO

import click

import slowlink.cli
from slowlink import __version__, exits
from slowlink.cli.ending import last_words, signals_as_interrupts
from slowlink.cli.lack_of_memory import lacks_memory, out_of_memory
from slowlink.cli.pipes import drop_what_cannot_be_written, hold_standard_streams, note, reader_may_leave, tell
from slowlink.errors import SlowlinkError

_FOR_INPUTS = "analyze"
_FOR_PROGRAMS = ("read-here",)
"""Started by slowlink itself."""
_OBJECTS_BEFORE_GC = 50_000
_NOT_COMMANDS = {
    *(
        "colours",
        "ending",
        "hostfile",
        "lack_of_memory",
        "main",
        "options",
        "pipes",
        "progress",
        "site_settings",
    ),
    *("quantities", "measuring", "reading", "shown", "verbosity", "written_files"),
}


class LazyGroup(click.Group):
    """Finds commands by the names of the modules here, without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        names = (module.name for module in pkgutil.iter_modules(slowlink.cli.__path__))
        return sorted(name.replace("_", "-") for name in names if name not in _NOT_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"slowlink.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        # click would end with 1 where the reader left, and 1 says that something was found.
        status: object = exits.HEALTHY
        with reader_may_leave():
            status = super().invoke(ctx)
        return status  # noqa: RET504  (the context manager may have ended the block before)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.list_commands(ctx):
            if _is_input(name):
                return super().resolve_command(ctx, [_FOR_INPUTS, *args])
            if not name.startswith("-"):
                near = _nearest(name, self.list_commands(ctx))
                nor = "" if near else ", and no file or directory of this name"
                ctx.fail(f"there is no command '{name}'{near or nor}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """``slowlink -v job.log`` means ``slowlink analyze -v job.log``: the options of all commands are those of this
        one, of which there are few, or those of ``analyze``."""
        own = {word for param in self.get_params(ctx) for word in param.opts}
        words = [word for word in args if not word.startswith("-") or word == "-"]
        first = args[0] if args else ""
        if first.startswith("-") and first not in own and not {*words[:2]} & {*self.list_commands(ctx)}:
            args = [_FOR_INPUTS, *args] if words else args
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command in one whole line, below what it is for."""
        from slowlink.cli.shown.overview import sections

        shown = [name for name in self.list_commands(ctx) if name not in _FOR_PROGRAMS]
        for heading, rows in sections(shown):
            with formatter.section(heading):
                formatter.write_dl(rows)


def _is_input(name: str) -> bool:
    """``slowlink job.log`` means ``slowlink analyze job.log``."""
    return name == "-" or os.path.exists(name)  # noqa: PTH110  (pathlib would cost start-up time)


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 healthy, 1 findings, 2 usage, 3 inconclusive, 130 interrupted, 70 a defect of slowlink.",
)
@click.version_option(__version__, prog_name="slowlink", message="%(prog)s %(version)s")
def cli() -> None:
    """Find out why the collectives of a GPU cluster are slow, and prove it when they are not.

    \b
    Start with what you have:
      slowlink job.log                      a log, a directory or an archive of logs
      slowlink snapshot --nodes gpu[01-16]  or nodes
    """


def _run() -> object:
    """The command that was asked for; its exit status."""
    status: object = exits.HEALTHY
    try:
        with reader_may_leave():  # help and errors of usage are printed before a command begins
            status = cli.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        with reader_may_leave():
            click.echo(error.format_message())
        status = exits.USAGE
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        note(shown.getvalue().rstrip())
        status = exits.USAGE
    return status


def _status() -> object:
    """The exit status, and the words where a command did not come to its own end."""
    status: object
    lacking = False
    try:
        status = _run()
    except SlowlinkError as error:
        tell(error)
        status = exits.USAGE
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):
            click.echo(last_words(), err=True)
        status = exits.INTERRUPTED
    except Exception as error:  # noqa: BLE001
        lacking = lacks_memory(error)
        if not lacking:
            _tell_defect()
        status = exits.USAGE if lacking else exits.DEFECT
    if lacking:  # told out here, where what the error held is free again
        tell(out_of_memory())
    return status


def _tell_defect() -> None:
    """The lines that whoever mends it needs."""
    import traceback

    with suppress(OSError):
        traceback.print_exc()
        click.echo(f"slowlink {__version__}: this is a defect of slowlink; please report the lines above", err=True)


def main() -> None:
    """Entry point: errors that the user can mend have no traceback; a bug keeps its own and exits with 70."""
    # A command loads some hundred modules and ends soon: with the usual threshold a tenth of its time would go into
    # looking for garbage that is not there.
    gc.set_threshold(_OBJECTS_BEFORE_GC)
    hold_standard_streams()
    with signals_as_interrupts():
        status = _status()
    drop_what_cannot_be_written()
    sys.exit(status if isinstance(status, int) else exits.HEALTHY)


if __name__ == "__main__":
    main()
