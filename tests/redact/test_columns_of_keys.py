"""Columns below the heading of a token, a key or a secret: what chance has made goes, names and counts stay."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

NAMES = ("token", "secret", "api_key", "client_secret", "access_key", "authToken", "license_key", "private_key")
DRAWN = ("Vq8-mZr3Lx!7", "k3Wd9rTz", "zX8qLm2RtV9bNc4W")
NAMES_OF_THINGS = ("deploy-bot-1", "runner12", "1024", "1.5e+06", "128256", "ci", "<0x0A>", "Hello", "db-cred-v2")
WRITINGS = (
    "host,~,rack\ngpu001,@,r1\n",
    "host;~;rack\ngpu001;@;r1\n",
    "| host | ~ |\n|------|------|\n| gpu1 | @ |\n",
    "|host|~|\n|---|---|\n|gpu1|@|\n",
    " id | ~ | name\n----+------+-----\n 1 | @ | bob\n",
    "HOST   ~    STATE\ngpu1   @   up\n",
    "host\t~\track\ngpu001\t@\tr1\n",
)


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", NAMES)
def test_what_chance_has_made_goes(name: str, writing: str) -> None:
    surviving = []
    for value in DRAWN:
        for lead in ("", "[1,3]<stderr>:", "Nov 28 08:01:02 gpu07 app[12]: "):
            text = "".join(lead + line for line in writing.replace("~", name).replace("@", value).splitlines(True))
            out = Redaction().text(text)
            if value in out or Redaction().text(out) != out:
                surviving.append((text, out))
    assert surviving == []


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", NAMES)
def test_names_and_counts_stay(name: str, writing: str) -> None:
    texts = [writing.replace("~", name).replace("@", value) for value in NAMES_OF_THINGS]
    assert [out for text in texts if (out := Redaction().text(text)) != text] == []


def test_below_headings_of_names_and_values_a_password_is_any_word() -> None:
    """As Vault prints what a path holds."""
    table = (
        "====== Data ======\nKey               Value\n---               -----\npassword          correcthorse\n"
        "password_policy   default\ntoken_duration    768h\nuser              bob\n\npassword          stays here\n"
    )
    assert Redaction().text(table) == table.replace("correcthorse", "<redacted:password>")
    assert Redaction().text(Redaction().text(table)) == Redaction().text(table)
