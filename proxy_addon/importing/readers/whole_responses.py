"""What one JSON document is that answers a request for no stream.

In: a parsed value. Out: why it cannot be used, or None. Example: `{"error": {"message": "…"}}` is an error response.
"""

from typing import Final

from proxy_addon.importing.entries import Unusable

# The members of a whole response in JSON, of any API.
_MEMBERS: Final = ("choices", "content", "output", "candidates", "message", "completion")


def why(value: object) -> Unusable | None:
    """Why this value is no stream, where it is a response at all."""
    if not isinstance(value, dict):
        return None
    if value.get("error") is not None:
        return Unusable.ERROR
    return Unusable.WHOLE_RESPONSE if any(name in value for name in _MEMBERS) else None
