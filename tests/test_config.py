"""``slowlink.toml``: what a site may set, and what it is told when it slips."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.benchmarks.find import _is_program
from slowlink.cli.site_settings import site_settings
from slowlink.config import Config, load_config
from slowlink.errors import SlowlinkError
from slowlink.launch.surroundings import _named_mpirun
from slowlink.workflows.build_tests import _not_a_source
from slowlink.workflows.job_environment import _settings_of

EVERYTHING = """
system = "hgx_h100"
gpu = "h100-sxm"
gpus_per_node = 8
nics = "8x400"
[rules.pair-survey]
slow_share = 0.95
fewest_pairs = 4
"""


def test_every_key(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text(EVERYTHING)
    assert load_config(str(file)) == Config(
        system="hgx_h100",
        gpu="h100-sxm",
        gpus_per_node=8,
        nics="8x400",
        rules={"pair-survey": {"slow_share": 0.95, "fewest_pairs": 4}},
    )


def test_the_file_in_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config(None) == Config()
    (tmp_path / "slowlink.toml").write_text('nics = "4x200"')
    assert load_config(None) == Config(nics="4x200")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nics = ", "is not valid TOML"),
        ("nodes = 4", "unknown key 'nodes'"),
        ("nics = 400", "nics: Expected `str | null`, got `int`"),
        ('gpus_per_node = "8"', "gpus_per_node: Expected `int | null`, got `str`"),
        ("rules = 3", "rules: Expected `object`, got `int`"),
        ("[rules]\npair-survey = 1", "rules.pair-survey: Expected `object`, got `int`"),
    ],
)
def test_slips_name_the_file_and_the_key(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "site.toml"
    file.write_text(text)
    with pytest.raises(SlowlinkError) as error:
        load_config(str(file))
    assert error.value.slug == "config-invalid"
    assert str(file) in error.value.message
    assert said in error.value.message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(SlowlinkError) as error:
            load_config(str(file))
        assert error.value.slug == "config-unreadable"
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SlowlinkError, match="cannot read the configuration"):
        load_config(str(tmp_path / "binary.toml"))


def test_settings_without_end_and_without_bottom_are_an_error_with_words(tmp_path: Path) -> None:
    deep = tmp_path / "deep.toml"
    deep.write_text("x = " + "[" * 100_000)
    endless = tmp_path / "endless.toml"
    with endless.open("wb") as file:
        file.truncate(10 << 30)
    for path, said in ((deep, "is not valid TOML"), (endless, "it holds more than 1 MiB")):
        with pytest.raises(SlowlinkError, match=said):
            load_config(str(path))


def test_dotted_keys_are_refused_before_they_fill_the_memory(tmp_path: Path) -> None:
    for text in ("a" + ".a" * 2_000 + " = 1", "[rules" + ".a" * 2_000 + "]", "x = {a" + " . a" * 2_000 + " = 1}"):
        (tmp_path / "dots.toml").write_text(text)
        with pytest.raises(SlowlinkError, match="has a line of more than 64 dots"):
            load_config(str(tmp_path / "dots.toml"))
    (tmp_path / "text.toml").write_text('system = "' + "." * 100 + '"')
    assert load_config(str(tmp_path / "text.toml")).system == "." * 100


def test_a_locked_working_directory_holds_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    # What the system says behind `su` in the home of root; tests may be run by root, whom no directory stops.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr(Path, "is_file", raising)
    assert load_config(None) == Config()
    assert site_settings(None) == Config()
    assert not _is_program(Path("locked/all_reduce_perf"))
    assert _not_a_source(Path("locked"))
    with pytest.raises(SlowlinkError, match="there is no such program"):
        _named_mpirun("locked/mpirun")
    with pytest.raises(SlowlinkError, match="no file that can be reached"):
        _settings_of("locked/job.env")
