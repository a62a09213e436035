"""``make new-rule`` and ``make new-parser``: what they write is found, formatted and tested, in a copy of the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TO_WRITE = "WRITE" + ":"
"""What the templates mark, apart from this file's own words."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the tool and the tests of its units need."""
    place = tmp_path_factory.mktemp("checkout")
    unwanted = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "tools", "tests/rules", "tests/parsers", "docs"):
        shutil.copytree(ROOT / folder, place / folder, ignore=unwanted)
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, place / file)
    return place


def ran(checkout: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """A Python program in the copy. Its pytest takes the copy's sources: ``pythonpath`` in pyproject.toml."""
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environ.pop("PYTHONPATH", None)
    return subprocess.run([sys.executable, *argv], cwd=checkout, env=environ, capture_output=True, text=True)


def new(checkout: Path, *words: str) -> tuple[int, str]:
    """Exit status and what was said."""
    done = ran(checkout, "tools/new_unit.py", *words)
    return done.returncode, done.stdout + done.stderr


def ends_of(checkout: Path, *words: str) -> dict[str, str]:
    """Test -> how it ended."""
    done = ran(checkout, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", "-rA", *words)
    ends = re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\S+)", done.stdout, re.MULTILINE)
    assert ends, done.stdout + done.stderr
    return {test: end for end, test in ends}


def is_clean(checkout: Path, *paths: str) -> str:
    """What ruff says against these files; "" when nothing."""
    ruff = Path(sys.executable).with_name("ruff")
    words = (("check", "-q"), ("format", "-q", "--diff"))
    return "".join(
        subprocess.run([ruff, *asked, *paths], cwd=checkout, capture_output=True, text=True).stdout for asked in words
    )


def test_a_new_rule_is_found_and_its_first_test_fails_until_it_is_written(checkout: Path) -> None:
    rule, test = "src/slowlink/rules/rdma/link_sleepy.py", "tests/rules/rdma/test_link_sleepy.py"
    assert new(checkout, "rule", "link-sleepy", "rdma", "port-down") == (
        0,
        f"written: {rule}\nwritten: {test}\nnext: replace every {TO_WRITE} in them, and run the test\n"
        "      (its first test fails until then, on purpose)\n",
    )
    assert is_clean(checkout, rule, test) == ""
    assert ends_of(checkout, test) == {
        "test_says_what_is_wrong_and_where": "FAILED",
        "test_silent_when_all_is_well": "PASSED",
    }
    pages = ends_of(checkout, "tests/rules/test_pages.py", "-k", "sleepy")
    assert set(pages.values()) == {"PASSED"}
    assert "test_the_page_has_a_title_and_all_parts[link-sleepy]" in pages


def test_a_new_parser_reads_its_sample(checkout: Path) -> None:
    parser, test = "src/slowlink/parsers/network/port_lamp.py", "tests/parsers/network/test_port_lamp.py"
    assert new(checkout, "parser", "port_lamp", "network") == (
        0,
        f"written: {parser}\nwritten: {test}\nnext: replace every {TO_WRITE} in them, and run the test\n"
        "next: name the kind in a rule, or set harmless=True with the reason\n",
    )
    assert is_clean(checkout, parser, test) == ""
    assert ends_of(checkout, test, "tests/parsers/test_docstring_samples.py", "-k", "port_lamp") == {
        "test_errors_with_their_code": "PASSED",
        "test_other_lines_are_no_events": "PASSED",
        "test_the_sample_in_the_docstring_is_read[slowlink.parsers.network.port_lamp]": "PASSED",
    }


@pytest.mark.parametrize(("kind", "family"), [("rule", "links"), ("parser", "host")])
def test_a_family_that_is_full_takes_a_folder(checkout: Path, kind: str, family: str) -> None:
    """It took one file more than a folder may have, and another test failed."""
    place = checkout / "src" / "slowlink" / f"{kind}s" / family
    while sum(entry.is_file() for entry in place.iterdir()) < 30:
        (place / f"filler_{len(list(place.iterdir()))}.txt").touch()
    module = f"fan_of_{family}"
    unit, test = f"src/slowlink/{kind}s/{family}/{module}/__init__.py", f"tests/{kind}s/{family}/test_{module}.py"
    status, said = new(checkout, kind, module, family, *(["port-down"] if kind == "rule" else []))
    assert (status, said.startswith(f"written: {unit}\nwritten: {test}\n")) == (0, True)
    assert is_clean(checkout, unit, test) == ""
    assert "PASSED" in ends_of(checkout, test).values()


def test_a_cause_that_is_not_there_is_asked_for(checkout: Path) -> None:
    status, said = new(checkout, "rule", "cable-too-warm", "links")
    assert status == 0
    assert "next: no cause is called cable-too-warm yet: describe it in src/slowlink/catalog/causes.toml" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("rule", "", ""), "say what it is called, NAME=some-name"),
        (("rule", "port-down", "links"), "port-down exists: src/slowlink/rules/links/port_down.py"),
        (("rule", "port-down", "gpu"), "port-down exists: src/slowlink/rules/links/port_down.py"),
        (("rule", "port-events", "gpu"), "port-events exists: src/slowlink/rules/links/port_events.py"),
        (("parser", "ras", "job"), "ras exists: src/slowlink/parsers/nccl/ras"),
        (("parser", "port-down", "job"), "port-down exists: tests/rules/links/test_port_down.py"),
        (("parser", "../x", "job"), "'../x' is no name: small letters, digits and single hyphens, 36 at most"),
        (("parser", "Ethtool", "job"), "'Ethtool' is no name: small letters, digits and single hyphens, 36 at most"),
        (("parser", "lamp-helper", "job"), "'lamp-helper' does not say what it is"),
        (("rule", "lambda", "job"), "'lambda' does not say what it is"),
        (("rule", "lamp", "links", "a cause"), "'a cause' is no name: small letters, digits and single hyphens"),
        (("parser", "lamp", ""), "say which family it belongs to, FAMILY= one of:\n    benchmarks   Output of"),
        (("parser", "lamp", "forms"), "no family is called 'forms', FAMILY= one of:\n    benchmarks   Output of"),
    ],
)
def test_other_names_and_families_are_refused(checkout: Path, words: tuple[str, ...], reason: str) -> None:
    before = sorted(checkout.rglob("*.py"))
    status, said = new(checkout, *words)
    assert (status, said.startswith(f"new {words[0]}: {reason}")) == (2, True), said
    assert sorted(checkout.rglob("*.py")) == before


