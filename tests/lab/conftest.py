from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.lab.lab import Lab
from slowlink.lab.tools import check_machine


@pytest.fixture(scope="session")
def lab_possible() -> None:
    """Skips where no lab can be made, with the reason that a user is told."""
    try:
        check_machine()
    except SlowlinkError as error:
        pytest.skip(f"{error.message} ({error.hint})")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all hosts see at the same path."""
    return tmp_path_factory.mktemp("shared").resolve()


@pytest.fixture(scope="module")
def module_lab(lab_possible: None, shared: Path) -> Iterator[Lab]:
    with Lab(nodes=4, share=[shared]) as made:
        yield made


@pytest.fixture
def lab(module_lab: Lab) -> Iterator[Lab]:
    """Four hosts; every fault of a test is taken back after it."""
    yield module_lab
    for host in module_lab.state.hosts:
        if host.cut or not host.up:
            module_lab.join(host.name)
        if host.load:
            module_lab.load(host.name, 0)
        if host.slow:
            module_lab.slow(host.name, None)
