"""A password with blanks in it goes whole where a cell, a quote, a mapping, a null byte or the line bounds it."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted

PHRASE = "korrekt pferd batterie 7Klammer"
FORMS = (
    '  "Args": [\n    "--passphrase",\n    "{}"\n  ]',
    'args:\n- --passphrase\n- "{}"\n- -x',
    "args:\n- --passphrase\n- {} # hers\n- -x",
    "- name: MY_PASSPHRASE\n  value: {}\n- name: A\n  value: b c",
    "env: [{{name: MY_PASSPHRASE, value: {}}}, {{name: A, value: b c}}]",
    " user | passphrase\n------+-----------\n eve  | {}\n ada  | {}",
    "| user | password |\n|---|---|\n| eve | `{}` |",
    'user,passphrase\neve,"{}"',
    'user;password\neve;"{}"',
    "x: {{user: eve, passphrase: {}, n: 3}}",
    "x: {{user: eve, db_password: {}}}",
    "| passphrase | {} |",
    "passphrase    {}",
    "USER  PASSPHRASE                       ROLE\neve   {}  admin",
    "ENV PASSPHRASE {}",
    "#7 [3/5] ENV MY_PASSPHRASE {}",
    'variable "bmc_password" {{\n  default = "{}"\n}}',
    "passphrase:\n  type: string\n  value: {}",
    "train\0--passphrase\0{}\0--x\0",
    "A=b\0MY_PASSPHRASE={}\0X=y\0",
    "tool\0--batch\0--passphrase={}\0--x\0",
)


@pytest.mark.parametrize("lead", ["", "[1,3]<stdout>: ", "gpu03: "])
@pytest.mark.parametrize("form", FORMS)
def test_a_phrase_goes_whole(form: str, lead: str) -> None:
    given = "".join(f"{lead}{line}\n" for line in form.format(PHRASE, PHRASE).split("\n")) + "step 4 loss 2.31\n"
    out = redacted(given)
    expected = [given.replace(PHRASE, f"<redacted:{kind}>") for kind in ("password", "secret")]
    assert out in expected
    assert redacted(out) == out
    assert redacted(given, 3, 40, 1, 25) == out


def test_a_phrase_goes_in_a_row_of_two_cells() -> None:
    assert redacted(f'db_passphrase,"{PHRASE}"\n') == 'db_passphrase,"<redacted:password>"\n'


def test_a_phrase_without_a_digit_goes_below_its_heading() -> None:
    text = "| user | passphrase |\n|---|---|\n| eve | korrekt pferd batterie |\n"
    assert redacted(text) == text.replace("korrekt pferd batterie", "<redacted:password>")


@pytest.mark.parametrize(
    "text",
    [
        *("| user | password |\n|---|---|\n| eve | must be changed |", "| password | was changed 3 days ago |", "| passphrase | not set |"),
        *("user, password, host\nwere asked for; gpu01 said that mlx5_0, mlx5_1 and mlx5_2 are up", "password    last changed 2026-11-22"),
        *("- name: NCCL_IB_HCA\n  value: mlx5_0 mlx5_1", "{{step: 4, pad_token: the end, n: 3}}", "passphrase: not set", "ENV NCCL_DEBUG INFO more"),
        *("<property>\n  <name>ranks</name>\n  <value>\n    mlx5a7bc\n  </value>\n</property>",),
    ],
)  # fmt: skip
def test_other_words_stay(text: str) -> None:
    assert redacted(text + "\n") == text + "\n"


@pytest.mark.parametrize("lead", ["", "[1,3]<stdout>: "])
@pytest.mark.parametrize(
    "text",
    [
        "<property>\n  <name>db.password</name>\n  <value>\n    {}\n  </value>\n</property>",
        "<property><name>db.password</name><value>\n    {}\n</value></property>",
        "<key>db_password</key>\n<string>\n  {}\n</string>",
        "<name>db.password</name>\n<value><![CDATA[\n{}\n]]></value>",
        "<name>db.password</name>\n<value>{}</value>",
    ],
)
def test_a_value_of_xml_on_a_line_of_its_own_goes(text: str, lead: str) -> None:
    given = "".join(f"{lead}{line}\n" for line in text.format("UX54e8e.Wuw9aB").split("\n"))
    out = redacted(given)
    assert out == given.replace("UX54e8e.Wuw9aB", "<redacted:secret>")
    assert redacted(out) == out
