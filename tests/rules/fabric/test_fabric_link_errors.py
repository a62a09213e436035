from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, remedies_of, said


def ibqueryerrors(*ports: str, checked: int = 64) -> str:
    blocks = "".join(
        f'Errors for "{port.partition("/")[0]}"\n   GUID 0x7 port {port.partition("/")[2]}\n' for port in ports
    )
    return (
        f"[root@gpu00 ~]# ibqueryerrors\n{blocks}\n## Summary: 9 nodes checked, {len(ports)} bad nodes found\n"
        f"##          {checked} ports checked, {len(ports)} ports have errors beyond threshold\n"
    )


def perfquery(symbols: int, downs: int = 0, lid: int = 7) -> str:
    return (
        f"# Port counters: Lid {lid} port 2 (CapMask: 0x1200)\n"
        f"SymbolErrorCounter:..............{symbols}\nLinkDownedCounter:...............{downs}\nPortRcvErrors:...................90\n"
    )


BEFORE = ibqueryerrors("gpu03 mlx5_0/1: [SymbolErrorCounter == 4]")
AFTER = ibqueryerrors("gpu03 mlx5_0/1: [SymbolErrorCounter == 40]", "leaf1/6: [PortRcvErrors == 3]")


def test_growth_between_two_readings() -> None:
    assert said("fabric-link-errors", BEFORE + AFTER) == snapshot(
        [
            (
                "link-errors",
                "error",
                "certain",
                "2 ports of the fabric counted errors between two readings: gpu03 mlx5_0/1: 36 symbol errors; leaf1/6: 3 received packets with errors",
            )
        ]
    )
    (found,) = findings_of("fabric-link-errors", BEFORE + AFTER)
    assert {s.name for s in found.suspects} == {"gpu03 mlx5_0/1", "gpu03", "leaf1/6"}


def test_one_reading_proves_no_fault() -> None:
    assert said("fabric-link-errors", BEFORE) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "1 port of the fabric counted errors at some time: gpu03 mlx5_0/1: 4 symbol errors; a second reading shows whether they still do",
            )
        ]
    )


def test_counters_that_stay_do_not_alarm() -> None:
    found = check("fabric-link-errors", perfquery(4) + perfquery(4))
    assert [f.severity for f in found.findings] == ["warning"], "two tools may have asked at the same time"
    assert [proof.message for proof in found.proofs] == snapshot(
        ["the error counters of 1 fabric port were read twice, and none grew"]
    )


def test_counters_that_stay_while_data_passes_accuse_nobody() -> None:
    before, after = (f"{perfquery(4)}PortXmitData:....................{data}\n" for data in (81_200, 226_109))
    found = check("fabric-link-errors", before + after)
    assert found.findings == ()
    assert [proof.message for proof in found.proofs] == snapshot(
        ["the error counters of 1 fabric port were read twice, and none grew"]
    )


def test_no_error_is_a_proof() -> None:
    assert [proof.message for proof in check("fabric-link-errors", perfquery(0)).proofs] == []
    clean = perfquery(0).replace(":...................90", ":...................0")
    assert [proof.message for proof in check("fabric-link-errors", clean).proofs] == snapshot(
        ["no errors were counted at 1 of 1 fabric port since they were cleared"]
    )


def fabric(clean: int, dirty: int, downs: int = 0) -> str:
    """One reading of each port; errors of nobody knows when on the second lot."""
    ports = [perfquery(0, downs, lid) for lid in range(clean)] + [perfquery(9, 0, 100 + lid) for lid in range(dirty)]
    return "".join(ports).replace(":...................90", ":...................0")


def test_errors_of_nobody_knows_when_leave_nothing_to_prove() -> None:
    for clean, dirty in ((1, 19), (19, 1)):
        found = check("fabric-link-errors", fabric(clean, dirty))
        assert ([finding.severity for finding in found.findings], found.proofs) == (["warning"], ())


