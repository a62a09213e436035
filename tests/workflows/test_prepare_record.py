"""The record of ``slowlink prepare``: what is written comes back, and nothing else is taken for one."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from msgspec import to_builtins
from msgspec.structs import replace

from slowlink.bundle.disk import put_whole
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Node
from slowlink.model.prepared import Item, Prepared, PreparedNode
from slowlink.workflows.kept_records import Turn
from slowlink.workflows.prepare_nodes.record import RECORDS, new_record, read, write

_ITEMS = (Item("governor", "policy0", "powersave", "performance", "failed", "why", "ondemand"),)
_NODE = PreparedNode(Node("gpu01", address="10.0.0.1", user="root", port=22), "0a-1b", _ITEMS, 77)


def a_record() -> Prepared:
    return new_record("ssh", "", [_NODE])


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    record = a_record()
    path = RECORDS.path_of(tmp_path, record.created)
    write(record, path)
    assert read(path) == record
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    later = RECORDS.path_of(tmp_path, "2999-01-01T00:00:00.000001Z")
    write(record, later)
    assert RECORDS.records_in(tmp_path) == [path, later]


def test_the_old_record_stays_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = a_record()
    path = RECORDS.path_of(tmp_path, record.created)
    write(record, path)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("slowlink.bundle.disk.os.fsync", full)
    with pytest.raises(SlowlinkError, match=r"cannot write the record .*: No space left on device"):
        write(replace(record, way="slurm"), path)
    assert read(path) == record
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_record_is_known_as_ours_from_its_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between the record and its mark would leave a record that no rollback takes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "records"
    folder.mkdir(mode=0o700)
    record = a_record()
    path = RECORDS.path_of(folder, record.created)

    def killed(written: Path, text: bytes) -> None:
        put_whole(written, text)
        if written == path:
            raise KeyboardInterrupt

    monkeypatch.setattr("slowlink.workflows.kept_records.put_whole", killed)
    with pytest.raises(KeyboardInterrupt):
        write(record, path)
    RECORDS.require_written_here(path, read(path).created)


def test_the_order_of_records_is_not_that_of_the_clock(tmp_path: Path) -> None:
    """A clock that was set back, records of a slowlink that numbered none, and a copy that somebody made."""
    made = [tmp_path / "prepared-20310131T235959123456Z.json", tmp_path / "prepared-20320131T235959123456Z.json"]
    (tmp_path / "prepared-2099-copy.json").write_text("{}")
    for path in made:
        path.write_text("{}")
    for created in ("2030-01-01T00:00:00.000001Z", "2029-01-01T00:00:00.000001Z", "0999-01-01T00:00:00.000001Z"):
        record = replace(a_record(), created=created)
        made.append(RECORDS.path_of(tmp_path, record.created))
        write(record, made[-1])
    assert RECORDS.records_in(tmp_path) == made
    assert [path.name for path in made[2:]] == [
        "prepared-0001-20300101T000000000001Z.json",
        "prepared-0002-20290101T000000000001Z.json",
        "prepared-0003-09990101T000000000001Z.json",
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"setting": "../../etc"},
        {"part": "policy0; reboot"},
        {"before": "$(reboot)"},
        {"wanted": "a b"},
        {"left": "x\ny"},
        {"state": "done"},
        {"more": 1},
        {"before": 5},
    ],
)
def test_a_record_with_a_value_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    document = to_builtins(a_record())
    document["nodes"][0]["items"][0].update(change)
    assert refused(tmp_path, document) == "bad-record"


@pytest.mark.parametrize(
    "change",
    [{"name": "-oProxyCommand=x"}, {"name": "a b"}, {"address": "$(x)"}, {"user": "-l"}, {"port": 0}, {"port": True}],
)
def test_a_record_with_a_node_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    document = to_builtins(a_record())
    document["nodes"][0]["node"].update(change)
    assert refused(tmp_path, document) == "bad-record"


def test_a_record_with_a_node_twice_is_refused(tmp_path: Path) -> None:
    document = to_builtins(a_record())
    document["nodes"] *= 2
    assert refused(tmp_path, document) == "bad-record"


@pytest.mark.parametrize(
    "document", [[], {}, 5, None, {"schema": "slowlink.prepared/2"}, {"schema": "slowlink.prepared/1", "nodes": 3}]
)
def test_what_is_no_record_is_refused(tmp_path: Path, document: object) -> None:
    assert refused(tmp_path, document) == "bad-record"


def refused(tmp_path: Path, document: object) -> str:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SlowlinkError) as error:
        read(path)
    return error.value.slug


def test_a_newer_record_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text('{"schema": "slowlink.prepared/2"}')
    with pytest.raises(SlowlinkError) as error:
        read(path)
    assert error.value.message.replace(str(tmp_path), "") == snapshot(
        "/record.json is no record of slowlink prepare: its schema is 'slowlink.prepared/2', not 'slowlink.prepared/1'"
    )


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with (
        Turn(RECORDS, tmp_path / "new", make=True),
        pytest.raises(SlowlinkError, match="another slowlink prepare is at work"),
        Turn(RECORDS, tmp_path / "new", make=True),
    ):
        pass
    with Turn(RECORDS, tmp_path / "new", make=True):
        pass


@pytest.mark.parametrize("make", [True, False])
def test_where_nothing_can_be_locked_nothing_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: bool
) -> None:
    def no_locks(_descriptor: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(SlowlinkError, match="No locks available") as error, Turn(RECORDS, tmp_path, make=make):
        pass
    assert error.value.slug == "record-unlocked"


def test_where_records_lie() -> None:
    assert RECORDS.directory_of(None, {"XDG_STATE_HOME": "/var/s"}) == Path("/var/s/slowlink/prepared")
    assert RECORDS.directory_of(None, {"XDG_STATE_HOME": "relative"}) == Path.home() / ".local/state/slowlink/prepared"
    assert RECORDS.directory_of("/x", {}) == Path("/x")


def test_no_record_is_made_where_none_would_be_taken_back(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o775)
    turn = Turn(RECORDS, shared, make=True)
    with pytest.raises(SlowlinkError, match="may be written to by others") as error:
        turn.__enter__()
    assert error.value.slug == "record-unwritable"


def test_a_user_without_a_home_names_a_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(SlowlinkError, match="no home directory"):
        RECORDS.directory_of(None, {})
    assert RECORDS.directory_of("/x", {}) == Path("/x")


def test_a_directory_that_cannot_be_read_is_not_called_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_directory: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    assert refusal(tmp_path / "absent") == "there is no record in "
    monkeypatch.setattr(Path, "iterdir", forbidden)
    assert refusal(tmp_path) == "cannot look for records in "


def refusal(directory: Path) -> str:
    with pytest.raises(SlowlinkError) as error:
        RECORDS.latest(directory)
    return error.value.message.partition("/")[0]


def test_a_root_that_would_end_a_line_is_refused(tmp_path: Path) -> None:
    path = RECORDS.path_of(tmp_path, a_record().created)
    write(replace(a_record(), root="/host\n  to roll it back: --root /x"), path)
    with pytest.raises(SlowlinkError, match="is no record of slowlink prepare: way or root"):
        read(path)


@pytest.mark.parametrize("field", ["created", "slowlink"])
@pytest.mark.parametrize("value", ["\ud800", "a\nb", 5, None])
def test_a_record_with_words_that_cannot_be_is_refused(tmp_path: Path, field: str, value: object) -> None:
    assert refused(tmp_path, {**to_builtins(a_record()), field: value}) == "bad-record"


def test_a_record_that_would_be_too_long_to_be_read_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowlink.workflows.kept_records.MOST_BYTES", 100)
    with pytest.raises(SlowlinkError, match="the record of so many nodes would hold more"):
        write(a_record(), RECORDS.path_of(tmp_path, a_record().created))
    assert list(tmp_path.iterdir()) == []
