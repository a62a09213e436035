"""The tool ``explain``: what a cause or a rule means, how to confirm it and what to do."""

from __future__ import annotations

from slowlink.catalog.causes import all_causes
from slowlink.model.agents import ExplainAsked, Explained, RulePage
from slowlink.rules.engine import discover
from slowlink.rules.pages import page as whole_page
from slowlink.rules.pages import rule_page
from slowlink.workflows.agents.outgoing import cut
from slowlink.workflows.agents.reports import Readable

_PAGES, _PAGE_CHARS = 2, 6_000


def explained(asked: ExplainAsked, _readable: Readable) -> Explained:
    """Raises SlowlinkError for a name that is neither, with the nearest ones."""
    name = asked.name.strip().lower()
    whole_page(name)
    rules = [rule for rule in discover() if rule.id == name or name in rule.causes]
    rules.sort(key=lambda rule: rule.id != name)
    pages = tuple(RulePage(rule.id, cut(rule_page(rule), _PAGE_CHARS)) for rule in rules[:_PAGES])
    more = tuple(rule.id for rule in rules[_PAGES:])
    cause = all_causes().get(name)
    if cause is None:
        return Explained(name=name, title=rules[0].title, pages=pages, more_rules=more)
    return Explained(
        name=name,
        title=cause.title,
        meaning=cause.meaning,
        layer=cause.layer,
        shown_by=cause.proof,
        pages=pages,
        more_rules=more,
    )
