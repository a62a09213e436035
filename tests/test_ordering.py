from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.ordering import by_numbers


def test_numbers_count_as_numbers() -> None:
    names = ["gpu10", "gpu9", "mlx5_10", "mlx5_2", "7", "gpu", ""]
    assert sorted(names, key=by_numbers) == ["", "7", "gpu", "gpu9", "gpu10", "mlx5_2", "mlx5_10"]


@given(st.lists(st.text(max_size=40)))
def test_any_names_have_an_order(names: list[str]) -> None:
    assert sorted(sorted(names, key=by_numbers, reverse=True), key=by_numbers) == sorted(names, key=by_numbers)
