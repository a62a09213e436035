"""Student's t, without SciPy."""

from __future__ import annotations

from math import exp, pi, sqrt, tan
from statistics import NormalDist


def t_quantile(probability: float, freedom: int) -> float:
    """Of Student's t. Hill, "Algorithm 396: Student's t-quantiles", CACM 1970: right to about six digits from three
    degrees of freedom up; one and two have closed forms. ``probability`` from 0.5 to below 1."""
    if freedom == 1:
        return tan(pi * (probability - 0.5))
    if freedom == 2:
        outside = 2 * (1 - probability)
        return sqrt(2 / (outside * (2 - outside)) - 2)
    n, outside = float(freedom), 2 * (1 - probability)
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = (d * outside) ** (2 / n)
    if y > a + 0.05:
        x = NormalDist().inv_cdf(outside / 2)
        y = x**2
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = a * y**2
        y = exp(y) - 1 if y > 0.002 else 0.5 * y**2 + y
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (
            n + 2
        ) + 1 / y
    return sqrt(n * y)
