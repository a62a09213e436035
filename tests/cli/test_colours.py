from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from slowlink.cli.analyze import command

LOG = "[ 12.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.\n"


def printed(tmp_path: Path, *options: str) -> str:
    file = tmp_path / "job.log"
    file.write_text(LOG)
    done = CliRunner().invoke(command, [*(option.replace("FILE", str(file)) for option in options)])
    return done.output


@pytest.mark.parametrize(
    ("options", "coloured"),
    [
        (("FILE",), False),  # no terminal
        (("FILE", "--color", "auto"), False),
        (("FILE", "--color", "never"), False),
        (("--color=never", "FILE"), False),
        (("FILE", "--no-color"), False),
        (("FILE", "--color", "always"), True),
        (("FILE", "--color=always"), True),
        (("--color", "FILE"), True),
        (("FILE", "--color"), True),
    ],
)
def test_colours_are_asked_for_as_other_tools_take_it(tmp_path: Path, options: tuple[str, ...], coloured: bool) -> None:
    assert ("\x1b[" in printed(tmp_path, *options)) is coloured


def test_another_word_is_a_slip(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(tmp_path), "--color=red"])
    assert (done.exit_code, "'red' is not one of 'auto', 'always', 'never'" in done.output) == (2, True)
