"""Redacting what is redacted changes nothing, for every text, however it comes and however long its lines are."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slowlink.redact import Redactor

SECRET = "Zq7Xw9KfT2mN4bVc8RyL"


def redacted(text: str, longest_line: int = 1 << 20, lengths: tuple[int, ...] = ()) -> str:
    """``text`` redacted, given in pieces of ``lengths``, the rest at once."""
    redactor = Redactor(longest_line=longest_line)
    out = ""
    for length in lengths:
        out += redactor.feed(text[:length])
        text = text[length:]
    return out + redactor.feed(text) + redactor.finish()


def spread(*fragments: str) -> st.SearchStrategy[str]:
    return st.sampled_from(fragments)


# What the redactor reads, in pieces so small that they fit together in ways that nobody thought of.
_ARRAYS = spread(
    *('"env": [', '"env":', "'environ' : [", '"env": [\n', "[", "]", "],", "]\n", "{", "}", '"', '",', '", "'),
    *('"NCCL_DEBUG=INFO', '"NCCL_DEBUG=INFO", ', f'"MY_THING={SECRET}"', f'"X=a {SECRET}\n', "NCCL_ALGO=Ring\n", "\\"),
)
_NAMED = spread(
    *("HF_TOKEN=", "TOKEN=", "password: ", "--password ", "--api-key=", '"token": ', '"token", "', 'password=\\"'),
    *("client_secret = ", "AccountKey=", 'auth": ', "Pwd=", "token", "=", ": ", ",", ";", "'", "`", "$HOME", "null"),
)
_DUMPS = spread("HOME=/root\n", "HOME=", "\nSHELL=sh\n", "export ", "declare -x ", "node1: ", "X=", "[1,0]<stdout>:")
_KEYS = spread(
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN "),
    *("PRIVATE KEY-----", f"MIIE{SECRET}{SECRET}{SECRET}==\n", "DEK-Info: AES\n", "\\n"),
)
_KUBERNETES = spread(
    *(
        "name: A_TOKEN\n",
        '"name": "A_KEY", ',
        "- name: A_SECRET",
        "value: ",
        f'"value": "{SECRET}"',
        '[{"name": ',
        "name",
    ),
    *("data:\n", "  data: {\n", "stringData:\n", "  key: ", "    any: |\n", "c2VjcmV0cw==", "  ", "value"),
)
_HEADERS = spread(
    *("Authorization: ", "authorization=", "Bearer ", f"bearer {SECRET}", "Cookie: a=", "X-Api-Key: ", "Basic "),
    *(
        "https://",
        f"https://user:{SECRET}@host/",
        "http://a:",
        "@",
        "?sig=",
        f"&sig={SECRET}",
        "curl -u a:",
        "sshpass -p ",
    ),
)
_SHAPED = spread(
    SECRET, f"hf_{SECRET}", f"ghp_{SECRET}", f"sk-{SECRET}", f"eyJhbGciOiJI.{SECRET}.a", "hooks.slack.com/services/"
)
_FOLLOWED = spread(
    *(
        "password: |\n",
        "token:\n",
        "  - ",
        "secrets:\n",
        '"api_keys": [\n',
        "password = '",
        'password: """\n',
        "--password \\\n",
    ),
    *(
        "machine h\n",
        "  login u\n",
        f"  password {SECRET}\n",
        f"    {SECRET}\n",
        f"'{SECRET}'",
        '"password":\n',
        "tokens: [",
        "]",
    ),
    *("n1:1:1 [0] NCCL INFO x\n", "? password\n", "#", f"- {SECRET}\n", "\\\n", "- --token\n"),
)
_MARKUP = spread(
    *(
        "<password>",
        "</password>",
        "<password>\n",
        f"{SECRET}</",
        "<name>a.token</name>",
        "<name>a.token</name>\n",
        "<value>",
    ),
    *(f"<value>{SECRET}</value>", "<![CDATA[", '<add key="ApiKey" value="', "<", ">", "/>", "&gt;"),
)
_VARIABLES = spread(
    *(
        "ONE=1\n",
        f"TWO={SECRET}\n",
        "export A=1\n",
        "HOME=/root\n",
        "setenv HOME /r\n",
        f"setenv ONE {SECRET}\n",
        '"HOME": "/r",\n',
    ),
    *(
        f'"ONE": "{SECRET}",\n',
        "environ({'HOME': '/r', ",
        f"'ONE': '{SECRET}', ",
        "\0",
        "A=b\0",
        "\0HOME=/r\0",
        " HOME=/r PWD=/r ",
        "A=b ",
    ),
    *("X=password: |\n", 'X="env": [\n', "X=-----BEGIN PRIVATE KEY-----\n", "X='\n", "set -x A b\n", "NCCL_ALGO=a\n"),
)
_ARGUMENTS = spread(
    *(
        "docker login -p ",
        "mysql -p",
        "redis-cli -a ",
        "curl -u a:",
        "echo ",
        " | kinit ",
        "openssl -passin pass:",
        "snmpwalk -c ",
    ),
    *(
        "wandb login ",
        "htpasswd -b a ",
        "--from-literal=a=",
        " -P ",
        "ipmitool",
        "'mysql",
        '", "-p',
        "kinit <<< ",
        "lftp -u a,",
        ";",
        "|",
    ),
)
_COLOURS = spread("\x1b[0m", "\x1b[32m", "\x1b[", "\\u001b[1m", "m", "\x1b[K")
_ENCODED = spread(
    *(
        "cGFzc3dvcmQ9WnE3WHc5S2ZUMm1ONGJWYw==",
        "cGFzc3dvcmQ9WnE3WHc5S2ZUMm1ONGJW",
        "basic dTpwYXNzd29yZA==",
        "/",
        "-",
        "=",
    ),
    *("SEZfVE9LRU49YWJjMTIzNDU2\n", "YWJjZA==\n", "$6$abcdefgh$", "MUNGE:", "AGE-SECRET-KEY-1"),
)
_PROGRAMS = spread(
    *(
        "password ||= ",
        "api_key <- ",
        "token ?? '",
        " || '",
        ' -> "b1"',
        "' -> '",
        "password{'",
        "setToken('",
        "')",
        "'}",
    ),
    *(
        "(name, password) VALUES (",
        "'a', ",
        f"'{SECRET}'",
        "), (",
        "(password) values ('",
        "with password '",
        "<const> = ",
    ),
    *(
        "stringData: {",
        "data: {a: YWJjZGVm",
        ", b: ",
        "}",
        "::add-mask::",
        "::set-output name=token::",
        "-genv A_TOKEN ",
    ),
    *("https://c/t/", f"ab-{SECRET}/", "generated password: ", "is password for a b is ", "bindpw ", "a1B?"),
)
_MARKS = spread("<redacted:token>", '"<redacted:environment>"', "<redacted:", "<redacted:private-key>\n", ">")
_BETWEEN = spread("\n", " ", "  ", "\r\n", "\t", "a", "1", "word ", "\n    ")

