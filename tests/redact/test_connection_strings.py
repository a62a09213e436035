"""Values in braces, as ODBC and ADO write them, and what looks like them and is a reference or a mapping."""

from __future__ import annotations

import pytest

from slowlink.redact import Redaction

NAMES = ("Password", "PWD", "pwd", "Pw", "bindpw", "Secret", "AccessToken", "api_key", "ClientSecret", "AuthToken")
VALUES = ("Vq8mZr3Lx", "two words", "a;b}}c", "{open", "short", "x=1,y", "p'q", "n12-345", "semi;colon=Db=x")
AROUND = (
    "Server=sql7;UID=ada;~={@};Encrypt=yes",
    "Driver={ODBC Driver 18 for SQL Server};Server=sql7;~={@}",
    "File \"db.py\", line 3: connect('Server=sql7;UID=ada;~={@}')",
    'db = "Server=sql7;~ = {@};Database=runs"',
    "jdbc:sqlserver://sql7:1433;user=ada;~={@};encrypt=true;",
)
LEADS = ("", "[1,3]<stderr>:", "Nov 28 08:01:02 gpu07 app[12]: ", "worker-3 | ")


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", NAMES)
def test_values_in_braces_go_up_to_the_one_that_closes_them(name: str, around: str) -> None:
    surviving = []
    for value in VALUES:
        for lead in LEADS:
            text = lead + around.replace("~", name).replace("@", value) + "\n"
            out = Redaction().text(text)
            begin, _, end = text.partition("{" + value + "}")
            kept = out.startswith(begin + "{<redacted:") and out.endswith(">}" + end)
            if not kept or Redaction().text(out) != out:
                surviving.append((text, out))
    assert surviving == []


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("Password={Vq8mZr3Lx}", "Password={<redacted:password>}"),
        ("Server=a;Pwd={Vq8mZr3Lx", "Server=a;Pwd={<redacted:password>"),
        ("Server=a;Password=\"x;y\"\"z\";Db=b", "Server=a;Password=\"<redacted:password>\";Db=b"),
        ("Server=a;Password='x;y''z';Db=b", "Server=a;Password='<redacted:password>';Db=b"),
        ('token={"value": "Vq8mZr3Lx", "b": 1}', 'token={"value": "<redacted:token>", "b": 1}'),
        # a name of a setting that is one of a command, too
        ("rootPw = Vq8-mZr3Lx!7", "rootPw = <redacted:password>"),
        ('"rootPw" => "Vq8mZr3Lx"', '"rootPw" => "<redacted:password>"'),
    ],
)  # fmt: skip
def test_other_writings(text: str, out: str) -> None:
    assert Redaction().text(text) == out


@pytest.mark.parametrize(
    "text",
    [
        "Server=a;Pwd={password};Db=x",
        "x = f'Server=a;PWD={pw};Db=b'",
        "Server=a;Pwd={0};Db=x",
        "Server=a;Pwd={cfg.db_password!r};Db=x",
        "Server=a;Pwd={{{pw}}};Db=x",
        "token={}; next",
        "algo={Ring};proto={Simple};token={none};",
    ],
)
def test_references_stay(text: str) -> None:
    assert Redaction().text(text) == text
