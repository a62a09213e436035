"""What each address shows."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.errors import SlowlinkError
from slowlink.model.fleet import STATES as WORST_FIRST
from slowlink.model.fleet import FleetNode
from slowlink.model.history import StoredRun
from slowlink.nodes import expand, fold
from slowlink.report.history.runs import moment
from slowlink.report.web.fleet import fleet_view
from slowlink.report.web.page import page
from slowlink.report.web.words import STATES
from slowlink.report.wording import VERDICTS, count
from slowlink.store.connect import Store
from slowlink.store.read import Filter, Place, count_runs, findings_of_run, runs_by_number, stored_runs
from slowlink.workflows.web.asked import Asked, address
from slowlink.workflows.web.fleet import sets_with
from slowlink.workflows.web.site import NoSuchPageError, Page, ShownReport, Site

_ROWS = 100
_RUNS = 50
_MOST_PAGES = 10_000
_WITHIN: Mapping[str, tuple[str, float | None]] = {
    "1d": ("the last day", 86_400.0),
    "7d": ("the last 7 days", 7 * 86_400.0),
    "": ("the last 30 days", 30 * 86_400.0),
    "all": ("all times", None),
}
_RUN_FIELDS = ("nodes", "node", "system", "command", "collective", "verdict", "cause", "since", "until")


def fleet_page(site: Site, store: Store, asked: Asked, now: float) -> bytes:
    """Nodes by checks."""
    if asked.within not in _WITHIN or asked.state not in ("", *WORST_FIRST) or asked.rows not in ("", "each"):
        raise SlowlinkError("within, state or rows is not one of those that the form offers", slug="asked-wrong")
    words, within_s = _WITHIN[asked.within]
    first = (asked.number_in("page") or 1) - 1
    if first >= _MOST_PAGES:
        raise NoSuchPageError
    fleet = site.fleet(store, within_s, now)
    chosen = [node for node in _of_set(fleet.nodes, asked.nodes) if asked.state in ("", node.state)]
    each = asked.rows == "each"
    within = f"of {words}"
    view = fleet_view(fleet, chosen, now, each=each, first=first * _ROWS, most=_ROWS, within=within)
    last = (first + 1) * _ROWS >= view.groups
    wishes = {**asked, "page": ""}
    counts = [
        (state, word, f"{number:,}", address("/", wishes, state="" if chosen else state), chosen)
        for state, word, number in view.counts
        for chosen in [state == asked.state]
    ]
    return page(
        "fleet.html", title="Fleet", headline=view.headline, here="Fleet", verdict=view.verdict, moment=moment(now),
        view=view, asked=asked, counts=counts, withins=[(value, name) for value, (name, _) in _WITHIN.items()],
        signs=[(state, *STATES[state]) for state in WORST_FIRST],
        newer=address("/", asked, page=str(first)) if first else "",
        older="" if last else address("/", asked, page=str(first + 2)),
    )  # fmt: skip


def _of_set(nodes: tuple[FleetNode, ...], folded: str) -> list[FleetNode]:
    if not folded:
        return list(nodes)
    wanted = set(expand(folded))
    return [node for node in nodes if node.name in wanted]


def runs_page(site: Site, store: Store, asked: Asked, now: float) -> bytes:
    """The list."""
    sets = None
    if asked.node:
        newest, _ = site.newest(store)
        sets = sets_with(asked.node, dict.fromkeys(run.nodes for run in newest if run.nodes))
    wanted = Filter(
        system=asked.system, nodes=fold(expand(asked.nodes)) if asked.nodes else "", collective=asked.collective,
        command=asked.command, cause=asked.cause, verdict=asked.verdict, node_sets=sets,
        since=asked.moment_in("since", now), until=asked.moment_in("until", now),
    )  # fmt: skip
    below, above = asked.place_in("before"), asked.place_in("after")
    before = Place(*below) if below else None
    after = Place(*above) if above else None
    found = stored_runs(store, wanted, _RUNS + 1, before=before, after=after)
    runs = found[-_RUNS:] if after is not None else found[:_RUNS]
    more = len(found) > _RUNS
    total = count_runs(store, wanted)
    fields = {name: asked[name] for name in _RUN_FIELDS}
    is_filtered = any(fields.values())
    newer = runs and (more if after is not None else before is not None)
    older = runs and (more or after is not None)
    return page(
        "runs.html", title="Runs", here="Runs",
        headline=f"{count(total, 'run')}{' as asked' if is_filtered else ''}",
        asked=asked, choices=site.choices(store), runs=runs, is_filtered=is_filtered,
        newer=address("/runs", fields, after=_place_of(runs[0])) if newer else "",
        older=address("/runs", fields, before=_place_of(runs[-1])) if older else "",
    )  # fmt: skip


def _place_of(run: StoredRun) -> str:
    return f"{run.at if run.at >= 1 else 0.0!r}_{run.id}"


def run_page(site: Site, store: Store, asked: Asked, _now: float) -> bytes:
    """One report, down to its lines."""
    from markupsafe import Markup

    run = run_of(store, asked.number_in("run"))
    shown = site.reports.get((site.history.opened, run.id), lambda: _shown(store, run))
    same = Filter(nodes=run.nodes, command=run.command)
    earlier = stored_runs(store, same, 1, before=Place(run.at, run.id)) if run.nodes else ()
    return page(
        "run.html", title=f"Run {run.id}", here="Runs", verdict=shown.verdict,
        label=VERDICTS.get(shown.verdict, shown.verdict), headline=shown.headline,
        run=run, before=earlier[0].id if earlier else 0, pairs=shown.has_pairs,
        body=Markup(shown.body),  # noqa: S704  our own page's, which escaped every text
        findings=() if shown.body else findings_of_run(store, run.id),
        why_no_body="The whole report is not here: it was too large to be kept, or it cannot be read any more. This is "
        "what the history knows of it.",
    )  # fmt: skip


def _shown(store: Store, run: StoredRun) -> ShownReport:
    from slowlink.report.html import body_markup
    from slowlink.report.view import short_headline
    from slowlink.report.web.pairs import has_pairs
    from slowlink.workflows.history.series import report_of_run

    report = report_of_run(store, run.id)
    if report is None:
        return ShownReport(run.verdict, run.headline.removeprefix(f"{run.verdict}: "), "", False)
    return ShownReport(report.verdict, short_headline(report), body_markup(report), has_pairs(report))


def pairs_page(_site: Site, store: Store, asked: Asked, _now: float) -> bytes:
    """Pairs of nodes that one run measured."""
    from markupsafe import Markup

    from slowlink.report.web.pairs import LEGEND, matrix_views
    from slowlink.workflows.history.series import report_of_run

    run = run_of(store, asked.number_in("run"))
    report = report_of_run(store, run.id)
    views = matrix_views(report) if report is not None else ()
    return page(
        "pairs.html", title=f"Pairs of run {run.id}", here="Runs", verdict=run.verdict,
        headline=f"Pairs of nodes that run {run.id} measured", run=run, legend=LEGEND,
        matrices=[(view, Markup(view.svg)) for view in views],  # noqa: S704  made by ElementTree
    )  # fmt: skip


def history_page(site: Site, store: Store, asked: Asked, now: float) -> bytes:
    """Series with their changes."""
    from markupsafe import Markup

    from slowlink.report.escape import cleaned
    from slowlink.report.history.series import conclusion, key_in_words, series_caption
    from slowlink.report.history.series_drawing import series_svg
    from slowlink.workflows.history.series import shown_series

    if asked.measure not in ("", "latency"):
        raise SlowlinkError("measure is not one of those that the form offers", slug="asked-wrong")
    wanted: dict[str, object] = {name: asked[name] for name in ("collective", "system") if asked[name]}
    if asked.nodes:
        wanted["nodes"] = fold(expand(asked.nodes))
    if (ranks := asked.number_in("ranks")) is not None:
        wanted["nranks"] = ranks
    shown, total = shown_series(
        store, wanted, size_bytes=asked.size_in("size"), latency=asked.measure == "latency",
        since=asked.moment_in("since", now), until=asked.moment_in("until", now),
    )  # fmt: skip
    series = []
    for each in cleaned(shown):
        key = key_in_words(each.key)
        lines = [(line.strip(), min(2, (len(line) - len(line.lstrip())) // 2)) for line in conclusion(each)]
        svg = Markup(series_svg(each, key, "/runs/"))  # noqa: S704  made by ElementTree
        series.append((key, series_caption(each), svg, lines))
    worse = sum(bool(each.changes) and each.changes[-1].outcome == "worse" for each in shown)
    asked_for = " as asked" if any(asked[name] for name in PAGES["history"].fields) else ""
    verdict = "degraded" if worse else "healthy" if any(each.enough for each in shown) else "inconclusive"
    told = f"; the newest change of {worse} of the {len(shown)} shown is for the worse" if worse else ""
    return page(
        "history.html", title="History", here="History", verdict=verdict,
        headline=f"{total:,} series{asked_for}{told}",
        asked=asked, choices=site.choices(store), series=series, others=total - len(shown),
    )  # fmt: skip


def compare_page(_site: Site, store: Store, asked: Asked, _now: float) -> bytes:
    """Two runs held against each other, as ``slowlink compare`` does."""
    from slowlink.comparison.compare import compare
    from slowlink.report.comparison_text import comparison_sections
    from slowlink.workflows.history.series import report_of_run

    numbers = asked.number_in("a"), asked.number_in("b")
    if None in numbers:
        return page(
            "compare.html", title="Compare", headline="Hold two runs against each other", here="Compare", asked=asked,
            old=None, new=None, sections=(),
        )  # fmt: skip
    old, new = (run_of(store, number) for number in numbers)
    reports = [report_of_run(store, run.id) for run in (old, new)]
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    word, headline = "", "The whole report of one of them is not here, so they cannot be compared."
    if reports[0] is not None and reports[1] is not None:
        found = compare(reports[0], reports[1], names=(f"run {old.id}", f"run {new.id}"))
        word, headline, sections = comparison_sections(found)
    verdict = {"SLOWER": "broken", "WORSE": "broken", "FASTER": "healthy", "SAME": "healthy", "UNCHANGED": "healthy"}
    return page(
        "compare.html", title=f"Runs {old.id} and {new.id}", headline=headline, here="Compare", label=word,
        verdict=verdict.get(word, "inconclusive"), asked=asked, old=old, new=new, sections=sections,
    )  # fmt: skip


def run_of(store: Store, number: int | None) -> StoredRun:
    """Raises NoSuchPageError."""
    found = runs_by_number(store, [number]) if number is not None else {}
    if number not in found:
        raise NoSuchPageError
    return found[number]


PAGES: Mapping[str, Page] = {
    "fleet": Page(("nodes", "state", "within", "rows", "page"), fleet_page),
    "runs": Page((*_RUN_FIELDS, "before", "after"), runs_page),
    "run": Page((), run_page),
    "pairs": Page((), pairs_page),
    "history": Page(("collective", "system", "nodes", "ranks", "size", "measure", "since", "until"), history_page),
    "compare": Page(("a", "b"), compare_page),
}
