"""The error that a command shows, and the way to raise one error in the place of another. Standard library only."""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Generic, TypeVar


def nearest_word(word: str, known: Iterable[str]) -> str:
    """The end of a message about a word that is not known: the known one that was probably meant, or nothing."""
    import difflib  # only for whoever has misspelled something

    near = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


Kind = TypeVar("Kind", bound=Exception)


class ToolreelError(Exception):
    """An error in a file or an option of the user's, as one line: what it is, what was expected, the next step. Exit 2.

    It never holds captured text. Commands print it with control characters escaped (`terminal.printable`), so a name
    may stand in it as the user's system gives it.
    """


def install_hint(extra: str) -> str:
    """The end of a message about a library that is not installed: the command that installs it."""
    return f"install it with: pip install 'toolreel[{extra}]'"


def missing_extra(error: ModuleNotFoundError, module: str, *, extra: str, said: str) -> Exception:
    """What to raise where the module of an extra is missing: `said` and the command. Another module's error stays."""
    return ToolreelError(f"{said}; {install_hint(extra)}") if error.name == module else error


class translated(Generic[Kind]):  # noqa: N801 - read as a verb, like `suppress`
    """Raises another error in the place of some kinds of them: `with translated(OSError, lambda error: …):`.

    In: the kinds that are translated, and what makes the new error of one. The new error has no cause and no context.
    A decode error keeps the whole document, and `raise … from None` would still lead to it; so nothing leads to the
    old error here, and what `make` takes out of it is all that is left. Errors of other kinds pass as they are.
    """

    def __init__(self, kinds: type[Kind] | tuple[type[Kind], ...], make: Callable[[Kind], BaseException]) -> None:
        self._kinds = kinds
        self._make = make

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not isinstance(error, self._kinds):
            return
        made = self._make(error)
        del error
        try:
            raise made
        finally:
            made.__context__ = None  # Python has just set it to what is being translated
