"""``slowlink bundle``: show, pack and unpack bundles."""

from __future__ import annotations

from pathlib import Path

import click

from slowlink import exits
from slowlink.cli.pipes import note
from slowlink.cli.shown.sections import WholeLines


@click.group("bundle", cls=WholeLines)
def command() -> None:
    """Look into bundles (the raw evidence of a run), pack them into one file and unpack them."""


def _as_word(path: Path) -> str:
    """A path as one word of a shell that is no option: the directory of an archive is named by whoever made it."""
    from slowlink.quoting import quote

    return quote([f"./{path}" if str(path).startswith("-") else str(path)])


@command.command("pack")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Default: DIR.tar.zst here.")
def pack_command(directory: Path, output: Path | None) -> None:
    """Pack the bundle DIR into one file, .tar.zst or .tar.gz."""
    from slowlink.bundle import pack

    target = output or Path(f"{directory.resolve().name}.tar.zst")
    click.echo(_as_word(pack(directory, target, lambda name, why: note(f"left out: {name!a}: {why}"))))


@command.command("unpack")
@click.argument("archive", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "-C", "parent", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where to; default: here."
)
def unpack_command(archive: Path, parent: Path) -> int:
    """Unpack FILE to a new directory. Links, devices and names that lead elsewhere are left out and reported.

    Exit status: 0, or 1 when something was left out.
    """
    from slowlink.bundle import unpack

    done = unpack(archive, parent)
    for name, why in done.left_out:
        note(f"left out: {name}: {why}")
    click.echo(_as_word(done.directory))
    return exits.FINDINGS if done.left_out else exits.HEALTHY


@command.command("show")
@click.argument("path", metavar="PATH")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show_command(path: str, format_: str) -> int:
    """Print what was run where and when, how it ended, and whether the files are as they were written.

    PATH is a bundle: a directory, or its .tar.zst or .tar.gz.
    Exit status: 0, or 1 when files differ from their sums.
    """
    from slowlink.bundle import read_bundle

    bundle = read_bundle(path)
    if format_ == "json":
        from msgspec import to_builtins

        from slowlink.report.json import plain_json

        click.echo(plain_json(to_builtins(bundle)), nl=False)
    else:
        from slowlink.bundle.show import bundle_text

        click.echo(bundle_text(bundle), nl=False)
    return exits.FINDINGS if bundle.integrity == "differs" else exits.HEALTHY
