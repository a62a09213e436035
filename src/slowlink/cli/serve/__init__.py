"""``slowlink serve``: the history as pages for a team."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.history.options import place_of, place_options
from slowlink.cli.pipes import note
from slowlink.cli.quantities import LOOPBACK, Address
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.workflows.web.site import Site

_PORT = 10712


@click.command("serve")
@click.option("--listen", type=Address(), default=f"{LOOPBACK}:{_PORT}", show_default=True, metavar="HOST:PORT",
              help="Where to serve; any address but loopback asks readers for a token.")  # fmt: skip
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
              help="The token, one line in a file for its owner alone; asked for on loopback, too. Without it a new "
              "one is printed where one is needed.")  # fmt: skip
@click.option("--host", "names", multiple=True, metavar="NAME",
              help="A name by which browsers call it, as a proxy in front of it is called. Repeatable.")  # fmt: skip
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE", help="TLS: the certificate, PEM.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="TLS: its key, PEM.")
@place_options
def command(**given: Any) -> int:
    """Show the history to a team, in a browser: the fleet (nodes by checks), runs down to the lines that prove what was
    found, series and where they changed, pairs of nodes, two runs against each other.

    It only reads, loads nothing from elsewhere, and needs no JavaScript. On loopback every user of this machine can
    read it; docs/serve.md says how to serve others.

    It serves until it is ended.
    """
    from slowlink.workflows.web.application import application, require_libraries
    from slowlink.workflows.web.server import WebServer, listening
    from slowlink.workflows.web.site import Site

    require_libraries()
    if (given["certificate"] is None) != (given["key"] is None):
        raise click.UsageError("--certificate and --key go together")
    site = Site(place_of(given))
    with listening(*given["listen"]) as listener:
        door, token = _door(listener, given)
        files = [None if given[name] is None else str(given[name]) for name in ("certificate", "key")]
        server = WebServer(application(site, door), listener, *files)
        _look(site)
        threading.Thread(target=site.make_ready, daemon=True).start()
        _announce(listener, token, secure=files[0] is not None)
        try:
            server.serve_forever()
        finally:
            site.close()
    return exits.HEALTHY


def _door(listener: socket.socket, given: dict[str, Any]) -> tuple[Any, str]:
    """With the token that has to be told; "" where there is none, or it lies in a file."""
    from slowlink.workflows.web.door import LOOPBACK_NAMES, Door, is_loopback, new_token, token_in

    own = is_loopback(listener)
    token = token_in(given["token_file"]) if given["token_file"] is not None else "" if own else new_token()
    named = set(given["names"])
    if own or named:
        named |= {*LOOPBACK_NAMES, given["listen"][0].lower()}
    return Door(named, token), "" if given["token_file"] is not None else token


def _look(site: Site) -> None:
    """Whoever named a wrong history hears it now. Raises SlowlinkError; where there is none yet, it may come."""
    try:
        site.history.look()
    except SlowlinkError as error:
        if error.slug != "history-empty":
            raise
        note(f"slowlink: {error.message}; {error.hint}")


def _announce(listener: socket.socket, token: str, *, secure: bool) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    note(f"slowlink: {'https' if secure else 'http'}://{shown}:{port}/")
    if token:
        note(f"slowlink: the token is {token}")
