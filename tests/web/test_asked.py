"""What an address asks for is bounded, and what is no wish is refused in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.workflows.web.asked import Asked, address, asked

FIELDS = ("nodes", "since", "page", "size", "before")
NOW = 1_800_000_000.0


def test_known_fields_are_taken_and_go_back_into_an_address() -> None:
    given_fields = asked("nodes=gpu%5B01-04%5D&page=2&evil=1&since=&nodes=b", FIELDS)
    assert given_fields == {"nodes": "b", "page": "2"}
    assert given_fields["size"] == ""
    assert address("/", given_fields, page="3") == "/?nodes=b&page=3"
    assert address("/", {"nodes": ""}) == "/"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30d", NOW - 30 * 86_400), ("12h", NOW - 12 * 3600), ("2026-01-31", 1_769_817_600.0), ("999999w", 0.0)],
)
def test_times(text: str, seconds: float) -> None:
    assert Asked(since=text).moment_in("since", NOW) == seconds


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: asked("x" * 5000, FIELDS),
        lambda: asked("nodes=" + "x" * 2000, FIELDS),
        lambda: asked("&".join(f"a{number}=1" for number in range(50)), FIELDS),
        lambda: Asked(page="0").number_in("page"),
        lambda: Asked(page="99999999999").number_in("page"),
        lambda: Asked(page="²").number_in("page"),
        lambda: Asked(page="-1").number_in("page"),
        lambda: Asked(since="yesterday").moment_in("since", NOW),
        lambda: Asked(size="1e9Z").size_in("size"),
        lambda: Asked(before="1_99999999999").place_in("before"),
        lambda: Asked(before="nan_1").place_in("before"),
    ],
)
def test_what_is_no_wish_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(SlowlinkError) as refused:
        wrong()
    assert refused.value.slug == "asked-wrong"
    assert len(refused.value.message) < 250


@given(st.text(max_size=300))
def test_any_query_is_read_or_refused(query: str) -> None:
    try:
        found = asked(query, FIELDS)
        for read in (found.number_in, found.size_in, found.place_in, lambda name: found.moment_in(name, NOW)):
            read("since")
    except SlowlinkError as error:
        assert error.slug == "asked-wrong"  # noqa: PT017  (whether it is raised is not the question)
