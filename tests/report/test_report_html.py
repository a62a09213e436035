from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace
from sample_reports import HOSTILE, SAMPLES, bimodal, curve, degraded, healthy, hostile, sweep

from slowlink.model.report import Suspect
from slowlink.report import render
from slowlink.report.distributions import caption, distribution_svg, distributions
from slowlink.report.figures import curve_svg, curves, nice_ceiling, size_ticks


class Page(HTMLParser):
    """Collects elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_loads_nothing(name: str) -> None:
    page = Page(render(SAMPLES[name](), "html"))
    loading = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "manifest"}
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base", "form"}
        assert not loading & set(attributes)
        assert tag == "a" or "href" not in attributes
        assert not any(attribute.startswith("on") for attribute in attributes)


@pytest.mark.parametrize("name", SAMPLES)
def test_only_our_own_scripts_may_run(name: str) -> None:
    text = render(SAMPLES[name](), "html")
    page = Page(text)
    policy = next(a["content"] for t, a in page.elements if t == "meta" and a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert len(page.scripts) == policy.count("'sha256-") == 1


def test_the_charset_is_declared_before_anything_else() -> None:
    text = render(hostile(), "html")
    assert text.index('<meta charset="utf-8">') < 100
    text.encode("utf-8")


def test_hostile_text_stays_text() -> None:
    text = render(hostile(), "html")
    assert HOSTILE not in text
    assert "<img" not in text


def test_only_web_addresses_become_links() -> None:
    links = [a["href"] for tag, a in Page(render(hostile(), "html")).elements if tag == "a"]
    assert links == []
    links = [a["href"] for tag, a in Page(render(degraded(), "html")).elements if tag == "a"]
    assert links == ["https://docs.nvidia.com/cuda/gpudirect-rdma/"]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_page_is_small_enough_to_be_mailed(name: str) -> None:
    assert len(render(SAMPLES[name](), "html")) < 100_000


def test_a_curve_shows_both_placements_the_band_and_the_bound() -> None:
    (drawn,) = curves(degraded())
    assert [placement for placement, _, _ in drawn.series] == ["out_of_place", "in_place"]
    assert drawn.expected is not None
    assert (drawn.expected.low, drawn.expected.high, drawn.top, drawn.sizes[-1]) == (36.0, 40.0, 50.0, 1 << 33)
    svg = curve_svg(drawn)
    assert svg.count("<polyline") == 2
    assert 'class="band"' in svg
    assert "expected 36-40 GB/s" in svg


def test_a_curve_leaves_out_points_in_doubt_and_needs_two_sizes() -> None:
    points = [replace(point, doubt="torn") for point in curve(9.4, 4e6)]
    assert curves(replace(healthy(), sweeps=(sweep(tuple(points)),))) == ()
    assert curves(replace(healthy(), sweeps=(sweep(curve(9.4, 4e6)[:2]),))) == ()


@pytest.mark.parametrize(("value", "top"), [(9.4, 10), (388, 400), (392, 400), (399, 500), (0.03, 0.04), (0, 1)])
def test_an_axis_ends_at_a_round_number(value: float, top: float) -> None:
    assert nice_ceiling(value) == pytest.approx(top)


def test_ticks_are_powers_of_two() -> None:
    assert size_ticks((8, 1 << 33)) == [1 << power for power in range(3, 34, 4)]
    assert size_ticks((1024, 4096)) == [1024, 2048, 4096]


def test_iterations_and_repeated_rows_show_their_two_groups() -> None:
    iterations, rows = distributions(bimodal())
    assert caption(iterations) == "28 iterations around 22 ms, 12 around 232 ms"
    assert caption(rows) == "4 rows around 389 GB/s, 3 around 33.1 GB/s"
    svg = distribution_svg(iterations)
    assert len(re.findall('class="dot fast"', svg)) == 28
    assert len(re.findall('class="dot slow"', svg)) == 12
    # Small is slow for a bandwidth.
    assert len(re.findall('class="dot slow"', distribution_svg(rows))) == 3


def test_one_group_is_one_colour() -> None:
    times = tuple(100.0 + index % 3 for index in range(30))
    points = (*curve(9.4, 4e6)[:-1], replace(curve(9.4, 4e6)[-1], iterations_us=times))
    (item,) = distributions(replace(healthy(), sweeps=(sweep(points),)))
    assert item.split is None
    assert caption(item) == "30 iterations: median 0.1 ms, from 0.1 to 0.1"
    assert "slow" not in distribution_svg(item)


def test_several_causes_are_told_on_the_first_screen_with_links() -> None:
    first = degraded().diagnoses[0]
    nodes = tuple(Suspect("node", f"node{number:02d}") for number in range(12))
    second = replace(first, cause="port-down", title="A port is down", severity="warning", suspects=nodes)
    report = replace(degraded(), diagnoses=(first, second), facts={"nnodes": 64})
    page = Page(render(report, "html"))
    links = [
        attributes["href"]
        for tag, attributes in page.elements
        if tag == "a" and (attributes.get("href") or "").startswith("#")
    ]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert links == ["#finding-1", "#finding-2"]
    assert [f"#{each}" for each in ids] == links
    assert "<td>12 of 64 nodes</td>" in render(report, "html")


def test_the_only_cause_needs_no_table() -> None:
    assert 'class="overview"' not in render(degraded(), "html")


def test_of_thousands_of_inputs_those_with_a_problem_are_listed() -> None:
    """A page of 10,000 nodes had a list of all their files."""
    first = degraded().inputs[0]
    many = tuple(replace(first, path=f"gpu{number:04d}.txt", unread=0, problem=None) for number in range(5000))
    sick = replace(first, path="torn.txt", problem="the file ends within a line")
    page = render(replace(degraded(), inputs=(*many, sick)), "html")
    assert page.count('<div class="input">') == 200
    assert page.index("torn.txt") < page.rindex("gpu0000.txt")
    assert "5,001 inputs, " in page
    assert "Listed are 200: " in page
    assert len(page) < 200_000
    assert "Listed are" not in render(degraded(), "html")
