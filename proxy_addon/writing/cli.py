"""The option that says where fixtures go; `record` and `import` have it."""

from typing import Final

import click

from proxy_addon.writing.storage import sinks

out_option: Final = click.option(
    "--out",
    type=click.Path(),
    callback=lambda _context, _option, given: sinks.named(given),
    default="reels",
    show_default=True,
    metavar="DIR|URL",
    help="Folder for the fixtures, or a prefix of an object store: s3://BUCKET/PREFIX, gs://… or az://….",
)
