"""The start of the command `toolreel`, also as `python -m toolreel`."""

from replay.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
