"""Two shapes, for the tour to ask about."""

from dataclasses import dataclass


@dataclass
class Rectangle:
    """Measured in whole metres."""

    width: int
    height: int

    def area(self) -> int:
        return self.width * self.height


def square(side: int) -> Rectangle:
    return Rectangle(side, side)
