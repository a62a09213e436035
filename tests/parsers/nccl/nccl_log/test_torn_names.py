"""Processes whose name was torn are those that they were torn from; two hosts of similar names stay two."""

from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.nccl import LogProcess
from slowlink.parsers.nccl.nccl_log.torn_names import mend_processes

_NAMES = st.text("an1", min_size=1, max_size=5)
_PROCESSES = st.builds(LogProcess, _NAMES, st.integers(1, 2), st.none())


def _lost_a_piece(torn: str, whole: str) -> bool:
    cuts = range(len(torn) + 1)
    return len(torn) < len(whole) and any(whole.startswith(torn[:cut]) and whole.endswith(torn[cut:]) for cut in cuts)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(_PROCESSES, st.sampled_from([1, 2, 5, 6, 19, 20, 40, 100, 300]), max_size=12))
def test_who_lost_a_piece_is_the_loudest_that_may_have_had_it(lines: dict[LogProcess, int]) -> None:
    """As if each process were held against each host."""
    loud: dict[str, int] = {}
    for process, count in lines.items():
        loud[process.host or ""] = loud.get(process.host or "", 0) + count
    mended = mend_processes(lines)
    for process, count in lines.items():
        name = process.host or ""
        glued = [name[at:] for at in range(1, len(name)) if name[at:] in loud]
        lost = [host for host in loud if count <= 5 and loud[host] >= 20 * count and _lost_a_piece(name, host)]
        if process not in mended:
            assert not lost
            continue
        whole = mended[process].host or ""
        assert whole in (*glued, *lost)
        assert all(loud[whole] >= loud[host] for host in lost)


def test_a_name_that_lost_its_middle_is_mended_and_a_talkative_neighbour_is_not() -> None:
    node, torn, neighbour = LogProcess("node17", 5, None), LogProcess("no17", 5, None), LogProcess("node1", 7, None)
    assert mend_processes({node: 400, torn: 2, neighbour: 380}) == {torn: node}
