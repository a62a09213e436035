"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# No test may depend on how fast or how busy the machine is: speed is measured by `make bench`.
_UNHURRIED = [HealthCheck.too_slow]

# The same examples each time: a failure in `make test` is due to a change, and a second run shows it again.
# Few of them: they find what a change breaks in general, and `make fuzz` is for what only rare examples show.
settings.register_profile(
    "fixed",
    deadline=None,
    suppress_health_check=_UNHURRIED,
    derandomize=True,
    database=None,
    max_examples=50,
)

# New examples each time, for `make fuzz` (--hypothesis-profile=fuzz).
settings.register_profile(
    "fuzz",
    deadline=None,
    suppress_health_check=_UNHURRIED,
    derandomize=False,
    database=None,
    max_examples=200,
    print_blob=True,
)

settings.load_profile("fixed")

# What tests measure is nobody's history; commands that they start inherit it.
os.environ["SLOWLINK_HISTORY"] = "off"

# Each rank of Open MPI waits a second for fabrics that are not here, and a core for every rank that waits for another.
os.environ.setdefault("OMPI_MCA_btl", "^ofi")
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMPI_MCA_threads_pthreads_yield_strategy", "nanosleep")

# A shell starts what runs in its background with Ctrl-C ignored, nohup ignores the end of the terminal, and every program
# of a test would inherit that: runs that are to be ended by such a signal would go on for ever.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


@pytest.fixture(scope="session", autouse=True)
def state_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What slowlink keeps in mind of what it began does not go into the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


# Modules and tests, a million objects, stay until the end: who looks for garbage need not look at them again and again,
# and a process that a test forks does not get a copy of each for having looked.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)  # some tests run tests without xdist
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: two groups of tests on hosts of the lab run each one after another, and wait most of
    the time. A third one more was no faster, and drowned what these tests measure."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Stops where xdist no longer keeps a group in one process: two labs, or two servers on one port, would meet."""
    if not config.getoption("loadgroup", False):
        return
    for item in items:
        if item.get_closest_marker("xdist_group") and "@" not in item.nodeid:
            raise pytest.UsageError("this pytest ignores the groups of pytest-xdist: install requirements/dev.txt")
