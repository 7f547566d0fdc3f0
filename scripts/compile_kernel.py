"""Compiles the hot modules of `replay.validator` with mypyc, in a copy of the tree: `compile_kernel.py COPY`.

The copy gets an extension module (`.so`) beside each source that is compiled, and one that holds their code. It must be
a copy: an extension module that stays in a checkout is imported instead of its source, and packed into the next wheel.
Needs mypy, setuptools and a C compiler.
"""

import os
import sys
from pathlib import Path
from typing import Final

# What most of the time of a verdict is spent in. Left out are modules with named tuples whose members have the type
# `object`, of which mypyc makes code that does not start, and subclasses of `str`.
MODULES: Final = (
    *("_machine/ledger", "_machine/slots", "_machine/signals"),
    *("profiles/_readers/shape", "profiles/_readers/chunks", "profiles/_readers/blocks"),
    *("profiles/_readers/responses", "profiles/_readers/gemini", "profiles/_readers/ollama"),
    *("profiles/chunks", "profiles/blocks", "profiles/anthropic", "profiles/bedrock", "profiles/cohere"),
    *("_machine/arguments", "_machine/turn", "schema/_quick"),
    *("profiles/_response_items", "profiles/responses", "profiles/objects"),
)
# The name of the extension module that holds the code of all.
GROUP: Final = "toolreel_kernel"


def compile_in(copy: Path) -> None:
    """Put the extension modules into a copy of the tree."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    os.chdir(copy)  # names of modules are made of paths below here
    sources = [f"replay/validator/{name}.py" for name in MODULES]
    extensions = mypycify(["--follow-imports=silent", *sources], opt_level="2", debug_level="0", group_name=GROUP)
    build = build_ext(Distribution({"name": GROUP, "ext_modules": extensions}))
    build.inplace = True
    build.ensure_finalized()
    build.run()


if __name__ == "__main__":
    compile_in(Path(sys.argv[1]))
