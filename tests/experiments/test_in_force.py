"""Whether a setting was read, by what the library says with it and without it."""

from __future__ import annotations

import pytest

from slowlink.experiments.in_force import openmpi_settings
from slowlink.experiments.tuning import Rules, Search
from slowlink.model.experiment import Change, Launched, Trial

PLAIN = """\
[node1:00015] mpi_yield_when_idle=true (environment)
[node1:00015] mpi_show_mca_params=enviro (environment)
"""


def in_force(name: str, value: str, line: str, plain: str = PLAIN) -> bool | None:
    """``line``: what Open MPI shows with the setting, besides the plain lines."""
    change = Change(f"OMPI_MCA_{name}={value}", f"OMPI_MCA_{name}", value, "openmpi")
    search = Search(Rules((change,)))
    for number, (on, text) in enumerate([((), plain), ((change.id,), plain + line), ((), plain)], 1):
        seen = openmpi_settings(text)
        tells = ("openmpi",) if seen else ()
        search.results.append(Launched(Trial(number, "look", on), {1024: 10.0}, seen=seen, tells=tells))
    return search.in_force(change.id)


@pytest.mark.parametrize(
    ("name", "value", "line", "is_read"),
    [
        ("mpi_param_check", "0", "[node1:00020] mpi_param_check=false (environment)\n", True),
        ("mpi_abort_delay", "0", "[node1:00020] opal_abort_delay=0 (environment)\n", True),  # under its newer name
        ("coll_base_verbose", "0", "[node1:00020] coll_base_verbose=error (environment)\n", True),  # in its own words
        ("mpi_nonsense", "1", "", False),
        ("mpi_yield_when_idle", "0", "", False),  # something else sets it, with and without
    ],
)
def test_a_setting_is_read_where_the_library_shows_something_with_it(
    name: str, value: str, line: str, is_read: bool
) -> None:
    assert in_force(name, value, line) is is_read


def test_without_a_log_nobody_knows() -> None:
    assert in_force("mpi_abort_delay", "0", "", plain="") is None
