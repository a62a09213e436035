"""The headers of HTTP in which clients and servers tell who they are: ``Authorization``, ``Cookie``."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import replaced
from slowlink.redact.value_ends.quotes import end_of_line, quote_at

_ASKS = ask_for(
    ("authorization", "cookie", "x-api-key", "x-functions-key", "x-auth-token", "x-vault-token", "x-honeycomb-team")
)
_DIGEST = regex(r"\s{0,4}[Dd]igest\s")
_COOKIE_OF_A_FLOW = regex(r"0x[\da-fA-F]{1,16}(?![\w;=.-])")
"""Open vSwitch and RDMA's connection manager call numbers so. Source: ovs-fields(7)."""
_HEADER = regex(
    r"(?i:(?:proxy-)?authorization|x-api-key|x-functions-key|x-auth-token|x-vault-token|x-honeycomb-team|set-cookie|(?P<cookie>cookie))\\{0,3}[\"']?\s{0,4}[:=,]\s{0,4}\[?\s{0,4}"
)


def redact_headers(text: str, removed: Counter[str], words: int) -> str:
    """One line with the values of HTTP's authentication headers replaced, up to the quote that ends them. ``words``:
    what ``held`` says of it."""
    if not words & _ASKS:
        return text
    out: list[str] = []
    at = 0
    while (match := _HEADER.search(text, at)) is not None:
        quote = quote_at(text, match.end())
        if match["cookie"] is not None and _COOKIE_OF_A_FLOW.match(text, match.end()) is not None:
            out.append(text[at : match.end()])
            at = match.end()
            continue
        begin, end = (quote.begin, quote.end) if quote else _until_quote(text, match.end())
        if _DIGEST.match(text, begin) is not None and not quote:
            end = end_of_line(text, begin)
        out.append(text[at:begin])
        value = text[begin:end]
        harmless = "uthorization" not in match[0] and not looks_secret(value) and "=" not in value
        out.append(value if harmless else replaced(value, "authorization", removed))
        at = end
    out.append(text[at:])
    return "".join(out)


def _until_quote(text: str, start: int) -> tuple[int, int]:
    ends = [place for quote in "\"'" if (place := text.find(quote, start)) >= 0]
    return start, min(ends, default=end_of_line(text, start))
