"""What mail and other texts carry in Base64 or quoted-printable is read as if it lay there plain."""

from __future__ import annotations

import base64
import gzip
import io
import quopri
import random
import zipfile
from email.mime.application import MIMEApplication
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opened_texts import texts

import slowlink
from slowlink.inputs import enclosed, wrapped
from slowlink.inputs.enclosed import Enclosures
from slowlink.inputs.stream import DamagedError
from slowlink.inputs.wrapped import unwrapped

LOG = "".join(
    f"mill {number}: wheel turns, status={number} of 40 and the water stands as high as it ever was\n"
    for number in range(40)
)
PLAIN = b"a line\nanother one: x=yes, y=30\n"
NOISE = random.Random(4).randbytes(5000)


def mail(*parts: MIMEText | MIMEApplication | MIMEImage) -> bytes:
    whole = MIMEMultipart()
    whole["Subject"] = "the mill"
    for part in parts:
        whole.attach(part)
    return whole.as_bytes()


def attached(data: bytes, name: str) -> MIMEApplication:
    part = MIMEApplication(data)
    part.add_header("Content-Disposition", "attachment", filename=name)
    return part


def passed(data: bytes, size: int = 1 << 18) -> tuple[bytes, list[tuple[str, bytes]]]:
    found = Enclosures()
    text = b"".join(unwrapped((data[at : at + size] for at in range(0, len(data), size)), found))
    return text, [(name, inner) for name, inner in found.taken()]


def zipped(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", data)
    return packed.getvalue()


def test_attachments_are_members(tmp_path: Path) -> None:
    whole = tmp_path / "mail.eml"
    whole.write_bytes(
        mail(
            MIMEText("See below.\n"),
            MIMEText(LOG, "plain", "utf-8"),
            attached(gzip.compress(LOG.encode()), "x.log.gz"),
            attached(zipped(LOG.encode()), "y.zip"),
            attached(b"ok\n", "short.txt"),
            attached(NOISE, "blob"),
            MIMEImage(b"\x89PNG\r\n\x1a\n" + NOISE, "png", name="mill.png"),
        )
    )
    found = texts(whole)
    assert found["!x.log.gz"] == found["!y.zip!a.log"] == (LOG.encode(), None, False)
    assert found["!short.txt"][0] == b"ok\n"
    assert found["!blob"] == (b"", "binary data, not read", True)
    assert found["!mill.png"] == (b"", "an image (PNG), not a log", False)
    unnamed = next(name for name, text in found.items() if text[0] == LOG.encode())
    assert unnamed.startswith("!Base64 in line ")


@pytest.mark.parametrize("size", [1, 7, 500, 1 << 18])
@pytest.mark.parametrize("columns", [64, 76])
def test_lines_of_base64_in_a_text(size: int, columns: int) -> None:
    code = base64.b64encode(LOG.encode())
    lines = b"".join(code[at : at + columns] + b"\n" for at in range(0, len(code), columns))
    for data in (PLAIN + lines, PLAIN + lines + PLAIN, PLAIN + lines.replace(b"\n", b"\r\n") + b"\r\n" + PLAIN):
        assert passed(data, size) == (data, [("Base64 in line 3", LOG.encode())])


@pytest.mark.parametrize(
    "around",
    [
        b"binaryData:\n  kern.log: %s\n",
        b'{"data": "%s", "kind": "ConfigMap"}\n',
        b"<log>%s</log>\n",
    ],
)
def test_values_in_one_line(around: bytes) -> None:
    for data in (LOG.encode(), gzip.compress(LOG.encode())):
        text = around % base64.b64encode(data)
        assert [each for _, each in passed(text)[1]] == [data]
    escaped = around % base64.encodebytes(LOG.encode()).rstrip().replace(b"\n", b"\\n")
    assert [each for _, each in passed(escaped)[1]] == [LOG.encode()]


@pytest.mark.parametrize(
    "data",
    [
        b"-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(b"\x30\x82" + NOISE) + b"-----END CERTIFICATE-----\n",
        b"-----BEGIN RSA PRIVATE KEY-----\n" + base64.encodebytes(NOISE) + b"-----END RSA PRIVATE KEY-----\n",
        b"ssh-rsa " + base64.b64encode(NOISE[:400]) + b" me@mill\n",
        b"token: " + base64.b64encode(NOISE) + b"\n",
        b"/usr/lib/" + b"directory/" * 20 + b"\n",
        b"x" * 400 + b"\n" + b"=" * 76 + b"\n",
        b"0123456789abcdef" * 8 + b"  a.bin\n",
        NOISE[:32].hex().encode() + b"\n" + NOISE[32:64].hex().encode() + b"\n",
        b'{"id": "' + NOISE[:32].hex().upper().encode() + b'"}\n',
    ],
)
def test_what_no_log_stands_in_is_passed_over(data: bytes) -> None:
    assert passed(data * 3) == (data * 3, [])


def test_records_of_one_form_hold_the_lines_of_one_file() -> None:
    lines = LOG.encode().splitlines()
    record = b'{"time": "2025-03-04T10:11:%02d", "stream": "out", "payload": "%s"}\n'
    data = b"".join(record % (at, base64.b64encode(line)) for at, line in enumerate(lines))
    assert passed(data)[1] == [("Base64 in line 1", LOG.encode())]
    keys = b"".join(b"node%02d: %s\n" % (at, base64.b64encode(line)) for at, line in enumerate(lines))
    assert [inner for _, inner in passed(keys)[1]] == lines


def test_data_of_no_known_kind_is_told() -> None:
    report = slowlink.analyze(PLAIN * 99 + base64.encodebytes(NOISE) + PLAIN)
    assert [each.problem for each in report.inputs if each.problem] == ["binary data, not read"]


def test_more_than_is_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed, "MOST", 1)
    code = base64.encodebytes(LOG.encode())
    with pytest.raises(DamagedError, match="not all were read"):
        passed(code + PLAIN + code)
    monkeypatch.setattr(wrapped, "LONGEST_LINE", 1000)
    with pytest.raises(DamagedError, match="was not searched"):
        passed(b"x: " + base64.b64encode(NOISE), 100)
    for digits in (b"9" * 3000, b"1e" + b"9" * 3000):
        assert passed(digits, 100) == (digits, [])  # a number, however long