fragments = st.one_of(
    *(_ARRAYS, _NAMED, _DUMPS, _KEYS, _KUBERNETES, _HEADERS, _SHAPED, _MARKS, _BETWEEN, st.text(max_size=3)),
    *(_FOLLOWED, _MARKUP, _VARIABLES, _ARGUMENTS, _COLOURS, _ENCODED, _PROGRAMS),
)
texts = st.lists(fragments, max_size=16).map("".join)
lengths = st.lists(st.integers(1, 40), max_size=12).map(tuple)


@given(texts)
@example('"env": [HF_TOKEN=x[{"name"')
@example("-HOME=/root\n<redacted:token>HOME=/root\n")
def test_twice_is_as_good_as_once(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


@given(texts, lengths, lengths)
def test_however_it_comes(text: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    once = redacted(text, lengths=first)
    assert once == redacted(text)
    assert redacted(once, lengths=second) == once


@given(texts, st.sampled_from([64, 100, 300]), lengths)
def test_lines_that_are_too_long_for_one_piece(text: str, longest_line: int, first: tuple[int, ...]) -> None:
    once = redacted(text, longest_line, first)
    assert once == redacted(text, longest_line)
    assert redacted(once, longest_line) == once


def test_an_array_stays_open_when_what_closed_it_is_taken_out() -> None:
    once = redacted('"env": [HF_TOKEN=x[{"name": 1},\n"HOME=/root"\n"NCCL_ALGO=Ring"],\n')
    assert once == '"env": [HF_TOKEN=<redacted:token>"\n"<redacted:environment>"\n"NCCL_ALGO=Ring"],\n'
    assert redacted(once) == once


def test_what_a_value_opened_is_open_though_the_value_is_taken_out() -> None:
    once = redacted(f'password=\\"- name: REGISTRY_TOKEN\n  value: {SECRET}\n  value: 1\n')
    assert once == 'password=\\"<redacted:password>\n  value: <redacted:secret>\n  value: 1\n'


def test_a_string_of_an_environment_is_closed_where_its_line_ends() -> None:
    once = redacted(f'"env": ["F=() {{\n {SECRET} \\"\n}}",\n "NCCL_ALGO=a\nb", "X={SECRET}\n"]\n1\n')
    assert once == ('"env": ["<redacted:environment>"\n,\n "NCCL_ALGO=a\nb", "<redacted:environment>"\n]\n1\n')
    assert redacted(once) == once


def test_the_end_of_a_line_is_not_written_twice() -> None:
    assert redacted("authorization=\r\ntoken: '\nCookie: \n1\n") == "authorization=\r\ntoken: '\nCookie: \n1\n"


def test_any_number_of_keys_on_a_line_is_taken_out() -> None:
    key = f"-----BEGIN PRIVATE KEY-----{SECRET}-----END PRIVATE KEY-----"
    assert redacted((key + ",") * 5_000) == "<redacted:private-key>," * 5_000


def test_a_long_line_is_not_cut_between_a_name_and_its_value() -> None:
    line = "word " * 1270 + "--password " + SECRET + " word" * 50
    assert line.index(SECRET) in range(6400 - 100, 6400)  # where a piece of 6400 is cut
    assert redacted(line, longest_line=6400) == line.replace(SECRET, "<redacted:password>")


def test_text_that_no_reading_settles_is_taken_out_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.redact.reading.line.redact_shapes", lambda text, removed, words: text + "x")
    assert redacted("token\n1\n") == "<redacted:line>\n1\n"
