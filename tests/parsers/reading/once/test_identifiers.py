"""Identifiers in hexadecimal digits: which are one, and what of them still counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.identifiers import blind_to_identifiers, in_python
from slowlink.parsers.forms.lines import shape_of


def blind(text: str) -> bytes:
    return blind_to_identifiers(shape_of(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("UUID: GPU-51099ab4-cee3-9a6a-1ea1-902917e03afc)", "UUID: GPU-6f0e1c22-dab8-1b2c-7cc1-5e6f00d1a2b3)"),
        ("node_guid:\ta088:c203:0878:bea9", "node_guid:\tb8ce:f603:0012:fa10"),
        ("Port GUID: 0xa088c20da07adba7", "Port GUID: 0xb12ef70111223344"),
        ("id cafebeef0123456789", "id abcd0abcd0abcd0abc"),
    ],
)
def test_identifiers_of_one_form_are_one(one: str, other: str) -> None:
    assert shape_of(one) != shape_of(other)
    assert blind(one) == blind(other)


@pytest.mark.parametrize(
    "text",
    [
        "class 0302 device 10de",
        "a facade, defaced",
        "6ec9dbe2-0bad-4dbe-9bad-00dbe0bad000",
        "deadbeef",
        "12345678",
        "0000:00:00.0",
        "x_deadbee0",
        "Xdeadbee0",
    ],
)
def test_words_numbers_and_short_codes_stay_as_they_are(text: str) -> None:
    assert blind(text) == shape_of(text)


@given(st.text("00aabcdefABECF-:-x_ g\xe9.", max_size=150))
def test_machine_code_says_the_same(text: str) -> None:
    assert blind_to_identifiers(shape_of(text)) == in_python(shape_of(text))


@pytest.mark.parametrize("groups", [9, 10, 11, 21])
@pytest.mark.parametrize("length", [1, 63, 64, 65])
def test_also_of_many_groups_and_long_ones(groups: int, length: int) -> None:
    kinds = (b"0a" * (length // 2) + b"0" * (length % 2), b"a" * length, b"0" * length)
    shape = b"0x" + b"-".join(kinds[at % 3] for at in range(groups))
    assert blind_to_identifiers(shape) == in_python(shape)


@given(st.text("0123456789abcfABF-:. xg", max_size=60))
def test_its_length_and_where_its_groups_begin_stay(text: str) -> None:
    shape, seen = shape_of(text), blind(text)
    assert len(seen) == len(shape)
    assert blind_to_identifiers(seen) == seen
    for before, after in zip(shape, seen, strict=True):
        assert (chr(before) in "-:. xg") == (chr(after) in "-:. xg")
