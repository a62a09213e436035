"""``slowlink read-here``: the other end of ``slowlink analyze --nodes``. Nobody types it."""

from __future__ import annotations

import click

from slowlink import __version__, exits


@click.command("read-here", hidden=True)
@click.option("--mark", required=True)
@click.option("--build", required=True)
@click.option("--seconds", type=float, required=True)
@click.option("--room", type=int, required=True)
@click.argument("paths", nargs=-1, required=True)
def command(mark: str, build: str, seconds: float, room: int, paths: tuple[str, ...]) -> int:
    """Read files of this node for slowlink analyze --nodes, which started this."""
    from slowlink.workflows.read_there.frames import frame
    from slowlink.workflows.read_there.here import send
    from slowlink.workflows.read_there.shell import build as own_build

    if build != own_build():
        click.echo(frame(mark, "other", __version__), nl=False)
        return exits.USAGE
    send(paths, mark, lambda text: click.echo(text, nl=False), seconds, room)
    return exits.HEALTHY
