"""A small SVG writer: elements are made by ElementTree, so that text from logs cannot become markup."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """One SVG image in user units. Colours come from CSS classes of the page."""

    def __init__(self, width: float, height: float, label: str, css: str = "") -> None:
        self.width, self.height = width, height
        self._root = Element(
            "svg",
            {
                "viewBox": f"0 0 {_number(width)} {_number(height)}",
                "role": "img",
                "aria-label": label,
                "class": f"drawing {css}".strip(),
            },
        )

    def _add(self, tag: str, css: str, **numbers: float) -> Element:
        attributes = {name: _number(value) for name, value in numbers.items()}
        return SubElement(self._root, tag, {"class": css, **attributes})

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """A straight line."""
        self._add("line", css, x1=x1, y1=y1, x2=x2, y2=y2)

    def rect(
        self, x: float, y: float, width: float, height: float, css: str, radius: float = 0, title: str = ""
    ) -> None:
        """A rectangle, with a tooltip where there is something to say; sizes below zero are drawn as nothing."""
        element = self._add("rect", css, x=x, y=y, width=max(width, 0), height=max(height, 0), rx=radius)
        if title:
            SubElement(element, "title").text = title

    def dot(self, x: float, y: float, radius: float, css: str, title: str = "", link: str = "") -> None:
        """A circle, with a tooltip where there is something to say; ``link`` is an address of ours to go to."""
        place = SubElement(self._root, "a", {"href": link}) if link else self._root
        numbers = {"cx": _number(x), "cy": _number(y), "r": _number(radius)}
        element = SubElement(place, "circle", {"class": css, **numbers})
        if title:
            SubElement(element, "title").text = title

    def polyline(self, points: list[tuple[float, float]], css: str) -> None:
        """A line through points."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        SubElement(self._root, "polyline", {"class": css, "points": path})

    def text(self, x: float, y: float, text: str, css: str = "", anchor: str = "start") -> None:
        """One line of text with its baseline at ``y``; ``anchor`` is start, middle or end."""
        element = self._add("text", css, x=x, y=y)
        element.set("text-anchor", anchor)
        element.text = text

    def upright(self, x: float, y: float, text: str, css: str = "", anchor: str = "middle") -> None:
        """One line of text that is read from below upwards, with its middle, or its ``start``, at ``y``."""
        element = self._add("text", css, x=x, y=y)
        element.set("text-anchor", anchor)
        element.set("transform", f"rotate(-90 {_number(x)} {_number(y)})")
        element.text = text

    def markup(self) -> str:
        """The SVG element for an HTML page."""
        return tostring(self._root, encoding="unicode")
