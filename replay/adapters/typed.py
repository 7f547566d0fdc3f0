"""A typed function of a JSON Schema, as an application would have written the tool by hand.

For example, `{"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}` gives
`def tool(city: str, days: int | None = None) -> str`. A framework reads parameters, annotations and docstring, and
checks the arguments of a call by them before it calls. Types, enumerations and required members stand in it; bounds,
patterns and formats do not.

Runs in the adapter's own interpreter: standard library only, Python 3.10 or newer.
"""

from __future__ import annotations

import inspect
import keyword
from typing import TYPE_CHECKING, Any, Final, Literal, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# References within references, and objects within objects: past it anything is taken.
DEPTH: Final = 6
PLAIN: Final[Mapping[str, Any]] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
# What a type checker calls the members that a `Literal` can have.
_LITERAL: Final = (str, int, bool, type(None))


class _Absent(str):
    """The default of a parameter that may also be null: a call that leaves it out and one that says null differ."""

    __slots__ = ()


def function(
    name: str,
    schema: Mapping[str, Any],
    call: Callable[[dict[str, Any], Any], str],
    *,
    context: Any = None,
) -> Callable[..., str]:
    """The typed function of this name. When it is run, it gives `call` the arguments that it was run with.

    Where `context` is a type, a first parameter of that type stands before the others; `call` is given its value too.
    """
    parameters = [*_parameters(schema)]
    if context is not None:
        first = inspect.Parameter("tool_context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=context)
        parameters.insert(0, first)
    signature = inspect.Signature(parameters, return_annotation=str)
    optional = _never_null(schema)

    def tool(*values: Any, **named: Any) -> str:
        given = dict(signature.bind(*values, **named).arguments)
        about = given.pop("tool_context", None) if context is not None else None
        given |= given.pop("others", {}) if _OTHERS in parameters else {}
        return call({key: value for key, value in given.items() if not _left_out(key, value, optional)}, about)

    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = _docstring(name, parameters)
    tool.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` and every framework reads
    tool.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": str}
    return tool


def _left_out(key: str, value: object, optional: frozenset[str]) -> bool:
    """Whether a framework ran the function with the default, which the call did not say."""
    return isinstance(value, _Absent) or (value is None and key in optional)


# Takes what has no parameter of its own.
_OTHERS: Final = inspect.Parameter("others", inspect.Parameter.VAR_KEYWORD, annotation=Any)


def _parameters(schema: Mapping[str, Any]) -> Iterable[inspect.Parameter]:
    """A parameter for each property, required ones first, since those with a default come behind them."""
    properties = _members(schema, "properties")
    required = schema.get("required") or ()
    # A property that Python has no name for comes with the others.
    said = {key: value for key, value in properties.items() if _is_name(key)}
    for key in sorted(said, key=lambda key: key not in required):
        annotation = annotated(said[key], schema)
        default: Any = inspect.Parameter.empty
        if key not in required:
            default = _Absent() if _takes_null(annotation) else None
            annotation = _union([annotation, None])
        yield inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation, default=default)
    open_ended = schema.get("additionalProperties", "properties" not in schema)
    if len(said) < len(properties) or open_ended is not False:
        yield _OTHERS


def _never_null(schema: Mapping[str, Any]) -> frozenset[str]:
    """The optional properties that take no null: where such a parameter is None, the call left it out."""
    required = schema.get("required") or ()
    properties = _members(schema, "properties")
    return frozenset(
        key for key, value in properties.items() if key not in required and not _takes_null(annotated(value, schema))
    )


def _takes_null(annotation: Any) -> bool:
    return annotation in (Any, None) or type(None) in getattr(annotation, "__args__", ()) or _says_none(annotation)


def _says_none(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is Literal and None in annotation.__args__


def _is_name(key: str) -> bool:
    taken = ("tool_context", "others", "self", "cls")
    return key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("_") and key not in taken


def _members(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def annotated(schema: Any, root: Mapping[str, Any], depth: int = DEPTH) -> Any:
    """The annotation that takes what the schema takes, or more; `Any` where Python's types do not say it."""
    if not isinstance(schema, dict) or depth == 0:
        return Any
    if "$ref" in schema:
        return annotated(_referred(schema["$ref"], root), root, depth - 1)
    for key in ("const", "enum"):
        if key in schema:
            return _literal([schema[key]] if key == "const" else schema[key])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _union([annotated(one, root, depth - 1) for one in schema[key]])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return _union([annotated({**schema, "type": one}, root, depth - 1) for one in kinds])
    if kinds == "array":
        return list[annotated(schema.get("items"), root, depth - 1)]  # type: ignore[misc]  # made while it runs
    if kinds == "object":
        return _object(schema, root, depth)
    return PLAIN.get(kinds, Any) if isinstance(kinds, str) else Any


def _referred(reference: object, root: Any) -> Any:
    """What a reference within the schema leads to; None for another one."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = root
    for step in reference[1:].split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found


def _literal(values: object) -> Any:
    plain = isinstance(values, list) and values and all(type(one) in _LITERAL for one in values)
    return Literal[tuple(values)] if plain else Any  # type: ignore[arg-type]  # a list, as was looked at


def _union(annotations: list[Any]) -> Any:
    if not annotations or Any in annotations:
        return Any
    return Union[tuple(annotations)]  # noqa: UP007 - made of values


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    """A `TypedDict` of the properties; a dictionary of anything where none are said or they are not all."""
    properties = _members(schema, "properties")
    rest = schema.get("additionalProperties")
    if not properties or (rest is not None and rest is not False):
        return dict[str, Any]
    try:
        # Pydantic takes no other one before Python 3.12. Whoever has Pydantic has this module.
        from typing_extensions import NotRequired, TypedDict
    except ImportError:
        return dict[str, Any]
    required = schema.get("required") or ()
    fields = {}
    for key, value in properties.items():
        annotation = annotated(value, root, depth - 1)
        fields[key] = annotation if key in required else NotRequired[annotation]
    return TypedDict("Members", fields)  # type: ignore[operator]  # made while it runs


def _docstring(name: str, parameters: Iterable[inspect.Parameter]) -> str:
    """A docstring in Google's form, which several frameworks ask for."""
    lines = [f"    {one.name}: The {one.name}." for one in parameters if one.name != "tool_context"]
    return "\n".join([f"Run {name}.", *(["", "Args:", *lines] if lines else [])]) + "\n"
