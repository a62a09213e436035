"""``slowlink rules``: what is checked, and the page of each rule."""

from __future__ import annotations

import click

from slowlink.cli.shown.sections import WholeLines


@click.group(cls=WholeLines, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the rules; `slowlink rules explain ID` prints the page of a rule or of a cause."""
    if context.invoked_subcommand is None:
        context.invoke(list_rules)


@command.command("list")
def list_rules() -> None:
    """Every rule with its title."""
    from slowlink.rules.engine import discover

    rules = discover()
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        click.echo(f"{rule.id:<{width}}  {rule.title}")


@command.command("explain")
@click.argument("name")
def explain(name: str) -> None:
    """The page of rule or cause NAME: what it means, how to confirm it, what to do, when it is wrong."""
    from slowlink.rules.pages import page

    click.echo(page(name))


@command.command("causes")
def list_causes() -> None:
    """Every cause that slowlink can name, by layer."""
    from slowlink.catalog.causes import all_causes

    causes = all_causes()
    width = max(len(name) for name in causes)
    for name, cause in causes.items():
        click.echo(f"{cause.layer:<12} {name:<{width}}  {cause.title}")
