"""Uses the shapes from another file."""

from shapes import Rectangle, square

rooms = [square(4), Rectangle(3, 5)]
total = sum(room.area() for room in rooms)

print(f"{total} square metres")
