"""Readings that are looked through, or named anew, while most stand in blocks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from slowlink.model.blocks import Block, Template
from slowlink.model.state import Part, Reading


def one_by_one(held: Iterable[Reading | Block]) -> Iterator[Reading]:
    """All readings."""
    for each in held:
        if type(each) is Block:
            yield from each.readings()
        else:
            yield each  # type: ignore[misc]


def of_attributes(held: Iterable[Reading | Block], attributes: Collection[str]) -> Iterator[Reading]:
    """Those of these attributes, of blocks that are of one node (``Block.is_of_one_node``)."""
    for each in held:
        if type(each) is Block:
            columns = each.template.columns
            if not columns.keys().isdisjoint(attributes):
                for piece in each.pieces():
                    if piece.column.attribute in attributes:
                        yield from piece.readings()
        elif each.attribute in attributes:  # type: ignore[union-attr]
            yield each  # type: ignore[misc]


def renamed(
    held: Sequence[Reading | Block], other: Callable[[Part, str | None], Part | None]
) -> Sequence[Reading | Block]:
    """Each reading under the ``other`` name that its part has on its node; None where it has none."""
    templates: dict[tuple[int, tuple[tuple[Part, Part], ...]], Template] = {}
    found: list[Reading | Block] = []
    for each in held:
        if type(each) is not Block:
            found.append(_under(each, other(each.part, each.host)))  # type: ignore[union-attr, arg-type]
            continue
        names = tuple((part, new) for part in each.template.parts if (new := other(part, each.host)) is not None)
        key = id(each.template), names
        if names and key not in templates:
            by_part = dict(names)
            templates[key] = Template(
                [_under(reading, by_part.get(reading.part)) for reading in each.template.readings]
            )
        changed = {place: _under(r, other(r.part, r.host)) for place, r in each.changed.items()}
        found.append(each._replace(template=templates[key] if names else each.template, changed=changed))
    return found


def _under(reading: Reading, part: Part | None) -> Reading:
    return reading if part is None else replace(reading, part=part)
