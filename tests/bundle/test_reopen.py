"""Going on with a bundle: what is kept, what is removed, whose it must be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slowlink.bundle import BundleWriter, pack, read_bundle
from slowlink.bundle.reopen import own_manifest, reopened
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
