"""What leads the answer: one change is told once, a cause before the change that it speaks of, and nothing false."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.comparison.compare import compare
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.comparison import Comparison
from slowlink.model.report import Diagnosis, Finding, Report, Suspect, Sweep, SweepPoint

GIB = 1 << 30
Entries = dict[str, list[dict[str, object]]]


def sweep(busbw: float, collective: str = "all_reduce") -> Sweep:
    point = SweepPoint(GIB, None, "out_of_place", GIB / busbw / 1e3, busbw, busbw, 0)
    return Sweep(collective, 16, 2, "float", "sum", "nccl-tests", "job.log", 1, (point,), None, None, True)


def report(
    *sweeps: Sweep, state: Entries | None = None, causes: tuple[Diagnosis, ...] = (), explains: tuple[str, ...] = ()
) -> Report:
    facts: dict[str, object] = {NODE_STATE: state} if state is not None else {}
    found = tuple(
        Finding(d.cause, d.title, d.message, d.layer, d.severity, d.confidence, d.suspects, explains=explains)
        for d in causes
    )
    return Report("slowlink.report/1", "0", "inconclusive", "", causes, found, sweeps=sweeps, facts=facts)


def said(value: object, nodes: str, *parts: str) -> dict[str, object]:
    return {"value": value, "parts": list(parts), "nodes": nodes}


def ports(*hcas: str) -> Entries:
    return {
        "hca-firmware": [said("20.1", "gpu07", *hcas), said("20.1", "gpu08", "mlx5_0", "mlx5_1")],
        "hca-type": [said("MT1", "gpu07", *hcas)],
        "port-rate": [said(200.0, "gpu07", *(f"{hca}/1" for hca in hcas))],
    }


def missing(confidence: str = "certain") -> Diagnosis:
    return Diagnosis(
        "hca-missing", "", "gpu07: 1 of 2 HCAs", "host", "error",
        "certain" if confidence == "certain" else "possible", (Suspect("hca", "mlx5_1"), Suspect("node", "gpu07")),
    )  # fmt: skip


def lost_hca(explains: tuple[str, ...], confidence: str = "certain") -> Comparison:
    old = report(sweep(48.0), state=ports("mlx5_0", "mlx5_1"))
    return compare(old, report(sweep(36.0), state=ports("mlx5_0"), causes=(missing(confidence),), explains=explains))


def test_an_hca_that_is_gone_is_one_change_with_its_port_and_all_that_is_known_of_it() -> None:
    found = lost_hca(())
    assert [change.in_words for change in found.state] == ["gpu07: hca mlx5_1: there -> absent"]
    assert [each.text for each in found.explanations] == ["gpu07: 1 of 2 HCAs"]


def test_a_port_that_is_gone_while_its_hca_is_there_is_a_change() -> None:
    old, new = ports("mlx5_0", "mlx5_1"), ports("mlx5_0", "mlx5_1")
    new["port-rate"] = [said(200.0, "gpu07", "mlx5_0/1")]
    found = compare(report(state=old), report(state=new))
    assert [change.in_words for change in found.state] == ["gpu07: port mlx5_1/1: there -> absent"]


def test_what_only_one_side_asked_about_is_not_gone() -> None:
    new = ports("mlx5_0", "mlx5_1")
    del new["port-rate"]
    assert compare(report(state=ports("mlx5_0", "mlx5_1")), report(state=new)).state == ()


@pytest.mark.parametrize(
    ("explains", "confidence", "expected"),
    [
        (("busbw-below-expected",), "certain", "likely"),
        (("busbw-below-expected",), "possible", "possible"),
        (("latency-high",), "certain", "possible"),
    ],
)
def test_a_cause_is_likely_only_if_it_lowers_bandwidth_and_is_sure_itself(
    explains: tuple[str, ...], confidence: str, expected: str
) -> None:
    """Whether the loss was graded against hardware does not count: the comparison has measured it."""
    assert lost_hca(explains, confidence).explanations[0].confidence == expected


def test_a_version_is_installed_and_hardware_is_looked_at() -> None:
    old = {"driver-version": [said("550.1", "gpu[07-08]")], "port-rate": [said(200.0, "gpu07", "mlx5_0/1")]}
    new = {"driver-version": [said("535.1", "gpu07")], "port-rate": [said(100.0, "gpu07", "mlx5_0/1")]}
    old["driver-version"][0]["parts"] = new["driver-version"][0]["parts"] = [""]
    found = compare(report(sweep(48.0), state=old), report(sweep(36.0), state=new))
    tests = {each.test for each in found.explanations}
    assert tests == {
        "Install 550.1 again on gpu07, or measure without it.",
        "Find out why on gpu07 (lspci, dmesg), or measure without it.",
    }


def test_what_the_log_is_to_show_explains_no_loss() -> None:
    old, new = (replace(report(sweep(busbw)), facts={"environment": {}}) for busbw in (48.0, 36.0))
    new.facts["environment"] = {"NCCL_DEBUG_FILE": ["/var/log/nccl"], "NCCL_SOCKET_IFNAME": ["eth0"]}
    found = compare(old, new)
    assert [change.name for change in found.job] == ["NCCL_DEBUG_FILE", "NCCL_SOCKET_IFNAME"]
    assert [each.text for each in found.explanations] == ["NCCL_SOCKET_IFNAME: not set -> eth0"]


def test_nothing_is_said_to_be_unchanged_where_nothing_is_known() -> None:
    found = compare(report(sweep(48.0)), replace(report(), headline="the input is empty"), names=("a", "b"))
    assert found.headline == "a benchmark only in the old one; b: the input is empty"
    assert not found.comparable


def test_two_benchmarks_that_differ_are_named_and_not_called_absent() -> None:
    state = ports("mlx5_0", "mlx5_1")
    found = compare(report(sweep(48.0), state=state), report(sweep(48.0, "all_gather"), state=state))
    assert found.headline == (
        "nothing changed on gpu[07-08]; the benchmarks cannot be compared: "
        "all_reduce on 16 ranks up to 1 GiB and then all_gather on 16 ranks up to 1 GiB"
    )
    assert not found.comparable


def test_other_nodes_cannot_be_compared() -> None:
    found = compare(
        report(state={"numa-balancing": [said(False, "a[1-2]", "")]}),
        report(state={"numa-balancing": [said(False, "b[1-2]", "")]}),
    )
    assert found.headline == "nodes gone: a[1-2], added: b[1-2]; no benchmark in either"
    assert not found.comparable


def test_new_errors_lead_and_make_it_worse_though_the_bandwidth_is_the_same() -> None:
    wrong = Diagnosis("wrong-results", "", "wrong data at 8 GiB", "application", "critical", "certain")
    found = compare(report(sweep(48.0)), report(sweep(48.0), causes=(wrong,)))
    assert found.worse
    assert found.headline.startswith("new: wrong data at 8 GiB; the same within what is ordinary: all_reduce")


def test_what_is_gone_is_told_without_the_remedy_for_what_was_there() -> None:
    old = report(sweep(36.0), causes=(missing(),), explains=("busbw-below-expected",))
    (explained,) = compare(old, report(sweep(48.0))).explanations
    assert (explained.text, explained.confidence) == ("gone: gpu07: 1 of 2 HCAs", "likely")
    assert explained.test == "Keep it so; watch for it."


@pytest.mark.parametrize("busbw", [36.0, 60.0])
def test_wrong_data_is_told_whatever_became_of_the_bandwidth(busbw: float) -> None:
    wrong = Diagnosis("wrong-results", "", "wrong data at 8 GiB", "application", "critical", "certain")
    found = compare(report(sweep(48.0)), report(sweep(busbw), causes=(wrong,)))
    assert found.worse
    assert "wrong data at 8 GiB" in found.headline
