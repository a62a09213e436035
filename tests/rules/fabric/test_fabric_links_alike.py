from __future__ import annotations

from fabric_pictures import iblinkinfo
from inline_snapshot import snapshot
from job_findings import check
from text_findings import remedies_of
from whole_inputs import checked

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of


def proofs(text: str) -> list[str]:
    return [proof.message for proof in check("fabric-links-alike", text).proofs]


def test_links_of_a_healthy_fabric() -> None:
    assert proofs(iblinkinfo()) == snapshot(["24 links of the fabric, all 4x NDR"])
    assert proofs(iblinkinfo(rates={("leaf0", 1): ("4X      25.78125 Gbps", "")})) == snapshot(
        ["24 links of the fabric: 23 4x NDR; 1 4x EDR; those of one kind differ, which may be as it should be or not"]
    )


def summary(bad: int, failures: int) -> str:
    return (
        f"## Summary: 9 nodes checked, {bad} bad nodes found\n##          64 ports checked, {bad} ports have errors beyond"
        f" threshold\n## Thresholds:\n##          {failures} PMA query failures\n"
    )


def test_ports_without_errors_are_a_proof_only_when_all_answered() -> None:
    assert proofs(summary(0, 0)) == snapshot(
        ["ibqueryerrors asked 64 ports of the fabric: none has errors above its threshold"]
    )
    assert proofs(summary(1, 0)) == []
    assert proofs(summary(0, 2)) == []


STAGES = "-I- Port Counters                       0          {}         \n-I- Lids Check                          0          {}\n"


def test_stages_of_ibdiagnet() -> None:
    assert proofs(STAGES.format(0, 0)) == snapshot(["ibdiagnet found no error in 2 stages"])
    found = check("fabric-links-alike", STAGES.format(2, 0))
    assert [(f.cause, f.severity, f.message) for f in found.findings] == snapshot(
        [("link-errors", "error", "ibdiagnet counted errors: 2 in Port Counters")]
    )


def test_a_stage_without_a_cause_is_no_proof_and_no_finding() -> None:
    found = check("fabric-links-alike", STAGES.format(0, 1))
    assert (found.findings, found.proofs) == ((), ())


def test_adaptive_routing_off_is_worth_knowing() -> None:
    found = check("fabric-links-alike", "Adaptive Routing is enabled on 0 switches.\n")
    assert [(f.cause, f.severity) for f in found.findings] == [("tuning-missing", "info")]
    assert check("fabric-links-alike", "Adaptive Routing is enabled on 3 switches.\n").findings == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("fabric-links-alike", STAGES.format(2, 0)) == snapshot(
        [[("Read what it says of each.", "grep -- '-E-' /var/tmp/ibdiagnet2/ibdiagnet2.log")]]
    )


def test_a_slow_link_of_the_fabric_is_not_shown_among_its_rates() -> None:
    text = iblinkinfo(rates={("leaf1", 5): ("1X        106.25 Gbps", "Could be 4X")})
    said = checked(text)
    assert [f.message for f in said.findings if f.cause == "port-rate-low"] == snapshot(
        ["1 link of the fabric below what it can do: spine0/2 - leaf1/5 runs at 1x NDR, both ends support 4 lanes"]
    )
    assert [p.message for p in said.proofs if "of the fabric" in p.message] == snapshot(
        ["23 links of the fabric, all 4x NDR"]
    )


def test_links_of_one_kind_at_several_rates_prove_no_health_and_nobody_calls_them_right() -> None:
    odd = {("leaf0", 1): ("4X      25.78125 Gbps", "")}
    shown = [
        (proof.weight, proof.undecided)
        for text in (iblinkinfo(), iblinkinfo(rates=odd))
        for proof in check("fabric-links-alike", text).proofs
    ]
    assert shown == [(1, False), (0, True)]


def hosts_of_one_switch(*ends: tuple[str, str, str]) -> str:
    """ibnetdiscover of one switch with an adapter for each (GUID as somebody wrote it, name, rate)."""
    links = "".join(
        f'[{port}]\t"H-{guid}"[1]({guid}) \t\t# "{name} mlx5_0" lid {port + 20} {rate}\n'
        for port, (guid, name, rate) in enumerate(ends, 1)
    )
    return (
        "vendid=0x2c9\ndevid=0xd2f0\nswitchguid=0x00aa000000000001(00aa000000000001)\n"
        f'Switch\t41 "S-00aa000000000001"\t\t# "MF0;leafq:MQM8700/U1" enhanced port 0 lid 5 lmc 0\n{links}'
    )


def test_hosts_whose_guids_somebody_made_unknown_are_links_like_others() -> None:
    ends = [(f"<guid-of-w{n}>", f"w{n}", "4xHDR") for n in range(4)]
    assert proofs(hosts_of_one_switch(*ends)) == ["4 links of the fabric, all 4x HDR"]


def test_a_row_that_is_not_understood_doubts_what_the_others_show() -> None:
    ends = [(f"00aa00000000010{n}", f"w{n}", "4xHDR") for n in range(4)]
    text = hosts_of_one_switch(*ends) + '[9]\t"H-guid of w9"[1](guid of w9) \t\t# "w9 mlx5_0" lid 30 1xSDR\n'
    said = checked(text)
    (proof,) = [p for p in said.proofs if "of the fabric" in p.message]
    assert (proof.weight, proof.message) == (
        0,
        "4 links of the fabric, all 4x HDR; 1 row of the topology could not be read",
    )


def test_few_hosts_of_which_one_is_slower_are_told_and_not_called_right() -> None:
    """Too few for one rate to be usual."""
    ends = [("00aa000000000100", "w0", "4xHDR"), ("00aa000000000101", "w1", "4xHDR"), ("guid-w2", "w2", "4xEDR")]
    report = report_of(read([Input("job.log", None, [hosts_of_one_switch(*ends).encode()])], workers=1))
    assert report.headline == snapshot(
        "inconclusive: 3 links of the fabric: 2 4x HDR; 1 4x EDR; those of one kind differ, which may be as it should be or not"
    )
    assert (report.verdict, report.facts["proofs"]) == ("inconclusive", [])


def test_errors_that_ibdiagnet_printed_and_no_stage_counted() -> None:
    text = STAGES.format(0, 0) + "-E- Links Check finished with errors\n"
    done = check("fabric-links-alike", text)
    assert [(found.cause, found.severity, found.message) for found in done.findings] == snapshot(
        [("link-errors", "warning", "ibdiagnet printed 1 error: Links Check: finished with errors")]
    )
    assert done.proofs == ()
