from __future__ import annotations

from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import run

DONE = "RESULT,LANGUAGE_MODEL,,14703,acme,2031-04-05 06:07:08 AM\n"


def _proofs(text: str) -> list[tuple[str, int]]:
    checked = run(assemble(read([Input("job.log", None, [text.encode()])], workers=1)), None)
    return [(proof.message, proof.weight) for proof in checked.proofs]


def test_a_result_is_a_proof_that_measures_nothing() -> None:
    assert _proofs(DONE) == snapshot(
        [("the run came to its end: RESULT,LANGUAGE_MODEL,,14703,acme,2031-04-05 06:07:08 AM", 0)]
    )


def test_not_beside_a_crash_after_it() -> None:
    assert _proofs(f"{DONE}Segmentation fault (core dumped)\n") == []


def test_no_success_no_proof() -> None:
    assert _proofs("exited with code 3\n") == []