def test_a_port_that_lost_its_link_is_not_clean() -> None:
    assert [check("fabric-link-errors", fabric(2, 0, downs)).proofs != () for downs in (0, 1, 3)] == [True, True, False]


def test_a_port_that_loses_packets_leaves_the_others_no_proof() -> None:
    lossy = perfquery(0, 0, 50).replace(":...................90", ":...................0")
    lossy += "PortXmitDiscards:................20046\n"
    (proof,) = check("fabric-link-errors", fabric(3, 0) + lossy).proofs
    assert (proof.message, proof.weight) == (
        "no errors were counted at 3 of 4 fabric ports since they were cleared",
        0,
    )


def test_a_port_that_counted_what_others_did_is_not_clean() -> None:
    for counter in ("PortRcvRemotePhysicalErrors", "PortXmitConstraintErrors", "PortRcvConstraintErrors"):
        dirty = perfquery(0, 0, 50).replace(":...................90", ":...................0") + f"{counter}:.....12\n"
        (proof,) = check("fabric-link-errors", fabric(3, 0) + dirty).proofs
        assert (proof.message, proof.weight) == (
            "no errors were counted at 3 of 4 fabric ports since they were cleared",
            1,
        )


def test_a_few_clean_ports_do_not_speak_for_the_rest() -> None:
    few = fabric(3, 0) + "".join(perfquery(0, 0, 50 + lid) for lid in range(7))  # some received packets with errors
    assert [(proof.message, proof.weight) for proof in check("fabric-link-errors", few).proofs] == snapshot(
        [("no errors were counted at 3 of 10 fabric ports since they were cleared", 0)]
    )


def test_ports_that_were_read_twice_do_not_speak_for_those_that_were_not() -> None:
    again = perfquery(4) + perfquery(4)
    assert len(check("fabric-link-errors", again).proofs) == 1
    assert check("fabric-link-errors", again + fabric(0, 1)).proofs == ()


def test_a_link_that_falls_between_two_readings_flaps() -> None:
    assert [entry[:2] for entry in said("fabric-link-errors", perfquery(0, 1) + perfquery(0, 3))] == [
        ("link-flapping", "error")
    ]


def test_a_counter_that_was_cleared_counts_from_zero() -> None:
    text = ibqueryerrors("leaf1/6: [SymbolErrorCounter == 900]") + ibqueryerrors("leaf1/6: [SymbolErrorCounter == 2]")
    (found,) = findings_of("fabric-link-errors", text)
    assert (found.severity, found.message) == snapshot(
        ("error", "1 port of the fabric counted errors between two readings: leaf1/6: 2 symbol errors")
    )


def test_a_full_counter_is_said_to_be_full() -> None:
    (found,) = findings_of("fabric-link-errors", perfquery(65535))
    assert "the counter is full" in found.message
    full = check("fabric-link-errors", (perfquery(65535) * 2).replace("PortRcvErrors:...................90\n", ""))
    assert full.proofs == ()


def test_discards_and_waits_are_no_errors_of_a_link() -> None:
    text = ibqueryerrors("leaf1/6: [PortXmitDiscards == 90000] [PortXmitWait == 5] [PortRcvSwitchRelayErrors == 8]")
    assert findings_of("fabric-link-errors", text) == ()


def test_counters_of_a_node_are_not_the_fabrics() -> None:
    text = "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:7\n"
    assert check("fabric-link-errors", text).outcome.outcome == "skipped"


def test_it_says_what_to_do_about_growth_and_about_a_single_reading() -> None:
    assert remedies_of("fabric-link-errors", BEFORE + AFTER) == snapshot(
        [[("Read the cable of the link, from both ends.", "mlxlink -d lid-LID -p PORT -m -c -e")]]
    )
    assert remedies_of("fabric-link-errors", BEFORE) == snapshot(
        [
            [
                ("Clear the counters, run the job, and read them again.", "ibqueryerrors -k; ...; ibqueryerrors"),
                ("Or read them twice, and compare.", "perfquery -x LID PORT"),
            ]
        ]
    )
