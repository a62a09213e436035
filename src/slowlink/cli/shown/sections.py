"""The help of commands with many options: those of one kind stand below a heading of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import click

WHEN = ("auto", "always", "never")
_NODES = ("node_set", "nodes", "hostfile", "exclude", "retry", "on", "pods", "context", "namespace", "fanout")
_HARDWARE = ("system", "gpu", "gpus_per_node", "nics")
_ANSWER = ("outputs", "format_", "verbose", "quiet", "color", "fail_on", "config_path", "policy_path", "history")
_OF = {
    **dict.fromkeys(_NODES, "Nodes"),
    **dict.fromkeys(_HARDWARE, "Hardware, where the input does not tell it"),
    **dict.fromkeys(_ANSWER, "The answer"),
}
"""Heading of an option, by its name."""
_BEGINNINGS = ("Slurm", "Kubernetes", "perftest")
"""Headings of options whose help begins with the word: ``Slurm: submit with sbatch``."""
_LONGEST_LINE = 300
_FEW = 12
"""With fewer options one list is easier to read."""

Row = tuple[str, str]


class ReportCommand(click.Command):
    """A command with ``--color``, which other tools take with a word, with ``=`` and a word, or alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_with_words(args)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Below headings, in the order in which the first option of each was declared; those without one come first."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        found = [(param, param.get_help_record(ctx)) for param in options]
        rows = [(param.name or "", row) for param, row in found if row is not None]
        parted: dict[str, list[Row]] = {"Options": []}
        for name, row in rows:
            heading, shown = _placed(name, row) if len(rows) >= _FEW else ("Options", row)
            parted.setdefault(heading, []).append(shown)
        for heading, of_it in parted.items():
            if of_it:
                with formatter.section(heading):
                    formatter.write_dl(of_it)


class WholeLines(click.Group):
    """A group that says of each of its commands a whole sentence; click cuts them at the edge of the line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first sentence of each."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(_LONGEST_LINE)) for name, command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _placed(name: str, row: Row) -> tuple[str, Row]:
    """The heading of an option, and its row without what the heading says."""
    option, text = row
    for word in _BEGINNINGS:
        if text == f"{word}.":
            return word, (option, "")
        if text.startswith((f"{word}: ", f"{word}, ")):
            rest = text[len(word) + 2 :]
            return word, (option, rest[:1].upper() + rest[1:])
    return _OF.get(name, "Options"), row


def _with_words(args: Sequence[str]) -> Iterator[str]:
    """``--color`` that is alone gets its word: what stands behind it may be a file."""
    for word, behind in zip_longest(args, args[1:]):
        yield "--color=always" if word == "--color" and behind not in WHEN else word
