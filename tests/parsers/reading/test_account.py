"""Which unread lines are shown: the same ones in whatever order they come."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import Ref
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.reading.account import Account
from slowlink.parsers.reading.scan import SAMPLES


class Noting(Account):
    def note(self, ref: Ref) -> None:
        self._sample(shape_of(ref.text), ref)

    def shown(self) -> tuple[Ref, ...]:
        return self.stats(0, Input("job.log", None, [])).unread_samples


refs = st.builds(Ref, source=st.just("job.log"), line=st.integers(1, 4), text=st.text("01 %ab", max_size=3))


@given(st.lists(refs, max_size=3 * SAMPLES), st.randoms(use_true_random=False))
def test_the_order_makes_no_difference(unread: list[Ref], shuffled: Random) -> None:
    """A progress bar writes several texts into one line; a part that is read first may hold any of them."""
    other = list(unread)
    shuffled.shuffle(other)
    one, two = Noting("job.log"), Noting("job.log")
    for ref in unread:
        one.note(ref)
    for ref in other:
        two.note(ref)
    assert one.shown() == two.shown()
    assert len(one.shown()) <= SAMPLES
