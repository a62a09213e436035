"""What stands in another text, escaped, is redacted as it would be alone; the rest is kept as it was written."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redact.harmless import ALL
from redact.planted import all_templates, planted
from redact.test_planted import redacted
from slowlink.redact.escapes import redact_escaped

DRESSES: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps({"log": text + "\n"}),
    "JSON in JSON": lambda text: json.dumps({"log": json.dumps({"msg": text}) + "\n"}),
    "argument": lambda text: f"level=info cmd={json.dumps(text)}",
    "address": lambda text: f"GET /run?next=%2Fa&q={quote(text, safe='')} 200",
    "page": lambda text: f"<td>{html.escape(text)} &lt;</td>",
    "word of a shell": lambda text: "+ ssh gpu01 'true; " + text.replace("'", "'\\''") + "'",
    "word of shlex": lambda text: f"bash -c {shlex.quote(text)}",
    "syslog": lambda text: f"Nov  2 10:00:00 gpu01 run[3]: begun#012{text}#012#011done",
    "cell": lambda text: '3,"a ""b"" ' + text.replace('"', '""') + '",4',
}
ONE_LINE = [
    (topic, template)
    for topic, template in all_templates()
    if topic in ("arguments", "json", "xml", "yaml", "shell") or topic.startswith(("cloud", "code", "service"))
    if "\n" not in template and "\0" not in template
]


@pytest.mark.parametrize("dress", DRESSES)
def test_no_secret_of_one_line_survives_in_another_text(dress: str) -> None:
    assert len(ONE_LINE) > 100
    surviving = []
    for _, template in ONE_LINE:
        one = planted(template, 1)
        text = DRESSES[dress](one.text)
        out = redacted(text)
        if any(secret in text and secret in out for secret in one.secrets) or redacted(out) != out:
            surviving.append((template, out))
    assert surviving == []


@pytest.mark.parametrize("dress", DRESSES)
def test_harmless_lines_stay_in_another_text(dress: str) -> None:
    changed = [(line, out) for line in ALL if (out := redacted(DRESSES[dress](line))) != DRESSES[dress](line)]
    assert changed == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r'{"log":"{\"name\": \"REDIS_PASSWORD\", \"value\": \"kalomi7X\"}\n","at":1}',
            r'{"log":"{\"name\": \"REDIS_PASSWORD\", \"value\": \"<redacted:secret>\"}\n","at":1}',
        ),
        (
            r'{"MESSAGE":"<entry key=\"db.password\">kalomi7X</entry> \u00e9\/"}',
            r'{"MESSAGE":"<entry key=\"db.password\"><redacted:secret></entry> \u00e9\/"}',
        ),
        (r'{"log":"\u5bc6\u7801: kalomi7X\n"}', r'{"log":"\u5bc6\u7801: <redacted:password>\n"}'),
        (
            r'{"log":"a\tb setx ADMIN_PASSWORD \"kalomi7X\""}',
            r'{"log":"a\tb setx ADMIN_PASSWORD \"<redacted:password>\""}',
        ),
        (
            r'{"log":"{\"password\": 48151623, \"n\": 1}"}',
            r'{"log":"{\"password\": \"<redacted:password>\", \"n\": 1}"}',
        ),
        ("/cb?next=%2Fx%3Ftoken%3Dkalomi7X%26n%3D1", "/cb?next=%2Fx%3Ftoken%3D<redacted:token>%26n%3D1"),
        (
            "to=tcp%3A%2F%2Fbob%3Akalomi7X%40n1%3A4711 caf%C3%A9",
            "to=tcp%3A%2F%2Fbob%3A<redacted:password>%40n1%3A4711 caf%C3%A9",
        ),
        ("x%253Dhf_" + "aB3" * 12 + "%2526y", "x%253D<redacted:key>%2526y"),
        (
            r"+ ssh n1 'echo '\''kalomi7X'\'' | sudo -S id; echo '\''a b'\'''",
            r"+ ssh n1 'echo '\''<redacted:password>'\'' | sudo -S id; echo '\''a b'\'''",
        ),
        ("run[3]: a#012password: kalomi7X#012#011b", "run[3]: a#012password: <redacted:password>#012#011b"),
        ('{"name": "PASSWORD", "value": "kalomi7X"}', '{"name": "PASSWORD", "value": "<redacted:secret>"}'),
    ],
)
def test_what_is_kept_stays_as_it_was_written(text: str, expected: str) -> None:
    assert redacted(text) == expected
    assert redacted(expected) == expected


@given(st.text(st.sampled_from("ab\"\\'%&;=3Dnu00e9lt#12\u00e9 <>")))
def test_where_nothing_is_taken_out_nothing_changes(text: str) -> None:
    assert redact_escaped(text, lambda inner: inner) == text


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_what_surrounds_a_secret_reads_the_same(before: str, after: str) -> None:
    text = json.dumps(f"{before}\nSECRET{after}")
    clean = redact_escaped(text, lambda inner: inner.replace("SECRET", "<redacted:key>"))
    assert json.loads(clean) == json.loads(text).replace("SECRET", "<redacted:key>")
