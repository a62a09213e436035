"""Secrets that are known by their own form, whatever stands around them.

Source of the forms: what the issuers document (AWS, Google, GitHub, GitLab, Hugging Face, Slack, NVIDIA, npm, PyPI,
Docker; RFC 7519 for JSON web tokens, RFC 6750 for bearer tokens, RFC 3986 for user information in addresses).
"""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.replaced import replace_with

_KEYS = regex(
    r"(?<![A-Za-z\d])(?:"
    r"(?:AKIA|ASIA|AROA|AIDA)[A-Z\d]{12,124}"
    r"|gh[pousr]_[A-Za-z\d]{16,255}|github_pat_\w{16,255}|glpat-[\w-]{16,100}"
    r"|hf_[A-Za-z\d]{16,100}|api_org_[A-Za-z\d]{16,100}"
    r"|xox[a-z]-[A-Za-z\d-]{10,255}|xapp-[A-Za-z\d-]{10,255}"
    r"|AIza[\w-]{30,60}|ya29\.[\w-]{16,400}"
    r"|sk-[\w-]{20,255}|[rs]k_(?:live|test)_[A-Za-z\d]{16,100}|nvapi-[\w-]{16,200}"
    r"|npm_[A-Za-z\d]{30,60}|pypi-[\w-]{16,400}|dckr_(?:pat|oat)_[\w-]{16,100}|dop_v1_[a-f\d]{32,100}"
    r"|eyJ[\w-]{8,500}\.[\w-]{8,8000}(?:\.[\w-]{0,4000})?"
    r"|(?<=hooks\.slack\.com/services/)[\w/]{10,200}"
    r")"
)
_BEARER = regex(r"(?i:\bbearer)\s{1,4}(?P<value>(?=\S{0,200}\d)[\w.~+/=-]{8,8000}|[\w.~+/=-]{16,8000})")
_SIGNED = regex(r"(?i:[?&](?:sig|signature|x-amz-signature|x-goog-signature)=)(?P<value>[\w%+/=-]{8,1000})")
_PASSWORD_IN_ADDRESS = regex(r"[A-Za-z][\w+.-]{0,30}://[^\s/@:\"'<>]{0,200}:(?P<value>(?!<redacted:)[^\s/\"']{1,400})@")
_TOKEN_IN_ADDRESS = regex(
    r"[A-Za-z][\w+.-]{0,30}://(?P<value>(?=[^\s/@]{0,200}\d)[\w.~%+-]{20,400})(?=[:@][^\s/]{0,400})(?=[^\s/]{0,400}@|@)"
)
_SSHPASS = regex(r"\bsshpass\s{1,4}-p\s{0,4}[\"']?(?P<value>(?!<redacted:)[^\s\"']{1,400})")
_CURL_USER = regex(
    r"(?<=\s)(?:-u|--user|--proxy-user)[\s=]{1,4}[\"']?[^\s:\"']{1,100}:(?P<value>(?!<redacted:|\d{1,10}(?!\S))[^\s\"']{1,400})"
)

_SHAPES = (
    (_SIGNED, "signature"),
    (_PASSWORD_IN_ADDRESS, "password"),
    (_TOKEN_IN_ADDRESS, "token"),
    (_BEARER, "token"),
    (_SSHPASS, "password"),
)


def redact_shapes(text: str, removed: Counter[str]) -> str:
    """One line with everything of a known form replaced."""
    text = _KEYS.sub(lambda _: replace_with("key", removed), text)
    for pattern, kind in _SHAPES:
        text = _sub_value(pattern, kind, text, removed)
    return _sub_value(_CURL_USER, "password", text, removed) if "curl" in text or "wget" in text else text


def _sub_value(pattern: re.Pattern[str], kind: str, text: str, removed: Counter[str]) -> str:
    def put(match: re.Match[str]) -> str:
        begin, end = match.start("value") - match.start(), match.end("value") - match.start()
        return match[0][:begin] + replace_with(kind, removed) + match[0][end:]

    return pattern.sub(put, text)
