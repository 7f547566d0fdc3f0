"""The start of the command `toolreel`, also as `python -m toolreel`.

It stands here, since no other package is likely to have this name: where one has the name of another of ours, this is
told in one line.
"""

import sys

from toolreel import shadowed

__all__ = ["main"]


def main() -> None:
    """Run the command; say who shadows a package of ours, where that is why it cannot run."""
    said = ""
    try:
        if shadowed.is_replay_ours():
            from replay.cli import main as command

            command()
        else:
            said = shadowed.reason()
    except (ImportError, AttributeError):
        said = shadowed.reason()
        if not said:
            raise
    if said:
        sys.stderr.write(f"Error: {said}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