def test_nothing_is_left_to_write() -> None:
    modules = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")]
    left = [path.relative_to(ROOT).as_posix() for path in modules if TO_WRITE in path.read_text(encoding="utf-8")]
    assert left == []


def fuzzed(tmp_path: Path, pytest_status: int) -> subprocess.CompletedProcess[str]:
    """``make fuzz`` with no time, and with a pytest that ends so."""
    fake = tmp_path / "pytest"
    fake.write_text(f"#!/bin/sh\necho ran\nexit {pytest_status}\n")
    fake.chmod(0o755)
    return subprocess.run(["sh", "tools/fuzz.sh", fake, "0", "tests"], cwd=ROOT, capture_output=True, text=True)


def test_fuzzing_ends_when_its_time_is_over(tmp_path: Path) -> None:
    done = fuzzed(tmp_path, 0)
    assert done.returncode == 0
    assert re.fullmatch(r"fuzz: round 1, seed \d+\nran\nfuzz: nothing failed in 1 rounds\n", done.stdout)


def test_fuzzing_ends_at_the_first_failure_and_says_how_to_see_it_again(tmp_path: Path) -> None:
    done = fuzzed(tmp_path, 1)
    assert done.returncode == 1
    seed = done.stdout.split()[4]
    assert f"-x -m hypothesis --hypothesis-profile=fuzz --hypothesis-seed={seed} tests\n" in done.stderr
