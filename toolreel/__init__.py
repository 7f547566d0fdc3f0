"""The public names of toolreel, for people who import it. This package holds no logic.

    import toolreel

    report = toolreel.validate(Path("reels/checkout.json").read_bytes())
    if not report.executable:
        print([finding.code for finding in report.findings])

A name is loaded when it is first used, so that the command `toolreel`, whose start is in this package too, pays for
none of them. `docs/embedding.md` says what each is for. `replay` and `serve` do what the commands of these names do,
and `redact` makes a fixture of an exchange. The others are those of `replay.validator`, which uses the standard library
alone and can be copied without the rest.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redaction.captured.exchange import Exchange, Proved, Refused
    from redaction.redactor import redact
    from replay.api import replay, serve
    from replay.errors import ToolreelError
    from replay.validator import (
        RETRY,
        RULES,
        Allowance,
        Answer,
        Call,
        Code,
        Envelope,
        Feedback,
        Finding,
        InvalidFixture,
        Limits,
        Progress,
        Report,
        Retry,
        Snapshot,
        State,
        Status,
        Turn,
        Use,
        envelope_from,
        feedback_on,
        invalid_report,
        judge,
        read_envelope,
        turn_of,
        validate,
    )

    __version__: str
else:  # out of the type checker's sight: it would take every other name for one of ours

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value: object = _version()
        elif name in __all__:
            value = _loaded(name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value  # the next use finds it without asking here
        return value

    def _loaded(name: str) -> object:
        import importlib

        try:
            return getattr(importlib.import_module(_ELSEWHERE.get(name, "replay.validator")), name)
        except (ImportError, AttributeError) as error:
            from toolreel import shadowed

            said = shadowed.reason()
            if not said:
                raise
            raise ImportError(said) from error

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


# Where a name stands that is not one of the validator.
_ELSEWHERE = {
    "Exchange": "redaction.captured.exchange",
    "Proved": "redaction.captured.exchange",
    "Refused": "redaction.captured.exchange",
    "ToolreelError": "replay.errors",
    "redact": "redaction.redactor",
    "replay": "replay.api",
    "serve": "replay.api",
}

__all__ = [
    "RETRY",
    "RULES",
    "Allowance",
    "Answer",
    "Call",
    "Code",
    "Envelope",
    "Exchange",
    "Feedback",
    "Finding",
    "InvalidFixture",
    "Limits",
    "Progress",
    "Proved",
    "Refused",
    "Report",
    "Retry",
    "Snapshot",
    "State",
    "Status",
    "ToolreelError",
    "Turn",
    "Use",
    "__version__",
    "envelope_from",
    "feedback_on",
    "invalid_report",
    "judge",
    "read_envelope",
    "redact",
    "replay",
    "serve",
    "turn_of",
    "validate",
]


def _version() -> str:
    """The version that is installed; `0+checkout` where the files were not installed."""
    import importlib.metadata

    try:
        return importlib.metadata.version("toolreel")
    except importlib.metadata.PackageNotFoundError:
        return "0+checkout"
