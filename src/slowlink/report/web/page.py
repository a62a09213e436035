"""One page: its template, the frame around it, and what makes every text in it safe to look at."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from slowlink import __version__
from slowlink.model.history import StoredRun
from slowlink.report.escape import terminal_safe
from slowlink.report.history.runs import moment
from slowlink.report.template_files import new_environment, resource
from slowlink.report.web.words import short
from slowlink.report.wording import VERDICTS, number

if TYPE_CHECKING:
    from jinja2 import Environment

MENU = (("/", "Fleet"), ("/runs", "Runs"), ("/history", "History"), ("/compare", "Compare"))
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""No script and no style but our two files, nothing from elsewhere, and nobody may put a page into a frame."""
_MOST_ANSWER = 280


@cache
def style() -> str:
    """The report's own style sheet, and what these pages have beside it."""
    return resource("page.css") + resource("web/site.css")


@cache
def script() -> str:
    """The report's own."""
    return resource("page.js")


@cache
def _version(text: str) -> str:
    """So that a browser that keeps the file asks for another one after an upgrade."""
    return sha256(text.encode()).hexdigest()[:12]


def page(
    template: str,
    *,
    title: str,
    headline: str,
    here: str = "",
    verdict: str = "inconclusive",
    label: str = "",
    moment: str = "",
    menu: bool = True,
    **values: Any,
) -> bytes:
    """``here``: the word of the menu; ``verdict``: whose colour the page has; ``label``: stands above the headline;
    ``moment``: as of when it is, where that matters."""
    text = (
        _environment()
        .get_template(f"web/{template}")
        .render(
            title=f"{title} - slowlink",
            headline=headline,
            here=here,
            verdict=verdict if verdict in VERDICTS else "inconclusive",
            label=label,
            moment=moment,
            menu=MENU if menu else (),
            version=__version__,
            style_version=_version(style()),
            script_version=_version(script()),
            **values,
        )
    )
    return text.encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    made = new_environment(_safe)
    made.filters.update(short=short, thousands="{:,}".format, when=_when, answer=_answer, gbs=_gbs)
    made.filters["verdict_class"] = lambda verdict: verdict if verdict in VERDICTS else "inconclusive"
    return made


def _safe(value: object) -> object:
    """Of whatever is put into a page; what is markup already was made safe before it became that."""
    return terminal_safe(value) if type(value) is str else value


def _when(run: StoredRun) -> str:
    """A run of which nothing tells when it was measured has the day on which it was kept."""
    return moment(run.at) if run.at_basis == "bundle" else f"{moment(run.at)[:10]} kept"


def _answer(run: StoredRun) -> str:
    return short(run.headline.removeprefix(f"{run.verdict}: "), _MOST_ANSWER)


def _gbs(value: float | None) -> str:
    return "" if value is None else number(value)
