from __future__ import annotations

import pytest

from fabric.simulated import missing


@pytest.fixture(scope="session")
def ibsim_possible() -> None:
    """Skips where no fabric can be simulated, with the reason."""
    if reason := missing():
        pytest.skip(reason)
