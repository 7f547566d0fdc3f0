"""The one kind of error that a command shows: the user's file or option is wrong. Standard library only."""


class ToolreelError(Exception):
    """Names the file or option, says what was expected there, and the next step. One line, exit 2.

    It never holds captured text. Commands print it with control characters escaped (`terminal.printable`), so a name
    may stand in it as the user's system gives it.
    """
