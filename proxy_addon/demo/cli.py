"""`toolreel demo`: runs the parts, tells the story, and leaves nothing behind but what was asked for."""

import contextlib
import importlib.util
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from proxy_addon.demo import serving, story
from proxy_addon.demo.application import API_KEY, ask
from proxy_addon.demo.bundled import BundledTurn, bundled
from proxy_addon.demo.children import Recorder, replay, show
from proxy_addon.demo.provider import Provider
from proxy_addon.demo.secret_search import leaking
from proxy_addon.demo.story import Kept
from proxy_addon.setup.authority import data_folder
from replay.errors import ToolreelError, install_hint, translated
from replay.terminal import printable
from replay.validator import validate

# The turn whose wire and fixture are shown side by side.
SHOWN: Final = "openai-one-call"
# The page beside the fixtures that shows them.
PAGE: Final = "reels.html"


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep the fixtures and pins in this folder, new or empty. Otherwise only a page that shows them is kept.",
)
@click.option(
    "--serve",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Be the provider of these turns at this port until Ctrl-C, for a recorder of your own, and do nothing else.",
)
def demo(out: Path | None, port: int | None) -> None:
    """Record, redact and replay bundled turns, on this machine alone.

    A local provider streams made-up turns, the real recorder stands in front of it, plain HTTP requests go through it,
    and the fixtures are pinned and replayed. No network, no key.
    """
    if port is not None:
        if out is not None:
            raise ToolreelError("--serve, --out: a provider writes no fixtures; leave one of the two out")
        serving.serve(bundled(), port, click.echo)
        return
    if importlib.util.find_spec("mitmproxy") is None:
        raise ToolreelError(f"toolreel demo: mitmproxy is not installed; {install_hint('record')}")
    started = time.monotonic()
    with _folder(out) as folder:
        as_expected = _play(folder)
        page = _page(folder, out)
    _say("", f"Done in {time.monotonic() - started:.1f} s.")
    if out is not None:
        _say(f"Fixtures and pins are in {printable(str(out))}.")
    else:
        _say("The fixtures are gone again; `toolreel demo --out DIR` keeps them.")
    if page is not None:
        _say(*_shown(page))
    if not as_expected:
        raise SystemExit(1)


def _page(folder: Path, out: Path | None) -> Path | None:
    """Where the page of the turns is: beside the fixtures where they are kept, else in the data folder of the user.

    There each demo writes over the page of the one before. None where the folder cannot be written.
    """
    page = (out or data_folder() / "demo") / PAGE
    with contextlib.suppress(OSError):
        page.parent.mkdir(parents=True, exist_ok=True)
    return page if show(folder, page) == 0 else None


def _shown(page: Path) -> list[str]:
    """How to see the page. A path is never cut, so that it can be copied."""
    told, path = "To see each turn, open this page in a browser:", printable(str(page))
    one_line = f"{told} {path}"
    return [one_line] if len(one_line) <= story.WIDTH else [told, f"  {path}"]


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The folder for the fixtures: the one that was asked for, or one that is removed when the demo ends."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="toolreel-demo-") as name:
            yield Path(name)
        return

    def unusable(error: OSError) -> ToolreelError:
        return ToolreelError(f"--out {out}: cannot be used ({error.strerror}); name another folder")

    with translated(OSError, unusable):
        out.mkdir(parents=True, exist_ok=True)
        empty = not any(out.iterdir())
    if not empty:
        raise ToolreelError(f"--out {out}: is not empty; name a new or an empty folder")
    yield out


def _play(folder: Path) -> bool:
    """Tell the whole story; whether everything came as it should."""
    turns = bundled()
    apis = len({turn.profile for turn in turns})
    _say(
        *story.paragraph(
            f"toolreel demo: {len(turns)} streamed turns of {apis} APIs, all made up, go through the real recorder "
            "on this machine, are redacted, written, pinned and replayed. No network, no key."
        )
    )
    _say(*story.heading(1, "Record"))
    unchanged = _record(turns, folder)
    kept = [_kept(turn, folder) for turn in turns]
    _say(*story.heading(2, "What was redacted"))
    _say(*story.before_and_after(next(one for one in kept if one.turn.case == SHOWN), api_key=API_KEY))
    clean = _search(turns, folder)
    _say(*story.heading(3, "Replay, as CI does it"))
    stable = _replay(folder)
    _say(*story.heading(4, "Which turns may execute"))
    _say(*story.verdicts(kept))
    _say("")
    _say(
        *story.paragraph(
            '"May execute" is what the recording allows: the verdict on what was streamed. toolreel judges recordings; '
            "it stands between no model and no tool, and blocks no call by itself."
        )
    )
    return unchanged and clean and stable and all(one.report.status.value == one.turn.verdict for one in kept)


def _record(turns: list[BundledTurn], folder: Path) -> bool:
    with Provider(turns) as provider:
        upstreams = dict.fromkeys((turn.provider for turn in turns), provider.url)
        with Recorder(out=folder, upstreams=upstreams) as recorder:
            _say(f"  provider  {provider.url}  streams the turns, in pieces of a few bytes")
            names = sorted(name for name in recorder.base_urls if name in upstreams)
            _say(f"  recorder  {recorder.base_urls[names[0]].removesuffix(names[0])}API  redacts them, for each API:")
            _say(f"            {', '.join(names)}")
            received = [ask(recorder.base_urls[turn.provider], turn) for turn in turns]
            summary = recorder.stop()
    unchanged = all(body == turn.response_body() for body, turn in zip(received, turns, strict=True))
    _say(
        *story.paragraph(
            f"{len(turns)} streaming requests, {sum(map(len, received))} bytes of response, "
            + ("each byte as the provider sent it." if unchanged else "NOT as the provider sent them.")
        ),
        f"Fixtures written: {summary['written']}, refused: {_total(summary['refused'])}, "
        f"dropped: {_total(summary['dropped'])}.",
    )
    return unchanged and summary["written"] == len(turns)


def _total(counts: object) -> int:
    return sum(counts.values()) if isinstance(counts, dict) else 0


def _kept(turn: BundledTurn, folder: Path) -> Kept:
    path = folder / f"{turn.case}.json"
    missing = ToolreelError(
        f"toolreel demo: the recorder wrote no fixture of {turn.case}; this is a bug of toolreel: please report it"
    )
    with translated(FileNotFoundError, lambda _: missing):
        data = path.read_bytes()
    return Kept(turn=turn, data=data, report=validate(data))


def _search(turns: Iterable[BundledTurn], folder: Path) -> bool:
    secrets = {API_KEY, *(secret for turn in turns for secret in turn.secrets)}
    files = sorted(folder.iterdir())
    found = leaking(files, secrets)
    said = (
        f"FOUND one of {len(secrets)} secrets in {', '.join(path.name for path in found)}: please report it."
        if found
        else f"Looked for {len(secrets)} secrets (the key, addresses, order numbers, a discount code, a name) in "
        f"{len(files)} files: as text, escaped, as base64, and in the joined fragments. Found none."
    )
    _say("", *story.paragraph(said))
    return not found


def _replay(folder: Path) -> bool:
    """Pin the verdicts, then compare with the pins; whether nothing moved between the two."""
    codes = []
    for options in (["--update"], []):
        code, printed = replay([*options, str(folder)])
        codes.append(code)
        _say("", " ".join(["$ toolreel replay", *options, "DIR"]))
        _say(*story.indented(printed.strip().splitlines()[-1]), f"  exit {code}")
    return codes == [0, 0]


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(line)
