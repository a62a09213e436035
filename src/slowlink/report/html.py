"""The report as one self-contained HTML page: no request leaves it, and it reads without JavaScript and on paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from slowlink.exits import DEFAULT_FAIL_ON
from slowlink.model.report import Report
from slowlink.report.distributions import caption, distribution_svg, distributions
from slowlink.report.figures import curve_svg, curves
from slowlink.report.presented import presented
from slowlink.report.template_files import new_environment, resource
from slowlink.report.transport_cards import CLASSES, cards
from slowlink.report.view import NOTHING_KNOWN, InputView, view_of

if TYPE_CHECKING:
    from jinja2 import Environment

FORMAT = "html"
_MOST_INPUTS = 200
"""A list of more is no page that somebody reads; the JSON report has each."""


def _csp(script: str) -> str:
    """Nothing may be loaded, and only this very script may run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def is_link(reference: str) -> bool:
    """Only these become links; anything else (``javascript:``) stays text."""
    return reference.startswith(("https://", "http://"))


def render_text(
    report: Report, *, color: bool | None = None, width: int | None = None, fail_on: str = DEFAULT_FAIL_ON
) -> str:
    """The page. Its pictures are SVG, and its one script is our own."""
    del color, width, fail_on
    from markupsafe import Markup

    script = resource("page.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            **_values(report),
            csp=Markup(_csp(script)),  # noqa: S704  made of constants and base64
            style=Markup(resource("page.css")),  # noqa: S704  our own file
            page_script=Markup(script),  # noqa: S704  our own file
        )
    )


def body_markup(report: Report) -> str:
    """What stands between the page's head and its foot, as HTML: for a page that has a head of its own."""
    return _environment().get_template("report_body.html").render(**_values(report))


@cache
def _environment() -> Environment:
    made = new_environment()
    made.tests["link"] = is_link
    return made


def _told_inputs(inputs: Sequence[InputView]) -> tuple[InputView, ...]:
    """Those that are listed: all, or of thousands (files of each node) those that somebody may look for."""
    if len(inputs) <= _MOST_INPUTS:
        return tuple(inputs)
    ranked = sorted(inputs, key=lambda each: (not each.problem, each.kinds != NOTHING_KNOWN, -each.unread))
    return tuple(ranked[:_MOST_INPUTS])


def _values(report: Report) -> dict[str, Any]:
    from markupsafe import Markup

    clean = presented(report)
    view = view_of(clean)
    picture = cards(clean.transports) if clean.transports is not None else ()
    return {
        "view": view,
        "inputs": _told_inputs(view.inputs),
        "curves": [(curve, Markup(curve_svg(curve))) for curve in curves(clean)],  # noqa: S704  made by ElementTree
        "distributions": [
            (item, caption(item), Markup(distribution_svg(item)))  # noqa: S704  made by ElementTree
            for item in distributions(clean)
        ],
        "cards": [(card, Markup(card.svg)) for card in picture],  # noqa: S704  made by ElementTree
        "legend": [item for item in CLASSES if any(item[0] in card.kinds for card in picture)],
    }