def test_mail_in_mail_is_read_as_deep_as_archives(tmp_path: Path) -> None:
    data = LOG.encode()
    for _ in range(7):
        data = mail(attached(data, "inner.eml"))
    (tmp_path / "mail").write_bytes(data)
    assert any("packed more than 6 times over" in (problem or "") for _, problem, _ in texts(tmp_path).values())


HEADER = b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\n"


@pytest.mark.parametrize("size", [1, 7, 500, 1 << 18])
def test_quoted_printable_is_undone_and_lines_keep_their_numbers(size: int) -> None:
    code = quopri.encodestring(LOG.encode())
    assert code.count(b"=\n") == 40
    for before in (b"", HEADER, PLAIN):
        text = passed(before + code, size)[0]
        assert text.startswith(before)
        assert text[len(before) :].replace(b"\n\n", b"\n") == LOG.encode()
        assert text.count(b"\n") == (before + code).count(b"\n")


def test_a_body_that_somebody_decoded_stays() -> None:
    data = HEADER + b"mill x=yes\nstatus=12 here\n"
    assert passed(data) == (data, [])


@pytest.mark.parametrize(
    "line",
    [
        b"x y " * 18 + b"xyz=\n",
        b"x y " * 18 + b"xyz=\nshort\n",
        b"a=1 " * 18 + b"abc=\nstatus=3D12\n",
        b"rank=3D here\n",
        b"QUJD" * 18 + b"QQ=\n" + b"QUJD" * 18 + b"QQ=\nstatus=3D12\n",
        b"=" * 76 + b"\n" + b"=" * 76 + b"\nstatus=3D12\n",
    ],
)
def test_no_other_line_changes(line: bytes) -> None:
    assert passed(PLAIN + line + PLAIN)[0] == PLAIN + line + PLAIN


WORDS = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"=", b"=3D", b"--b", b"boundary=b\n", b"-----BEGIN X", b"a b"),
        *(b"A" * 76, b"QUJD" * 19, HEADER, b"Content-Transfer-Encoding: base64\n\n"),
    ]
)


@given(st.lists(st.binary(max_size=90) | WORDS, max_size=12), st.integers(1, 99))
def test_nothing_raises_and_lines_keep_their_numbers(parts: list[bytes], size: int) -> None:
    data = b"".join(parts)
    assert passed(data, size)[0].count(b"\n") == passed(data)[0].count(b"\n") == data.count(b"\n")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=60), st.sampled_from([64, 76, 1 << 20]))
def test_what_is_wrapped_is_read(text: str, columns: int) -> None:
    data = (text + " \n").encode()
    code = base64.b64encode(data)
    lines = b"".join(code[at : at + columns] + b"\n" for at in range(0, len(code), columns))
    assert passed(PLAIN + lines)[1] == [("Base64 in line 3", data)]
