"""The record of an acceptance as JSON, and its seal: SHA-256 over its content in one canonical form.

The seal shows that a record, and what its sum is known of, is unchanged. It is no signature: whoever can write a record
can write another one with another seal.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from msgspec import DecodeError, ValidationError, to_builtins
from msgspec.json import decode
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.model.acceptance import ACCEPTANCE_SCHEMA, Acceptance
from slowlink.patterns import regex

MOST_BYTES = 512 << 20
"""Of a record that is read: that of 10,000 nodes has a quarter of it."""
_FAMILY = "slowlink.acceptance/"
_SCHEMA = regex(r'"schema": ?"slowlink\.acceptance/([0-9]{1,6})"')


def seal_of(record: Acceptance) -> str:
    """SHA-256, in hexadecimal, of the record without its seal: JSON in ASCII, keys sorted, no spaces."""
    plain: dict[str, Any] = to_builtins(record)
    del plain["seal"]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def sealed(record: Acceptance) -> Acceptance:
    return replace(record, seal=seal_of(record))


def record_text(record: Acceptance) -> str:
    """The record as it is written: JSON in ASCII, a space deep. A record has one such text and no other."""
    return json.dumps(to_builtins(record), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def record_from(data: bytes) -> Acceptance:
    """A record as it was written, or changed: ``what_differs`` tells. Raises SlowlinkError: ``acceptance-unknown``
    for what is none, ``acceptance-newer`` for a later schema, ``acceptance-invalid`` for what does not fit."""
    found = _SCHEMA.search(data[:200].decode("ascii", "replace"))
    if found is None:
        raise SlowlinkError(
            "this is no record of an acceptance: its 'schema' is not 'slowlink.acceptance/N'",
            hint="give the .json file that `slowlink accept -o` wrote",
            slug="acceptance-unknown",
        )
    if int(found.group(1)) > int(ACCEPTANCE_SCHEMA.removeprefix(_FAMILY)):
        raise SlowlinkError(
            f"this record has schema {_FAMILY}{found.group(1)}, and this slowlink reads up to {ACCEPTANCE_SCHEMA}",
            hint="check it with the version of slowlink that wrote it, or upgrade slowlink",
            slug="acceptance-newer",
        )
    try:
        return decode(data, type=Acceptance)
    except (DecodeError, ValidationError, RecursionError, UnicodeError) as error:
        raise SlowlinkError(
            f"this record was changed: {error}",
            hint="slowlink accept --schema prints what a record is",
            slug="acceptance-invalid",
        ) from error


def what_differs(record: Acceptance, data: bytes) -> str:
    """In what the file ``data`` is not the record that its seal was made of; "" where it is."""
    if seal_of(record) != record.seal:
        return f"its content has the seal {seal_of(record)}, and it says {record.seal[:80] or 'none'}"
    try:
        written = record_text(record).encode("ascii")
    except ValueError:  # no number of ours
        return "it holds what slowlink does not write"
    return "" if written == data else "its content is that of its seal, and the file is not as slowlink writes it"
