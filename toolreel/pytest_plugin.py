"""The start of the pytest plugin, under a name that no other package is likely to have.

The plugin itself is `replay.pytest_plugin`. Where somebody else has the name `replay`, pytest says so in one line.
"""

from types import ModuleType
from typing import Final

import pytest

from toolreel import shadowed

_PLUGIN: Final = "replay.pytest_plugin"
_WITHOUT: Final = "to run without the plugin: pytest -p no:toolreel"


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Load the plugin, unless somebody has named it and it is there."""
    if not pluginmanager.has_plugin(_PLUGIN):
        pluginmanager.register(_loaded(), _PLUGIN)


def _loaded() -> ModuleType:
    said = ""
    try:
        if shadowed.is_replay_ours():
            from replay import pytest_plugin

            return pytest_plugin
    except (ImportError, AttributeError):
        said = shadowed.reason()
        if not said:
            raise
    raise pytest.UsageError(f"toolreel: {said or shadowed.reason()}; {_WITHOUT}")
