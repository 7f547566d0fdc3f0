"""The user's file or option is wrong: raised by the parts of the recorder, shown by its command line."""


class RecordError(Exception):
    """One line that names the thing and the next step. Never holds captured text; the command line escapes it."""
