"""An error in the place of another: nothing leads back to what was said in the first."""

import gc
import json
import subprocess
import sys

import pytest

from replay.errors import ToolreelError, translated

SECRET = "mara.lindqvist@example.org"


def parsed(text: str) -> object:
    with translated(json.JSONDecodeError, lambda error: ToolreelError(f"no JSON at character {error.pos}")):
        return json.loads(text)


def test_the_new_error_comes_in_the_place_of_the_old_one() -> None:
    with pytest.raises(ToolreelError, match=r"\Ano JSON at character 1\Z"):
        parsed("{" + SECRET)


def test_nothing_leads_from_the_new_error_to_the_old_one() -> None:
    with pytest.raises(ToolreelError) as caught:
        parsed("{" + SECRET)
    error = caught.value
    assert (error.__cause__, error.__context__) == (None, None)
    assert not [one for one in gc.get_objects() if isinstance(one, json.JSONDecodeError)]


def parsed_in_a_handler() -> object:
    try:
        raise ValueError(SECRET)
    except ValueError:
        return parsed("{")


def test_it_holds_inside_a_handler_too() -> None:
    with pytest.raises(ToolreelError) as caught:
        parsed_in_a_handler()
    assert caught.value.__context__ is None


def test_what_is_of_another_kind_passes() -> None:
    with pytest.raises(KeyError), translated(ValueError, ToolreelError):
        raise KeyError(SECRET)
    with translated(ValueError, ToolreelError):
        pass


def test_several_kinds_may_be_one() -> None:
    for kind in (LookupError, ValueError):
        with (
            pytest.raises(ToolreelError, match="one"),
            translated((LookupError, ValueError), lambda _: ToolreelError("one")),
        ):
            raise kind(SECRET)


def test_what_python_prints_of_it_tells_nothing() -> None:
    code = (
        "import sys\nfrom replay.errors import ToolreelError, translated\n"
        "with translated(ValueError, lambda _: ToolreelError('a line')):\n"
        "    raise ValueError(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, SECRET], capture_output=True, text=True, check=False)
    assert done.stderr.rstrip().endswith("replay.errors.ToolreelError: a line")
    assert SECRET not in done.stderr
