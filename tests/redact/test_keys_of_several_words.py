"""Keys whose names are several words go; what other keys are called, and sentences about keys, stay."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted

KEY = "hT5dzPq8Lw3XcV9nM2bR7yK4sJ1gF6eA0uQiWoE"
LEADS = ("", "gpu03: ", "[rank3]: ", "2026-11-28T10:00:00.123456789Z stdout F ")


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(
    "text",
    [
        *("Secret Key: {}", "API Key: {}", "Access Key: {}", "Encryption key: {}", "Master key = {}", "Secret access key = {}"),
        *("AWS Secret Access Key [None]: {}", "AWS Secret Access Key [****************WoHx]: {}", "SECRET KEY: {}"),
        *('{{"Secret Key": "{}"}}', '{{"n": 1, "My API Key": "{}", "m": 2}}', "{{'access key': '{}'}}"),
        *("| Secret Key | {} |", "Secret Key\t\t{}", "**API Key:** {}", "Your API key: {} is new", "use the secret key {} for it"),
        *("User,Secret access key\nada,{}", "| User | AWS Secret Key |\n|---|---|\n| ada | {} |"),
    ],
)  # fmt: skip
def test_a_key_of_several_words_goes(text: str, lead: str) -> None:
    given = "".join(f"{lead}{line}\n" for line in text.format(KEY).split("\n"))
    out = redacted(given)
    assert out == given.replace(KEY, "<redacted:key>")
    assert redacted(out) == out


def test_one_plain_word_goes_where_it_is_all_of_an_entry() -> None:
    assert redacted("  Secret Key: minioadmin\n") == "  Secret Key: <redacted:key>\n"
    assert redacted('{"API Key": "minioadmin"}\n') == '{"API Key": "<redacted:key>"}\n'


def test_a_key_on_the_line_below_its_name_goes() -> None:
    assert redacted("API Key:\n  abcd7Xyz1\n") == "API Key:\n  <redacted:key>\n"
    assert redacted("API keys:\n  - abcd7Xyz1\n") == "API keys:\n  - <redacted:key>\n"


@pytest.mark.parametrize(
    "text",
    [
        *(f"{name}: {KEY}" for name in ("Public Key", "Partition key", "PKey", "Key", "Sort key", "Primary Key", "foreign key")),
        *("GPG key ID: 3AA5C34371567BD2", "SSH key: SHA256:q2V0aGlzaXNhcHVibGlja2V5b2Zzb21lYm9k", "RSA key: 4096-bit", "Routing key: gpu.node01"),
        *("failed to load private key: permission denied", "cannot access key: node17", "Private key: no such file or directory"),
        *("API key: not found", "Access key: 0x1fff02", "Private key: /etc/pki/tls/private/node01.pem", "the secret key is ready"),
        *("Storage key: step17/shard3", "Service Key: node01:29500", "{'session key': 'default_pg/0'}", "Private key:\n  missing here"),
        *("Hash key: rank17", "Session key: none", '{"Partition Key": "rank17"}', "| Sort Key | busbw17abc |", "registry key: n7/x9a"),
    ],
)  # fmt: skip
def test_other_keys_and_sentences_stay(text: str) -> None:
    assert redacted(text + "\n") == text + "\n"


@pytest.mark.parametrize(
    "heading",
    [
        *(" login | password       | host", "| id | login | password | n |", "login   mail   password   host"),
        *("login\tmail\tpassword\thost", "\u2502 login \u2502 password \u2502 host \u2502"),
    ],
)
def test_a_row_of_headings_is_no_netrc(heading: str) -> None:
    names = heading.replace("host", "QC1i7xDY77abcd") if "password" not in heading else heading
    row = (
        names.replace("login", "eve").replace("password", "QC1i7xDY77abcd").replace("mail", "e@x").replace("host", "h1")
    )
    text = f"{heading}\n{row}\n"
    assert redacted(text) == text.replace("QC1i7xDY77abcd", "<redacted:password>")


@pytest.mark.parametrize(
    "text",
    [
        *("machine h login ada password {}", "machine  h  login  ada  password  {}", "\tlogin ada\tpassword {}"),
        *("machine\th\tlogin\tada\tpassword\t{}", "login   ada   password   {}"),
    ],
)
def test_netrc_on_one_line_goes(text: str) -> None:
    assert redacted(text.format("Quartz7Velvet") + "\n") == text.format("<redacted:password>") + "\n"
