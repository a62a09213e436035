"""Writings of one program or language: what Elasticsearch prints, Tcl's braces, blocks that give a value, az."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted

_CUT = (
    ("Password for the elastic user (reset with `x -u elastic`): uhl99s9NXeG*o-MiE", "password"),
    ("Password for the elastic user (reset with `x -u elastic`):\n  uhl99s9NXeG*o-MiE", "password"),
    ("Password for the [elastic] user successfully reset.\nNew value: uhl99s9NXPWUeG*o-MiE", "password"),
    ("New value: uhl99s9NXeWUeG*o-MiE", "password"),
    ("PASSWORD kibana_system = uhl99s9NXPWUeGaoaMiE", "password"),
    ("set db_password {D45HRfBWfe NrGKM}", "secret"),
    ("set ::env(API_TOKEN) D45HRfBWfeNrGKM", "secret"),
    ('val dbPassword by lazy { "vBqYNZlcTJXG7" }', "secret"),
    ('lazy val dbPassword = { "vBqYNZlcTJXG7" }', "secret"),
    ("az keyvault secret set --vault-name v --name n --value jw1WENsg6", "password"),
    ("az keyvault secret set --name n --value=jw1WENsg6 -o tsv", "password"),
    ("tacacs+ host 10.0.0.1 key ndQWqrm2juVC9", "password"),
)
_VALUES = (
    *(
        "uhl99s9NXeG*o-MiE",
        "uhl99s9NXPWUeG*o-MiE",
        "uhl99s9NXPWUeGaoaMiE",
        "uhl99s9NXeWUeG*o-MiE",
        "D45HRfBWfe NrGKM",
        "D45HRfBWfeNrGKM",
    ),
    *("vBqYNZlcTJXG7", "jw1WENsg6", "ndQWqrm2juVC9"),
)
_STAY = (
    "passwd: password unchanged",
    "passwd: password updated successfully",
    "passwd: Authentication token manipulation error",
    "New value: 4096",
    "Password for the elastic user (reset with x):",
    "set token {no}",
    "set password {$pw}",
    "set env(NCCL_DEBUG) INFO",
    "set size {4 MiB}",
    'val tokenizer by lazy { "llama-3.1-70b" }',
    "az vm extension set --name n --value 12345abcA",
)


@pytest.mark.parametrize(("text", "kind"), _CUT)
def test_the_value_alone_goes(text: str, kind: str) -> None:
    value = next(each for each in _VALUES if each in text)
    clean = redacted(text + "\n")
    assert clean == text.replace(value, f"<redacted:{kind}>") + "\n"
    assert redacted(clean) == clean


@pytest.mark.parametrize("text", _STAY)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text + "\nnext line\n") == text + "\nnext line\n"
