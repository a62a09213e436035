from __future__ import annotations

import pytest
from click.testing import CliRunner

from slowlink.catalog.causes import all_causes
from slowlink.cli.rules import command
from slowlink.errors import SlowlinkError
from slowlink.rules.engine import discover


def run(*words: str) -> str:
    result = CliRunner().invoke(command, words, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.mark.parametrize("words", [(), ("list",)])
def test_every_rule_with_its_title(words: tuple[str, ...]) -> None:
    listed = dict(line.split(maxsplit=1) for line in run(*words).splitlines())
    assert listed == {rule.id: rule.title for rule in discover()}


def test_every_cause() -> None:
    lines = run("causes").splitlines()
    assert [line.split()[1] for line in lines] == list(all_causes())


@pytest.mark.parametrize("name", [*(rule.id for rule in discover()), *all_causes()])
def test_every_page(name: str) -> None:
    text = run("explain", name)
    assert text.startswith(f"{name}: ")
    assert len(text.splitlines()) >= 4


def test_a_page_tells_how_to_confirm_and_what_can_be_set() -> None:
    text = run("explain", "bandwidth-shape")
    for part in ("Why it matters:", "How to confirm:", "What to do:", "When it is wrong:", "Needs: sweeps"):
        assert part in text
    assert "[rules.bandwidth-shape]\n" in text
    assert "  dip_share = 0.6\n" in text


def test_a_slip_names_what_is_near() -> None:
    with pytest.raises(SlowlinkError) as error:
        run("explain", "gdr_disabled")
    assert error.value.slug == "unknown-rule"
    assert "gdr-disabled" in error.value.hint
