"""Command lines of a manifest: words that are given apart, and nothing more at the second time."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

SECRET = "Zq81bananaZq"


@pytest.mark.parametrize(
    "argv",
    [
        ("tool", "--pass", SECRET),
        ("mpiexec", "-genv", "API_TOKEN", SECRET, "./a"),
        ("mpiexec", "-env", "DB_PASSWORD", SECRET, "./a"),
        ("sshpass", f"-p{SECRET}", "ssh", "gpu01"),
        ("tool", "--api-key", SECRET, "gpu01"),
        ("mysql", f"-p{SECRET}", "jobs"),
    ],
)
def test_a_secret_goes_and_its_neighbours_stay(argv: tuple[str, ...]) -> None:
    once = Redaction().argv(argv)
    assert SECRET not in " ".join(once)
    assert [word for word in once if word in argv] == [word for word in argv if SECRET not in word]
    assert Redaction().argv(once) == once


@pytest.mark.parametrize(
    "argv", [("mpiexec", "-genv", "NCCL_DEBUG", "INFO"), ("tool", "--pass", "all"), ("-p", "8080")]
)
def test_what_is_no_secret_stays(argv: tuple[str, ...]) -> None:
    assert Redaction().argv(argv) == argv
