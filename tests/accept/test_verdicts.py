"""Accepted is only what was measured, everywhere, and passed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accept.records import CHECKS, node
from slowlink.model.acceptance import AcceptedNode, Cell, CellState
from slowlink.workflows.accepting.limits import best_of, worst_state
from slowlink.workflows.accepting.verdict import headline_of, result_of

STATES: tuple[CellState, ...] = ("pass", "fail", "open", "not-measured")
states = st.sampled_from(STATES)
nodes = st.lists(st.builds(node, st.just("gpu01"), states, states), max_size=4)


def cluster(state: CellState) -> tuple[Cell, ...]:
    return (Cell("analysis", state, why="so"),)


@given(states, nodes)
def test_accepted_where_every_required_cell_passed_and_refused_where_any_failed(
    whole: CellState, every: list[AcceptedNode]
) -> None:
    required = [whole, *(c.state for n in every for c in (n.cells[0], *n.hcas[0].cells))]
    result = result_of(CHECKS, cluster(whole), every)
    expected = "refused" if "fail" in required else "accepted" if every and {*required} == {"pass"} else "incomplete"
    assert result == expected
    assert headline_of(result, CHECKS, cluster(whole), every)


def test_a_cell_that_is_not_there_is_not_passed() -> None:
    whole = node("gpu01", "pass", "pass")
    without = AcceptedNode("gpu01", "pass", whole.cells[1:], whole.hcas)
    assert result_of(CHECKS, cluster("pass"), [whole]) == "accepted"
    assert result_of(CHECKS, cluster("pass"), [without]) == "incomplete"
    assert result_of(CHECKS, (), [whole]) == "incomplete"
    assert result_of(CHECKS, cluster("pass"), []) == "incomplete"


def test_a_check_that_is_not_required_refuses_and_does_not_hold_up() -> None:
    failed = AcceptedNode(
        "gpu01", "pass", (Cell("state", "pass"), Cell("copies", "fail")), node("a", "pass", "pass").hcas
    )
    assert result_of(CHECKS, cluster("pass"), [failed]) == "refused"


@given(st.lists(st.tuples(st.booleans(), states.map(lambda state: Cell("state", state)))))
def test_a_node_is_as_bad_as_its_worst_required_cell(cells: list[tuple[bool, Cell]]) -> None:
    counting = {cell.state for needed, cell in cells if needed or cell.state == "fail"}
    worst = next((each for each in ("fail", "not-measured", "open", "pass") if each in counting), "not-measured")
    assert worst_state(cells) == worst


@given(st.lists(st.tuples(states, st.floats(0, 900)), min_size=1))
def test_of_several_measurements_one_that_failed_counts_then_the_highest(made: list[tuple[CellState, float]]) -> None:
    cells = [Cell("bandwidth", state, f"{value:.1f}") for state, value in made]
    best = best_of(cells)
    assert best is not None
    states_of = [state for state, _ in made]
    if "fail" in states_of or "pass" in states_of:
        assert best.state == ("fail" if "fail" in states_of else "pass")
    if best.state == "pass":
        assert float(best.measured) == max(float(cell.measured) for cell in cells if cell.state == "pass")
