"""Where the history lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.store.place import chosen_place, is_postgresql, is_shared_disk

HOME = {"XDG_DATA_HOME": "/data"}


@pytest.mark.parametrize(
    ("asked", "setting", "environment", "place"),
    [
        (None, None, HOME, "/data/slowlink/history.sqlite"),
        (None, "off", HOME, "off"),
        (None, "site.sqlite", {**HOME, "SLOWLINK_HISTORY": "off"}, "off"),
        ("mine.sqlite", "site.sqlite", {**HOME, "SLOWLINK_HISTORY": "off"}, "mine.sqlite"),
        (None, "postgresql://db/x", HOME, "postgresql://db/x"),
    ],
)
def test_the_option_comes_before_the_variable_and_that_before_the_site(
    asked: str | None, setting: str | None, environment: dict[str, str], place: str
) -> None:
    assert chosen_place(asked, setting, environment) == place


def test_without_a_data_directory_it_is_below_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert chosen_place(None, None, {"XDG_DATA_HOME": "relative"}) == "/home/me/.local/share/slowlink/history.sqlite"


def test_other_databases_are_refused() -> None:
    assert is_postgresql("postgres://a/b")
    with pytest.raises(SlowlinkError) as raised:
        chosen_place("mysql://a/b", None, {})
    assert raised.value.slug == "history-place"


def test_disks_that_others_write_to_are_known() -> None:
    mounts = (
        "/dev/sda / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\ntmpfs /home/me/fast tmpfs rw 0 0\nx /w fuse.sshfs rw\n"
    )
    found = [
        is_shared_disk(Path(each), mounts) for each in ("/var/x", "/home/me/x", "/home/me/fast/x", "/w/a", "/homes/x")
    ]
    assert found == [False, True, False, True, False]
