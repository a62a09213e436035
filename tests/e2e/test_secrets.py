"""Secrets in what a benchmark prints, in its environment and on the command line are in no file of the bundle."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from local_run import MPIRUN, NO_MPIRUN, bundle_of, program, slowlink, table_text

from redact.planted import Planted, all_templates, planted

needs_mpirun = pytest.mark.skipif(MPIRUN is None, reason=NO_MPIRUN)
SEED = 11
GIVEN = "Wq3Zt7xLm9Rb2Vk5"
IN_ENVIRONMENT = {
    "AAA_FIRST": "Hh4Jk8sPq2Wn6Yc1",
    "ZZZ_LAST": "Mm5Tg9fRe3Xd7Uv2",
    "DB_PASSWORD_PROD": "Ee6Bz1nKc4Ga8Lw3",
}


def encodings(secret: str) -> set[bytes]:
    """Each form in which it could be in a file."""
    raw = secret.encode()
    shifted = {base64.b64encode(raw[at:])[: 4 * ((len(raw) - at) // 3)] for at in range(3)}
    long_enough = {form for form in shifted if len(form) >= 12}
    plain = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], raw.hex()}
    return {
        *(text.encode() for text in plain),
        *long_enough,
        *(f.replace(b"+", b"-").replace(b"/", b"_") for f in long_enough),
    }


def surviving(place: Path, secrets: list[str]) -> list[str]:
    """Those of ``secrets`` that any file below ``place`` holds, in its text or in its name."""
    files = [path for path in place.rglob("*") if path.is_file()]
    assert files
    everything = b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)
    return [secret for secret in secrets if any(form in everything for form in encodings(secret))]


def every_planted() -> list[Planted]:
    return [planted(template, SEED) for _, template in all_templates()]


def long_secrets(every: list[Planted]) -> list[str]:
    """But for parts of four letters: the digests of a bundle hold any of these now and then."""
    return [secret for one in every for secret in one.secrets if len(secret) > 4]


@needs_mpirun
def test_a_run_of_a_talkative_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = every_planted()
    said = tmp_path / "said.txt"
    said.write_text("".join(one.text + "\n" for one in every))
    for name, value in IN_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    # Rank 0 alone: lines of two ranks between one another would cut secrets that go over several lines.
    printing = (
        'if [ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 0 ]; then '
        f'cat "{said}"; cat "{said}" >&2; env; env | sort; tr "\\0" "\\n" < /proc/self/environ; echo "given: $FOO"; fi'
    )
    made = program(tmp_path, table_text(), printing)
    status, _, err = slowlink(
        *(tmp_path, "run", "all_reduce", "--no-snapshot", "-b", "1M", "-e", "8M", "-n", "2", "--path", str(made.path)),
        *("--env", f"FOO={GIVEN}", "--timeout", "100"),
    )
    bundle = bundle_of(tmp_path)
    assert status in (0, 1, 3), err
    captured = "".join(path.read_text() for path in bundle.glob("captures/**/std*"))
    assert "<redacted:password>" in captured
    assert "AAA_FIRST=<redacted:environment>" in captured
    assert "out-of-place" in captured
    secrets = long_secrets(every)
    assert surviving(bundle, [*secrets, GIVEN, *IN_ENVIRONMENT.values()]) == []
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert "FOO=<redacted:environment>" in manifest["command"]
    packed = slowlink(tmp_path, "bundle", "pack", str(bundle), "-o", "x.tar.gz")
    unpacked = slowlink(tmp_path, "bundle", "unpack", "x.tar.gz", "-C", "there")
    assert (packed.status, unpacked.status) == (0, 0)
    assert surviving(tmp_path / "there", [*secrets, GIVEN, *IN_ENVIRONMENT.values()]) == []
