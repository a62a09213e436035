"""A plan as text: exactly what would run, in order. ``--dry-run`` prints it; golden files keep it."""

from __future__ import annotations

from slowlink.model.plan import Plan, Step
from slowlink.nodes import fold
from slowlink.quoting import assignments, quote


def describe(plan: Plan) -> str:
    """The whole plan. ``{scratch}`` stands for the directory that the run makes for itself and removes."""
    lines = [f"# launcher: {plan.launcher}"]
    if plan.nodes:
        lines.append(f"# nodes: {fold(plan.nodes)} ({len(plan.nodes)})")
    lines += [f"# {line}" for line in plan.note.splitlines()]
    if plan.timeout_s is not None:
        lines.append(f"# ended after {plan.timeout_s:g} s")
    for file in plan.files:
        lines += ["", f"# file {{scratch}}/{file.path} (mode {file.mode:o})"]
        lines += [f"  | {line}".rstrip() for line in file.content.splitlines()]
    if plan.prepare:
        lines += ["", "# first, one after another"]
        lines += [_step(step) for step in plan.prepare]
    lines += ["", "# run"]
    lines += [f"{assignment} \\" for assignment in assignments(plan.env)]
    lines.append(quote(plan.argv))
    if plan.stdin is not None:
        lines += ["# with this input", *(f"  | {line}".rstrip() for line in plan.stdin.splitlines())]
    if plan.cleanup:
        lines += ["", "# afterwards, whatever happened"]
        lines += [_step(step) for step in plan.cleanup]
    return "\n".join(lines) + "\n"


def _step(step: Step) -> str:
    limit = "" if step.timeout_s is None else f"  # at most {step.timeout_s:g} s"
    return quote(step.argv) + limit
