"""The command `toolreel pack`: a corpus into one file, or out of one."""

from __future__ import annotations

from pathlib import Path

import click

from replay.errors import ToolreelError
from replay.store import names
from replay.terminal import printable

from . import packing


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--out", metavar="FILE|DIR", required=True, help="The pack, NAME.pack.zip; with --extract, a folder.")
@click.option("--extract", is_flag=True, help="Take everything out of the packs at PATH again.")
def pack(*, paths: tuple[str, ...], out: str, extract: bool) -> None:
    """Put fixtures, and the pins and outcomes beside them, into one file of compressed members with an index.

    Every command reads a pack in place, as a folder: reels.pack.zip, or reels.pack.zip/weather.json for one fixture.
    A pack is not changed: a corpus grows by another pack beside it. The same files give the same bytes. PATH and FILE
    may be in an object store: s3://bucket/prefix, gs://… or az://….

    Exit codes: 0; 2, an argument is wrong, or a file could not be read or written. Then there is no pack.
    """
    if not extract:
        packed = packing.pack(paths, out)
        click.echo(f"packed into {printable(out)}: {_told(packed)}")
        return
    if names.is_stored(out):
        raise ToolreelError(f"--extract --out {out}: must be a folder of this machine")
    for path in paths:
        packed = packing.extract(path, Path(out))
        click.echo(f"{printable(path)}, unpacked into {printable(out)}: {_told(packed)}")


def _told(packed: packing.Packed) -> str:
    fixtures = "1 fixture" if packed.fixtures == 1 else f"{packed.fixtures:,} fixtures"
    return f"{fixtures}, files beside them: {packed.beside:,}, bytes as loose files: {packed.size:,}"
