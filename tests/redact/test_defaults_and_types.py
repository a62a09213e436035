"""What stands around a value: a default behind a reference, the type of it, a wrapper, the quotes of an argument."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted

_DEFAULTS = (
    ("password: ${DB_PASSWORD:kT9qLm4ZxW}", "password: ${DB_PASSWORD:<>}"),
    ("POSTGRES_PASSWORD: ${PW:-kT9qLm4ZxW}", "POSTGRES_PASSWORD: ${PW:-<>}"),
    ('db.password = "${env.PW:kT9qLm4ZxW}"', 'db.password = "${env.PW:<>}"'),
    ("  password: ${oc.env:PW,kT9qLm4ZxW}", "  password: ${oc.env:PW,<>}"),
)
_TYPES = (
    (' Password: (string) (len=12) "kT9qLm4ZxWqq",', ' Password: (string) (len=12) "<>",'),
    ("    DefaultPassword    REG_SZ    kT9q Lm!4ZxWqq", "    DefaultPassword    REG_SZ    <>"),
    (
        'Config {\n    password: Some(\n        "kT9qLm4ZxWqq",\n    ),',
        'Config {\n    password: Some(\n        "<>",\n    ),',
    ),
    ("password=SecretStr(\n  'kT9qLm4ZxWqq'\n)", "password=SecretStr(\n  '<>'\n)"),
)
_BELOW = (
    ("svc:kT9q/Lm4Zx@W@tcp(db1:3306)/slurm", "svc:<>@tcp(db1:3306)/slurm"),
    ("url=svc:kT9qLm4Zx@unix(/run/m.sock)/slurm", "url=svc:<>@unix(/run/m.sock)/slurm"),
    ("kinit svc@X <<EOF\nkT9qLm!4ZxWqq\nEOF\nnext", "kinit svc@X <<EOF\n<>\nEOF\nnext"),
    (
        " db_password\n-------------\n kT9qLm4ZxWqq\n aB3qLm4ZxW\n(2 rows)",
        " db_password\n-------------\n <>\n <>\n(2 rows)",
    ),
    ("token: !ENV ${TOKEN:-x}\npassword: !ENV ${PW:kT9qLm4ZxW}", "token: !ENV ${TOKEN:-x}\npassword: !ENV ${PW:<>}"),
)
_ARGUMENTS = (
    ('["app","--password=x!1abc y?2abc","--lr"]', '["app","--password=<>","--lr"]'),
    ("['app', '--password=x!1abc y?2abc', '--lr']", "['app', '--password=<>', '--lr']"),
    ('sh -c "run --password=abc12X --host=gpu1"', 'sh -c "run --password=<> --host=gpu1"'),
    ("echo -e 'PeC39xNSUg\\nPeC39xNSUg' | passwd root", "echo -e '<>' | passwd root"),
)
_WHOSE = (
    ("Kennwort für gpuadm: p7pN^GgIA", "Kennwort für gpuadm: <>"),
    ("contraseña de root: p7pN^GgIA", "contraseña de root: <>"),
    ("Le mot de passe du compte svc est : p7pN^GgIA", "Le mot de passe du compte svc est : <>"),
    ("Das Passwort lautet: p7pN^GgIA", "Das Passwort lautet: <>"),
    ("Password di accesso: p7pN^GgIA", "Password di accesso: <>"),
)


@pytest.mark.parametrize(("text", "expected"), [*_DEFAULTS, *_TYPES, *_BELOW, *_ARGUMENTS, *_WHOSE])
def test_the_value_goes_and_what_stands_around_it_stays(text: str, expected: str) -> None:
    clean = redacted(text + "\n")
    assert clean == expected.replace("<>", "<redacted:password>") + "\n"
    assert redacted(clean) == clean


def test_entries_of_a_map_in_xml_are_read_as_pairs() -> None:
    text = "<entry><string>password</string><string>kT9qLm4ZxWqq</string></entry>\n"
    assert redacted(text) == text.replace("kT9qLm4ZxWqq", "<redacted:secret>")


def test_an_output_is_read_as_a_variable_is() -> None:
    text = 'output "admin_password" {\n  value = "kT9qLm!4ZxWqq"\n}\n'
    assert redacted(text) == text.replace("kT9qLm!4ZxWqq", "<redacted:secret>")


def test_keys_of_a_tunnel_go_as_they_are_set_and_shown() -> None:
    key = "507cc00f34dcec2c5a42c22e3bb7df355bb2ddaf"
    text = (
        f"ip xfrm state add proto esp spi 0x1 auth 'hmac(sha1)' 0x{key} enc 'cbc(aes)' 0x{key[:32]}\n"
        f"\tauth-trunc hmac(sha1) 0x{key} 96\n\tenc cbc(aes) 0x{key[:32]}\n\taead rfc4106(gcm(aes)) 0x{key} 128\n"
    )
    expected = text.replace(f"0x{key}", "<redacted:key>").replace(f"0x{key[:32]}", "<redacted:key>")
    assert redacted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "kubelet: E1129 10:00:00 secret.go:188] Couldn't get secret default/regcred",
        "tests/test_password.py:123: in test_it",
        "credentials.rs:45:3",
        "check_passwd.cc:1234 Check failed",
        "password: ${DB_PASSWORD}",
        "password: ${DB_PASSWORD:-}",
        "token: ${HF_TOKEN:none}",
        'output "password_length" {\n  value = "16"\n}',
        'output "admin_password" {\n  value     = random_password.admin.result\n}',
        "dial tcp: svc@tcp(db1:3306)/slurm",
        "NetworkPlugin: auth none 0x12",
        "Das Passwort ist falsch: bitte erneut",
        "token\n-----\nis missing on node07\n",
        "password\n\nkT9qLm4ZxWqq\n",
        "python3 - <<EOF\nprint(1)\nEOF",
        "<name>topology</name><value>kT9qLm4ZxWqq</value>",
    ],
)
def test_places_in_sources_references_and_calls_stay(text: str) -> None:
    assert redacted(text + "\n") == text + "\n"
