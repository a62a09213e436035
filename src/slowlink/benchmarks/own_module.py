"""How ranks start a module of ours."""

from __future__ import annotations

_START = (
    "import sys; sys.path = [place for place in sys.path if place]; "
    "from runpy import run_module; run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)
"""As ``python -m``, but for the current directory, which ``-m`` searches first: a stranger's ``json.py`` there would
run in our name. ``-P`` says the same from Python 3.11 on, and older ones refuse it."""


def own_module(python: str, name: str) -> tuple[str, ...]:
    """The argv that runs module ``name`` by this Python; the module's own arguments follow."""
    return python, "-c", _START, name
