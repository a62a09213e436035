"""The nodes that options name."""

from __future__ import annotations

from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.inputs.standard_input import standard_input_text
from slowlink.launch.hostfiles import parse_hostfile
from slowlink.launch.node_lists import from_node_set
from slowlink.model.plan import Allocation

_MOST_BYTES = 64 << 20


def allocation_of(node_set: str | None, hostfile: str | None) -> Allocation | None:
    """From ``--nodes`` or ``--hostfile`` (``-``: standard input); None when neither is given. Raises SlowlinkError."""
    if node_set is not None:
        return from_node_set(node_set)
    if hostfile is None:
        return None
    if hostfile == "-":
        return parse_hostfile(standard_input_text(_MOST_BYTES), "standard input")
    try:
        with Path(hostfile).open(encoding="utf-8", errors="replace") as file:
            return parse_hostfile(file.read(_MOST_BYTES), hostfile)
    except OSError as error:
        raise SlowlinkError(
            f"cannot read the hostfile {hostfile}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error
