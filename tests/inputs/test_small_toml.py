"""Every TOML that somebody else may have written goes through one reader, which no document fells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from slowlink.catalog.tunables import tunables
from slowlink.config import load_config
from slowlink.errors import SlowlinkError
from slowlink.inputs.small_toml import small_toml
from slowlink.workflows.isolating.simulated import load_described

READERS: dict[str, Callable[[Path], object]] = {
    "site settings": lambda path: load_config(str(path)),
    "a catalogue": lambda path: tunables(str(path)),
    "a cluster": load_described,
}
DOTS = "a" + ".a" * 2_000
"""A tenth of what would fill memory."""


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{DOTS} = 1", "more than 64 dots"),
        (f"[{DOTS}]\nx = 1", "more than 64 dots"),
        (f'x = {{b = """\n""", {DOTS} = 1, c = ""}}', "more than 64 dots"),
        (f"x = {{b = '''\n''', {DOTS} = 1, c = ''}}", "more than 64 dots"),
        ("a = " + "[" * 5_000 + "]" * 5_000, "nested too deeply"),
        ("a = " + "{a = " * 5_000 + "1" + "}" * 5_000, "nested too deeply"),
        ("# " + "x" * (1 << 20), "1 MiB"),
        ("a = = 1", "line 1"),
    ],
)
def test_no_document_fells_it(tmp_path: Path, reader: str, text: str, words: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(SlowlinkError, match=words):
        READERS[reader](tmp_path / "x.toml")


def test_dots_in_texts_are_none_of_keys(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("a = \"'" + "." * 100 + '"\nb = \'"' + "." * 100 + "'\n")
    assert small_toml(tmp_path / "x.toml") == {"a": "'" + "." * 100, "b": '"' + "." * 100}


def test_no_other_module_reads_toml() -> None:
    """But the one for our own documents."""
    source = Path(small_toml.__code__.co_filename).parent.parent
    reading = {path.relative_to(source).as_posix() for path in source.rglob("*.py") if "tomli" in path.read_text()}
    assert reading == {"catalog/load.py", "inputs/small_toml.py"}
