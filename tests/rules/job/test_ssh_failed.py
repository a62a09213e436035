from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

FAILED = "ssh: connect to host gpu02 port 22: Connection refused\nroot@gpu03: Permission denied (publickey,password).\n"

FINE = "Warning: Permanently added '10.0.0.9' (ED25519) to the list of known hosts.\n"


def test_names_the_node_that_refuses() -> None:
    assert said("ssh-failed", FAILED) == snapshot(
        [
            (
                "ssh-failed",
                "critical",
                "certain",
                "gpu02 and gpu03: nothing accepts ssh connections and ssh login was denied, so that "
                "no rank could be started there",
            )
        ]
    )


def test_silent_on_a_key_that_is_merely_new() -> None:
    assert findings_of("ssh-failed", FINE) == ()


def test_only_a_warning_when_a_run_followed() -> None:
    found = findings_of("ssh-failed", FAILED + table())
    assert [f.severity for f in found] == ["warning"]


def test_hosts_that_were_not_up_yet_are_no_fault_of_a_run_that_followed() -> None:
    early = FAILED.splitlines(keepends=True)[0] + "ssh: Could not resolve hostname gpu04: Name or service not known\n"
    assert findings_of("ssh-failed", early + table()) == ()
    assert len(findings_of("ssh-failed", early)) == 1


def test_it_says_what_to_do() -> None:
    assert remedies_of("ssh-failed", FAILED) == snapshot(
        [
            [
                ("Log in without a question from the launching node.", "ssh -o BatchMode=yes -- gpu02 true"),
                ("Install the job's public key there.", "ssh-copy-id -- gpu02"),
            ]
        ]
    )
