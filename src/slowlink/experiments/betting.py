"""An error rate that holds whenever one stops, whatever the noise: bets on the signs of paired differences.

Which launch of a pair comes first is drawn by lot. So where a change shifts log time by exactly ``d``, each difference
less ``d`` is symmetric around 0, whatever its size. Then a gambler who multiplies his money by ``1 + tanh(a x)`` for
each such difference ``x`` plays a fair game, and has ever more than ``1 / error`` with a probability of at most
``error`` (Ville 1939). What a fair game would hardly have given is not true: the ``d`` that are left are an interval
that may be looked at after every pair. Nothing is assumed normal: heavy tails, two modes, drift change the width alone.

The bet is the best one against normal noise (Ramdas, Ruf, Larsson and Koolen, "Admissible anytime-valid sequential
inference must rely on nonnegative martingales", 2020, for symmetric distributions; Waudby-Smith and Ramdas, "Estimating
means of bounded random variables by betting", JRSS-B 2024, for predictable bets). Three gamblers share the money, for
effects of 3, 1 and 0.4 standard deviations of a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, tanh

from slowlink.averages import robust_deviation
from slowlink.expect.stats import MAD_FLOOR

_BETS = ((3.0, 0.5), (1.0, 0.25), (0.4, 0.25))
"""(Effect in standard deviations, share of the money)."""
_FEWEST = 4
"""Differences that tell their own spread; before, it is what is known from elsewhere."""
_MOST, _MOST_UNKNOWN = 0.9, 0.7
"""Of the money, that is ever put on one difference: one wrong bet must not ruin. Less where no spread is known yet."""
_GUESS = 0.05
_STEPS = 36


Stakes = Sequence[tuple[float, float]]
"""For each difference: the standard deviation that its bet goes by, and the most that is put on it."""


def stakes(differences: Sequence[float], known: float | None) -> Stakes:
    """Told by the differences before each one alone, and by ``known``."""
    first = (max(known, MAD_FLOOR), _MOST) if known is not None else (_GUESS, _MOST_UNKNOWN)
    return [
        (max(robust_sd(differences[:index]) or 0.0, MAD_FLOOR), _MOST) if index >= _FEWEST else first
        for index in range(len(differences))
    ]


def robust_sd(values: Sequence[float]) -> float | None:
    """From the median absolute deviation; None below two values."""
    return robust_deviation(values) if len(values) > 1 else None


def most_money(differences: Sequence[float], spread: Stakes, shift: float) -> float:
    """The most that was ever had by bets that differences are above ``shift``. It falls as ``shift`` rises."""
    money = [share for _, share in _BETS]
    best = 1.0
    for difference, (sd, most) in zip(differences, spread, strict=True):
        x = (difference - shift) / sd
        bets = [max(-most, min(most, tanh(effect * x))) for effect, _ in _BETS]
        money = [have * (1 + bet) for have, bet in zip(money, bets, strict=True)]
        best = max(best, sum(money))
    return best


def p_above(differences: Sequence[float], shift: float, known: float | None = None) -> float:
    """Anytime-valid p value of "not above ``shift``"."""
    return 1 / most_money(differences, stakes(differences, known), shift)


def interval(differences: Sequence[float], error: float, known: float | None = None) -> tuple[float, float]:
    """Holds the true shift with a probability of ``1 - error`` at least, at every number of pairs at once. Its ends are
    infinite while there are too few pairs: with an error of 5 % below six, or seven where no spread is known."""
    spread = stakes(differences, known)
    low = _bound(list(differences), spread, error / 2)
    high = -_bound([-value for value in differences], spread, error / 2)
    # Two groups of differences may have emptied it: then nothing is known but that.
    return (low, high) if low <= high else (high, low)


def fewest_pairs(error: float, *, known: bool = True) -> int:
    """Below so many pairs no interval has ends. ``known``: the spread of a pair is known from elsewhere."""
    count, money = 0, 1.0
    while money < 2 / error:
        money *= 1 + (_MOST if known or count >= _FEWEST else _MOST_UNKNOWN)
        count += 1
    return count


def _bound(differences: list[float], spread: Stakes, error: float) -> float:
    if not differences:
        return -inf
    wanted = log(1 / error)
    top = max(differences)
    width = max(top - min(differences), max(sd for sd, _ in spread)) * 8 + 1e-6
    bottom = min(differences) - width
    if log(most_money(differences, spread, bottom)) < wanted:
        return -inf
    for _ in range(_STEPS):
        middle = (bottom + top) / 2
        if log(most_money(differences, spread, middle)) >= wanted:
            bottom = middle
        else:
            top = middle
    return bottom
