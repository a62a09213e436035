"""Going on with a bundle: what is kept, what is removed, whose it must be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from slowlink.bundle import BundleWriter, pack, read_bundle
from slowlink.bundle.begun import mark_begun, was_begun_here
from slowlink.bundle.reopen import _remove_others, own_manifest, reopened
from slowlink.errors import SlowlinkError
from slowlink.redact import Anonymizer, Redaction


def begun(place: Path) -> None:
    with BundleWriter(place, command=["slowlink", "check"]) as bundle:
        bundle.set_nodes(["node1"])
        for name in ("whole", "group/half"):
            with bundle.capture(name, "collective", ("mpirun",)) as capture:
                capture.write_stdout(f"{name}\nexport TOKEN=ghp_0123456789012345678901234567890123456789\n")


def test_what_is_kept_stays_and_the_rest_goes(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    begun(place)
    # A run that was killed has files that its manifest does not know.
    (place / "captures" / "later").mkdir()
    (place / "captures" / "later" / "stdout").write_text("half a ta")
    with reopened(place, lambda capture: capture.name == "whole") as bundle:
        assert sorted(path.name for path in (place / "captures").iterdir()) == ["whole"]
        for name in ("group/half", "later"):
            with bundle.capture(name, "collective", ("mpirun",)) as capture:
                capture.write_stdout("again\n")
    found = read_bundle(place)
    assert (found.integrity, found.problems) == ("verified", ())
    assert found.manifest is not None
    assert [capture.name for capture in found.manifest.captures] == ["whole", "group/half", "later"]
    assert (found.manifest.nodes, found.manifest.command) == (("node1",), ("slowlink", "check"))
    assert sum(found.manifest.redacted.values()) == 2


def refused(place: Path) -> str | None:
    with pytest.raises(SlowlinkError) as caught:
        reopened(place, lambda capture: True)
    return caught.value.slug


def test_what_is_not_gone_on_with(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == "input-not-found"
    begun(tmp_path / "bundle")
    pack(tmp_path / "bundle", tmp_path / "bundle.tar.gz")
    assert refused(tmp_path / "bundle.tar.gz") == "bundle-not-ours"
    with BundleWriter(tmp_path / "nameless", redaction=Redaction(Anonymizer())):
        pass
    assert refused(tmp_path / "nameless") == "bundle-anonymized"


def test_names_that_lead_out_of_the_bundle_are_damage(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    begun(place)
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["captures"][0]["name"] = "../../outside"
    (place / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(SlowlinkError) as caught:
        own_manifest(place)
    assert caught.value.slug == "bundle-damaged"


@pytest.mark.parametrize("where", ["captures", "captures/whole", "captures/whole/stdout", "captures/whole/inside"])
def test_nothing_is_removed_or_written_through_a_link(tmp_path: Path, where: str) -> None:
    place, outside = tmp_path / "bundle", tmp_path / "outside"
    begun(place)
    (place / where).rename(outside) if where != "captures/whole/inside" else outside.mkdir()
    precious = outside / "precious" if outside.is_dir() else outside
    precious.write_text("still here")
    (place / where).symlink_to(outside)
    with pytest.raises(SlowlinkError) as caught:
        reopened(place, lambda capture: False)
    assert caught.value.slug == "bundle-damaged"
    assert precious.read_text() == "still here"


def test_a_link_that_comes_after_the_look_is_not_followed(tmp_path: Path) -> None:
    place, outside = tmp_path / "bundle", tmp_path / "outside"
    begun(place)
    (place / "captures").rename(outside)
    (place / "captures").symlink_to(outside)
    _remove_others(place, ())
    assert sorted(path.name for path in outside.iterdir()) == ["group", "whole"]


def test_a_plan_is_known_in_its_place_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert mark_begun(tmp_path / "bundle", b"a plan") == ""
    assert was_begun_here(tmp_path / "bundle", b"a plan")
    assert not was_begun_here(tmp_path / "bundle", b"another plan")
    assert not was_begun_here(tmp_path / "moved", b"a plan")
    (mark,) = (tmp_path / "state" / "slowlink" / "begun").iterdir()
    assert mark.stat().st_mode & 0o777 == 0o600
    mark.chmod(0o666)
    assert not was_begun_here(tmp_path / "bundle", b"a plan")


def test_marks_where_others_may_write_prove_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert mark_begun(tmp_path / "bundle", b"a plan") == ""
    (tmp_path / "slowlink" / "begun").chmod(0o777)
    assert not was_begun_here(tmp_path / "bundle", b"a plan")
    assert "by others" in mark_begun(tmp_path / "bundle", b"a plan")


def test_where_nothing_can_be_kept_in_mind_the_reason_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert "Not a directory" in mark_begun(tmp_path / "bundle", b"a plan")
    assert not was_begun_here(tmp_path / "bundle", b"a plan")


def test_the_oldest_marks_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("slowlink.bundle.begun._MOST", 2)
    for number in range(4):
        mark_begun(tmp_path / "bundle", b"plan %d" % number)
        for path in (tmp_path / "slowlink" / "begun").iterdir():
            os.utime(path, (path.stat().st_mtime - 60,) * 2)
    assert [was_begun_here(tmp_path / "bundle", b"plan %d" % number) for number in range(4)] == [
        False,
        False,
        True,
        True,
    ]
