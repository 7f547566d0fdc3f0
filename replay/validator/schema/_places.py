"""A value laid out for judging: every part of it as a place, numbered in document order. Knows no schema."""

from replay.validator._values import as_number


class Place:
    """A value where it stands: its number in document order, its members.

    It does not know the place around it, since that would make every value a cycle.
    """

    __slots__ = ("inner", "kind", "order", "token", "value")

    def __init__(self, value: object, token: str, order: int = 0) -> None:
        self.order = order
        self.token = token
        self.inner: dict[str, Place] = {}  # by member name or index as text, in document order; `lay_out` fills it
        self.value = value
        self.kind = "unknown"
        if isinstance(value, str):
            self.kind = "string"
        elif isinstance(value, bool):
            self.kind = "boolean"
        elif value is None:
            self.kind = "null"
        elif isinstance(value, dict):
            self.kind = "object"
        elif isinstance(value, list):
            self.kind = "array"
        else:
            number = as_number(value)
            if number is not None:
                self.kind, self.value = "number", number


def lay_out(value: object) -> Place:
    """The place of a whole value, with all those in it, numbered in document order."""
    root = Place(value, "")
    count = 0
    waiting = [root]
    while waiting:
        place = waiting.pop()
        place.order = count
        count += 1
        if isinstance(place.value, dict):
            members = place.value.items()
            place.inner = {name: Place(member, name) for name, member in members}
        elif isinstance(place.value, list):
            texts = ((str(index), member) for index, member in enumerate(place.value))
            place.inner = {index: Place(member, index) for index, member in texts}
        waiting.extend(reversed(place.inner.values()))
    return root


def way_to(root: Place, place: Place) -> tuple[Place, ...]:
    """The places from a whole value down to one in it: it is in the last member, in order, that it does not precede."""
    found = [root]
    while found[-1] is not place:
        found.append(max((one for one in found[-1].inner.values() if one.order <= place.order), key=_order))
    return tuple(found)


def _order(place: Place) -> int:
    return place.order
