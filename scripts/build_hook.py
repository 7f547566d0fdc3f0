"""Puts the compiled kernel into a wheel where the environment variable TOOLREEL_COMPILED is set; else does nothing.

Example: `TOOLREEL_COMPILED=1 pip wheel --no-deps .` makes a wheel for this Python and this system alone. The sources
are in it, too, and the verdicts are the same; it is faster. Hatchling calls this when it builds a wheel.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernel(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Hatchling's hook for our wheel."""

    def dependencies(self) -> list[str]:
        """What building needs beside hatchling."""
        return ["mypy>=1.13", "setuptools>=77"] if "TOOLREEL_COMPILED" in os.environ else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile in a copy, since extension modules that stay in the checkout would be in the next plain wheel."""
        if "TOOLREEL_COMPILED" not in os.environ or version == "editable":
            return
        self._copy = Path(tempfile.mkdtemp(prefix="toolreel-kernel-"))
        root = Path(self.root)
        shutil.copytree(root / "replay", self._copy / "replay", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        command = [sys.executable, root / "scripts" / "compile_kernel.py", self._copy]
        subprocess.run(command, check=True, stdout=sys.stderr)
        for path in self._copy.rglob("*.so"):
            inside = path.relative_to(self._copy)
            if inside.parts[0] != "build":
                build_data["force_include"][str(path)] = inside.as_posix()
        build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the copy."""
        if hasattr(self, "_copy"):
            shutil.rmtree(self._copy)
